"""The mean discrepancy of the worst scenarios, CVaR, between two bounds without a confidence set.

CVaR_α(Δ) = min over s of s + E(Δ - s)₊/α is the mean over the share α of scenarios with the largest
discrepancies (Rockafellar & Uryasev 2000). If L is convex in p, so is (L - s)₊. So for every s:

- E(Δ̂ - s)₊ ≥ (Δ - s)₊. The plug-ins' min over s of s + mean (Δ̂_j - s)₊/α estimates an upper
  bound.
- Take a weight w in [0, 1] times the minorant of L - s, both chosen without respondent r. Its
  expectation is at most (Δ - s)₊. With Λ_j(s) its mean over a scenario's respondents,
  E min over s of s + mean Λ_j(s)/α ≤ CVaR_α(Δ). w rises smoothly from 0 to 1 around
  L(p̂⁽ʳ⁾, q) = s, so that one answer more changes little. Differences up to rounding are ties, as
  in :mod:`fidelity.means.leave_one_out`.

The minimum over s of an estimate is, on average, at most the minimum of the estimated function. So
the lower bound stays a lower bound. The upper bound is optimistic by the gain from choosing s,
which vanishes as m grows.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.discrepancies.base import Discrepancy
from fidelity.extrema.minorants import TIE
from fidelity.means.average import DiscrepancyBounds, DiscrepancyInterval, interval_of, possible
from fidelity.means.jackknife import jackknife_variance
from fidelity.means.scales import Scale, scales, standard_error
from fidelity.responses import Responses, Simulator, side_by_side

TRIED = 200


def tail_discrepancy(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    alpha: float = 0.1,
    target: str = "asked",
    level: float = 0.95,
) -> DiscrepancyInterval:
    """Return how far a simulator is from people on its worst scenarios, as two bounds.

    They are on the mean discrepancy of the worst share α of scenarios, CVaR_α.

    The interval treats the s that each bound chose as fixed, which is right asymptotically. Draws
    are taken as they are. There is a lower bound for distances that are sums of absolute values or
    a kernel's (``tv``, ``w1``); NaN for others.

    Args:
        alpha: the share of scenarios, in (0, 1].
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulator: :class:`fidelity.Simulator` or probabilities, (m, d).
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        target: ``asked``, the mean over these scenarios, or ``new``, the mean over the population
            that they, or their clusters, are drawn from.
        level: of the interval.

    Examples:
        >>> from fidelity import tail_discrepancy
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0], [18, 52, 30]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1], [0.1, 0.4, 0.5]]
        >>> found = tail_discrepancy(people, model, discrepancy="tv", alpha=0.5)
        >>> print(f"{found.lower:.3f} to {found.upper:.3f}")
        0.328 to 0.350
    """
    alpha = inputs.number("alpha", alpha, inputs.ABOVE_ZERO)
    people, (stated,) = side_by_side(responses, simulator=simulator)
    m, split = len(people.counts), scales(people, stated.as_stated(), discrepancy)
    plugin = np.empty(m)
    for scale in split:
        plugin[scale.rows] = scale.upper(scale.counts)
    quantile = np.sort(plugin)[max(int(np.ceil(m * (1.0 - alpha) - 1e-9)), 1) - 1]
    excesses = [_Excess.of(scale) for scale in split]
    lowest = _lowest(excesses, plugin.max(), alpha * m)
    bounds = np.zeros((len(DiscrepancyBounds._fields), m))
    for excess in excesses:
        scale = excess.scale
        ends = (_Excess.lower, lowest), (_Excess.upper, quantile)
        bounds[:4, scale.rows] = [end(excess, s, scale.counts) for end, s in ends * 2]
        bounds[6, scale.rows] = alpha * excess.reach
        bounds[4:6, scale.rows] = [_error(excess, end, s) for end, s in ends]
    bounds /= alpha
    bounds[[0, 2]] += lowest
    bounds[[1, 3]] += quantile
    tail = DiscrepancyBounds(*bounds)
    return possible(interval_of(tail, people, target=target, level=level), tail)


class _Excess(NamedTuple):
    """Bounds on how much scenarios' discrepancies exceed s, in expectation.

    Attributes:
        scale: the scenarios.
        ramp: over which the weight of an answer rises, (N, 1); NaN where there is no lower bound.
        reach: the largest possible discrepancy.
    """

    scale: Scale
    ramp: FloatArray
    reach: float

    @classmethod
    def of(cls, scale: Scale) -> "_Excess":
        n, variance = scale.counts.sum(1), scale.measure.answer_variance(scale.q, scale.scores)
        if variance is None:
            variance = np.full(len(n), np.nan)
        return cls(scale, np.sqrt(np.maximum(variance, 0.0) / n)[:, None], scale.reach)

    def take(self, rows: IntArray) -> "_Excess":
        """Return those of the scenarios at ``rows``."""
        return self._replace(scale=self.scale.take(rows), ramp=self.ramp[rows])

    def lower(self, s: float, counts: FloatArray) -> FloatArray:
        """Return Λ_j(s), (N,)."""
        scale = self.scale
        return self.at(s, counts, *_said(scale, counts))

    def at(self, s: float, counts: FloatArray, said: FloatArray, others: FloatArray) -> FloatArray:
        """Return Λ_j(s), given what each answer says and L at the shares of the others, (N, d)."""
        above = others - s
        above = np.where(np.abs(above) < TIE * self.reach, 0.0, above)
        x = np.divide(above, self.ramp, out=np.sign(above), where=self.ramp != 0.0)
        x = np.clip(x, -1.0, 1.0)
        weight = (2.0 + 3.0 * x - x**3) / 4.0
        return (counts * weight * (said - s)).sum(1) / counts.sum(1)

    def upper(self, s: float, counts: FloatArray) -> FloatArray:
        """Return (Δ̂_j - s)₊, (N,)."""
        return np.maximum(self.scale.upper(counts) - s, 0.0)


def _error(excess: _Excess, end: Callable[..., FloatArray], s: float) -> FloatArray:
    """Return the standard error of one of the bounds, (N,)."""

    def without(people: FloatArray, rows: IntArray) -> FloatArray:
        return end(excess.take(rows), s, people)

    counts = excess.scale.counts
    variance = jackknife_variance(without, counts) * excess.scale.times_by_weights(without)
    return standard_error(variance, counts)


def _said(scale: Scale, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return, for each option, an answer's minorant of L(p, q), and L at the others' shares."""
    said = scale.measure.minorants(counts, scale.q, scale.scores)
    return said, _by_others(scale, counts)


