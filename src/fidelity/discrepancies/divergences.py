"""Discrepancies that are sums over options, Σ ℓ(p_i, q_i) with ℓ convex in p_i.

A new one is a class with a name and three functions of one option: the term, its slope and its bend
(see :class:`fidelity.extrema.separable.Terms`). Its global extrema come from there.
"""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from fidelity.arrays import BoolArray, Ends, FloatArray, Scores
from fidelity.bernoulli import xlogy
from fidelity.discrepancies.base import (
    DISCREPANCIES,
    Bounds,
    Extrema,
    VectorDiscrepancy,
    difference_extrema,
    enclosed_extrema,
    exact_extrema,
)
from fidelity.discrepancies.sampling import sum_over_options
from fidelity.extrema.kl_ball import divergence, linear_maximum_of_rows
from fidelity.extrema.kl_ball_kl import kl_maximum, kl_minimum
from fidelity.extrema.minorants import RAMP, of_terms, of_terms_and_draws
from fidelity.extrema.ranges import means_by_kl, shares_by_squares
from fidelity.extrema.separable import Objective, separable_maximum

STEP, CLOSE, ROUNDING = 1e-4, 1e-4, 1e-9
U, Q = np.geomspace(1e-3, 0.99, 80)[:, None], np.geomspace(3e-3, 0.97, 12)
TRIED = np.array([[[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]], [[0.3, 0.3, 0.4], [0.6, 0.1, 0.3]]])


