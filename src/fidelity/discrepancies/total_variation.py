"""Total variation: half the sum of absolute differences."""

from collections.abc import Callable
from functools import partial

import numpy as np

from fidelity.arrays import Ends, FloatArray, Scores
from fidelity.discrepancies.base import (
    DISCREPANCIES,
    Bounds,
    Extrema,
    VectorDiscrepancy,
    difference_extrema,
    enclosed_extrema,
)
from fidelity.extrema import kl_ball, w1_ball
from fidelity.extrema.functionals import option_subsets
from fidelity.extrema.ranges import means_by_tv


@DISCREPANCIES.add
class TotalVariation(VectorDiscrepancy):
    """TV(p, q) = ½‖p - q‖₁ = max over option subsets A of p(A) - q(A)."""

    name = "tv"
    label = "total variation"
    meaning = "The largest difference in the share of any group of options."
    default_for = ("categorical",)
    on = "option_subsets"
    is_symmetric = True
    metric_root = 1
    is_planned = True
    is_maximum = True
    has_option_ranges = True
    has_mean_range = True

    def is_in_points(self, kind: str) -> bool:
        """Tell that values are differences of shares."""
        return True

    def option_ranges(self, q: FloatArray, bound: FloatArray, scores: Scores) -> Ends:
        """Return them: any share moves by the bound."""
        limit = bound[:, None]
        return np.maximum(q - limit, 0.0), np.minimum(q + limit, 1.0)

    def mean_range(self, q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
        """Return it: as much mass as the bound goes from one end of the scale to the other."""
        return means_by_tv(q, bound, scores)

    def family(self, d: int, scores: Scores) -> FloatArray:
        """Return the indicators of the 2^d - 2 proper non-empty option subsets."""
        return option_subsets(d)

    def coordinates(self, d: int, scores: Scores) -> FloatArray:
        """Return half the identity, (d, d)."""
        return np.eye(d) / 2

    def between(self, p: FloatArray, q: FloatArray, scores: Scores) -> FloatArray:
        """Return ½Σ|p - q|."""
        return 0.5 * np.abs(p - q).sum(-1)

    def vector_extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """The sup is the largest excess over the subsets; the inf is a convex program."""
        excess = bounds.support - q @ option_subsets(q.shape[1]).T
        farthest = np.maximum(excess.max(1), 0.0)
        if bounds.ball == "w1":
            nearest = w1_ball.tv_minimum(bounds.share, bounds.radius, q, scores)
        else:
            nearest = (kl_ball.tv_minimum(bounds.share, bounds.radius, q),) * 2
        return enclosed_extrema(nearest, (farthest, farthest))

    def vector_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Both over the ball, by branch and bound."""
        largest: Callable[..., Ends] = kl_ball.tv_difference_maximum
        given = bounds.share, bounds.radius
        if bounds.ball == "w1":
            largest = partial(w1_ball.tv_difference_maximum, scores=scores)
        return difference_extrema(largest(*given, q2, q1), largest(*given, q1, q2))
