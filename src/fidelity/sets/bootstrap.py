"""Bootstrap quantiles and intervals for the mean, variance or a quantile of unbounded outcomes.

Coverage is approximate: it tends to γ as the sample grows, and no sample size guarantees it.
Intervals cover less for small samples and for skew or heavy-tailed distributions. At n = 100 and
γ = .9, simulated intervals hold the mean of a normal distribution .90 of the time. They hold the
mean of an exponential distribution .88 (``percentile``) and .89 (``bca``) of the time, and its
variance .82 and .85.
"""

from collections.abc import Callable
from math import ceil

import numpy as np
import scipy as sp

from fidelity.arrays import Counts, Ends, FloatArray, Generators
from fidelity.blocks import block_sizes, blocks
from fidelity.discrepancies.base import Discrepancy
from fidelity.levels import Level, rational
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Radius, Sample

Parameter = Callable[[FloatArray, Counts], FloatArray]
CELLS_AT_ONCE = 2**16
ROUNDING = 1e-12
SMALLEST = 1e-12


class Bootstrap(ConfidenceSet):
    """The bootstrap interval of a parameter; its coverage tends to γ and is guaranteed nowhere."""

    kinds = ("bounded", "real")
    bounds_on = ("mean", "variance", "median")
    method: str
    draws = True
    guarantee = "approximate"

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return the (1 + γ)/2 quantile of resampled means of f."""
        return np.stack(
            [self._quantiles(sample, f, "mean", (1.0 + sample.gamma) / 2.0) for f in functionals], 1
        )

    def bounds_of(self, sample: Sample, measure: Discrepancy) -> Ends:
        """Return the quantiles at δ/2 and 1 - δ/2."""
        levels = (1.0 - sample.gamma) / 2.0, (1.0 + sample.gamma) / 2.0
        assert sample.scores is not None
        lower, upper = (
            self._quantiles(sample, sample.scores, measure.parameter, level) for level in levels
        )
        return lower, upper

    def _quantiles(
        self, sample: Sample, values: FloatArray, parameter: str, level: FloatArray
    ) -> FloatArray:
        assert sample.generators is not None
        return bootstrap_quantiles(
            values,
            sample.counts,
            level[:, None],
            parameter_named(parameter),
            self.method,
            sample.generators,
        )[:, 0]


@CONFIDENCE_SETS.add
class PercentileBootstrap(Bootstrap):
    """The interval between two quantiles of the resampled parameter."""

    name = "bootstrap_percentile"
    label = "bootstrap, percentile (approximate)"
    method = "percentile"


@CONFIDENCE_SETS.add
class BCaBootstrap(Bootstrap):
    """The percentile interval with its levels corrected for bias and acceleration."""

    name = "bootstrap_bca"
    label = "bootstrap, BCa (approximate)"
    method = "bca"


def mean(values: FloatArray, counts: Counts) -> FloatArray:
    """Return the means of samples that share their values: (V,), (R, V) -> (R,)."""
    return counts @ values / counts.sum(-1)


def variance(values: FloatArray, counts: Counts) -> FloatArray:
    """Return the variances with divisor n - 1, 0 where n = 1: (V,), (R, V) -> (R,)."""
    squares = (counts * (values - mean(values, counts)[:, None]) ** 2).sum(-1)
    return squares / np.maximum(counts.sum(-1) - 1, 1)


def quantile_at(level: Level) -> Parameter:
    """Return the quantile at ``level`` in (0, 1): order statistic number ceil(n·level)."""
    share = rational(level)
    if not 0 < share < 1:
        raise ValueError(f"the level of a quantile lies strictly between 0 and 1, not {level}")

    def quantile(values: FloatArray, counts: Counts) -> FloatArray:
        """Return order statistics: ascending values (V,), counts (R, V) -> (R,)."""
        below = counts.cumsum(-1)
        sizes, which = np.unique(below[:, -1], return_inverse=True)
        rank = np.array([ceil(int(n) * share) for n in sizes])[which]
        return values[(below < rank[:, None]).sum(-1)]

    return quantile


def parameter_named(name: str) -> Parameter:
    """Return ``mean``, ``variance`` or a quantile such as ``quantile 0.9``.

    A parameter is a function of ascending distinct values (V,) and whole-number counts of R
    samples (R, V), and returns (R,). Any such function can be bootstrapped.

    Raises:
        ValueError: if there is no such parameter, or a quantile's level is not in (0, 1).
    """
    match name.split():
        case ["mean"]:
            return mean
        case ["variance"]:
            return variance
        case ["quantile", level]:
            return quantile_at(level)
    raise ValueError(f"unknown parameter {name!r}; there are: mean, variance, quantile <level>")


def bootstrap_quantiles(
    values: FloatArray,
    counts: FloatArray,
    probabilities: FloatArray,
    parameter: Parameter,
    method: str,
    generator: Generators,
    resamples: int = 1000,
) -> FloatArray:
    """Return bounds that the parameter stays below with the given probabilities, asymptotically.

    Each is a one-sided bound: the one at probability γ is the upper bound with coverage γ, the one
    at 1 - γ the lower bound. Outcomes must be independent with one distribution, and the parameter
    a smooth function of it. The probabilities are approximate at every n: one-sided errors are of
    order 1/√n for ``percentile`` and 1/n for ``bca``. A sample whose responses are all equal gives
    bounds of width 0.

    Args:
        values: distinct values, (V,) or (N, V).
        counts: how often each was seen in each of N samples, whole numbers, (N, V).
        probabilities: in (0, 1), (P,) or (N, P).
        parameter: see :func:`parameter_named`.
        method: ``percentile``, or ``bca`` (Efron 1987: corrected for bias and acceleration).
        generator: draws the resamples; one for all samples or one per sample. The order of the
            columns changes nothing, nor do columns with count 0.
        resamples: how many for each sample.

    Returns:
        (N, P), in the unit of the parameter.

    Raises:
        ValueError: if counts are not whole, or a sample has fewer than 2 responses.
    """
    values, counts = np.broadcast_arrays(np.asarray(values, float), np.asarray(counts, float))
    if (counts % 1 != 0).any() or (counts.sum(1) < 2).any():
        raise ValueError("the bootstrap needs whole counts of at least 2 responses per sample")
    probabilities = np.broadcast_to(probabilities, (len(counts), np.shape(probabilities)[-1]))
    bounds = np.empty(probabilities.shape)
    for row, wanted in enumerate(probabilities):
        seen = np.flatnonzero(counts[row])
        ascending = seen[values[row, seen].argsort()]
        sample = values[row, ascending], counts[row, ascending].astype(np.int64)
        source = generator if isinstance(generator, np.random.Generator) else generator[row]
        estimates = replicates(*sample, parameter, resamples, source)
        if method == "bca":
            wanted = _bca(*sample, parameter, estimates, wanted)
        bounds[row] = np.quantile(estimates, wanted)
    return bounds


def replicates(
    values: FloatArray,
    counts: Counts,
    parameter: Parameter,
    resamples: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Return the parameter in multinomial resamples of one sample, (resamples,)."""
    n = counts.sum()
    return np.concatenate(
        [
            parameter(values, generator.multinomial(int(n), counts / n, size=size))
            for size in block_sizes(resamples, len(values), CELLS_AT_ONCE)
        ]
    )


