"""Exact extrema over the KL ball {u in the simplex: KL(p̂ ‖ u) ≤ r}, for many samples at once.

Every function takes N samples as rows: ``share`` (N, d) is p̂, ``radius`` (N,) is r > 0 in nats.
An option that nobody chose (p̂_i = 0) may get mass, and KL(p̂ ‖ u) rises only by the mass it takes.
"""

from typing import Any, NamedTuple

import numpy as np

from fidelity.arrays import BoolArray, Ends, FloatArray, IntArray
from fidelity.bernoulli import bernoulli_kl_upper, log_fall, xlogy
from fidelity.blocks import blocks
from fidelity.extrema.absolute_differences import ABSOLUTE_GAP
from fidelity.extrema.solved import require_numbers

BISECTIONS = 80
MOST_NEWTON_STEPS = 200
LOG_OF_ZERO = -700.0
MOST_PRICES = 100
LARGEST_LOG_PRICE = 60.0
EVENTS_AT_ONCE = 100_000
LOWEST_EVENT = -1e5
HIGHEST_LOG_SCALE = 600.0
TINY = 1e-300


def linear_maximum(share: FloatArray, radius: FloatArray, functionals: FloatArray) -> FloatArray:
    """Return max ⟨f, u⟩ over the ball for each functional f.

    A functional with two values reduces to a Bernoulli ball: mass on either value stays
    proportional to p̂. For the others see :func:`linear_maximum_of_rows`.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        functionals: (F, d).

    Returns:
        (N, F).
    """
    lowest, span = functionals.min(1), np.ptp(functionals, axis=1)
    indicators = (functionals - lowest[:, None]) / np.where(span > 0.0, span, 1.0)[:, None]
    two_valued = np.isin(indicators, (0.0, 1.0)).all(1)
    result = np.empty((len(share), len(functionals)))
    inside = bernoulli_kl_upper(share @ indicators[two_valued].T, radius[:, None])
    result[:, two_valued] = lowest[two_valued] + span[two_valued] * inside
    for i in np.flatnonzero(~two_valued):
        rows = np.broadcast_to(functionals[i], share.shape)
        result[:, i] = linear_maximum_of_rows(share, radius, rows)
    return result


def linear_maximum_of_rows(share: FloatArray, radius: FloatArray, f: FloatArray) -> FloatArray:
    """Return max ⟨f_j, u⟩ over the ball of each row j; f (N, d) -> (N,).

    The dual of [QC]: u_i ∝ p̂_i/(ν - f_i), where ν = max f + ε solves
    Σ p̂ log(ν - f) + log Σ p̂/(ν - f) = r. At the boundary ε = 0 an option that nobody chose takes
    the rest of the mass.
    """
    top, span = f.max(1), np.ptp(f, axis=1)
    gap = (top[:, None] - f) / np.where(span > 0.0, span, 1.0)[:, None]
    at_zero = _tilt(share, gap, np.full(len(share), LOG_OF_ZERO))[1]
    at_boundary = ~((gap == 0.0) & (share > 0.0)).any(1) & (at_zero <= radius)
    left = np.exp((share * np.log(np.where(gap > 0.0, gap, 1.0))).sum(1) - radius)
    inside = np.flatnonzero(~at_boundary)
    share, gap = share[inside], gap[inside]
    tilted, *_ = _tilt(share, gap, _log_excess(share, radius[inside], gap))
    left[inside] = (tilted * gap).sum(1) / tilted.sum(1)
    return top - span * left


