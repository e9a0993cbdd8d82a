"""Discrepancies that are sums over options, Σ ℓ(p_i, q_i) with ℓ convex in p_i.

A new one is a class with a name and three functions of one option: the term, its slope and its bend
(see :class:`fidelity.separable.Terms`). Its global extrema come from there.
"""

from abc import abstractmethod

import numpy as np

from fidelity.bernoulli import xlogy
from fidelity.discrepancy import Extrema, VectorDiscrepancy, monotone_pairs
from fidelity.kl_ball import divergence, linear_maximum_of_rows
from fidelity.separable import Objective, separable_maximum


class Divergence(VectorDiscrepancy):
    """A sum of convex terms over the options."""

    on = "options"
    infinite_at_zero = False

    @abstractmethod
    def term(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return ℓ(u, q)."""

    @abstractmethod
    def slope(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return ∂ℓ/∂u."""

    @abstractmethod
    def bend(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return u²·∂²ℓ/∂u², which must not fall as u grows."""

    def between(self, p, q, scores):
        """Return Σ ℓ(p_i, q_i)."""
        return self.term(p, q).sum(-1)

    def vector_extrema(self, bounds, q, scores):
        """Branch and bound for both; the inf is 0 where q lies in the ball.

        Where an infinite discrepancy can be reached the sup is +inf, where it must be the inf is;
        else the inf takes no mass to options that make it infinite, so they are left out.
        """
        share, radius = bounds.share, bounds.radius
        lower, upper, gap = np.zeros(len(q)), np.full(len(q), np.inf), np.zeros(len(q))
        never = self.infinite_at_zero & (q == 0.0)
        certain, possible = (never & (share > 0.0)).any(1), never.any(1)
        lower[certain] = np.inf
        far = ~certain & (divergence(share, q) > radius)
        for absent in np.unique(never[far], axis=0):
            rows = far & (never == absent).all(1)
            kept = np.ix_(rows, ~absent)
            value, bound = separable_maximum(
                Objective(self, minus=q[kept]), share[kept], radius[rows]
            )
            lower[rows] = np.maximum(-bound, 0.0)
            gap[rows] = bound - value
        near = ~possible
        value, upper[near] = separable_maximum(
            Objective(self, plus=q[near]), share[near], radius[near]
        )
        gap[near] = np.maximum(gap[near], upper[near] - value)
        return Extrema(lower, upper, gap)

    def vector_pairs(self, bounds, q1, q2, scores):
        """Branch and bound; NaN, undefined, where either discrepancy can be infinite."""
        defined = self._defined(q1, q2)
        share, radius = bounds.share[defined], bounds.radius[defined]
        first, second = q1[defined], q2[defined]
        extrema = np.full((3, len(q1)), np.nan)
        low, high = (
            self._largest_difference(share, radius, *pair)
            for pair in ((second, first), (first, second))
        )
        extrema[:, defined] = -low[1], high[1], np.maximum(low[1] - low[0], high[1] - high[0])
        return Extrema(*extrema)

    def two_option_pairs(self, bounds, q1, q2, scores):
        """Monotone; NaN where either discrepancy can be infinite."""
        extrema = self._two_option_pairs(bounds, q1, q2, scores)
        defined = self._defined(*(np.stack([1.0 - q, q], 1) for q in (q1, q2)))
        return Extrema(*(np.where(defined, each, np.nan) for each in extrema))

    def _two_option_pairs(self, bounds, q1, q2, scores) -> Extrema:
        with np.errstate(invalid="ignore"):
            return monotone_pairs(self._of_second(scores), bounds, q1, q2)

    def _largest_difference(self, share, radius, q1, q2) -> tuple[np.ndarray, np.ndarray]:
        return separable_maximum(Objective(self, plus=q1, minus=q2), share, radius)

    def _defined(self, q1, q2) -> np.ndarray:
        return ~(self.infinite_at_zero & ((q1 == 0.0) | (q2 == 0.0))).any(1)


class LinearPairs(Divergence):
    """A divergence whose difference for two simulators is linear in p."""

    def _largest_difference(self, share, radius, q1, q2):
        difference = self.slope(np.ones_like(q1), q1) - self.slope(np.ones_like(q2), q2)
        at_vertex = self.between(np.eye(q1.shape[1])[0], q1, None)
        at_vertex = at_vertex - self.between(np.eye(q1.shape[1])[0], q2, None)
        exact = linear_maximum_of_rows(share, radius, difference) + at_vertex - difference[:, 0]
        return exact, exact


class KullbackLeibler(LinearPairs):
    """KL(p ‖ q) = Σ p log(p/q), in nats; +inf where q lacks an option of p."""

    name = "kl"
    infinite_at_zero = True

    def term(self, u, q):
        """Return u log(u/q)."""
        return xlogy(u, u) - xlogy(u, q)

    def slope(self, u, q):
        """Return log(u/q) + 1."""
        return np.log(u / q) + 1.0

    def bend(self, u, q):
        """Return u."""
        return u


class Hellinger(Divergence):
    """The squared Hellinger distance 1 - Σ√(pq)."""

    name = "hellinger"

    def term(self, u, q):
        """Return (u + q)/2 - √(uq)."""
        return (u + q) / 2.0 - np.sqrt(u * q)

    def slope(self, u, q):
        """Return (1 - √(q/u))/2."""
        return (1.0 - np.sqrt(q / u)) / 2.0

    def bend(self, u, q):
        """Return √(qu)/4."""
        return np.sqrt(q * u) / 4.0


class ChiSquared(Divergence):
    """Pearson's Σ(p - q)²/q; +inf where q lacks an option of p."""

    name = "chi2"
    infinite_at_zero = True

    def term(self, u, q):
        """Return (u - q)²/q, 0 where both are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(u == q, 0.0, (u - q) ** 2 / q)

    def slope(self, u, q):
        """Return 2(u - q)/q."""
        return 2.0 * (u - q) / q

    def bend(self, u, q):
        """Return 2u²/q."""
        return 2.0 * u**2 / q

    def _two_option_pairs(self, bounds, q1, q2, scores):
        """The difference of two parabolas may turn inside the two-sided interval."""
        distance = self._of_second(scores)
        with np.errstate(divide="ignore", invalid="ignore"):
            steepness1, steepness2 = (1.0 / (q * (1.0 - q)) for q in (q1, q2))
            turn = (steepness1 * q1 - steepness2 * q2) / (steepness1 - steepness2)
            points = (bounds.lower, bounds.upper, np.where(np.isfinite(turn), turn, bounds.lower))
            inside = [np.clip(point, bounds.lower, bounds.upper) for point in points]
            differences = np.stack([distance(u, q1) - distance(u, q2) for u in inside])
        return Extrema(differences.min(0), differences.max(0), np.zeros(len(q1)))


class JensenShannon(Divergence):
    """The Jensen-Shannon divergence, in nats: the mean KL of p and q from their middle."""

    name = "js"

    def term(self, u, q):
        """Return half of u log(u/m) + q log(q/m), m = (u + q)/2."""
        middle = (u + q) / 2.0
        return (xlogy(u, u) - xlogy(u, middle) + xlogy(q, q) - xlogy(q, middle)) / 2.0

    def slope(self, u, q):
        """Return log(u/m)/2."""
        return np.log(2.0 * u / (u + q)) / 2.0

    def bend(self, u, q):
        """Return uq/(u + q)/2."""
        return u * q / (u + q) / 2.0


class SquaredEuclidean(LinearPairs):
    """Σ(p - q)²."""

    name = "l2"

    def term(self, u, q):
        """Return (u - q)²."""
        return (u - q) ** 2

    def slope(self, u, q):
        """Return 2(u - q)."""
        return 2.0 * (u - q)

    def bend(self, u, q):
        """Return 2u²."""
        return 2.0 * u**2
