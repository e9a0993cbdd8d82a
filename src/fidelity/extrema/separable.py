"""Global maxima of separable functions over the KL ball, each with a certified bound.

The problem is max Σφ_i(u_i) over the probability vectors u with KL(p̂ ‖ u) ≤ r. Where the φ_i are
convex it has many local maxima, so that no local method can be trusted. Branch and bound: a node
is a box of probabilities; in it an interior-point method solves a relaxation, whose multipliers
(ν of Σu = 1, λ of the ball) give the Lagrangian bound

    Σ max_{u_i} [φ_i(u_i) + λ p̂_i log u_i - ν u_i]  +  ν - λ Σ p̂ log p̂ + λ r

over the box. It holds for any ν and any λ ≥ 0, solved well or not; the terms are maximised exactly,
since each is concave up to one point and convex beyond it (and perhaps concave again in the end).
The box is split at the option that adds
most to the gap. At most two options can lie where their term is convex at the optimum (two
constraints leave no more), so few boxes are needed, and mostly one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from fidelity.arrays import BoolArray, Ends, FloatArray, Floats, IntArray
from fidelity.bernoulli import bernoulli_kl_lower, bernoulli_kl_upper, xlogy
from fidelity.extrema.solved import require_numbers

GAP = 1e-10
ROUNDING = 4e-16
MOST_NODES = 4000
ROUNDS = 80
STEPS = 100
RELAXATIONS = 3
BISECTIONS = 50
TINY = 1e-300
SLOWEST = 1e-5
EDGE = 1e-8
CHORD_EDGE = 1e-4
LARGEST_MULTIPLIER = 1e9


Term = Callable[[FloatArray, FloatArray], FloatArray]


class Terms(Protocol):
    """One convex term of a discrepancy Σ ℓ(u_i, q_i); arrays of any one shape."""

    def term(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return ℓ(u, q)."""

    def slope(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return ∂ℓ/∂u."""

    def bend(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return u²·∂²ℓ/∂u²; it must not fall as u grows, or only beyond ``turn``."""

    def turn(self, q: FloatArray) -> FloatArray | None:
        """Return the u from which on the bend falls; None if it never does."""


@dataclass(frozen=True)
class Objective:
    """φ_i(u) = ℓ(u, plus_i) - ℓ(u, minus_i); either may be absent.

    The difference must be convex or concave in u, option by option, and its bend monotone, as the
    sums over one simulator always are.
    """

    terms: Terms
    plus: FloatArray | None = None
    minus: FloatArray | None = None

    def take(self, which: IntArray | BoolArray) -> "Objective":
        """Return the rows, or the entries, at ``which``."""
        plus, minus = (None if q is None else q[which] for q in (self.plus, self.minus))
        return Objective(self.terms, plus, minus)

    def value(self, u: FloatArray) -> FloatArray:
        """Return φ."""
        return self._difference(self.terms.term, u)

    def slope(self, u: FloatArray) -> FloatArray:
        """Return φ'."""
        return self._difference(self.terms.slope, np.maximum(u, TINY))

    def bend(self, u: FloatArray) -> FloatArray:
        """Return u²φ''."""
        return self._difference(self.terms.bend, np.maximum(u, TINY))

    def turn(self) -> Floats:
        """Return where the bend of φ begins to fall; inf where it never does."""
        turn = None if self.plus is None else self.terms.turn(self.plus)
        return np.inf if turn is None else turn

    def _difference(self, function: Term, u: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            plus: Floats = 0.0 if self.plus is None else function(u, self.plus)
            minus: Floats = 0.0 if self.minus is None else function(u, self.minus)
        return np.subtract(plus, minus)


@dataclass(frozen=True)
class Nodes:
    """K boxes: which sample each belongs to, its corners, and where φ is replaced by its chord.

    ``row`` is (K,), the others (K, d). ``split`` marks the options that were split on the way.
    ``limit``, (K,), is an upper bound from the box that this one was cut from.
    """

    row: IntArray
    low: FloatArray
    high: FloatArray
    chord: BoolArray
    split: BoolArray
    limit: FloatArray

    def take(self, which: IntArray | BoolArray) -> "Nodes":
        """Return the nodes at ``which``."""
        return Nodes(**{name: array[which] for name, array in vars(self).items()})


Fixed = tuple[Any, ...]
"""What a node keeps: share, log floor, low, high, chord, its slope, and scale."""


class _State(NamedTuple):
    """Shares, the two multipliers, and the barrier with its pressure from below and above."""

    u: FloatArray
    price: FloatArray
    pull: FloatArray
    barrier: FloatArray
    push: FloatArray
    press: FloatArray


def separable_maximum(objective: Objective, share: FloatArray, radius: FloatArray) -> Ends:
    """Return (value, bound): a value that is attained in the ball, and an upper bound.

    They agree to 1e-10 relative, unless a sample needs more than 4,000 boxes; then both still hold.
    Where all answers are alike the ball is a box, u_i ≥ e^-r for that option, and needs no
    multiplier: the box's own would be confounded with it.

    Args:
        objective: its arrays (N, d).
        share: p̂, (N, d).
        radius: r in nats, positive, (N,).

    Returns:
        Two arrays (N,).
    """
    if share.shape[1] == 1:
        return (objective.value(np.ones(share.shape))[:, 0],) * 2
    value, bound = np.full(len(share), -np.inf), np.full(len(share), -np.inf)
    convex = objective.bend(np.full(share.shape, 0.5)) >= 0.0
    alike = (share > 0.0).sum(1) == 1
    weight = np.where(alike[:, None], 0.0, share)
    log_floor = xlogy(weight, weight).sum(1) - np.where(alike, 1.0, radius)
    corners = np.where(convex.all(1), _largest_at_corners(objective, share), np.inf)
    nodes = _roots(share, radius, (weight == 0.0) & convex, corners)
    spent = np.zeros(len(share), int)
    for _ in range(ROUNDS):
        nodes = _tightened(nodes, weight, log_floor)
        here, p, floor = objective.take(nodes.row), weight[nodes.row], log_floor[nodes.row]
        u, price, pull = _multipliers(here, p, floor, nodes, convex[nodes.row])
        attained, gap = _bound(here, p, floor, nodes, u, price, pull)
        inside = _best_inside(here, u, nodes, share, radius)
        require_numbers("an extremum over the KL ball", attained, gap, inside)
        rounding = ROUNDING * (np.abs(attained) + np.abs(price) + pull * (1.0 - floor))
        np.maximum.at(value, nodes.row, inside)
        spent += np.bincount(nodes.row, minlength=len(share))
        reached = np.minimum(attained + gap.sum(1) + rounding, nodes.limit)
        best = value[nodes.row]
        wanted = GAP * np.abs(best)
        allowed = wanted + np.minimum(2.0 * rounding, wanted) + 10.0 * ROUNDING
        worth = (reached - allowed > best) & (spent[nodes.row] < MOST_NODES)
        np.maximum.at(bound, nodes.row[~worth], reached[~worth])
        nodes = replace(nodes, limit=reached).take(worth)
        if len(nodes.row) == 0:
            break
        nodes = _halves(
            nodes, gap[worth], u[worth], pull[worth], here.take(worth), p[worth], convex
        )
    else:
        np.maximum.at(bound, nodes.row, nodes.limit)
    return value, np.maximum(value, bound)


def _multipliers(
    objective: Objective, share: FloatArray, log_floor: FloatArray, nodes: Nodes, convex: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (u, ν, λ) in each box from a relaxation that is concave where it ends.

    Where the solution lies on the convex part of a term, its chord takes its place.
    """
    u, price, pull = _relaxed_maximum(objective, share, log_floor, nodes)
    for _ in range(RELAXATIONS):
        expanding = convex & ~nodes.chord & (objective.bend(u) > pull[:, None] * share)
        again = np.flatnonzero(expanding.any(1))
        if len(again) == 0:
            break
        nodes.chord[again] |= expanding[again]
        u[again], price[again], pull[again] = _relaxed_maximum(
            objective.take(again), share[again], log_floor[again], nodes.take(again)
        )
    return u, price, pull


def _largest_at_corners(objective: Objective, share: FloatArray) -> FloatArray:
    """Return the largest value at a corner of the simplex, which convex terms never exceed."""
    at_zero = objective.value(np.zeros(share.shape))
    return np.asarray(at_zero.sum(1) + (objective.value(np.ones(share.shape)) - at_zero).max(1))


def _roots(share: FloatArray, radius: FloatArray, chord: BoolArray, limit: FloatArray) -> Nodes:
    """Return one node per sample: each option's own interval over the ball."""
    low = bernoulli_kl_lower(share, radius[:, None])
    low = np.where(share < 1.0, low * (1.0 - 1e-12), low)
    high = np.minimum(bernoulli_kl_upper(share, radius[:, None]) * (1.0 + 1e-12), 1.0)
    return Nodes(np.arange(len(share)), low, high, chord, np.zeros_like(chord), limit)


def _tightened(nodes: Nodes, share: FloatArray, log_floor: FloatArray) -> Nodes:
    """Cut off what the constraints forbid, and drop the boxes that hold no point of the ball."""
    p, floor = share[nodes.row], log_floor[nodes.row][:, None]
    low, high = nodes.low, nodes.high
    for _ in range(2):
        high = np.minimum(high, 1.0 + ROUNDING - (low.sum(1, keepdims=True) - low))
        low = np.maximum(low, 1.0 - ROUNDING - (high.sum(1, keepdims=True) - high))
        spent = xlogy(p, np.maximum(high, TINY))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            least = np.exp((floor - (spent.sum(1, keepdims=True) - spent)) / p)
        low = np.maximum(low, np.where(p > 0.0, least, 0.0))
    require_numbers("an extremum over the KL ball", low, high)
    possible = (low <= high * (1.0 + 1e-14)).all(1) & (low.sum(1) <= 1.0 + 1e-12)
    high = np.maximum(low, high)
    narrowed = np.flatnonzero(possible & nodes.split.any(1))
    likely = _highest_likelihood(p[narrowed], low[narrowed], high[narrowed])
    possible[narrowed] = likely >= floor[narrowed, 0] - 1e-12
    return replace(nodes, low=low, high=high).take(possible)


def _highest_likelihood(share: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the maximum of Σ p̂ log u over a box with Σu = 1, at u = clip(t·p̂, low, high)."""
    smallest, largest = np.full(len(share), -60.0), np.full(len(share), 60.0)
    for _ in range(BISECTIONS):
        middle = (smallest + largest) / 2
        over = np.clip(np.exp(middle)[:, None] * share, low, high).sum(1) > 1.0
        smallest, largest = np.where(over, smallest, middle), np.where(over, middle, largest)
    u = np.clip(np.exp(largest)[:, None] * share, low, high)
    return np.where(high.sum(1) < 1.0 - 1e-12, -np.inf, xlogy(share, np.maximum(u, TINY)).sum(1))


def _best_inside(
    objective: Objective, u: FloatArray, nodes: Nodes, share: FloatArray, radius: FloatArray
) -> FloatArray:
    """Return the value of a point of the ball next to u, (K,).

    What is next to an end of its chord may be better at that end, where the chord is right.
    """
    value: FloatArray = objective.value(_inside(u, share[nodes.row], radius[nodes.row])).sum(1)
    edge = np.where(nodes.chord, CHORD_EDGE * (nodes.high - nodes.low), 0.0)
    below, above = u - nodes.low < edge, nodes.high - u < edge
    moved = np.flatnonzero(((below & (u > nodes.low)) | (above & (u < nodes.high))).any(1))
    at_ends = np.where(below, nodes.low, np.where(above, nodes.high, u))[moved]
    rows = nodes.row[moved]
    again = objective.take(moved).value(_inside(at_ends, share[rows], radius[rows])).sum(1)
    value[moved] = np.maximum(value[moved], again)
    return value


def _inside(u: FloatArray, share: FloatArray, radius: FloatArray) -> FloatArray:
    """Return a point of the ball next to u.

    Options that nobody chose keep their mass, up to the 1 - e^-r that the ball leaves them. Of the
    others, the logarithms are drawn towards those of p̂ until the ball holds them: the divergence
    from p̂ of a normalised geometric mean is convex in its weight, and a rare option stays rare.
    """
    chosen = share > 0.0
    mass = np.where(chosen, np.maximum(u, TINY), 0.0)
    rest = np.where(chosen, 0.0, u)
    kept, left = mass.sum(1), rest.sum(1)
    part = np.maximum(kept / (kept + left), np.exp(-radius))
    log_share, log_mass = (np.log(np.where(chosen, part_mass, 1.0)) for part_mass in (share, mass))
    log_change = log_share - log_mass + np.log(kept)[:, None]
    spent = (share * log_change).sum(1)
    allowed = np.maximum(radius + np.log(part), 0.0)
    drawn = np.where(spent > allowed, 1.0 - allowed / np.maximum(spent, TINY), 0.0)
    mass = np.where(chosen, mass * np.exp(drawn[:, None] * log_change), 0.0)
    mass *= (part / mass.sum(1))[:, None]
    return mass + rest * ((1.0 - part) / np.where(left > 0.0, left, 1.0))[:, None]


def _halves(
    nodes: Nodes,
    gap: FloatArray,
    u: FloatArray,
    pull: FloatArray,
    objective: Objective,
    share: FloatArray,
    convex: BoolArray,
) -> Nodes:
    """Split each box at the option with the largest gap, near the relaxation's solution.

    In an option that was split, φ is replaced by its chord where the Lagrangian term is convex.
    """
    boxes, option = np.arange(len(nodes.row)), np.argmax(gap, 1)
    width = (nodes.high - nodes.low)[boxes, option]
    at = np.clip(
        u[boxes, option],
        nodes.low[boxes, option] + 0.2 * width,
        nodes.high[boxes, option] - 0.2 * width,
    )
    below, above, split = nodes.high.copy(), nodes.low.copy(), nodes.split.copy()
    below[boxes, option] = above[boxes, option] = at
    split[boxes, option] = True
    children = []
    for low, high in ((above, nodes.high), (nodes.low, below)):
        expanding = objective.bend((low + high) / 2) > pull[:, None] * share
        chord = convex[nodes.row] & ((share == 0.0) | (split & expanding))
        children.append(Nodes(nodes.row, low, high, chord, split, nodes.limit))
    first, second = (vars(child) for child in children)
    return Nodes(**{name: np.concatenate([first[name], second[name]]) for name in first})


def _bound(
    objective: Objective,
    share: FloatArray,
    log_floor: FloatArray,
    nodes: Nodes,
    u: FloatArray,
    price: FloatArray,
    pull: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the Lagrangian at u, (K,), and how much its maximum over the box exceeds that, (K, d).

    On a concave part of a term the maximum is where its derivative vanishes; the convex part has
    its maximum at an end of the box.
    """
    low, high = nodes.low, nodes.high
    turn = np.clip(objective.turn(), low, high)
    weight, price = pull[:, None] * share, np.broadcast_to(price[:, None], share.shape)
    here = objective.value(u)

    def rise(v: FloatArray) -> FloatArray:
        ratio = np.where(weight > 0.0, v, 1.0) / np.where(weight > 0.0, u, 1.0)
        return objective.value(v) - here + xlogy(weight, ratio) - price * (v - u)

    gap = np.maximum(np.maximum(rise(high), rise(low)), 0.0)
    safe = np.maximum(u, TINY)
    derivative = objective.slope(u) - price + weight / safe
    stationary = objective.bend(u) <= weight
    stationary &= (weight > 0.0) | (objective.bend(u) < 0.0)
    off_peak = np.abs(derivative) * (high - low)
    again = turn < high
    exact = stationary & ~again & (off_peak <= 1e-13 * np.abs(here).sum(1, keepdims=True))
    gap += np.where(exact, off_peak, 0.0)
    concave = (objective.bend(low) < weight) | (objective.bend(high) < 0.0)
    for search, start, end, last in (
        (~exact & (concave | stationary | again), low, turn, False),
        (again, turn, high, True),
    ):
        if search.any():
            peak = u.copy()
            known = weight[search], price[search], start[search], end[search]
            peak[search] = _peak(objective.take(search), *known, last)
            gap = np.maximum(gap, rise(peak))
    spent = xlogy(share, u).sum(1) - log_floor
    return here.sum(1) + price[:, 0] * (1.0 - u.sum(1)) + pull * spent, gap


def _peak(
    objective: Objective,
    weight: FloatArray,
    price: FloatArray,
    low: FloatArray,
    high: FloatArray,
    last: bool,
) -> FloatArray:
    """Return where φ + weight·log u - price·u has its peak on the concave part of [low, high].

    The concave part is the first one, or with ``last`` the last one, where the bend falls.
    """
    low, high = np.log(np.maximum(low, TINY)), np.log(np.maximum(high, TINY))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        u = np.exp(middle)
        beyond = objective.slope(u) - price + weight / u <= 0.0
        convex = objective.bend(u) >= weight
        beyond = beyond & ~convex if last else beyond | (convex & (weight > 0.0))
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return np.exp(low)


def _chord_slope(objective: Objective, low: FloatArray, high: FloatArray) -> FloatArray:
    width = high - low
    wide = width > 1e-9 * high
    slope = (objective.value(high) - objective.value(low)) / np.where(wide, width, 1.0)
    return np.where(wide & np.isfinite(slope), slope, objective.slope((low + high) / 2))


def _start(share: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return a point inside each box near p̂ whose sum is as near to 1 as the box allows."""
    width = high - low
    u = np.clip(share, low + 0.1 * width, high - 0.1 * width)
    for _ in range(3):
        missing = 1.0 - u.sum(1, keepdims=True)
        room = np.where(missing > 0.0, high - 0.05 * width - u, u - low - 0.05 * width)
        u = u + missing * room / np.maximum(room.sum(1, keepdims=True), np.abs(missing) + TINY)
    return np.maximum(u, TINY)


def _relaxed_maximum(
    objective: Objective, share: FloatArray, log_floor: FloatArray, nodes: Nodes
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (u, ν, λ) of the relaxation in each box; (K, d), (K,), (K,).

    Primal-dual interior point in log u, where the ball is linear: barrier μ for the ball and for
    the sides of the box. The Hessian is diagonal, so a Newton step costs two equations. Where
    rounding spoils a step, as next to the sides of a box, the point before it is the answer: any
    multipliers give a bound.
    """
    at_chord = np.where(nodes.chord, _chord_slope(objective, nodes.low, nodes.high), 0.0)
    u = _start(share, nodes.low, nodes.high)
    slope = np.where(nodes.chord, at_chord, objective.slope(u))
    mean = (u * slope).sum(1) / u.sum(1)
    spread = np.sqrt((u * (slope - mean[:, None]) ** 2).sum(1))
    scale = np.maximum(spread, 1e-6 * np.abs(u * slope).sum(1)) + 1e-14
    slack = np.maximum(xlogy(share, share).sum(1) - log_floor, TINY)
    pull = np.maximum(spread, 1e-3 * scale) / np.sqrt(2.0 * slack)
    barrier = 0.05 * scale * np.clip((nodes.high - nodes.low).max(1), 1e-12, 1.0)
    push, press = (barrier[:, None] / (room + TINY) for room in (u - nodes.low, nodes.high - u))
    state = _State(u, mean + pull, pull, barrier, push, press)
    fixed: Fixed = (share, log_floor, nodes.low, nodes.high, nodes.chord, at_chord, scale)
    u, price, pull = (array.copy() for array in state[:3])
    open_nodes = np.arange(len(share))
    for _ in range(STEPS):
        state, moved = _newton_step(objective, fixed, state)
        finite = np.isfinite(moved + state.price + state.pull + state.u.sum(1))
        sound = slice(None) if finite.all() else finite
        for array, now in zip((u, price, pull), state[:3], strict=True):
            array[open_nodes[sound]] = now[sound]
        going = finite & ((moved > 1e-11) | (state.barrier > 1e-15 * fixed[-1]))
        if not going.all():
            if not going.any():
                break
            open_nodes, objective = open_nodes[going], objective.take(going)
            state = _State(*(array[going] for array in state))
            fixed = tuple(array[going] for array in fixed)
    # options that nobody chose go to the side of the box they tend to, and multipliers stay where
    # rounding does no harm; the bound holds for any
    width, free = nodes.high - nodes.low, share == 0.0
    u = np.where(free & (u - nodes.low < EDGE * width), nodes.low, u)
    u = np.where(free & (nodes.high - u < EDGE * width), nodes.high, u)
    most = LARGEST_MULTIPLIER * (1.0 + scale)
    return u, np.clip(price, -most, most), np.minimum(pull, most)


def _newton_step(objective: Objective, fixed: Fixed, state: _State) -> tuple[_State, FloatArray]:
    """Return the next state, and how far u moved; ``push`` and ``press`` keep it off the sides.

    Options that people chose count in relative terms, too: rare ones may be left next to nothing.
    """
    share, log_floor, low, high, chord, at_chord, scale = fixed
    u, price, pull, barrier, push, press = state
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        from_low, from_high = np.maximum(u - low, TINY), np.maximum(high - u, TINY)
        mu = barrier[:, None]
        weight = pull[:, None] * share
        stiff = weight + u * u * (push / from_low + press / from_high)
        hessian = stiff - np.where(chord, 0.0, objective.bend(u))
        hessian = np.where(hessian > 1e-3 * stiff, hessian, np.abs(hessian) + 1e-3 * stiff + TINY)
        slope = np.where(chord, at_chord, objective.slope(u)) + mu / from_low - mu / from_high
        residual = u * (slope - price[:, None]) + weight
        a, b, c = (
            (first * second / hessian).sum(1)
            for first, second in ((u, u), (u, share), (share, share))
        )
        c = c + barrier / pull**2
        missing = 1.0 - u.sum(1) - (u * residual / hessian).sum(1)
        outside = (
            log_floor
            + barrier / pull
            - xlogy(share, u).sum(1)
            - (share * residual / hessian).sum(1)
        )
        determinant = b * b - a * c
        price_step = (missing * c - b * outside) / determinant
        pull_step = (b * missing - a * outside) / determinant
        log_step = (residual - u * price_step[:, None] + share * pull_step[:, None]) / hessian
        step = u * log_step
        push_step = mu / from_low - push - push / from_low * step
        press_step = mu / from_high - press + press / from_high * step
        length = np.minimum(1.0, 2.0 / np.abs(log_step).max(1))
        length = np.minimum(length, _to_zero(pull_step, pull))
        length = np.minimum(length, _to_zero(step, from_low).min(1))
        length = np.minimum(length, _to_zero(-step, from_high).min(1))
        side = np.minimum(_to_zero(push_step, push).min(1), _to_zero(press_step, press).min(1))
        side = np.minimum(1.0, side)[:, None]
        shrunk = u * np.exp(length[:, None] * np.minimum(log_step, 0.0))
        faster = np.where(length > 0.9, 0.1, np.where(length > 0.3, 0.3, 0.9))
        state = _State(
            shrunk + length[:, None] * np.maximum(step, 0.0),
            price + length * price_step,
            pull + length * pull_step,
            np.maximum(barrier * faster, 1e-17 * scale),
            push + side * push_step,
            press + side * press_step,
        )
    return state, (np.abs(log_step) * np.where(share > 0.0, u + SLOWEST, u)).max(1)


def _to_zero(step: FloatArray, distance: FloatArray) -> FloatArray:
    """Return what part of a step leaves a twentieth of the way to zero; inf if it leads away."""
    return np.where(step < 0.0, 0.95 * distance / np.maximum(-step, TINY), np.inf)
