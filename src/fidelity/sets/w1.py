"""Wasserstein-1 balls around the observed distribution of scores."""

import numpy as np

from fidelity.arrays import FloatArray, Floats
from fidelity.extrema import w1_ball
from fidelity.sets import mean_bounds
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Sample


@CONFIDENCE_SETS.add
class W1Ball(ConfidenceSet):
    """{u: W1(u, p̂) ≤ r} with the DKW radius r = (b - a)·sqrt(log(2/δ)/(2n)).

    W1 is at most b - a times the largest distance of the distribution functions, which is bounded
    by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart.
    """

    name = "w1"
    label = "W1 ball (DKW)"
    bounds_on = ("mean", "option_subsets", "score_slopes")
    kinds = ("binary", "ordinal", "bounded")
    ball = "w1"
    has_radius = True

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the radius in the unit of the scores, whose range is ``span``."""
        return mean_bounds.hoeffding_radius(n, gamma, span)

    def support(
        self, sample: Sample, functionals: FloatArray, radius: FloatArray | None
    ) -> FloatArray:
        """Return max ⟨f, u⟩ over the ball; for ``bounded`` outcomes f is the mean."""
        assert radius is not None
        if sample.limits is not None:
            highest = sample.ranges(functionals)[1]
            return np.minimum(sample.share @ functionals.T + radius[:, None], highest)
        assert sample.scores is not None
        return w1_ball.linear_maximum(sample.share, radius, functionals, sample.scores)


@CONFIDENCE_SETS.add
class W1SubGaussian(W1Ball):
    """The paper's radius 512σ/√n + σ·sqrt(256e·log(1/δ)/n) with σ = (b - a)/2 ([QC], section 3).

    Valid, but without content until n is in the hundred thousands: until then the radius is above
    the range of the outcomes.
    """

    name = "w1_subgaussian"
    label = "W1 ball (paper)"

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the radius in the unit of the scores, whose range is ``span``."""
        deviation = np.sqrt(256.0 * np.e * -np.log1p(-gamma) / n)
        return span / 2.0 * (512.0 / np.sqrt(n) + deviation)