class Divergence(VectorDiscrepancy):
    """A sum of convex terms ℓ(u, q) over the options, with ``term``, ``slope`` and ``bend``.

    Each sees the two shares of one option, and no other option's.

    The bend must not fall as u grows. If it falls from some u on, the method ``turn`` returns that
    u; bounds on differences of two simulators then hold, but may be wider.
    """

    on = "options"
    has_limits = False

    def __init__(self) -> None:
        """Refuse a term, slope or bend that looks beyond its own option, or does not fit."""
        u, q = TRIED
        for name in ("term", "slope", "bend"):
            of_option = getattr(self, name)
            alone = [of_option(u[:, [i]], q[:, [i]]) for i in range(u.shape[1])]
            if not np.allclose(of_option(u, q), np.hstack(alone), equal_nan=True):
                raise ValueError(
                    f"{self.name}: {name} of an option may depend on the two shares of that option"
                    " alone; sums of squares of cumulative shares, or of pairs of options, are"
                    " kernels: derive them from fidelity.discrepancies.mmd.MaximumMeanDiscrepancy"
                )
        self._refuse_what_is_undefined_at_zero()
        self._refuse_what_is_no_derivative()
        self._refuse_a_bend_that_falls()

    def _refuse_what_is_undefined_at_zero(self) -> None:
        zero, some = np.zeros(3), np.array([0.0, 0.3, 1.0])
        with np.errstate(all="ignore"):
            nobody, unforeseen = self.term(zero, some), self.term(some, zero)
        if not (np.isfinite(nobody).all() and nobody[0] == 0.0) or np.isnan(unforeseen).any():
            raise ValueError(
                f"{self.name}: term must be 0 at u = q = 0, finite at u = 0, and a number or +inf"
                " at q = 0"
            )

    def _refuse_what_is_no_derivative(self) -> None:
        u, q = np.broadcast_arrays(U, Q)
        above, below = u * (1.0 + STEP), u * (1.0 - STEP)

        def rise(f: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
            return (f(above, q) - f(below, q)) / (2.0 * STEP)  # u times the derivative

        size = np.abs(self.term(u, q)) + u
        for name, given, expected in (
            ("slope must be the derivative in u of term", u * self.slope(u, q), rise(self.term)),
            (
                "bend must be the derivative in u of slope, times u²",
                self.bend(u, q),
                u * rise(self.slope),
            ),
        ):
            if (np.abs(given - expected) > CLOSE * (size + np.abs(given))).any():
                raise ValueError(f"{self.name}: {name}")

    def _refuse_a_bend_that_falls(self) -> None:
        bends = self.bend(*np.broadcast_arrays(U, Q))
        size = ROUNDING * (1.0 + np.abs(bends[1:]))
        turn = self.turn(Q)
        falls = (np.diff(bends, axis=0) < -size) & (U[1:] <= (np.inf if turn is None else turn))
        if falls.any():
            at, j = np.argwhere(falls)[0]
            remedy = "add a method turn that returns" if turn is None else "turn must return"
            raise ValueError(
                f"{self.name}: bend falls at u = {U[at, 0]:.2g} for q = {Q[j]:.2g}; {remedy} the"
                " first u from which on it falls"
            )

    @abstractmethod
    def term(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return ℓ(u, q)."""

    @abstractmethod
    def slope(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return ∂ℓ/∂u."""

    @abstractmethod
    def bend(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return u²·∂²ℓ/∂u², which must not fall as u grows, or only beyond :meth:`turn`."""

    def turn(self, q: FloatArray) -> FloatArray | None:
        """Return the u from which on the bend falls; None if it never does."""
        return None

    def between(self, p: FloatArray, q: FloatArray, scores: Scores) -> FloatArray:
        """Return Σ ℓ(p_i, q_i)."""
        return self.term(p, q).sum(-1)

    def expected(
        self, p: FloatArray, n: FloatArray, scores: Scores, smoothed: bool = False
    ) -> FloatArray:
        """Return it from the binomial distribution of every option, exactly."""
        return sum_over_options(self.term, p, n, smoothed)

    def spread(
        self, p: FloatArray, n: FloatArray, scores: Scores, smoothed: bool = False
    ) -> FloatArray:
        """Return the expectation itself, which is smooth."""
        return self.expected(p, n, scores, smoothed)

    def minorants(
        self, counts: FloatArray, q: FloatArray, scores: Scores, ramp: float = RAMP
    ) -> FloatArray:
        """Return the values of tangents at the others' answers, drawn towards q."""
        return of_terms(counts, q, self, self.infinite_at_zero)

    def leave_one_out(
        self, counts: FloatArray, drawn: FloatArray, scores: Scores, ramp: float = RAMP
    ) -> FloatArray:
        """Return it by tangents at the others' answers and draws, if L is symmetric."""
        if not self.is_symmetric:
            raise ValueError(f"{self.name} of draws does not bound that of the shares drawn from")
        return of_terms_and_draws(counts, drawn, self)

    def vector_extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """Closed forms or branch and bound; the inf is 0 where q lies in the ball.

        +inf is the sup where the set reaches an infinite discrepancy, and the inf where all of it
        is infinite.
        """
        share, radius = bounds.share, bounds.radius
        never = self.infinite_at_zero & (q == 0.0)
        nearest, farthest = np.zeros((2, len(q))), np.full((2, len(q)), np.inf)
        certain = (never & (share > 0.0)).any(1)
        nearest[:, certain] = np.inf
        far = ~certain & (divergence(share, q) > radius)
        value, bound = self._without(never[far], self._nearest, share[far], radius[far], q[far])
        nearest[:, far] = np.maximum(-bound, 0.0), -value
        finite = ~never.any(1)
        farthest[:, finite] = self._farthest(share[finite], radius[finite], q[finite])
        return enclosed_extrema((nearest[0], nearest[1]), (farthest[0], farthest[1]))

    def vector_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Closed forms or branch and bound; NaN, undefined, where both can be infinite at once."""
        backward = self._infinite_or_largest(bounds, q2, q1)
        forward = self._infinite_or_largest(bounds, q1, q2)
        return self._where_defined(q1, q2, difference_extrema(backward, forward))

    def two_option_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Return them; NaN, undefined, where both can be infinite at once."""
        with np.errstate(invalid="ignore"):
            extrema = self._two_option_pairs(bounds, q1, q2, scores)
        return self._where_defined(q1, q2, extrema)

    def _two_option_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        return super().two_option_pairs(bounds, q1, q2, scores)

    def _where_defined(self, q1: FloatArray, q2: FloatArray, extrema: Extrema) -> Extrema:
        """Put NaN where each simulator states a 0: with mass on both it is infinity - infinity."""
        both = self.infinite_at_zero & (q1 == 0.0).any(1) & (q2 == 0.0).any(1)
        return Extrema(*(np.where(both, np.nan, end) for end in extrema))

    def _infinite_or_largest(self, bounds: Bounds, q1: FloatArray, q2: FloatArray) -> Ends:
        """Enclose the largest L(u, q1) - L(u, q2) where at most one of them can be infinite.

        It is +inf where the first can be infinite, and -inf where the second must be. Where only
        the second can be, the maximiser puts no mass on the options that make it infinite.
        """
        share, radius = bounds.share, bounds.radius
        never = self.infinite_at_zero & (q2 == 0.0)
        certain = (never & (share > 0.0)).any(1)
        possible = self.infinite_at_zero & (q1 == 0.0).any(1)
        ends = np.tile(np.where(possible, np.inf, -np.inf), (2, 1))
        rows = ~possible & ~certain
        ends[:, rows] = self._without(
            never[rows], self._largest_difference, share[rows], radius[rows], q1[rows], q2[rows]
        )
        ends[:, rows] += np.where(never[rows], self.term(0.0 * q1[rows], q1[rows]), 0.0).sum(1)
        return ends[0], ends[1]

    def _without(
        self,
        absent: BoolArray,
        solve: Callable[..., Ends],
        share: FloatArray,
        radius: FloatArray,
        *simulators: FloatArray,
    ) -> FloatArray:
        """Return what ``solve`` finds where options that are ``absent`` are left out, (2, N)."""
        if not absent.any():
            return np.array(solve(share, radius, *simulators))
        ends = np.empty((2, len(share)))
        for pattern in np.unique(absent, axis=0):
            rows = (absent == pattern).all(1)
            kept = np.ix_(rows, ~pattern)
            ends[:, rows] = solve(share[kept], radius[rows], *(q[kept] for q in simulators))
        return ends

    def _nearest(self, share: FloatArray, radius: FloatArray, q: FloatArray) -> Ends:
        """Enclose the largest -L(u, q)."""
        return separable_maximum(Objective(self, minus=q), share, radius)

    def _farthest(self, share: FloatArray, radius: FloatArray, q: FloatArray) -> Ends:
        """Enclose the largest L(u, q).

        Where all answers are the same, the ball is the part of the simplex where their option has
        at least e^-r, and a convex function is largest at one of its corners.
        """
        alike = (share > 0.0).sum(1) == 1
        ends = np.empty((2, len(share)))
        moved = -np.expm1(-radius[alike])[:, None, None]
        corners = (1.0 - moved) * share[alike][:, None] + moved * np.eye(share.shape[1])
        ends[:, alike] = self.between(corners, q[alike][:, None], None).max(1)
        others = ~alike
        ends[:, others] = self._farthest_of_several(share[others], radius[others], q[others])
        return ends[0], ends[1]

    def _farthest_of_several(self, share: FloatArray, radius: FloatArray, q: FloatArray) -> Ends:
        """Enclose the largest L(u, q) where people chose more than one option."""
        return separable_maximum(Objective(self, plus=q), share, radius)

    def _largest_difference(
        self, share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray
    ) -> Ends:
        """Enclose the largest L(u, q1) - L(u, q2); from the extrema of each if the bend turns."""
        if self.turn(q1) is None:
            return separable_maximum(Objective(self, plus=q1, minus=q2), share, radius)
        farthest, nearest = self._farthest(share, radius, q1), self._nearest(share, radius, q2)
        attained = self.between(share, q1, None) - self.between(share, q2, None)
        return attained, farthest[1] + nearest[1]


class LinearPairs(Divergence):
    """A divergence whose difference for two simulators is linear in p."""

    def _largest_difference(
        self, share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray
    ) -> Ends:
        difference, start = self.linear_difference(q1, q2, None)
        exact = linear_maximum_of_rows(share, radius, difference) + start
        return exact, exact

    def linear_difference(
        self, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> tuple[FloatArray, FloatArray]:
        """Return g and c; with ``kl``, not finite where one of both gives an option no chance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            g = self.slope(np.ones_like(q1), q1) - self.slope(np.ones_like(q2), q2)
            first = np.eye(q1.shape[1])[0]
            c = self.between(first, q1, None) - self.between(first, q2, None) - g[:, 0]
        return g, c


@DISCREPANCIES.add
class KullbackLeibler(LinearPairs):
    """KL(p ‖ q) = Σ p log(p/q), in nats; +inf where q lacks an option of p."""

    name = "kl"
    label = "Kullback-Leibler divergence (nats)"
    meaning = (
        "The mean, over people's answers, of the logarithm of how much likelier people give the "
        "answer than the simulator."
    )
    is_f_divergence = True
    infinite_at_zero = True
    has_mean_range = True

    def mean_range(self, q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
        """Return it: the tilted distributions u ∝ q·exp(λ·score) attain its ends."""
        return means_by_kl(q, bound, scores)

    def _nearest(self, share: FloatArray, radius: FloatArray, q: FloatArray) -> Ends:
        nearest = -kl_minimum(share, radius, q)
        return nearest, nearest

    def _farthest_of_several(self, share: FloatArray, radius: FloatArray, q: FloatArray) -> Ends:
        farthest = kl_maximum(share, radius, q)
        return farthest, farthest

    def term(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return u log(u/q)."""
        return xlogy(u, u) - xlogy(u, q)

    def slope(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return log(u/q) + 1."""
        return np.log(u / q) + 1.0

    def bend(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return u."""
        return u


@DISCREPANCIES.add
class Hellinger(Divergence):
    """The squared Hellinger distance 1 - Σ√(pq)."""

    name = "hellinger"
    label = "squared Hellinger distance"
    meaning = (
        "Half the sum over the options of the squared differences of the shares' square roots."
    )
    is_f_divergence = True
    is_symmetric = True
    metric_root = 2

    def term(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return (√u - √q)²/2, which is (u + q)/2 - √(uq)."""
        return (np.sqrt(u) - np.sqrt(q)) ** 2 / 2.0

    def slope(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return (1 - √(q/u))/2."""
        return (1.0 - np.sqrt(q / u)) / 2.0

    def bend(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return √(qu)/4."""
        return np.sqrt(q * u) / 4.0


@DISCREPANCIES.add
class ChiSquared(Divergence):
    """Pearson's Σ(p - q)²/q; +inf where q lacks an option of p."""

    name = "chi2"
    label = "chi-squared divergence"
    meaning = (
        "The sum over the options of the squared differences of the shares, each divided by the "
        "simulator's share."
    )
    is_f_divergence = True
    infinite_at_zero = True

    def term(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return (u - q)²/q, 0 where both are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(u == q, 0.0, (u - q) ** 2 / q)

    def slope(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return 2(u - q)/q."""
        return 2.0 * (u - q) / q

    def bend(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return 2u²/q."""
        return 2.0 * u**2 / q

    def _two_option_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """The difference of two parabolas may turn inside the two-sided interval."""
        first, second = self._of_second(q1, scores), self._of_second(q2, scores)
        spread1, spread2 = (q[:, 0] * q[:, 1] for q in (q1, q2))
        turns = (spread1 > 0.0) & (spread2 > 0.0) & (spread1 != spread2)
        bend = np.where(turns, spread2 - spread1, 1.0)
        turn = (spread2 * q1[:, 1] - spread1 * q2[:, 1]) / bend
        inside = np.clip(np.where(turns, turn, bounds.lower), bounds.lower, bounds.upper)
        points = (bounds.lower, bounds.upper, inside)
        differences = np.stack([first(u) - second(u) for u in points])
        return exact_extrema(differences.min(0), differences.max(0))


@DISCREPANCIES.add
class JensenShannon(Divergence):
    """The Jensen-Shannon divergence, in nats: the mean KL of p and q from their middle."""

    name = "js"
    label = "Jensen-Shannon divergence (nats)"
    meaning = (
        "The mean Kullback-Leibler divergence of people's and the simulator's shares from their "
        "middle."
    )
    is_f_divergence = True
    is_symmetric = True
    metric_root = 2

    def term(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return half of u log(u/m) + q log(q/m), m = (u + q)/2."""
        middle = (u + q) / 2.0
        return (xlogy(u, u) - xlogy(u, middle) + xlogy(q, q) - xlogy(q, middle)) / 2.0

    def slope(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return log(u/m)/2."""
        return np.log(2.0 * u / (u + q)) / 2.0

    def bend(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return uq/(u + q)/2."""
        return u * q / (u + q) / 2.0


@DISCREPANCIES.add
class SquaredEuclidean(LinearPairs):
    """Σ(p - q)²."""

    name = "l2"
    label = "squared Euclidean distance"
    meaning = "The sum over the options of the squared differences of the shares."
    is_symmetric = True
    metric_root = 2
    is_square = True
    has_limits = True
    has_option_ranges = True

    def points(self, d: int, scores: Scores) -> FloatArray:
        """Return the corners of the simplex, (d, d)."""
        return np.eye(d)

    def option_ranges(self, q: FloatArray, bound: FloatArray, scores: Scores) -> Ends:
        """Return them: the other options change by one common amount, or down to 0."""
        return shares_by_squares(q, bound)

    def term(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return (u - q)²."""
        return (u - q) ** 2

    def slope(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return 2(u - q)."""
        return 2.0 * (u - q)

    def bend(self, u: FloatArray, q: FloatArray) -> FloatArray:
        """Return 2u²."""
        return 2.0 * u**2
