"""How often intervals from stated location and scale hold the outcome, and how wide they are.

The interval of level q around a prediction is the central one, loc ± z(q)·scale, with z(q) the
(1+q)/2-quantile of the standard distribution. PICP, the prediction interval coverage probability,
is the share of outcomes inside; a calibrated simulator has PICP = q at every level q. Read coverage
together with width: very wide intervals hold everything.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.binomial import clustered_proportion_interval, proportion_interval
from fidelity.calibration.cases import lined_up, masses
from fidelity.comparison.weighted_means import cluster_errors


def normal_half_width(level: FloatArray) -> FloatArray:
    """Return z with P(|Z| ≤ z) = level for a standard normal Z; level in (0, 1)."""
    return sp.special.ndtri((1.0 + np.asarray(level, float)) / 2.0)


def cauchy_half_width(level: FloatArray) -> FloatArray:
    """Return z = tan(π·level/2) with P(|Z| ≤ z) = level for a standard Cauchy Z."""
    return np.tan(np.pi * np.asarray(level, float) / 2.0)


ROUNDING = 1e-12
FAMILIES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "normal": normal_half_width,
    "cauchy": cauchy_half_width,
}


def normal_fit(values: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation (divisor n-1) of answers; 0 if it isn't defined.

    Args:
        values: distinct answers, (v,).
        counts: how often each was given, positive, (v,).
    """
    n = counts.sum()
    mean = counts @ values / n
    spread = counts @ (values - mean) ** 2
    return float(mean), float(np.sqrt(spread / (n - 1))) if n > 1 else 0.0


