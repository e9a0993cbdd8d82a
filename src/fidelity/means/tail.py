"""The mean discrepancy of the worst scenarios, CVaR, between two bounds without a confidence set.

CVaR_α(Δ) = min over s of s + E(Δ - s)₊/α is the mean over the share α of scenarios that are
farthest (Rockafellar & Uryasev 2000). With L also (L - s)₊ is convex in p, so for every s

- E(Δ̂ - s)₊ ≥ (Δ - s)₊: the plug-ins' min over s of s + mean (Δ̂_j - s)₊/α estimates an upper bound;
- the minorant of (L - s)₊ that is chosen without respondent r, f⁽ʳ⁾ - s where Δ̂⁽ʳ⁾ > s and 0
  elsewhere, has an expectation of at most (Δ - s)₊: with Λ_j(s) its mean over a scenario's
  respondents, E min over s of s + mean Λ_j(s)/α ≤ CVaR_α(Δ).

The least over s of an estimate is at most what it estimates on average: that keeps the lower bound
one, and makes the upper one optimistic by what the choice of s gains, which vanishes as m grows.
"""

import numpy as np
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import FloatArray
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.jackknife import jackknife_variance
from fidelity.means.leave_one_out import minorants
from fidelity.means.mean_discrepancy import (
    DiscrepancyBounds,
    DiscrepancyInterval,
    mean_interval,
)
from fidelity.means.scales import Scale, scales


def tail_discrepancy(
    counts: ArrayLike,
    q: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    alpha: float = 0.1,
    target: str = "asked",
    clusters: ArrayLike | None = None,
    people: ArrayLike | None = None,
    level: float = 0.95,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    options: ArrayLike | None = None,
) -> DiscrepancyInterval:
    """Return two bounds on the mean discrepancy of the worst share α of scenarios, CVaR_α.

    The interval takes the error at the s that each bound chose, which is asymptotic.

    Args:
        alpha: the share of scenarios, in (0, 1].
        counts, q, discrepancy, target, clusters, people, level, scores, sizes, options: as
            :func:`fidelity.means.mean_discrepancy`.

    Examples:
        >>> from fidelity.means import tail_discrepancy
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0], [18, 52, 30]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1], [0.1, 0.4, 0.5]]
        >>> found = tail_discrepancy(people, model, discrepancy="tv", alpha=0.5)
        >>> print(f"{found.lower:.3f} to {found.upper:.3f}")
        0.350 to 0.350
    """
    alpha = inputs.number("alpha", alpha, inputs.ABOVE_ZERO)
    m, found = scales(
        counts,
        q,
        discrepancy=discrepancy,
        scores=scores,
        sizes=sizes,
        options=options,
        draws=None,
    )
    said = [_said(scale) for scale in found]
    lowest = _lowest(*(np.concatenate(each) for each in zip(*said, strict=True)), alpha * m)
    plugin = np.empty(m)
    for scale in found:
        plugin[scale.rows] = scale.upper(scale.counts)
    quantile = np.sort(plugin)[max(int(np.ceil(m * (1.0 - alpha) - 1e-9)), 1) - 1]
    bounds = np.empty((4, m))
    for scale in found:
        bounds[:, scale.rows] = _excesses(scale, lowest, quantile)
    bounds /= alpha
    bounds[0] += lowest
    bounds[1] += quantile
    return mean_interval(
        DiscrepancyBounds(*bounds), target=target, clusters=clusters, people=people, level=level
    )


def _said(scale: Scale) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return of each answer given: its share, its minorant's value, and L by the other answers."""
    given = scale.counts > 0.0
    share = scale.counts / scale.counts.sum(1, keepdims=True)
    value = minorants(scale.counts, scale.q, scale.measure, scale.scores)
    return share[given], value[given], _by_others(scale, scale.counts)[given]


def _by_others(scale: Scale, counts: FloatArray) -> FloatArray:
    """Return L(·, q) at the shares without one answer i, (N, d); -∞ where that was the only one."""
    found = np.empty(counts.shape)
    for option in range(counts.shape[1]):
        others = counts.copy()
        others[:, option] = np.maximum(others[:, option] - 1.0, 0.0)
        left = others.sum(1) > 0.0
        found[:, option] = np.where(
            left, scale.upper(np.where(left[:, None], others, 1.0)), -np.inf
        )
    return found


def _lowest(share: FloatArray, value: FloatArray, others: FloatArray, tail: float) -> float:
    """Return the s with the least s + Σ share·(value - s)·1{others > s}/tail.

    That is linear in s between neighbouring values of ``others``, and jumps at them: it is tried at
    each, with and without the answers there.
    """
    order = np.argsort(-others, kind="stable")
    others, share, value = others[order], share[order], value[order]
    s, last = np.unique(-others, return_index=False, return_inverse=True)
    weight = np.concatenate([[0.0], np.bincount(last, share).cumsum()])
    total = np.concatenate([[0.0], np.bincount(last, share * value).cumsum()])
    finite = np.isfinite(s)
    s = -s[finite]
    excluded, included = (slice(0, len(s)), slice(1, len(s) + 1))
    tried = np.stack([s + (total[part] - s * weight[part]) / tail for part in (excluded, included)])
    side, place = np.unravel_index(tried.argmin(), tried.shape)
    return float(np.nextafter(s[place], -np.inf) if side else s[place])


def _excesses(scale: Scale, lowest: float, quantile: float) -> FloatArray:
    """Return what exceeds s, below and above, (L - s)₊ of each scenario, with standard errors."""

    def lower(people: FloatArray) -> FloatArray:
        value = minorants(people, scale.q, scale.measure, scale.scores) - lowest
        counted = np.where(_by_others(scale, people) > lowest, people * value, 0.0)
        found: FloatArray = counted.sum(1) / people.sum(1)
        return found

    def upper(people: FloatArray) -> FloatArray:
        return np.maximum(scale.upper(people) - quantile, 0.0)

    errors = [np.sqrt(jackknife_variance(each, scale.counts)) for each in (lower, upper)]
    return np.stack([lower(scale.counts), upper(scale.counts), *errors])
