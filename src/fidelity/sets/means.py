"""Sets for the mean of bounded outcomes: Hoeffding's and the empirical Bernstein interval."""

import numpy as np

from fidelity.arrays import Ends, FloatArray, Floats
from fidelity.discrepancies.base import Discrepancy
from fidelity.sets import mean_bounds
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Radius, Sample


@CONFIDENCE_SETS.add
class Hoeffding(ConfidenceSet):
    """|u - mean| ≤ (b - a)·sqrt(log(2/δ)/(2n)), clipped to [a, b]; for bounded means."""

    name = "hoeffding"
    label = "Hoeffding (paper)"
    kinds = ("binary", "ordinal", "bounded")
    has_radius = True

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the half-width in the unit of the scores, whose range is ``span``."""
        return mean_bounds.hoeffding_radius(n, gamma, span)

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return the mean of f plus the half-width, in the unit of f, at most max f."""
        assert radius is not None
        low, high = sample.ranges(functionals)
        width = radius[:, None] * (high - low) / sample.span
        return np.minimum(sample.share @ functionals.T + width, high)


@CONFIDENCE_SETS.add
class EmpiricalBernstein(ConfidenceSet):
    """Bounds for bounded means and variances by the sample's variance (Maurer & Pontil 2009)."""

    name = "empirical_bernstein"
    label = "empirical Bernstein"
    bounds_on = ("mean", "variance")
    kinds = ("binary", "ordinal", "bounded")

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return the mean of f plus a half-width from the variance of f, at most max f."""
        low, high = sample.ranges(functionals)
        n, mean = sample.n[:, None], sample.share @ functionals.T
        spread = sample.share @ (functionals**2).T - mean**2
        variance = np.maximum(spread, 0.0) * n / np.maximum(n - 1.0, 1e-300)
        width = mean_bounds.empirical_bernstein_radius(
            variance, n, sample.gamma[:, None], high - low
        )
        return np.minimum(mean + width, high)

    def bounds_of(self, sample: Sample, measure: Discrepancy) -> Ends:
        """Return the interval of the variance."""
        if measure.on != "variance":
            return super().bounds_of(sample, measure)
        assert sample.scores is not None
        n, _, variance = mean_bounds.moments(sample.scores, sample.counts)
        return mean_bounds.variance_bounds(variance, n, sample.gamma, sample.span)
