"""Quantile curves of the discrepancy over scenarios, from pseudo-discrepancies.

V(τ) is the τ-quantile of the true discrepancy Δ over the population of scenarios. The curves are
step functions of the order statistics. Ranks are found in exact rational arithmetic, and integrals
over τ are exact sums, not trapezoids on a grid.

**Index map** ([QC], section 4, corrected for general γ): the upper curve at τ is the empirical
quantile of the Δ̂_j at 1 - γ(1-τ), and the lower curve is the quantile of the Δ⁻_j at γτ. Where
coverages γ_j differ between scenarios, S(t) = (1/m) Σ 1{Δ̂_j > t}/γ_j bounds P(Δ > t), even if γ_j
is related to Δ_j. Then V̂(τ) = inf{t : S(t) ≤ 1-τ}. With equal γ both curves agree, rank by rank.
The weights 1/(mγ_j) do not sum to one and must not be normalised.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray, Levels
from fidelity.levels import Level, rational

INDICES = ("weights", "mean", "min")
ROUNDING = 1e-12
SORTED_FASTER = range(5000, 200_000)  # than by NumPy's partition
MOST_EXACT = 10**6  # the largest denominator of a level


def empirical_quantile(values: ArrayLike, alpha: Levels) -> FloatArray:
    """Return the smallest values that at least given shares of a sample don't exceed.

    The empirical α-quantiles: order statistic number ceil(mα), the first at α = 0.

    Args:
        values: (m,).
        alpha: levels in [0, 1].

    Examples:
        >>> from fidelity import empirical_quantile
        >>> empirical_quantile([0.03, 0.12, 0.09, 0.18], [0.5, 0.9])
        array([0.09, 0.18])
    """
    values = inputs.vector("values", values, inputs.REAL)
    ranks = _float_ceilings(len(values), alpha)
    if ranks is None:
        ranks = _ceilings(len(values), inputs.levels("alpha", alpha).ratios)
    places = np.maximum(ranks, 1) - 1
    is_sparse = 16 * places.size < len(values) and len(values) not in SORTED_FASTER
    return (np.partition(values, places) if is_sparse else np.sort(values))[places]


def quantile_curve(
    upper: ArrayLike,
    gamma: ArrayLike,
    tau: Levels,
    *,
    index: str = "weights",
) -> FloatArray:
    """Return how far a simulator is at most on each share of scenarios.

    The calibrated upper curve V̂(τ) = inf{t : S(t) ≤ 1-τ} ([QC], Theorem 3.1).

    Asymptotically, as the number of scenarios grows, P(Δ ≤ V̂(τ)) ≥ τ. Scenarios must be independent
    and have people of their own: if the same people answered all, their error does not shrink as m
    grows. For statements that hold at this m see :mod:`fidelity.curves.guarantee`.

    Args:
        upper: upper pseudo-discrepancies Δ̂_j, (m,); +inf allowed.
        gamma: coverage, one or (m,).
        tau: a level in [0, 1], or several.
        index: how coverages that differ enter: ``weights`` (1/γ_j; needs no assumption),
            ``mean`` (the authors' γ̄; right only if γ_j is unrelated to Δ_j) or ``min``.

    Returns:
        (len(tau),), in the unit of the discrepancy.

    Examples:
        >>> from fidelity import quantile_curve
        >>> upper = [0.03, 0.04, 0.09, 0.12, 0.09, 0.10, 0.10, 0.10, 0.18, 0.06]
        >>> quantile_curve(upper, 0.5, [0.5, 0.9])  # half of the scenarios are at most 0.1 off
        array([0.1 , 0.18])
    """
    ordered, coverage = _ordered(upper, gamma, index)
    m = len(ordered)
    allowed = [(bottom - top, bottom) for top, bottom in inputs.levels("tau", tau).ratios]
    if isinstance(coverage, Fraction):
        beyond = -_ceilings(-m * coverage, allowed)
        return ordered[m - 1 - np.minimum(beyond, m - 1)]
    survival = np.append((np.cumsum(1.0 / coverage[::-1]) / m)[::-1][1:], 0.0)
    levels = np.array([top / bottom for top, bottom in allowed]) + ROUNDING
    return ordered[(survival[None, :] > levels[:, None]).sum(1)]


def lower_quantile_curve(
    lower: ArrayLike,
    gamma: ArrayLike,
    tau: Levels,
    *,
    index: str = "weights",
) -> FloatArray:
    """Return how far a simulator is at least on each share of scenarios.

    The calibrated lower curve inf{t : (1/m) Σ 1{Δ⁻_j ≤ t}/γ_j ≥ τ}.

    With equal γ it is the empirical quantile at γτ; +inf where the sum never reaches τ.

    Args:
        lower: lower pseudo-discrepancies Δ⁻_j, (m,).
        gamma: coverage, one or (m,).
        tau: a level in [0, 1], or several.
        index: how coverages that differ enter: ``weights`` (1/γ_j; needs no assumption),
            ``mean`` (the authors' γ̄; right only if γ_j is unrelated to Δ_j) or ``min``.

    Examples:
        >>> from fidelity import lower_quantile_curve
        >>> lower = [0.0, 0.0, 0.04, 0.05, 0.03, 0.03, 0.06, 0.05, 0.12, 0.0]
        >>> lower_quantile_curve(lower, 0.5, [0.5, 1.0])
        array([0.  , 0.03])
    """
    lower, gamma = _scenarios("lower", lower, gamma)
    ratios = inputs.levels("tau", tau).ratios
    common = _common_coverage(gamma, index)
    if common is not None:
        ranks = _ceilings(len(lower) * common, ratios)
        return np.sort(lower)[np.maximum(ranks, 1) - 1]
    order = np.argsort(lower)
    reached = np.cumsum(1.0 / gamma[order]) / len(lower)
    levels = np.array([top / bottom for top, bottom in ratios])
    first = np.searchsorted(reached, levels * (1.0 - ROUNDING))
    return np.append(lower[order], np.inf)[first]


def area_under_curve(upper: ArrayLike, gamma: ArrayLike, *, index: str = "weights") -> float:
    """Return the mean discrepancy over scenarios that a curve allows, the area under it.

    AUC = ∫₀¹ V̂(τ)dτ = ∫₀^∞ min(1, S(t))dt, exactly.

    It bounds the mean discrepancy over scenarios. With equal γ it is the mean of the largest
    γ-fraction of the Δ̂_j.

    Examples:
        >>> from fidelity import area_under_curve
        >>> upper = [0.03, 0.04, 0.09, 0.12, 0.09, 0.10, 0.10, 0.10, 0.18, 0.06]
        >>> print(round(area_under_curve(upper, 0.5), 3))  # bounds the mean discrepancy
        0.12
    """
    return tail_mean(upper, gamma, 1, index=index)


def value_at_risk(
    upper: ArrayLike, gamma: ArrayLike, alpha: Level, *, index: str = "weights"
) -> float:
    """Return how far a simulator is at most on all but the worst share of scenarios.

    VaR_α = V̂(1-α), an upper bound on Δ.

    Examples:
        >>> from fidelity import value_at_risk
        >>> upper = [0.03, 0.04, 0.09, 0.12, 0.09, 0.10, 0.10, 0.10, 0.18, 0.06]
        >>> print(value_at_risk(upper, 0.5, alpha=0.1))
        0.18
    """
    tau = 1 - inputs.level("alpha", alpha)
    return float(quantile_curve(upper, gamma, [tau], index=index)[0])


def tail_mean(upper: ArrayLike, gamma: ArrayLike, alpha: Level, *, index: str = "weights") -> float:
    """Return the mean discrepancy on the worst share of scenarios that a curve allows.

    CVaR_α = (1/α)∫₀^∞ min(α, S(t))dt bounds the mean over the worst share α.

    The integral starts at 0, since discrepancies are not negative.

    Examples:
        >>> from fidelity import tail_mean
        >>> upper = [0.03, 0.04, 0.09, 0.12, 0.09, 0.10, 0.10, 0.10, 0.18, 0.06]
        >>> print(round(tail_mean(upper, 0.5, alpha=0.4), 3))  # the mean over the worst 40 %
        0.15
    """
    top, bottom = inputs.level("alpha", alpha).as_integer_ratio()
    ordered, coverage = _ordered(upper, gamma, index)
    if ordered[0] < -ROUNDING:
        raise ValueError(f"upper must be numbers of at least 0; the smallest is {ordered[0]:.9g}")
    if np.isinf(ordered[-1]):
        return float("inf")
    alpha = top / bottom
    if alpha == 0.0:
        return float(ordered[-1])
    weight = np.broadcast_to(1.0 / np.asarray(coverage, float), ordered.shape)
    survival = np.cumsum(weight[::-1])[::-1] / len(ordered)
    return float(np.diff(ordered, prepend=0.0) @ np.minimum(alpha, survival) / alpha)


def closer_share(pairwise_upper: ArrayLike, gamma: ArrayLike, *, index: str = "weights") -> float:
    """Return on what share of scenarios simulator 1 is closer to people.

    It is 1 - (1/m) Σ 1{δ̂_j > 0}/γ_j, at least 0 ([QC], section 6).

    Asymptotically, simulator 1 is at least as close as simulator 2 on at least that share.
    ``pairwise_upper`` (m,) holds the largest L(u, q̂¹) - L(u, q̂²) over each scenario's set.

    Examples:
        >>> from fidelity import closer_share
        >>> closer_share([0.07, -0.01, -0.12, -0.27, 0.13, -0.14, -0.08, -0.21, -0.17, -0.07], 0.5)
        0.6
    """
    pairwise_upper, gamma = _scenarios("pairwise_upper", pairwise_upper, gamma)
    common = _common_coverage(gamma, index)
    coverage = gamma if common is None else float(common)
    return max(0.0, 1.0 - float(np.mean((pairwise_upper > 0.0) / coverage)))


def _scenarios(name: str, values: Any, gamma: Any) -> tuple[FloatArray, FloatArray]:
    """Return one number per scenario, and the coverage of each."""
    values, gamma = inputs.aligned(**{name: values, "gamma": gamma})
    values = inputs.vector(name, values, inputs.REAL)
    return values, inputs.each("gamma", gamma, inputs.ABOVE_ZERO, len(values))


def _ceilings(factor: int | Fraction, ratios: Iterable[tuple[int, int]]) -> IntArray:
    """Return ceil(factor × level) for each level, in whole-number arithmetic."""
    top, bottom = factor.as_integer_ratio()
    return np.array([-(-top * a // (bottom * b)) for a, b in ratios])


def _float_ceilings(m: int, levels: Levels) -> IntArray | None:
    """Return ceil(m × level) of an array of floats, as :func:`_ceilings`; None if one is doubtful.

    A level within four units in the last place of r/m is that fraction, as :func:`rational` reads
    it. Any other one has to be farther from r/m than rounding may move it.
    """
    if type(levels) is not np.ndarray or levels.dtype != np.float64 or levels.ndim != 1:
        return None
    if m > MOST_EXACT or not len(levels) or not ((levels >= 0.0) & (levels <= 1.0)).all():
        return None
    ranks = np.rint(m * levels)
    gaps, unit = np.abs(levels - ranks / m), np.spacing(levels)
    is_whole = gaps <= 3 * unit
    if not (is_whole | (gaps > 16 * unit)).all():
        return None
    return np.where(is_whole, ranks, np.ceil(m * levels)).astype(np.int64)


def _common_coverage(gamma: FloatArray, index: str) -> Fraction | None:
    """Return the one γ that the index map uses, or None if every scenario keeps its own."""
    inputs.one_of("index", index, INDICES)
    if (gamma == gamma[0]).all() or index == "min":
        return rational(gamma.min())
    return rational(gamma.mean()) if index == "mean" else None


def _ordered(upper: Any, gamma: Any, index: str) -> tuple[FloatArray, Fraction | FloatArray]:
    """Return the order statistics, and their coverages or the one coverage of all."""
    upper, gamma = _scenarios("upper", upper, gamma)
    common = _common_coverage(gamma, index)
    order = np.argsort(upper)
    return upper[order], gamma[order] if common is None else common
