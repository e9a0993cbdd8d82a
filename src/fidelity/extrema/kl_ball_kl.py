"""The extrema of KL(u ‖ q) over the KL ball {u : KL(p̂ ‖ u) ≤ r}, each by one-dimensional equations.

The smallest is a convex problem. With λ the ball's multiplier and y = λp̂/u, stationarity says
y·e^y = κp̂/q, hence u ∝ q·e^y. KL(p̂ ‖ u) falls as κ rises.

The largest maximises a convex function. With x = λp̂/u, stationarity says x·e^(-x) = κp̂/q. An option
contracts (x ≥ 1: the Lagrangian is concave in its u) or expands (x < 1), which are the two branches
of Lambert's W. An option that nobody chose has no mass, or expands with x = 0.

1. Two options alone. Let u be a global maximum and u_i/p̂_i > u_j/p̂_j. If mass moves between i and j
only, the ball leaves their ratio α = u_i/(u_i + u_j) an interval around π = p̂_i/(p̂_i + p̂_j), with
ends β < π < α and KL(π ‖ β) = KL(π ‖ α), KL being that of two options. The end α is at least as
good as β: log(q_i/q_j) ≤ H = [h(α) - h(β)]/(α - β), where h(s) = s log s + (1-s) log(1-s).

2. H lies between logit π and 0, strictly for π ≠ ½. Let π < ½. H < 0, since KL(π ‖ 1-β) exceeds
KL(π ‖ β) by (1-2π) logit(1-β), so that α < 1 - β. H > logit π says KL(α ‖ π) > KL(β ‖ π). Let δ and
η be half the distances of the logits of α and β from π's, P = 2(α-π), Q = 2(π-β), θ = 1-2π. As
KL(s ‖ π) + KL(π ‖ s) = (s-π)(logit s - logit π), the claim is D = δP - ηQ > 0. It holds for small
radii. Since (1-θ²)/P = coth δ - θ and (1-θ²)/Q = coth η + θ, D can only return to 0 with D' ≤ 0 if
δ ≥ η. But then δP = ηQ gives P ≤ Q, so coth δ > coth η: a contradiction.
So u_i/p̂_i is the largest only if q_i ≤ q_j for all j with p̂_j ≥ p̂_i, and p̂_i/q_i ≥ p̂_j/q_j for all
others. Mostly one to three options pass; of those that nobody chose, none but the one with the
smallest q.

3. At most one option expands, the one with the largest u/p̂. The multiplier follows from i and j,
and log(q_i/q_j) ≤ H makes x_j ≥ (1-π)α·KL(β ‖ α)/[(α-π)(α-β)]. That exceeds 1: with a = 1 - β/α,
b = (1-β)/(1-α) - 1, A = -log(1-a), B = log(1+b) it says AB(1+b)/b + aB/b - A²(1-a)/a - A > 0. At
b → 0 the left side is a - A²(1-a)/a ≥ 0, because 2 sinh(A/2) ≥ A. It rises with b, because
b - B ≥ B - b/(1+b) ≥ 0 and A ≥ a. Options with equal u/p̂ can't both expand either: the Lagrangian
would be convex in the direction that moves mass between them.

4. So the maximum lies on one of few curves: that of the option with the largest p̂/q, the pivot,
which goes on from contracting (next to p̂ all contract) to expanding; and for each other candidate
the one along which it alone expands. The parameter is x of the pivot. By the second-order condition
KL(p̂ ‖ u) falls at a maximum as x rises. The fall has the sign of (1-x)[1 + (λ-1)M] with M = E Y,
Y = 1/(1-x) of an option drawn from p̂. KL falls where all contract (Cauchy), and where λ ≤ 1: else
v = u(Y - 1/(1-λ)) had Σv = Σv/Y = 0, against its signs. For λ > 1 the fall changes its sign at most

- once where the pivot isn't the option with the largest p̂/q. At a zero of 1 + (λ-1)M its slope has
  the sign of E[(Y-M)²(Y+2M-1)]. That is negative, since the other option has no smaller p̂ and is
  nearer to x = 1, or since Y = 1 if x = 0.
- twice on the first curve, as E[(Y-M)²(Y+2M-1)] changes its sign once. There may be a root on each
  side of this change.

Both signs of the expectation are checked by tests on many cases, the rest is proven above.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from fidelity.arrays import BoolArray, FloatArray, Floats, IntArray
from fidelity.extrema.solved import require_numbers

MOST_STEPS = 100
SEPARATING_STEPS = 30
BRANCH_STEPS = 3
CLOSE = 1e-11
ON_THE_EDGE = 1e-7
LOWEST_LEVEL = -80.0
NEAREST_LEVEL = -1e-9
TINY = 1e-300


def kl_maximum(share: FloatArray, radius: FloatArray, q: FloatArray) -> FloatArray:
    """Return max KL(u ‖ q) over the ball, where q > 0.

    Args:
        share: p̂, (N, d), with at least two options that people chose.
        radius: r in nats, (N,).
        q: the simulator's probabilities, (N, d).

    Returns:
        (N,).
    """
    log_ratio = _log_ratio(share, q)
    candidates = _candidates(share, q)
    candidates[np.arange(len(share)), log_ratio.argmax(1)] = True
    row, pivot = np.nonzero(candidates)
    curves = _expanding(share[row], radius[row], q[row], log_ratio[row], pivot)
    low, high = curves.lowest(), curves.highest()
    first = np.flatnonzero((curves.lead == 0.0) & (curves.pivot > 0.0))
    high[first] = _separating_level(curves.take(first), low[first])
    value = np.full(len(share), -np.inf)
    np.maximum.at(value, row, _largest(curves, low, high, leaving=False))
    rest = curves.take(first)
    np.maximum.at(value, row[first], _largest(rest, high[first], rest.near(), leaving=True))
    require_numbers("the largest KL over the KL ball", np.where(value > -np.inf, value, np.nan))
    return value


def kl_minimum(share: FloatArray, radius: FloatArray, q: FloatArray) -> FloatArray:
    """Return min KL(u ‖ q) over the ball, where q lies outside of it and q > 0 where p̂ > 0.

    It is the dual's value at the κ that was found, which no κ puts above the minimum.

    Arguments and result as :func:`kl_maximum`.
    """
    log_ratio = _log_ratio(share, q)
    top = log_ratio.max(1)
    behind = np.where(share > 0.0, top[:, None] - log_ratio, 0.0)
    unchosen = np.where(share > 0.0, 0.0, q).sum(1)
    curves = Nearest(share, radius, top, behind, unchosen)
    low = np.full(len(share), LOWEST_LEVEL)
    level = _search(curves, low, curves.near(), leaving=False)
    value = curves.at(np.where(np.isnan(level), low, level)).value
    require_numbers("the smallest KL over the KL ball", value)
    return value


class Point(NamedTuple):
    """Stationary points, one per curve, (K,).

    ``spent`` is KL(p̂ ‖ u), ``fall`` how fast it falls as the level rises, and ``value`` KL(u ‖ q),
    corrected to first order for what ``spent`` lacks of the radius.
    """

    spent: FloatArray
    fall: FloatArray
    value: FloatArray


class Curves:
    """K curves of stationary points; a number, the level, tells a point on each."""

    radius: FloatArray

    def at(self, level: FloatArray) -> Point:
        """Return the points at levels (K,)."""
        raise NotImplementedError

    def take(self, which: IntArray | BoolArray) -> Self:
        """Return the curves at ``which``."""
        return type(self)(*(array[which] for array in vars(self).values()))


@dataclass(frozen=True)
class Nearest(Curves):
    """Points u ∝ q·e^y; the level is log y of the option with the largest p̂/q.

    ``top`` is its log(p̂/q), ``behind`` by how much the others' is less, ``unchosen`` the sum of q
    over the options that nobody chose. Arrays (K,) or (K, d).
    """

    share: FloatArray
    radius: FloatArray
    top: FloatArray
    behind: FloatArray
    unchosen: FloatArray

    def near(self) -> FloatArray:
        """Return levels at which u is so near p̂ that the ball holds it.

        There the logarithms of y, which lie within Δ/(1 + y - Δ), have a spread of at most √(4r),
        and the options that nobody chose share at most r/4.
        """
        furthest: FloatArray = self.behind.max(1)
        few = np.minimum(self.radius / 4.0, 0.5)
        rare = self.top + np.log(np.maximum(self.unchosen, TINY) / few)
        return np.log(
            furthest * (1.0 + 1.0 / np.sqrt(4.0 * self.radius)) + np.maximum(rare, 0.0) + 1e-9
        )

    def at(self, level: FloatArray) -> Point:
        """Return the points, by y + log y = log κp̂/q."""
        log_kappa = level + np.exp(level) - self.top
        log_y = _log_omega((level + np.exp(level))[:, None] - self.behind)
        chosen = self.share > 0.0
        safe = np.where(chosen, self.share, 1.0)
        y = np.exp(log_y)
        log_others = np.log(np.maximum(self.unchosen, TINY)) - log_kappa
        log_weight = np.where(chosen, np.log(safe) - log_y, -np.inf)
        log_pull = -_log_sum(log_weight, log_others)
        log_change = log_pull[:, None] - log_y
        growth = np.expm1(log_change)
        left = np.exp(log_pull + log_others)
        spent = (self.share * (growth - log_change)).sum(1) + left
        u = self.share * (1.0 + growth)
        ahead = (np.exp(level)[:, None] - y) / (1.0 + y)
        fall = (self.share * growth * ahead).sum(1) + left * np.exp(level)
        distance = (u * (log_change + self.top[:, None] - self.behind)).sum(1)
        distance += left * (log_pull - log_kappa)
        return Point(spent, fall, distance + np.exp(log_pull) * (spent - self.radius))


@dataclass(frozen=True)
class Expanding(Curves):
    """Points at which all options contract but one, the pivot, which may do either.

    The level is log x of the pivot, or log κ and a constant where nobody chose it. ``share`` is p̂
    without the pivot, ``pivot`` its share. ``top`` is the pivot's log(p̂/q), ``behind`` by how much
    the others' is less, ``lead`` by how much the largest exceeds it. Where nobody chose the pivot,
    ``top`` is the largest and ``unchosen`` q of the pivot; else that is 0. Arrays (K,) or (K, d).
    """

    share: FloatArray
    radius: FloatArray
    top: FloatArray
    behind: FloatArray
    unchosen: FloatArray
    pivot: FloatArray
    lead: FloatArray

    def lowest(self) -> FloatArray:
        """Return levels at which λ < 1 and KL(p̂ ‖ u) ≥ r, by λ ≤ x/p̂ of the pivot."""
        return np.where(
            self.pivot > 0.0,
            (self._log_weight(0.0) - self.radius) / self.share.sum(1),
            np.minimum(self._log_weight(0.0) - self.radius, NEAREST_LEVEL),
        )

    def highest(self) -> FloatArray:
        """Return levels at which the option with the largest p̂/q, or the pivot, is at x = 1."""
        root = np.sqrt(2.0 * self.lead)
        level = -np.minimum(root + self.lead / 3.0, 1.0 + self.lead)
        for _ in range(2 * BRANCH_STEPS):
            slope = np.expm1(level)
            level = level - (slope - level - self.lead) / np.where(slope < 0.0, slope, -1.0)
        return np.where(self.pivot > 0.0, np.minimum(level, 0.0), 0.0)

    def near(self) -> FloatArray:
        """Return levels at which u is so near p̂ that the ball holds it.

        All contract, and log x, within Δ/(x-1), has a spread of at most √(8r).
        """
        furthest: FloatArray = self.behind.max(1)
        return np.log1p(furthest / np.sqrt(8.0 * self.radius))

    def at(self, level: FloatArray) -> Point:
        """Return the points, by x - log x = -log κp̂/q."""
        taken = self.pivot > 0.0
        x, excess = self._excess(level)
        beyond = _contracting(excess)
        log_x = np.log1p(beyond)
        chosen = self.share > 0.0
        safe = np.where(chosen, self.share, 1.0)
        log_mass = self._log_weight(level)
        log_pull = -_log_sum(np.where(chosen, np.log(safe) - log_x, -np.inf), log_mass)
        log_change = log_pull[:, None] - log_x
        growth = np.expm1(log_change)
        mass = np.exp(log_pull + log_mass)
        own_change = np.where(taken, log_pull - level, 0.0)
        own_spent = np.where(taken, self.pivot * (np.expm1(own_change) - own_change), mass)
        spent = (self.share * (growth - log_change)).sum(1) + own_spent
        ahead = (beyond + (1.0 - x)[:, None]) / np.maximum(beyond, TINY)
        fall = -(self.share * growth * ahead).sum(1)
        distance = (self.share * (1.0 + growth) * (log_change - self.behind)).sum(1)
        distance += mass * (log_pull - level + np.where(taken, 0.0, 1.0)) + self.top
        return Point(spent, fall, distance + np.exp(log_pull) * (self.radius - spent))

    def turn(self, level: FloatArray) -> FloatArray:
        """Return what changes its sign, from - to +, between the two stretches that fall.

        It has the sign of E[(Y-M)²(Y+2M-1)] at M < 0, of dM/d log κ else.
        """
        x, excess = self._excess(level)
        z = 1.0 / np.maximum(_contracting(excess), TINY)
        y = 1.0 / (1.0 - x)
        deficit = np.maximum((self.share * z).sum(1) - self.pivot * y, 0.0)
        change = self.pivot * y * y * (y - 1.0) - (self.share * z * z * (z + 1.0)).sum(1)
        return change + deficit**2 * (1.0 + deficit)

    def _excess(self, level: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return x of the pivot, and x - 1 - log x of the others."""
        taken = self.pivot > 0.0
        x = np.where(taken, np.exp(level), 0.0)
        excess = np.where(taken, np.expm1(level), 0.0) - level
        return x, np.maximum(excess[:, None] + self.behind, 0.0)

    def _log_weight(self, level: Floats) -> FloatArray:
        """Return log(u/λ) of the pivot: p̂/x, or q/κ where nobody chose it."""
        unchosen = np.log(np.maximum(self.unchosen, TINY)) + 1.0 + self.top
        return np.where(self.pivot > 0.0, np.log(np.maximum(self.pivot, TINY)), unchosen) - level


