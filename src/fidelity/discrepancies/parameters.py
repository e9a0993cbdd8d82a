"""Discrepancies of parameters that are not linear in p: the variance, the median."""

from abc import abstractmethod

import numpy as np

from fidelity.arrays import FloatArray, Scores
from fidelity.discrepancies.base import (
    DISCREPANCIES,
    Bounds,
    Discrepancy,
    Distance,
    Extrema,
    monotone_pairs,
    scalar_extrema,
)


class OfParameter(Discrepancy):
    """The absolute difference of a parameter that is not linear in p, such as the variance."""

    is_parameter = True
    has_limits = False
    needs_scores = True

    @abstractmethod
    def of_distribution(self, scores: Scores, p: FloatArray) -> FloatArray:
        """Return the parameter of each distribution; scores (d,), p (N, d) -> (N,)."""

    def is_scalar(self, d: int) -> bool:
        """The parameter is one number."""
        return True

    def functionals(self, d: int, scores: Scores) -> FloatArray:
        """None: the parameter is not linear."""
        return np.empty((0, d))

    def between(self, p: FloatArray, q: FloatArray, scores: Scores) -> FloatArray:
        """Return the absolute difference."""
        return np.abs(self.of_distribution(scores, p) - self.of_distribution(scores, q))

    def extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """As for means."""
        parameter = self.of_distribution(scores, q)
        return scalar_extrema(_distance_from(parameter), bounds, parameter)

    def pairwise_extrema(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """As for means."""
        first, second = (self.of_distribution(scores, q) for q in (q1, q2))
        distances = _distance_from(first), _distance_from(second)
        return monotone_pairs(*distances, bounds, first <= second)


def _distance_from(q: FloatArray) -> Distance:
    return lambda u: np.abs(u - q)


@DISCREPANCIES.add
class Variance(OfParameter):
    """The absolute difference of variances."""

    name = on = parameter = "variance"
    label = "absolute difference of variances"
    meaning = "How far the variances of the answers are apart."

    def of_distribution(self, scores: Scores, p: FloatArray) -> FloatArray:
        """Return the variance."""
        mean = p @ scores
        return (p * (scores - mean[:, None]) ** 2).sum(1)


@DISCREPANCIES.add
class Median(OfParameter):
    """The absolute difference of medians."""

    name = on = "median"
    parameter = "quantile 1/2"
    label = "absolute difference of medians"
    meaning = "How far the medians of the answers are apart."

    def of_distribution(self, scores: Scores, p: FloatArray) -> FloatArray:
        """Return the smallest score up to which half of the distribution lies."""
        order = np.argsort(scores)
        reached = np.cumsum(p[:, order], axis=1) >= 0.5 - 1e-12
        return scores[order][reached.argmax(1)]
