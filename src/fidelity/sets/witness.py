"""The witness: a one-sided bound of each linear functional by itself, instead of a set."""

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.binomial import clopper_pearson_upper
from fidelity.sets import multinomial_radii
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Radius, Sample
from fidelity.sets.clopper_pearson import binary_support


@CONFIDENCE_SETS.add
class Witness(ConfidenceSet):
    """One-sided bounds at the full δ, one functional at a time.

    A discrepancy convex in p is sup_f [⟨f, p⟩ - c(f)]. At the true p and the given q̂ an f* that
    attains it, or nearly so, is fixed, since q̂ does not depend on the human sample. So
    sup_f [bound(f) - c(f)] is at least the value of f* whenever the bound of f* holds. This has
    probability γ, without a union bound over f and without a price for d. Where the supremum isn't
    attained, take f* within ε of Δ: as ε falls to 0 the events that the result is at least Δ - ε
    shrink to that it is at least Δ. If Δ is infinite, f* may have any value.

    Indicators of option subsets, and binary outcomes, have the one-sided Clopper-Pearson bound,
    which is exact. Other functionals have the Chernoff bound KL(mean ‖ u) ≤ log(1/δ)/n after
    rescaling to [0, 1]. It holds for every bounded variable (Hoeffding 1963), and so for all
    functionals in the unit ball of a kernel (:mod:`fidelity.extrema.kernel_norm`).

    Lower discrepancies need a two-sided set: both bounds at δ/2, by the union bound. Lower
    discrepancies of kernels have a bound of their own.
    """

    name = "witness"
    label = "witness"
    bounds_on: tuple[str, ...] = ("mean", "option_subsets", "score_slopes", "kernel")
    kinds: tuple[str, ...] = ("binary", "ordinal", "categorical", "bounded")
    ball = "kl"

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return one-sided upper confidence bounds, each holding with probability γ."""
        if sample.limits is None:
            if np.isin(functionals, (0.0, 1.0)).all():
                gamma, n = sample.gamma[:, None], sample.n[:, None]
                return clopper_pearson_upper(sample.counts @ functionals.T, n, gamma)
            if sample.counts.shape[1] == 2:
                return binary_support(sample, functionals)
        low, high = sample.ranges(functionals)
        unit = np.clip((sample.share @ functionals.T - low) / (high - low), 0.0, 1.0)
        return low + (high - low) * bernoulli_kl_upper(unit, self.chernoff_radius(sample)[:, None])

    def chernoff_radius(self, sample: Sample) -> FloatArray:
        """Return log(1/δ)/n, in nats."""
        return -np.log1p(-sample.gamma) / sample.n

    def ball_radius(self, n: FloatArray, d: int, gamma: FloatArray) -> FloatArray:
        """Return the radius of ``multinomial_kl``, which lower and pairwise extrema need."""
        return multinomial_radii.smallest_radius(n, d, gamma)

    def two_sided(self, gamma: FloatArray) -> FloatArray:
        """Return (1 + γ)/2: two one-sided bounds at δ/2 each."""
        return (1.0 + gamma) / 2.0