def cauchy_fit(values: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """Return the median and half the distance of the quartiles: the loc and scale of a Cauchy.

    Arguments as :func:`normal_fit`. A quantile is the smallest answer that at least the wanted
    share of answers doesn't exceed. Where that share is reached exactly, it is the middle between
    this answer and the next one.
    """
    order = np.argsort(values)
    values, share = np.asarray(values)[order], np.cumsum(counts[order]) / counts.sum()

    def quantile(level: float) -> float:
        low = np.searchsorted(share, level - ROUNDING)
        high = int(np.searchsorted(share, level + ROUNDING, "right"))
        return float(values[low] + values[min(high, len(values) - 1)]) / 2.0

    return quantile(0.5), (quantile(0.75) - quantile(0.25)) / 2.0


FITS: dict[str, Callable[[FloatArray, FloatArray], tuple[float, float]]] = {
    "normal": normal_fit,
    "cauchy": cauchy_fit,
}


@dataclass(frozen=True)
class IntervalCoverage:
    """How often the intervals of each level held the outcome, and how wide they were, (L,) each.

    ``coverage`` is the share of outcomes inside (PICP), with its confidence interval from ``lower``
    to ``upper``; ``width`` the mean width and ``score`` the mean interval score, both in the unit
    of the outcome; ``level`` the levels as they were given.
    """

    level: FloatArray
    coverage: FloatArray
    lower: FloatArray
    upper: FloatArray
    width: FloatArray
    score: FloatArray


def interval_coverage(
    loc: ArrayLike,
    scale: ArrayLike,
    outcome: ArrayLike,
    levels: ArrayLike,
    family: str = "normal",
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    samples: ArrayLike | None = None,
    confidence: float = 0.95,
) -> IntervalCoverage:
    """Return how often values lie in their stated intervals, and how wide these are.

    PICP, its confidence interval and the mean width at several levels.

    Intervals are closed. ``coverage`` has a confidence interval of its own:

    - Without clusters it is Clopper and Pearson's. It is exact for independent people, even if some
      are likelier to be inside than others (Hoeffding 1956: the sum is then less spread than a
      binomial one). With weights it uses Kish's effective number of people (Σw)²/Σw², and is
      approximate.
    - Where the same people may answer several scenarios, the number of people is reduced until its
      error is as large as this can cause (:mod:`fidelity.comparison.weighted_means`). If all or
      none are inside, it is the number in the scenario with the fewest, which holds for any
      dependence.
    - With clusters, such as scenarios, it is about new clusters: see
      :func:`fidelity.binomial.clustered_proportion_interval`, with CR2's standard error of the
      ratio Σ_c inside_c/Σ_c people_c (:mod:`fidelity.comparison.weighted_means`).

    The interval score is width + 2/(1-q)·(distance of the outcome to the interval). Its mean is
    smallest for the true quantiles (Gneiting & Raftery 2007).

    Args:
        loc: mean of a normal, median of a Cauchy distribution, in the unit of the outcome, (N,).
        scale: standard deviation, or half the distance between quartiles; positive, (N,).
        outcome: (N,).
        levels: in (0, 1), (L,).
        family: ``normal`` or ``cauchy``.
        counts: people per row, (N,).
        weights: of one person of the row, (N,).
        clusters: label of the row's cluster, (N,), at least 2 different ones; None for independent
            people.
        samples: label of the row's scenario, (N,), where the same people may answer several; None
            where everyone answers one.
        confidence: two-sided coverage of the interval of PICP, in (0, 1).

    Raises:
        ValueError: if shapes don't fit, a number is out of range, or there is no such family.

    Examples:
        >>> from fidelity import interval_coverage
        >>> answers = [61, 75, 48, 90, 66, 70, 52, 81]
        >>> found = interval_coverage([65] * 8, [10] * 8, answers, levels=[0.5, 0.9])
        >>> found.coverage, found.width.round(1)
        (array([0.375, 0.75 ]), array([13.5, 32.9]))
    """
    loc, scale, outcome, counts, weights, clusters, samples = lined_up(
        counts, weights, clusters, samples, loc=loc, scale=scale, outcome=outcome
    )
    loc = inputs.vector("loc", loc, inputs.FINITE)
    scale = inputs.vector("scale", scale, inputs.FINITE_POSITIVE, len(loc))
    outcome = inputs.vector("outcome", outcome, inputs.FINITE, len(loc))
    levels = np.atleast_1d(inputs.one_or_more("levels", levels, inputs.INSIDE))
    confidence = inputs.number("confidence", confidence, inputs.INSIDE)
    inputs.one_of("family", family, FAMILIES)
    people, weight = masses(len(loc), counts, None), masses(len(loc), None, weights)
    mass = people * weight
    total = mass.sum()
    half = FAMILIES[family](levels)[:, None] * scale
    outside = np.abs(outcome - loc) - half
    coverage = (outside <= 0) @ mass / total
    effective = total**2 / float(mass @ weight)
    coverage_errors = cluster_errors((outside <= 0).T, people, weight, clusters, samples)
    if clusters is None and samples is None:
        lower, upper = proportion_interval(coverage, effective, confidence)
    elif clusters is None:
        member = np.unique(samples, return_inverse=True)[1]
        fewest = (np.bincount(member, mass) ** 2 / np.bincount(member, mass * weight)).min()
        at_edge, worst = (coverage == 0.0) | (coverage == 1.0), coverage_errors.people**2
        worth = np.where(at_edge, fewest, effective)
        varying = worst > 0.0
        worth[varying] = np.minimum(
            effective, (coverage * (1.0 - coverage))[varying] / worst[varying]
        )
        lower, upper = proportion_interval(coverage, worth, confidence)
    else:
        if coverage_errors.n_clusters < 2:
            raise ValueError("clusters must be at least 2: one cluster tells nothing about others")
        lower, upper = clustered_proportion_interval(
            coverage,
            coverage_errors.se(),
            coverage_errors.df_at(confidence),
            coverage_errors.effective_clusters,
            coverage_errors.largest_share,
            effective,
            confidence,
        )
    width = 2.0 * half @ mass / total
    return IntervalCoverage(
        level=levels,
        coverage=coverage,
        lower=lower,
        upper=upper,
        width=width,
        score=width + 2.0 / (1.0 - levels) * (np.maximum(outside, 0.0) @ mass / total),
    )