def acceleration(values: FloatArray, counts: Counts, parameter: Parameter) -> float:
    """Return Efron's acceleration Σd³/(6(Σd²)^1.5), d the jackknife's deviations; 0 if all are 0.

    Responses with the same value give the same estimate when left out. So one estimate per distinct
    value is computed, and weighs as much as the value's count.
    """
    left_out = np.concatenate(
        [
            parameter(values, counts - np.eye(len(values), dtype=np.int64)[rows])
            for rows in blocks(len(values), len(values), CELLS_AT_ONCE)
        ]
    )
    shifts = left_out[0] - left_out
    deviations = shifts - counts @ shifts / counts.sum()
    spread = counts @ deviations**2
    return float(counts @ deviations**3 / (6.0 * spread**1.5)) if spread > 0.0 else 0.0


def _bca(
    values: FloatArray,
    counts: Counts,
    parameter: Parameter,
    estimates: FloatArray,
    probabilities: FloatArray,
) -> FloatArray:
    """Return the levels of the resamples' quantiles to take: Φ(z₀ + (z₀+z)/(1 - a(z₀+z))).
    z₀ is the normal quantile of the share of resamples below the estimate, with equal ones counting
    half. At least half a resample is left on each side, so that z₀ stays finite.
    """
    estimate = parameter(values, counts[None])
    differences = estimates - estimate
    rounding = ROUNDING * np.abs(estimates).max()
    above = np.where(np.abs(differences) <= rounding, 0.0, np.sign(differences)).mean()
    half = 0.5 / len(estimates)
    bias = sp.special.ndtri(np.clip((1.0 - above) / 2.0, half, 1.0 - half))
    shifted = bias + sp.special.ndtri(probabilities)
    remaining = 1.0 - acceleration(values, counts, parameter) * shifted
    return sp.special.ndtr(bias + shifted / np.maximum(remaining, SMALLEST))