def _expanding(
    share: FloatArray, radius: FloatArray, q: FloatArray, log_ratio: FloatArray, pivot: IntArray
) -> Expanding:
    """Return one curve per row, on which ``pivot`` may expand."""
    every = np.arange(len(share))
    pivot_share, largest = share[every, pivot], log_ratio.max(1)
    taken = pivot_share > 0.0
    top = np.where(taken, log_ratio[every, pivot], largest)
    others = share.copy()
    others[every, pivot] = 0.0
    behind = np.where(others > 0.0, top[:, None] - log_ratio, 0.0)
    unchosen = np.where(taken, 0.0, q[every, pivot])
    return Expanding(others, radius, top, behind, unchosen, pivot_share, largest - top)


def _candidates(share: FloatArray, q: FloatArray) -> BoolArray:
    """Return which options may have the largest u/p̂ at the maximum, (N, d)."""
    p, other = share[:, :, None], share[:, None, :]
    q, q_other = q[:, :, None], q[:, None, :]
    beaten: BoolArray = np.where(other < p, other * q > p * q_other, q_other < q)
    return np.asarray(~beaten.any(2))


def _largest(curves: Expanding, low: FloatArray, high: FloatArray, *, leaving: bool) -> FloatArray:
    """Return KL(u ‖ q) where the ball's edge is crossed, -inf where it isn't, (K,)."""
    level = _search(curves, low, high, leaving=leaving)
    exists = ~np.isnan(level)
    curves, value = curves.take(exists), np.full(len(level), -np.inf)
    point = curves.at(level[exists])
    crosses = np.abs(point.spent - curves.radius) <= ON_THE_EDGE * curves.radius
    value[exists] = np.where(crosses, point.value, -np.inf)
    return value