def _by_others(scale: Scale, counts: FloatArray) -> FloatArray:
    """Return L(·, q) at the shares without one answer i, (N, d); -∞ where that was the only one."""
    discrepancies = np.empty(counts.shape)
    for option in range(counts.shape[1]):
        others = counts.copy()
        others[:, option] = np.maximum(others[:, option] - 1.0, 0.0)
        left = others.sum(1) > 0.0
        discrepancies[:, option] = np.where(
            left, scale.upper(np.where(left[:, None], others, 1.0)), -np.inf
        )
    return discrepancies


def _lowest(excesses: list[_Excess], highest: float, tail: float) -> float:
    """Return the s in [0, highest] with the least s + Σ_j Λ_j(s)/tail; 0 where there is no Λ."""
    said = [_said(excess.scale, excess.scale.counts) for excess in excesses]

    def bound(s: float) -> float:
        sums = (
            excess.at(s, excess.scale.counts, *parts).sum()
            for excess, parts in zip(excesses, said, strict=True)
        )
        return float(s + sum(sums) / tail)

    tried = np.linspace(0.0, highest, TRIED)
    values = [bound(s) for s in tried]
    if np.isnan(values[0]):
        return 0.0
    best = int(np.argmin(values))
    around = tried[max(best - 1, 0)], tried[min(best + 1, TRIED - 1)]
    refined = sp.optimize.minimize_scalar(bound, bounds=around, method="bounded")
    return float(refined.x if refined.fun < values[best] else tried[best])
