"""Wasserstein-1 distance of distributions on scores."""

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
from fidelity.extrema import kl_ball_w1, w1_ball
from fidelity.extrema.functionals import sign_patterns
from fidelity.extrema.ranges import means_around


@DISCREPANCIES.add
class Wasserstein(VectorDiscrepancy):
    """W1(p, q) on scores = max over functions of slope ±1 between neighbouring scores.

    For ``bounded`` outcomes the values seen are not all possible values. There a W1 ball is used by
    the triangle inequality: the sup is at most W1(p̂, q) + r. It is also at most the distance of q
    from the farther end of the range, where all outcomes could be. ``real`` ones have no such end.
    """

    name = "w1"
    label = "Wasserstein-1 distance of scores"
    meaning = (
        "How far answers must be moved along the scale, on average, to turn one distribution "
        "into the other."
    )
    on = "score_slopes"
    is_symmetric = True
    metric_root = 1
    is_planned = True
    is_maximum = True
    needs_scores = True
    bounds_means = True
    has_option_ranges = True
    has_mean_range = True

    def option_ranges(self, q: FloatArray, bound: FloatArray, scores: Scores) -> Ends:
        """Return them by linear programs over the ball."""
        return w1_ball.shares_by_w1(q, bound, scores)

    def mean_range(self, q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
        """Return it: the mean moves by the bound."""
        return means_around(q, bound, scores)

    def family(self, d: int, scores: Scores) -> FloatArray:
        """Return the 2^(d-1) sign patterns."""
        return sign_patterns(scores)

    def coordinates(self, d: int, scores: Scores) -> FloatArray:
        """Return the distribution functions times the gaps between scores, (d - 1, d)."""
        order = np.argsort(scores)
        below = (np.argsort(order)[None] <= np.arange(d - 1)[:, None]).astype(float)
        gap: FloatArray = np.diff(scores[order])
        return below * gap[:, None]

    def between(self, p: FloatArray, q: FloatArray, scores: Scores) -> FloatArray:
        """Return Σ_k gap_k·|P_k - Q_k| with P and Q the distribution functions."""
        return kl_ball_w1.w1(p, q, scores)

    def extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """By the triangle inequality for ``bounded`` outcomes; a mixture of p̂ and q is nearest."""
        if bounds.limits is None:
            return super().extrema(bounds, q, scores)
        plugin = self.between(bounds.share, q, scores)
        nearest = np.maximum(plugin - bounds.radius, 0.0)
        if np.isinf(bounds.limits).all():  # a little mass ever farther out comes as near as wanted
            farthest = plugin + bounds.radius
            return enclosed_extrema((nearest, nearest), (farthest, farthest))
        most = np.abs((q @ scores)[:, None] - bounds.limits).max(1)
        farthest = np.minimum(plugin + bounds.radius, most)
        reached = np.maximum(plugin, self._towards_the_ends(bounds, q, scores).max(1))
        return enclosed_extrema((nearest, nearest), (np.minimum(reached, farthest), farthest))

    def _towards_the_ends(self, bounds: Bounds, q: FloatArray, scores: FloatArray) -> FloatArray:
        """Return W1(u, q), (N, 2), of u mixed from p̂ and either end of the range, r from p̂."""
        ends, radius = np.array(bounds.limits), bounds.radius[:, None]
        distance = np.abs((bounds.share @ scores)[:, None] - ends)
        part = (radius / np.maximum(distance, radius))[..., None]
        people, simulator = (np.pad(shares, ((0, 0), (0, 2))) for shares in (bounds.share, q))
        end = np.eye(2, len(scores) + 2, k=len(scores))
        mixed = people[:, None] + part * (end - people[:, None])
        return self.between(mixed, simulator[:, None], np.concatenate([scores, ends]))

    def pairwise_extrema(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """By the triangle inequality for ``bounded`` outcomes; p̂ itself attains the plug-in."""
        if bounds.limits is None:
            return super().pairwise_extrema(bounds, q1, q2, scores)
        plugin = self.between(bounds.share, q1, scores) - self.between(bounds.share, q2, scores)
        most, reach = self.between(q1, q2, scores), 2.0 * bounds.radius
        lower, upper = np.maximum(plugin - reach, -most), np.minimum(plugin + reach, most)
        return enclosed_extrema((lower, plugin), (plugin, upper))

    def vector_extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """The sup is the largest excess over the sign patterns; the inf is a convex program."""
        excess = bounds.support - q @ self.family(q.shape[1], scores).T
        farthest = np.maximum(excess.max(1), 0.0)
        if bounds.ball == "w1":
            nearest = (w1_ball.w1_minimum(bounds.share, bounds.radius, q, scores),) * 2
        else:
            nearest = kl_ball_w1.w1_minimum(bounds.share, bounds.radius, q, scores)
        return enclosed_extrema(nearest, (farthest, farthest))

    def vector_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Both over the ball, by the pieces on which the difference is concave."""
        solver = w1_ball if bounds.ball == "w1" else kl_ball_w1
        largest, given = solver.w1_difference_maximum, (bounds.share, bounds.radius)
        return difference_extrema(largest(*given, q2, q1, scores), largest(*given, q1, q2, scores))