def _separating_level(curves: Expanding, low: FloatArray) -> FloatArray:
    """Return the level between the two stretches of the first curve that may fall."""
    nearest, farthest = np.full(len(low), np.log(-NEAREST_LEVEL)), np.log(-low)
    for _ in range(SEPARATING_STEPS):
        middle = (nearest + farthest) / 2.0
        before = curves.turn(-np.exp(middle)) < 0.0
        nearest, farthest = np.where(before, nearest, middle), np.where(before, middle, farthest)
    return -np.exp(nearest)


def _search(curves: Curves, low: FloatArray, high: FloatArray, *, leaving: bool) -> FloatArray:
    """Return the levels in [low, high] where ``spent`` falls to the radius, NaN without one.

    There is at most one stretch that falls, next to ``high`` if ``leaving`` and else to ``low``.
    Newton's method, for log spent where it falls exponentially, kept inside a bracket.
    """

    at = high if leaving else low
    point, other = curves.at(at), curves.at(low if leaving else high)
    active = np.flatnonzero((low < high) & (_outside(other, curves, leaving) == leaving))
    level, out = np.full(len(low), np.nan), np.full(len(active), not leaving)
    curves, low, high, at = curves.take(active), low[active], high[active], at[active]
    point = Point(*(coordinate[active] for coordinate in point))
    for _ in range(MOST_STEPS):
        low, high = np.where(out, at, low), np.where(out, high, at)
        excess, spent = point.spent - curves.radius, np.maximum(point.spent, TINY)
        change = np.where(at > 0.0, spent * np.log(spent / curves.radius), excess)
        newton = at + change / np.where(point.fall > 0.0, point.fall, np.inf)
        following = np.where((newton > low) & (newton < high), newton, (low + high) / 2.0)
        level[active] = at
        going = (np.abs(excess) > CLOSE * curves.radius) | (point.fall <= 0.0)
        going &= np.abs(following - at) > 4e-16 * np.abs(at)
        if not going.any():
            break
        active = active[going]
        low, high, at = (level[going] for level in (low, high, following))
        curves = curves.take(going)
        point = curves.at(at)
        out = _outside(point, curves, leaving)
    return level