def _log_excess(share: FloatArray, radius: FloatArray, gap: FloatArray) -> FloatArray:
    """Return log ε with KL(p̂ ‖ u) = r: Newton's method for log KL, kept inside a bracket."""
    low = np.full(len(share), LOG_OF_ZERO)
    high = np.full(len(share), -LOG_OF_ZERO / 10)
    mean = (share * gap).sum(1, keepdims=True)
    with np.errstate(divide="ignore"):
        spread = np.log((share * (gap - mean) ** 2).sum(1))
    at = np.clip((spread - np.log(2.0 * radius)) / 2.0, -30.0, high)
    result: FloatArray = at.copy()
    active = np.arange(len(share))
    for _ in range(BISECTIONS):
        _, reached, change = _tilt(share, gap, at)
        require_numbers("the largest mean over the KL ball", reached)
        outside = reached > radius
        low, high = np.where(outside, at, low), np.where(outside, high, at)
        usable = (reached > 0.0) & (change < 0.0)
        step = np.log(radius / np.where(usable, reached, radius)) * reached
        newton = at + step / np.where(usable, change, 1.0)
        bracketed = usable & (newton > low) & (newton < high)
        following = np.where(bracketed, newton, (low + high) / 2)
        result[active] = following
        going = np.abs(following - at) > 1e-15 * np.abs(at)
        if not going.any():
            break
        active, share, gap, radius = active[going], share[going], gap[going], radius[going]
        low, high, at = low[going], high[going], following[going]
    return result


