"""The exact interval of Clopper and Pearson for binary outcomes."""

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.binomial import clopper_pearson_upper
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Radius, Sample


@CONFIDENCE_SETS.add
class ClopperPearson(ConfidenceSet):
    """The exact interval of a binary share: each bound fails with probability at most δ/2."""

    name = "clopper_pearson"
    label = "Clopper-Pearson"
    kinds = ("binary",)

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return the bound of ⟨f, p⟩ that the interval of the success probability gives."""
        return binary_support(sample.at((1.0 + sample.gamma) / 2.0), functionals)


def binary_support(sample: Sample, functionals: FloatArray) -> FloatArray:
    """Bound ⟨f, p⟩ for d = 2: p moves towards the option on which f is larger."""
    towards = (functionals == functionals.max(1, keepdims=True)).astype(float)
    towards[:, 0] -= towards.all(1)
    bound = clopper_pearson_upper(
        sample.counts @ towards.T, sample.n[:, None], sample.gamma[:, None]
    )
    return functionals.min(1) + np.ptp(functionals, axis=1) * bound