def _outside(point: Point, curves: Curves, leaving: bool) -> BoolArray:
    """Return whether points lie nearer ``low`` than the root of the stretch that is meant."""
    return np.where(point.fall > 0.0, point.spent > curves.radius, leaving)


def _log_ratio(share: FloatArray, q: FloatArray) -> FloatArray:
    """Return log(p̂/q), -inf where nobody chose the option."""
    chosen = share > 0.0
    ratio = np.where(chosen, share, 1.0) / np.where(chosen, q, 1.0)
    return np.where(chosen, np.log(ratio), -np.inf)


def _log_sum(log_weight: FloatArray, log_other: FloatArray) -> FloatArray:
    """Return the logarithm of the sum over a row and one more."""
    largest = np.maximum(log_weight.max(1), log_other)
    total = np.exp(log_weight - largest[:, None]).sum(1) + np.exp(log_other - largest)
    return largest + np.log(total)


def _contracting(excess: FloatArray) -> FloatArray:
    """Return x - 1 ≥ 0 with x - 1 - log x = excess, the branch W₋₁, by Halley's method."""
    beyond = excess + np.log1p(np.sqrt(2.0 * excess) + excess)
    for _ in range(BRANCH_STEPS):
        safe = np.maximum(beyond, TINY)
        step = (beyond - np.log1p(beyond) - excess) * (1.0 + beyond) / safe
        beyond = beyond - step / (1.0 - step / (2.0 * safe * (1.0 + beyond)))
    return np.maximum(beyond, 0.0)


def _log_omega(z: FloatArray) -> FloatArray:
    """Return w = log y with y + log y = z, Wright's function, by Halley's method."""
    w = np.where(z > 1.0, np.log(np.maximum(z, 1.0)), z)
    for _ in range(BRANCH_STEPS):
        y = np.exp(w)
        step = (w + y - z) / (1.0 + y)
        w = w - step / (1.0 - step * y / (2.0 * (1.0 + y)))
    return w
