"""Discrepancies that are maxima of linear functionals: of means, total variation, Wasserstein-1."""

from collections.abc import Callable
from functools import partial

import numpy as np

from fidelity.discrepancies.base import (
    Discrepancy,
    VectorDiscrepancy,
    difference_extrema,
    enclosed_extrema,
    monotone_pairs,
    option_subsets,
    scalar_extrema,
)
from fidelity.extrema import kl_ball, wasserstein
from fidelity.extrema import w1_ball as transport


class Mean(Discrepancy):
    """A power of the distance of the mean scores."""

    on = "mean"
    needs_scores = True

    def __init__(self, name: str, power: int):
        """Name the discrepancy |p - q|^power."""
        self.name = name
        self.power = power

    def functionals(self, d, scores):
        """Return (s, -s)."""
        return np.stack([scores, -scores])

    def between(self, p, q, scores):
        """Return |⟨s, p⟩ - ⟨s, q⟩|^power."""
        return self._distance_from(q @ scores)(p @ scores)

    def extrema(self, bounds, q, scores):
        """The distance from q to the far end, and to the interval (0 inside it)."""
        return scalar_extrema(self._distance_from(q @ scores), bounds, q @ scores)

    def pairwise_extrema(self, bounds, q1, q2, scores):
        """L(u, q1) - L(u, q2) is monotone in u."""
        first, second = q1 @ scores, q2 @ scores
        distances = self._distance_from(first), self._distance_from(second)
        return monotone_pairs(*distances, bounds, first <= second)

    def _distance_from(self, q):
        return lambda u: np.abs(u - q) ** self.power


class TotalVariation(VectorDiscrepancy):
    """TV(p, q) = ½‖p - q‖₁ = max over option subsets A of p(A) - q(A)."""

    name = "tv"
    on = "option_subsets"

    def family(self, d, scores):
        """Return the indicators of the 2^d - 2 proper non-empty option subsets."""
        return option_subsets(d)

    def between(self, p, q, scores):
        """Return ½Σ|p - q|."""
        return 0.5 * np.abs(p - q).sum(-1)

    def vector_extrema(self, bounds, q, scores):
        """The sup is the largest excess over the subsets; the inf is a convex program."""
        excess = bounds.support - q @ option_subsets(q.shape[1]).T
        farthest = np.maximum(excess.max(1), 0.0)
        if bounds.ball == "w1":
            nearest = transport.tv_minimum(bounds.share, bounds.radius, q, scores)
        else:
            nearest = (kl_ball.tv_minimum(bounds.share, bounds.radius, q),) * 2
        return enclosed_extrema(nearest, (farthest, farthest))

    def vector_pairs(self, bounds, q1, q2, scores):
        """Both over the ball, by the pieces on which the difference is concave."""
        largest, given = kl_ball.tv_difference_maximum, (bounds.share, bounds.radius)
        if bounds.ball == "w1":
            largest = partial(transport.tv_difference_maximum, scores=scores)
        return difference_extrema(largest(*given, q2, q1), largest(*given, q1, q2))


