"""Discrepancies of mean scores."""

import numpy as np

from fidelity.arrays import Ends, FloatArray, Scores
from fidelity.discrepancies.base import (
    DISCREPANCIES,
    Bounds,
    Discrepancy,
    Distance,
    Extrema,
    monotone_pairs,
    scalar_extrema,
)
from fidelity.extrema.minorants import RAMP, of_square
from fidelity.extrema.ranges import means_around, shares_by_means


class Mean(Discrepancy):
    """A power of the distance of the mean scores: |p - q|^power."""

    on = "mean"
    needs_scores = True
    is_symmetric = True
    is_maximum = True
    bounds_means = True
    has_option_ranges = True
    has_mean_range = True
    power: int

    def functionals(self, d: int, scores: Scores) -> FloatArray:
        """Return (s, -s)."""
        return np.stack([scores, -scores])

    def between(self, p: FloatArray, q: FloatArray, scores: Scores) -> FloatArray:
        """Return |⟨s, p⟩ - ⟨s, q⟩|^power."""
        return self._distance_from(q @ scores)(p @ scores)

    def extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """The distance from q to the far end, and to the interval (0 inside it)."""
        return scalar_extrema(self._distance_from(q @ scores), bounds, q @ scores)

    def pairwise_extrema(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """L(u, q1) - L(u, q2) is monotone in u."""
        first, second = q1 @ scores, q2 @ scores
        distances = self._distance_from(first), self._distance_from(second)
        return monotone_pairs(*distances, bounds, first <= second)

    def option_ranges(self, q: FloatArray, bound: FloatArray, scores: Scores) -> Ends:
        """Return them as they follow from the range of the mean."""
        low, high = self.mean_range(q, bound, scores)
        return shares_by_means(low, high, scores)

    def mean_range(self, q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
        """Return it: the root of the bound to either side."""
        return means_around(q, np.asarray(self.to_metric(bound)), scores)

    def _distance_from(self, q: FloatArray) -> Distance:
        return lambda u: np.abs(u - q) ** self.power


@DISCREPANCIES.add
class Absolute(Mean):
    """|p - q| of mean scores; with two options and no scores, of the second one's probability."""

    name = "absolute"
    label = "absolute difference of means"
    meaning = "The absolute difference of the mean answers; for yes and no, of the shares of yes."
    default_for = ("binary", "bounded", "real")
    power = metric_root = 1
    is_planned = True

    def is_in_points(self, kind: str) -> bool:
        """Tell whether the means are shares."""
        return kind == "binary"

    def coordinates(self, d: int, scores: Scores) -> FloatArray:
        """Return the scores, (1, d)."""
        return scores[None]


@DISCREPANCIES.add
class Squared(Mean):
    """(p - q)² of mean scores."""

    name = "squared"
    label = "squared difference of mean scores"
    meaning = "The squared difference of the mean answers, on the scale of the options' scores."
    default_for = ("ordinal",)
    is_square = True
    power = metric_root = 2

    def points(self, d: int, scores: Scores) -> FloatArray:
        """Return the scores, (d, 1)."""
        return scores[:, None]

    def minorants(
        self, counts: FloatArray, q: FloatArray, scores: Scores, ramp: float = RAMP
    ) -> FloatArray:
        """Return the values of tangents."""
        return of_square(counts, q, scores)

    def linear_difference(
        self, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> tuple[FloatArray, FloatArray]:
        """Return g and c: (p - q1)² - (p - q2)² = 2p(q2 - q1) + q1² - q2² of mean scores."""
        first, second = q1 @ scores, q2 @ scores
        return 2.0 * np.outer(second - first, scores), first**2 - second**2
