"""Wasserstein-1 balls around the observed distribution of scores."""

import numpy as np

from fidelity.arrays import FloatArray, Floats
from fidelity.discrepancies.base import Discrepancy
from fidelity.extrema import w1_ball
from fidelity.sets import mean_bounds
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Radius, Sample

EXPECTED = 2.438  # 2∫ sqrt(v(s))ds, s from 0; v = p(1-p), p = min(e^(-s²/2), 1/(1+s²), ½)


@CONFIDENCE_SETS.add
class W1Ball(ConfidenceSet):
    """{u: W1(u, p̂) ≤ r} with the DKW radius r = (b - a)·sqrt(log(2/δ)/(2n)).

    W1 is at most b - a times the largest distance of the distribution functions, which is bounded
    by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart.
    """

    name = "w1"
    label = "W1 ball (DKW)"
    bounds_on: tuple[str, ...] = ("mean", "option_subsets", "score_slopes")
    kinds: tuple[str, ...] = ("binary", "ordinal", "bounded")
    ball = "w1"
    has_radius = True

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the radius in the unit of the scores, whose range is ``span``."""
        return mean_bounds.hoeffding_radius(n, gamma, span)

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
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

    For ``real`` outcomes σ is given. Valid, but without content until n is in the hundred
    thousands: until then the radius is above 2σ.
    """

    name = "w1_subgaussian"
    label = "W1 ball (paper)"
    kinds = (*W1Ball.kinds, "real")

    def can_bound(self, measure: Discrepancy, kind: str) -> bool:
        """Tell whether it does: of numbers without bounds their distribution only."""
        is_whole = kind != "real" or measure.on == "score_slopes"
        return is_whole and super().can_bound(measure, kind)

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the radius in the unit of the scores, whose range is ``span``."""
        deviation = np.sqrt(256.0 * np.e * -np.log1p(-gamma) / n)
        return span / 2.0 * (512.0 / np.sqrt(n) + deviation)


@CONFIDENCE_SETS.add
class W1Sigma(W1Ball):
    """{u: W1(u, p̂) ≤ r} with r = σ·(2.438 + 2·sqrt(log(1/δ)))/√n for σ-sub-Gaussian numbers.

    σ is given: E exp(t(y - Ey)) ≤ exp(t²σ²/2) for all t. The expected distance is at most
    ∫ sqrt(F(1 - F)/n) (Bobkov & Ledoux 2019, Theorem 3.2), and each tail of F at Ey ± sσ is at most
    e^(-s²/2) and 1/(1 + s²), which gives 2.438σ/√n. Above it, W1 changes by at most |y - y'|/n with
    one answer, and y - y' is √2σ-sub-Gaussian: exp(-nt²/(4σ²)) bounds the excess t (Kontorovich
    2014, Theorem 1).
    """

    name = "w1_sigma"
    label = "W1 ball (σ)"
    bounds_on = ("score_slopes",)
    kinds = ("real",)

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the radius in the unit of the scores; ``span`` is 2σ."""
        return span / 2.0 * (EXPECTED + 2.0 * np.sqrt(-np.log1p(-gamma))) / np.sqrt(n)
