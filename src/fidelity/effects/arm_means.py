"""Means of arms with limits that hold where answers are rare.

A plug-in variance is too small, or 0, where hardly anybody gave an answer. So each mean has limits
to both sides, and those of a sum of means with weights are

    estimate ∓ √(Σ (distance of the mean to its limit on that side, times its weight)²),

with the means' correlations between (MOVER: Zou and Donner 2008). Of answers of two kinds the
limits are Wilson's (1927), so that a difference of two arms has Newcombe's interval (1998, his
method 10), here with Student's quantile. Of other answers with limits, the variance is that with
one answer more at each end that was seen.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy as sp

from fidelity.arrays import BoolArray, FloatArray

FEW = 5.0


@dataclass(frozen=True, eq=False)
class ArmMeans:
    """Means of C arms, and E sums of them with weights.

    Attributes:
        mean, variance: of the answers, (C,).
        size: how many independent answers have the mean's error, (C,).
        ends: least and largest answer, (C, 2); NaN where they have no limits.
        is_binary: whether there are no others, (C,).
        influence: of units on the means, sparse, (U, C).
        contrast: weights of the means, times what corrects for few answers, sparse, (C, E).
    """

    mean: FloatArray
    variance: FloatArray
    size: FloatArray
    ends: FloatArray
    is_binary: BoolArray
    influence: Any
    contrast: Any

    @cached_property
    def unseen(self) -> FloatArray:
        """What the means' variances miss: that with one answer more at each end is larger, (C,)."""
        more, both, squares = self.size + 2.0, self.ends.sum(1), (self.ends**2).sum(1)
        middle = (self.size * self.mean + both) / more
        square = (self.size * (self.variance + self.mean**2) + squares) / more
        missed = (square - middle**2) / more - self.variance / self.size
        return np.maximum(np.nan_to_num(missed), 0.0)

    @cached_property
    def df(self) -> FloatArray:
        """Welch's degrees of freedom of sums of arms with different persons, (E,)."""
        squares = self.contrast * self.contrast
        error = self.variance / self.size + self.unseen
        total = squares.T @ error
        below = (squares * squares).T @ (error**2 / np.maximum(self.size - 1.0, 1.0))
        df: FloatArray = total**2 / np.where(below > 0.0, below, 1.0)
        return np.where(below > 0.0, df, np.inf)

    @cached_property
    def is_few(self) -> BoolArray:
        """Whether an arm has fewer than 5 answers of the rarer kind, of sums, (E,)."""
        share = (self.mean - self.ends[:, 0]) / np.ptp(self.ends, axis=1)
        rare = self.is_binary & (np.minimum(share, 1.0 - share) * self.size < FEW - 1e-9)
        return (abs(self.contrast).T @ rare.astype(float)) > 0.0

    @cached_property
    def _correlation(self) -> Any:
        """Of the means, sparse, (C, C)."""
        covariance = sp.sparse.csc_array(self.influence.T @ self.influence)
        sd = np.sqrt(covariance.diagonal())
        scale = sp.sparse.diags_array(np.divide(1.0, sd, out=np.zeros_like(sd), where=sd > 0.0))
        return scale @ covariance @ scale + sp.sparse.diags_array((sd == 0.0).astype(float))

    def distances(self, critical: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how far sums are from their lower and upper limits, (E,) each.

        Args:
            critical: multiples of standard errors, (E,).
        """
        weights = self.contrast
        k = np.repeat(critical, np.diff(weights.indptr))
        below, above = self._to_limits(weights.indices, k)
        ways = np.where(weights.data > 0.0, [below, above], [above, below]) * weights.data
        parts = [
            sp.sparse.csc_array((way, weights.indices, weights.indptr), weights.shape)
            for way in ways
        ]
        squares = [(part * (self._correlation @ part)).sum(0) for part in parts]
        lower, upper = np.sqrt(np.maximum(squares, 0.0))
        return lower, upper

    def _to_limits(self, arm: Any, k: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how far means of arms are from their lower and upper limits."""
        n, width = self.size[arm], np.ptp(self.ends[arm], axis=1)
        usual = k * np.sqrt(self.variance[arm] / n + self.unseen[arm])
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (self.mean[arm] - self.ends[arm, 0]) / width
            pull = k * k / n
            root = k * np.sqrt(np.maximum(share * (1.0 - share), 0.0) / n + pull / n / 4.0)
            ways = [
                (root + sign * pull * (0.5 - share)) / (1.0 + pull) * width for sign in (-1.0, 1.0)
            ]
        below, above = (np.where(self.is_binary[arm], way, usual) for way in ways)
        return below, above

    def on(self, weights: FloatArray) -> "ArmMeans":
        """Return sums of the sums with weights, (E, K)."""
        return replace(self, contrast=sp.sparse.csc_array(self.contrast @ weights))

    def beside(self, other: "ArmMeans", *, same_units: bool) -> "ArmMeans":
        """Return the same number of sums of two sides, as sums of both's means."""
        parts = [self.influence, other.influence]
        return ArmMeans(
            np.concatenate([self.mean, other.mean]),
            np.concatenate([self.variance, other.variance]),
            np.concatenate([self.size, other.size]),
            np.concatenate([self.ends, other.ends]),
            np.concatenate([self.is_binary, other.is_binary]),
            sp.sparse.hstack(parts) if same_units else sp.sparse.block_diag(parts, "csr"),
            sp.sparse.csc_array(sp.sparse.vstack([self.contrast, other.contrast])),
        )
