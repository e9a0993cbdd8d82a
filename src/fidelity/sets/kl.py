"""KL balls around the observed shares, for binary outcomes and for d options."""

import numpy as np

from fidelity.arrays import FloatArray, Floats
from fidelity.extrema.kl_ball import linear_maximum
from fidelity.sets import multinomial_radii
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Radius, Sample


class KLBall(ConfidenceSet):
    """{u in the simplex: KL(p̂ ‖ u) ≤ r}."""

    ball = "kl"
    bounds_on = ("mean", "option_subsets", "score_slopes", "options")
    has_radius = True

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return max ⟨f, u⟩ over the ball, exactly."""
        assert radius is not None
        return linear_maximum(sample.share, radius, functionals)


@CONFIDENCE_SETS.add
class BernoulliKL(KLBall):
    """A KL ball for binary outcomes, r = log(2/δ)/n: the two-sided Chernoff bound."""

    name = "bernoulli_kl"
    label = "Bernoulli KL (paper)"
    kinds = ("binary",)

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return log(2/δ)/n, in nats."""
        return np.log(2.0 / (1.0 - gamma)) / n


@CONFIDENCE_SETS.add
class MultinomialKL(KLBall):
    """A KL ball with the smallest radius that is proven for this n, d and γ."""

    name = "multinomial_kl"
    label = "multinomial KL ball"
    kinds = ("binary", "ordinal", "categorical")

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the radius in nats; see :func:`.multinomial_radii.smallest_radius`."""
        return multinomial_radii.smallest_radius(n, d, gamma)


@CONFIDENCE_SETS.add
class MultinomialKLPaper(MultinomialKL):
    """A KL ball, r = (d-1)/n·log(2(d-1)/δ) as [QC] has it; valid for every n and d."""

    name = "multinomial_kl_paper"
    label = "multinomial KL ball (paper)"

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return (d-1)/n·log(2(d-1)/δ), in nats."""
        return multinomial_radii.paper_radius(n, d, gamma)