class Wasserstein(VectorDiscrepancy):
    """W1(p, q) on scores = max over functions of slope ±1 between neighbouring scores.

    Of ``bounded`` outcomes, whose values are not all there could be, a W1 ball is used by the
    triangle inequality: the sup is at most W1(p̂, q) + r, and at most the distance of q from the
    end of the range that is farther from its mean, where all outcomes could be.
    """

    name = "w1"
    on = "score_slopes"
    needs_scores = True

    def family(self, d, scores):
        """Return the 2^(d-1) sign patterns."""
        return wasserstein.sign_patterns(scores)

    def between(self, p, q, scores):
        """Return Σ_k gap_k·|P_k - Q_k| with P and Q the distribution functions."""
        return wasserstein.w1(p, q, scores)

    def extrema(self, bounds, q, scores):
        """By the triangle inequality for ``bounded`` outcomes; a mixture of p̂ and q is nearest."""
        if bounds.limits is None:
            return super().extrema(bounds, q, scores)
        plugin = self.between(bounds.share, q, scores)
        nearest = np.maximum(plugin - bounds.radius, 0.0)
        most = np.abs((q @ scores)[:, None] - bounds.limits).max(1)
        farthest = np.minimum(plugin + bounds.radius, most)
        reached = np.maximum(plugin, self._towards_the_ends(bounds, q, scores).max(1))
        return enclosed_extrema((nearest, nearest), (np.minimum(reached, farthest), farthest))

    def _towards_the_ends(self, bounds, q, scores) -> np.ndarray:
        """Return W1(u, q), (N, 2), of u mixed from p̂ and either end of the range, r from p̂."""
        ends, radius = np.array(bounds.limits), bounds.radius[:, None]
        distance = np.abs((bounds.share @ scores)[:, None] - ends)
        part = (radius / np.maximum(distance, radius))[..., None]
        people, simulator = (np.pad(each, ((0, 0), (0, 2))) for each in (bounds.share, q))
        end = np.eye(2, len(scores) + 2, k=len(scores))
        mixed = people[:, None] + part * (end - people[:, None])
        return self.between(mixed, simulator[:, None], np.concatenate([scores, ends]))

    def pairwise_extrema(self, bounds, q1, q2, scores):
        """By the triangle inequality for ``bounded`` outcomes; p̂ itself attains the plug-in."""
        if bounds.limits is None:
            return super().pairwise_extrema(bounds, q1, q2, scores)
        plugin = self.between(bounds.share, q1, scores) - self.between(bounds.share, q2, scores)
        most, reach = self.between(q1, q2, scores), 2.0 * bounds.radius
        lower, upper = np.maximum(plugin - reach, -most), np.minimum(plugin + reach, most)
        return enclosed_extrema((lower, plugin), (plugin, upper))

    def vector_extrema(self, bounds, q, scores):
        """The sup is the largest excess over the sign patterns; the inf is a convex program."""
        excess = bounds.support - q @ self.family(q.shape[1], scores).T
        farthest = np.maximum(excess.max(1), 0.0)
        if bounds.ball == "w1":
            nearest = (transport.w1_minimum(bounds.share, bounds.radius, q, scores),) * 2
        else:
            nearest = wasserstein.w1_minimum(bounds.share, bounds.radius, q, scores)
        return enclosed_extrema(nearest, (farthest, farthest))

    def vector_pairs(self, bounds, q1, q2, scores):
        """Both over the ball, by the pieces on which the difference is concave."""
        solver = transport if bounds.ball == "w1" else wasserstein
        largest, given = solver.w1_difference_maximum, (bounds.share, bounds.radius)
        return difference_extrema(largest(*given, q2, q1, scores), largest(*given, q1, q2, scores))


class OfParameter(Discrepancy):
    """The absolute difference of a parameter that is not linear in p, such as the variance."""

    needs_scores = True

    def __init__(self, name: str, parameter: str, of_distribution: Callable):
        """Name the discrepancy.

        Args:
            name: of the discrepancy.
            parameter: see :func:`fidelity.sets.bootstrap_interval.parameter_named`.
            of_distribution: its value from scores (d,) and distributions (N, d).
        """
        self.name = self.on = name
        self.parameter = parameter
        self.of_distribution = of_distribution

    def is_scalar(self, d):
        """The parameter is one number."""
        return True

    def functionals(self, d, scores):
        """None: the parameter is not linear."""
        return np.empty((0, d))

    def between(self, p, q, scores):
        """Return the absolute difference."""
        return np.abs(self.of_distribution(scores, p) - self.of_distribution(scores, q))

    def extrema(self, bounds, q, scores):
        """As for means."""
        parameter = self.of_distribution(scores, q)
        return scalar_extrema(_distance_from(parameter), bounds, parameter)

    def pairwise_extrema(self, bounds, q1, q2, scores):
        """As for means."""
        first, second = (self.of_distribution(scores, q) for q in (q1, q2))
        distances = _distance_from(first), _distance_from(second)
        return monotone_pairs(*distances, bounds, first <= second)


def _distance_from(q):
    return lambda u: np.abs(u - q)


def variance_of(scores: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the variance of each distribution; scores (d,), p (N, d) -> (N,)."""
    mean = p @ scores
    return (p * (scores - mean[:, None]) ** 2).sum(1)


def median_of(scores: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the smallest score up to which half of each distribution lies."""
    order = np.argsort(scores)
    reached = np.cumsum(p[:, order], axis=1) >= 0.5 - 1e-12
    return scores[order][reached.argmax(1)]