def _tilt(
    share: FloatArray, gap: FloatArray, log_excess: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return u at ν = max f + ε, unnormalised, KL(p̂ ‖ u), and the derivative of it in log ε."""
    relative = gap * np.exp(-log_excess)[:, None]
    tilted = share / (1.0 + relative)
    cut = tilted * relative
    lost, mass = cut.sum(1), tilted.sum(1)
    log_mass = np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), np.log(mass))
    change = (cut / (1.0 + relative)).sum(1) / mass - lost
    return tilted, (share * np.log1p(relative)).sum(1) + log_mass, change


def divergence(share: FloatArray, u: FloatArray) -> FloatArray:
    """Return KL(share ‖ u) of each row in nats, +inf where u lacks an option of share."""
    with np.errstate(divide="ignore"):
        return (xlogy(share, share) - xlogy(share, u)).sum(-1)


def tv_minimum(share: FloatArray, radius: FloatArray, q: FloatArray) -> FloatArray:
    """Return min TV(u, q) over the ball, by water-filling.

    0 if q lies in the ball. Else the minimiser is u = clip(q, a·p̂, b·p̂) on the options that
    people chose, with the smallest a in [0, 1] that keeps KL(p̂ ‖ u) ≤ r; b follows from Σu = 1,
    and where max(q, a·p̂) leaves mass over, the other options keep it. TV is Σ(a·p̂ - q)₊.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        q: the simulator's probabilities, (N, d).

    Returns:
        (N,).
    """
    result = np.zeros(len(share))
    far = divergence(share, q) > radius
    if far.any():
        result[far] = _tv_minimum_outside(share[far], radius[far], q[far])
    return result


def _tv_minimum_outside(share: FloatArray, radius: FloatArray, q: FloatArray) -> FloatArray:
    """Return the minimum where q lies outside the ball.

    KL(p̂ ‖ u) falls as log a rises, with slope -(1 - a/b)·Σp̂ over the options that are raised to
    a·p̂. Newton's method in log a, where a may be as small as e^-r/p̂, kept inside a bracket whose
    left end is what the ball allows the option with the smallest q/p̂ by itself.
    """
    chosen = share > 0.0
    with np.errstate(divide="ignore"):
        log_ratio = np.log(q) - np.log(np.where(chosen, share, 1.0))
    log_ratio = np.where(chosen, log_ratio, np.inf)
    order = np.argsort(log_ratio, axis=1)
    log_ratio, p = (np.take_along_axis(table, order, 1) for table in (log_ratio, share))
    q = np.where(p > 0.0, np.take_along_axis(q, order, 1), 0.0)
    low, high = np.maximum(log_ratio[:, 0], log_fall(p[:, 0], radius)), np.zeros(len(p))
    at, last = low.copy(), np.full(len(p), np.inf)
    distance, active = np.empty(len(p)), np.arange(len(p))
    for _ in range(MOST_NEWTON_STEPS):
        excess, slope, distance[active], size = _water_filled(p, q, log_ratio, radius, at)
        require_numbers("the smallest total variation over the KL ball", excess, slope)
        low, high = np.where(excess > 0.0, at, low), np.where(excess > 0.0, high, at)
        step = excess / np.where(slope < 0.0, slope, -np.inf)
        resolution = 2e-16 * np.maximum(np.abs(at), 1.0)
        going = (np.abs(step) > resolution) & (np.abs(excess) > 4e-16 * size)
        going &= high - low > resolution
        if not going.any():
            return distance
        newton = (at - step > low) & (at - step < high) & (np.abs(excess) < 0.5 * last)
        at, last = np.where(newton, at - step, (low + high) / 2.0), np.abs(excess)
        active, p, q, log_ratio, radius, low, high, at, last = (
            rows[going] for rows in (active, p, q, log_ratio, radius, low, high, at, last)
        )
    raise ArithmeticError(f"no smallest total variation after {MOST_NEWTON_STEPS} steps")


def _water_filled(
    p: FloatArray, q: FloatArray, log_ratio: FloatArray, radius: FloatArray, log_a: FloatArray
) -> tuple[FloatArray, ...]:
    """Return KL(p ‖ u) - r at u = max(a·p, min(q, b·p)) with Σu = 1, and its slope in log a.

    Then Σ(a·p - q)₊, and the size of what the divergence is a sum of. Options are in ascending
    order of q/p; b is infinite where nothing need be cut.
    """
    raised = log_ratio <= log_a[:, None]
    above = np.where(raised, np.maximum(np.exp(log_a)[:, None] * p - q, 0.0), 0.0).sum(1)
    rest = np.cumsum(p[:, ::-1], 1)[:, ::-1]
    left = 1.0 - above[:, None] - (np.cumsum(q, 1) - q)
    open_ = ~raised & (p > 0.0) & (left > 0.0)
    log_b = np.log(np.where(open_, left, 1.0)) - np.log(np.where(open_, rest, 1.0))
    settled = open_ & (log_b <= log_ratio)
    first = settled.argmax(1)[:, None]
    cap = np.where(settled.any(1), np.take_along_axis(log_b, first, 1)[:, 0], np.inf)
    log_change = np.maximum(log_a[:, None], np.minimum(log_ratio, cap[:, None]))
    spent = p * np.where(p > 0.0, log_change, 0.0)
    slope = np.expm1(log_a - cap) * np.where(raised, p, 0.0).sum(1)
    return -spent.sum(1) - radius, slope, above, np.abs(spent).sum(1)


def tv_difference_maximum(
    share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray
) -> Ends:
    """Enclose max [TV(u, q1) - TV(u, q2)] over the ball, globally, by branch and bound.

    The difference is a sum of terms g_i(u_i) = ½(|u_i - q1_i| - |u_i - q2_i|). With
    h_i = ½|q1_i - q2_i| each is the larger of two concave functions: the plateau -h_i, and a ramp
    of slope ±1 that reaches h_i at q2_i and stays there. Choosing one of the two for each option
    leaves a concave program, and the maximum is the largest over all choices. The multipliers that
    solve one choice, ν of Σu = 1 and λ of the ball, bound all others by weak duality:

        λr + Σ_i max_u [g_i(u) + λp̂_i log(u/p̂_i) - ν(u - p̂_i)],

    where each option takes the better of its two functions. Only choices that this bound leaves
    open are solved: one or two of the 2^d for most samples.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        q1, q2: two simulators' probabilities, (N, d) each.

    Returns:
        A value that is attained, and an upper bound on the maximum, (N,) each. For the minimum
        swap the simulators and the sign of the result.
    """
    enclosure = np.empty((2, len(share)))
    for rows in blocks(len(share), share.shape[1] ** 2, EVENTS_AT_ONCE):
        enclosure[:, rows] = _tv_difference_maximum(
            share[rows].T, radius[rows], q1[rows].T, q2[rows].T
        )
    value, bound = enclosure
    return value, bound


class _Choices(NamedTuple):
    """Concave programs, one per column: for each option the plateau of g_i or its ramp.

    Attributes:
        share: p̂, (d, M).
        radius: r, (M,).
        first, second: q1 and q2, (d, M).
        log_ratio: log(q2/p̂), 0 where nobody chose the option, (d, M).
        ramp: whether the ramp is chosen, (d, M).
    """

    share: FloatArray
    radius: FloatArray
    first: FloatArray
    second: FloatArray
    log_ratio: FloatArray
    ramp: BoolArray

    def take(self, which: IntArray | BoolArray) -> "_Choices":
        """Return the programs at ``which``."""
        columns: list[Any] = [array[..., which] for array in self]
        return _Choices(*columns)

    @property
    def rises(self) -> BoolArray:
        """Whether the ramps lead up, (d, M)."""
        return self.first < self.second

    @property
    def ends(self) -> FloatArray:
        """What ramps take at prices below 1 where nobody chose the option, (d, M)."""
        return np.where((self.share == 0.0) & self.rises, self.second, 0.0)

    def shifts(self, floor: FloatArray, log_excess: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest log(u_i/p̂_i) - log(λ/ν) on the ramps, (d, M) each."""
        falling = -np.log1p(1.0 / (floor + np.exp(log_excess)))
        rising = np.where(floor > 0.0, np.log1p(np.exp(-log_excess)), np.inf)
        return np.where(self.rises, 0.0, falling), np.where(self.rises, rising, 0.0)


def _tv_difference_maximum(
    share: FloatArray, radius: FloatArray, first: FloatArray, second: FloatArray
) -> FloatArray:
    """Return value and bound as :func:`tv_difference_maximum`, (2, N); samples are columns here.

    A node has settled the choice of some options. Where others gain from the other function at the
    node's multipliers, its children settle them one after another, the largest gain first: the
    k-th child changes the k-th of these options, and the ones before it stay as they are.
    """
    half = np.abs(first - second) / 2.0
    with np.errstate(divide="ignore"):
        log_ratio = np.where(share > 0.0, np.log(second / np.where(share > 0.0, share, 1.0)), 0.0)
    nearer = np.sqrt(radius / np.maximum(-(share * log_ratio).sum(0), radius))
    guess = share + nearer * (second - share)
    settled = half == 0.0
    ramp = ~settled & ((guess > first) == (first < second))
    choices = _Choices(share, radius, first, second, log_ratio, ramp)
    signs = np.sign(second - first)
    spread = (share * (signs - (share * signs).sum(0)) ** 2).sum(0)
    start = np.log(np.maximum(spread, 1e-3) / (2.0 * radius)) / 2.0

    limit, sample = half.sum(0), np.arange(len(radius))
    value, bound = np.full((2, len(radius)), -np.inf)
    while len(sample) > 0:
        floor, start, log_scale = _multipliers(choices, start)
        reached, rest, gain = _enclosure(choices, half[:, sample], floor, start, log_scale)
        require_numbers("the largest difference of total variations", reached, rest)
        np.maximum.at(value, sample, reached)
        gain = np.where(settled, 0.0, np.maximum(gain, 0.0))
        order = np.argsort(-gain, axis=0)
        gains = np.take_along_axis(gain, order, 0)
        left = np.minimum(limit, rest + np.cumsum(gains[::-1], axis=0)[::-1])
        going = (gains > 0.0) & (left > value[sample] + ABSOLUTE_GAP * len(share))
        closed = np.maximum(np.where(going, -np.inf, left).max(0), np.minimum(limit, rest))
        np.maximum.at(bound, sample, closed)

        rank, node = np.nonzero(going)
        place = np.argsort(order, axis=0)[:, node]
        choices, limit, sample, start = choices.take(node), left[going], sample[node], start[node]
        choices = choices._replace(ramp=choices.ramp ^ ((gain[:, node] > 0.0) & (place >= rank)))
        settled = settled[:, node] | (place <= rank)
    return np.stack([value, np.maximum(value, bound)])


def _multipliers(choices: _Choices, start: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the multipliers that solve each program: floor, log_excess and log(λ/ν), (M,) each.

    The price of mass is ν = floor + exp(log_excess), with the floor 0 or 1. Σu falls as ν rises,
    and Newton's method kept inside a bracket finds Σu = 1; as long as the same options rest at
    their kinks, Σu is nearly a constant plus a power of ν. Two prices come first: at 1, a ramp that
    leads up takes any mass up to its end if nobody chose the option; next to 0, where Σu is still
    too small, the ball doesn't bind.

    Args:
        start: where to start with log_excess, (M,).
    """
    floor, at = np.ones(len(start)), np.full(len(start), -np.inf)
    log_scale, surplus, *_ = _at_price(choices, floor, at)
    taken = np.where(choices.ramp, choices.ends, 0.0).sum(0)
    active = np.flatnonzero((surplus > 0.0) | (surplus + taken < 0.0))
    choices, dear = choices.take(active), surplus[active] > 0.0
    floor[active] = dear
    low = np.where(dear, LOG_OF_ZERO, -LARGEST_LOG_PRICE)
    high = np.where(dear, LARGEST_LOG_PRICE, 0.0)
    log_excess, at = at, np.where(dear, np.clip(start[active], -3.0, 50.0), low)
    for _ in range(MOST_PRICES):
        log_scale[active], surplus, slope, constant = _at_price(choices, floor[active], at)
        log_excess[active] = at
        low, high = np.where(surplus > 0.0, at, low), np.where(surplus > 0.0, high, at)
        usable = (constant < 0.0) & (surplus > constant) & (slope < 0.0)
        varying = np.where(usable, surplus - constant, 1.0)
        step = np.log(np.where(usable, -constant, 1.0) / varying) * varying
        step = np.where(usable, step / np.where(usable, slope, 1.0), np.inf)
        inside = (at + step > low) & (at + step < high)
        following = np.where(inside, at + step, (low + high) / 2.0)
        moved = np.minimum(np.abs(step), np.abs(following - at))
        going = moved > 2e-15 * np.maximum(np.abs(at), 1.0)
        if not going.any():
            break
        active, choices = active[going], choices.take(going)
        low, high, at = low[going], high[going], following[going]
    return floor, log_excess, log_scale


def _at_price(
    choices: _Choices, floor: FloatArray, log_excess: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return s = log(λ/ν) with KL(p̂ ‖ u) = r, Σu - 1, its slope in log_excess, its constant part.

    The best u_i at given multipliers has log(u_i/p̂_i) = clip(log(q2_i/p̂_i), s + low_i, s + high_i),
    where low and high are :meth:`_Choices.shifts` on a ramp and 0 on a plateau. Σ p̂ log(u/p̂) is
    piecewise linear in s, with an event wherever a u_i reaches or leaves its kink q2_i. The last
    event at which the sum is too small tells which options rest at their kinks.
    """
    share, log_ratio = choices.share, choices.log_ratio
    low, high = (np.where(choices.ramp, shift, 0.0) for shift in choices.shifts(floor, log_excess))
    event = np.maximum(np.concatenate([log_ratio - high, log_ratio - low]), LOWEST_EVENT)
    likelihood = (share * np.clip(log_ratio, event[:, None] + low, event[:, None] + high)).sum(1)
    last = np.where(likelihood <= -choices.radius, event, LOWEST_EVENT).max(0)
    below, above = np.split(event > last, 2)
    kink = above & ~below & (share > 0.0)
    shift = np.where(kink, 0.0, np.where(below, high, low))

    weight = np.where(kink, 0.0, share)
    total = weight.sum(0)
    some = np.where(total > 0.0, total, 1.0)
    level = (-choices.radius - (share * np.where(kink, log_ratio, 0.0)).sum(0)) / some
    log_scale = np.where(total > 0.0, level - (weight * shift).sum(0) / some, last)
    log_scale = np.minimum(log_scale, HIGHEST_LOG_SCALE)
    moved = share * np.expm1(np.where(kink, log_ratio, log_scale + shift))
    surplus = moved.sum(0) + np.where(choices.ramp & (floor == 0.0), choices.ends, 0.0).sum(0)

    excess = np.exp(log_excess)
    price = floor + excess
    change = np.where(shift > 0.0, -1.0, np.where(shift < 0.0, excess / (price + 1.0), 0.0)) / price
    mass = np.where(kink, 0.0, share + moved)
    slope = (mass * (change - (weight * change).sum(0) / some)).sum(0)
    constant = surplus - np.where(kink, 0.0, moved).sum(0)
    constant += total * np.expm1(np.minimum(level, HIGHEST_LOG_SCALE))
    return log_scale, surplus, slope, constant


def _enclosure(
    choices: _Choices,
    half: FloatArray,
    floor: FloatArray,
    log_excess: FloatArray,
    log_scale: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a value that is attained, (M,), the dual of the choice, (M,), and gains, (d, M).

    A gain is how much the other function of an option would add to the dual. If all ramps lead
    down, as they may where the sums of q1 and q2 are rounded, ν = -1 and λ = 0 are tried too.
    """
    share, _, first, second, log_ratio, ramp = choices
    price, rises = floor + np.exp(log_excess), choices.rises
    scale = price * np.exp(log_scale)
    low, high = choices.shifts(floor, log_excess)
    change = np.clip(log_ratio, log_scale + low, log_scale + high)
    moved = share * np.expm1(change) + np.where(floor == 0.0, choices.ends, 0.0)
    middle = (first + second) / 2.0
    beyond = share + moved - middle
    on_ramp = np.minimum(np.where(rises, beyond, -beyond), half)
    on_ramp += scale * share * change - price * moved
    resting = share * np.expm1(log_scale)
    on_plateau = scale * share * log_scale - price * resting - half
    dual = scale * choices.radius + np.where(ramp, on_ramp, on_plateau).sum(0)
    lowest = np.where((rises | ~ramp).any(0), np.inf, middle.sum(0) - 1.0)
    gain = np.where(lowest < dual, 1.0 - half - middle, on_plateau - on_ramp)
    gain, dual = np.where(ramp, gain, -gain), np.minimum(dual, lowest)

    u = _inside(choices, np.where(ramp, moved, resting), np.where(ramp, change, log_scale))
    return (np.abs(u - first) - np.abs(u - second)).sum(0) / 2.0, dual, gain


def _inside(choices: _Choices, moved: FloatArray, log_change: FloatArray) -> FloatArray:
    """Return a point of the ball next to u = p̂ + moved, where log(u/p̂) is known, (d, M).

    Missing mass goes to ramps that lead up, which are below their ends only at ν = 1, then to where
    it costs nothing, and to ramps that lead down if there are no others. All this brings u nearer
    to p̂. A surplus is scaled off, and u drawn towards p̂ as rounding requires.
    """
    costless = choices.rises | ~choices.ramp
    no_other = ~costless.any(0)
    room = np.maximum(choices.second - choices.share - moved, 0.0)
    room = np.where(choices.ramp & (choices.rises | no_other), room, 0.0)
    missing = np.maximum(-moved.sum(0), 0.0)
    moved = moved + room * np.minimum(missing / np.maximum(room.sum(0), TINY), 1.0)
    room = (costless | no_other) / np.where(no_other, len(moved), costless.sum(0))
    moved += room * np.maximum(-moved.sum(0), 0.0)
    surplus = moved.sum(0)
    spent = np.log1p(surplus) - (choices.share * log_change).sum(0)
    within = np.minimum(choices.radius / np.maximum(spent, TINY), 1.0)
    return choices.share + (moved - surplus * choices.share) / (1.0 + surplus) * within
