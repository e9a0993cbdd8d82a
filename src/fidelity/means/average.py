"""The mean discrepancy of a simulator, between two bounds that need no confidence set.

For each scenario j, E Λ_j ≤ Δ_j ≤ E Δ̂_j. The plug-in Δ̂_j is the upper bound, for every L that is
convex in p. The leave-one-out Λ_j is the lower one (:mod:`fidelity.means.leave_one_out`). So the
mean discrepancy lies between the expectations of their means, and [Λ̄ - z·SE, Δ̂̄ + z·SE] covers
it.

The error depends on which mean is asked for:

- *asked*: (1/m) Σ Δ_j of these very scenarios. Only people are random. Where scenarios have
  different people, SE² = (1/m²) Σ SE_j², with SE_j by the jackknife. Where the same people answer
  several scenarios, SE ≤ (1/m) Σ SE_j, for any dependence. Clusters of scenarios play no part.
- *new*: the mean over the population that the scenarios, or their clusters, are drawn from. CR2 and
  Student's t (:mod:`fidelity.comparison.error_bars`) are approximate. Where people answer several
  scenarios, their common error is added. For independent scenarios with people of their own there
  is also an interval by betting, exact at every m.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy as sp
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import FloatArray, IntArray
from fidelity.comparison.error_bars import mean_error_bar
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.jackknife import jackknife_variance
from fidelity.means.kinks import Kinks, kink_variance
from fidelity.means.scales import Bound, Scale, lined_up, scales
from fidelity.sets.betting import betting_upper

ASKED, NEW = TARGETS = ("asked", "new")
GROUPS = ("clusters", "people")


class DiscrepancyBounds(NamedTuple):
    """Estimates of each scenario whose expectations enclose its discrepancy, (m,) each.

    Attributes:
        lower: leave-one-out, E lower ≤ Δ. Negative ones are no mistake.
        upper: the plug-in, E upper ≥ Δ.
        smooth_lower, smooth_upper: the same for intervals, with leave-one-out bounds that are
            somewhat lower but vary less; see :mod:`fidelity.means.leave_one_out`.
        lower_se, upper_se: standard errors of the smooth bounds, from people's answers, and draws,
            being random; NaN where there are too few answers.
        reach: the largest possible |lower| or |upper|; infinite where none is known.
        noise: estimates of E upper - Δ, for discrepancies that are flat at Δ = 0, such as
            ``squared``; 0 for others, and for differences. See :func:`mean_interval`.

    Examples:
        >>> from fidelity import discrepancy_bounds
        >>> people, model = [[120, 50, 30], [46, 29, 25]], [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> found = discrepancy_bounds(people, model, discrepancy="tv")
        >>> found.upper.round(3), found.upper_se.round(3)
        (array([0.4 , 0.06]), array([0.035, 0.045]))
    """

    lower: FloatArray
    upper: FloatArray
    smooth_lower: FloatArray
    smooth_upper: FloatArray
    lower_se: FloatArray
    upper_se: FloatArray
    reach: FloatArray
    noise: FloatArray


class DiscrepancyInterval(NamedTuple):
    """A mean discrepancy, of all scenarios or of the worst, between two bounds.

    Attributes:
        lower, upper: estimates whose expectations enclose it.
        ci_lower, ci_upper: ends of a confidence interval for it; NaN where the data allow none.
        m: scenarios.

    Examples:
        >>> from fidelity import mean_discrepancy
        >>> people, model = [[120, 50, 30], [46, 29, 25]], [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> found = mean_discrepancy(people, model, discrepancy="tv")
        >>> print(round(found.upper, 3), found.m)
        0.23 2
    """

    lower: float
    upper: float
    ci_lower: float
    ci_upper: float
    m: int


def discrepancy_bounds(
    counts: ArrayLike,
    q: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    squares: ArrayLike | None = None,
    options: ArrayLike | None = None,
    draws: ArrayLike | None = None,
) -> DiscrepancyBounds:
    """Return two estimates per scenario whose expectations enclose its discrepancy.

    No confidence set is needed. People must be independent within a scenario (for the upper bound
    alone, unbiased shares are enough), and the simulator must know nothing of their answers. With
    ``sizes`` one effective respondent is left out, which is approximate.

    Args:
        counts, scores, sizes, options: as :func:`fidelity.pseudo_discrepancy`.
        squares: of weighted people, sums of the squared weights of those who chose each option,
            (m, d), where ``counts`` are sums of weights. Give them if weights may depend on the
            answers. Without them the effective number of people in ``sizes`` is taken to be that of
            each option, and standard errors may be too small.
        q: the simulator's probabilities, (m, d).
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        draws: if ``q`` holds the shares of draws, how many there were, one or (m,). The bounds are
            then about the probabilities drawn from; without ``draws``, about ``q`` itself.

    Raises:
        ValueError: on malformed arrays, a discrepancy that is not convex, or, with ``draws``, one
            that is not symmetric (``kl``, ``chi2``).

    Examples:
        >>> from fidelity import discrepancy_bounds
        >>> people = [[12, 5, 3], [46, 29, 25], [9, 1, 0]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1]]
        >>> found = discrepancy_bounds(people, model, discrepancy="tv")
        >>> found.lower.round(3), found.upper.round(3)
        (array([ 0.4  , -0.128,  0.3  ]), array([0.4 , 0.06, 0.3 ]))
    """
    given = lined_up(
        counts=counts,
        q=q,
        scores=scores,
        sizes=sizes,
        squares=squares,
        options=options,
        draws=draws,
    )
    m, found = scales(discrepancy=discrepancy, **given)
    bounds = np.zeros((len(DiscrepancyBounds._fields), m))
    for scale in found:
        values = (Scale.sharpest, Scale.upper, Scale.lower, Scale.upper)
        bounds[:4, scale.rows] = [bound(scale, scale.counts) for bound in values]
        variances = [_variance(scale, bound) for bound in (Scale.lower, Scale.upper)]
        bounds[4:6, scale.rows] = np.sqrt(variances)
        bounds[5, scale.rows] = np.maximum(bounds[5, scale.rows], np.sqrt(kink_variance(scale)))
        bounds[6, scale.rows] = scale.reach
        if scale.measure.metric_root != 1:
            sharpest, upper = bounds[:2, scale.rows]
            with np.errstate(invalid="ignore"):
                bounds[7, scale.rows] = np.maximum(upper - sharpest, 0.0)
    return DiscrepancyBounds(*bounds)


def difference_bounds(
    counts: ArrayLike,
    q: ArrayLike,
    other: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    squares: ArrayLike | None = None,
    options: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    other_draws: ArrayLike | None = None,
) -> DiscrepancyBounds:
    """Return two estimates per scenario whose expectations enclose L(p, q) - L(p, other).

    The lower one is Λ of q less the plug-in of other, the upper one the plug-in of q less Λ of
    other. Their standard errors take into account that both are compared with the same people.

    Args:
        q, other: the probabilities of two simulators, (m, d).
        draws, other_draws: how many draws each holds the shares of; see :func:`discrepancy_bounds`.
        counts, discrepancy, scores, sizes, squares, options: as there.

    Examples:
        >>> from fidelity import difference_bounds
        >>> people, model = [[120, 50, 30], [46, 29, 25]], [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> found = difference_bounds(people, model, [[0.5, 0.3, 0.2]] * 2, discrepancy="tv")
        >>> found.lower.round(3), found.upper.round(3)
        (array([ 0.3  , -0.178]), array([0.3 , 0.01]))
    """
    given = lined_up(
        counts=counts,
        q=q,
        other=other,
        scores=scores,
        sizes=sizes,
        squares=squares,
        options=options,
        draws=draws,
        other_draws=other_draws,
    )
    of_other = {"q": given.pop("other"), "draws": given.pop("other_draws")}
    m, one = scales(discrepancy=discrepancy, **given)
    _, two = scales(discrepancy=discrepancy, **{**given, **of_other}, whose="other")
    bounds = np.zeros((len(DiscrepancyBounds._fields), m))
    for first, second in zip(one, two, strict=True):
        ends = ((Scale.lower, Scale.upper), (Scale.upper, Scale.lower))
        sharpest = ((Scale.sharpest, Scale.upper), (Scale.upper, Scale.sharpest))
        with np.errstate(invalid="ignore"):
            bounds[:4, first.rows] = [
                bound(first, first.counts) - less(second, second.counts)
                for bound, less in sharpest + ends
            ]
        variances = [
            _variance_of_difference(first, bound, second, less)
            + first.draws_variance(bound)
            + second.draws_variance(less)
            for bound, less in ends
        ]
        bounds[4:6, first.rows] = np.sqrt(variances)
        if kinks := Kinks.of(first, second):
            bounds[4:6, first.rows] = np.maximum(bounds[4:6, first.rows], kinks.least)
        bounds[6, first.rows] = first.reach + second.reach
    return DiscrepancyBounds(*bounds)


def _variance_of_difference(first: Scale, bound: Bound, second: Scale, less: Bound) -> FloatArray:
    def without(people: FloatArray, rows: IntArray) -> FloatArray:
        return bound(first.take(rows), people) - less(second.take(rows), people)

    return jackknife_variance(without, first.counts) * first.times_by_weights(without)


def _variance(scale: Scale, bound: Bound) -> FloatArray:
    """Return the variance of a bound, as far as people and draws are random."""

    def without(people: FloatArray, rows: IntArray) -> FloatArray:
        return bound(scale.take(rows), people)

    of_people = jackknife_variance(without, scale.counts) * scale.times_by_weights(without)
    return of_people + scale.draws_variance(bound)


def average_bounds(several: Sequence[DiscrepancyBounds]) -> DiscrepancyBounds:
    """Return the mean of several bounds of the same scenarios, such as of several splits of people.

    They enclose the mean of the discrepancies. Standard errors are averaged: the standard error of
    a mean is at most the mean of the standard errors, for any dependence.

    Examples:
        >>> from fidelity.means import average_bounds, discrepancy_bounds
        >>> halves, model = [[[12, 5]], [[9, 8]]], [[0.6, 0.4]]
        >>> both = [discrepancy_bounds(half, model, discrepancy="tv") for half in halves]
        >>> average_bounds(both).upper.round(3)
        array([0.088])
    """
    return DiscrepancyBounds(*np.mean([list(each) for each in several], axis=0))


def mean_discrepancy(
    counts: ArrayLike,
    q: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    target: str = ASKED,
    clusters: ArrayLike | None = None,
    people: ArrayLike | None = None,
    level: float = 0.95,
    betting: np.random.Generator | None = None,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    squares: ArrayLike | None = None,
    options: ArrayLike | None = None,
    draws: ArrayLike | None = None,
) -> DiscrepancyInterval:
    """Return two bounds on a simulator's mean discrepancy, and a confidence interval for it.

    Args:
        counts, q, discrepancy, scores, sizes, squares, options, draws: as
            :func:`discrepancy_bounds`.
        target: ``asked``, the mean over these scenarios, or ``new``, the mean over the population
            that they, or their clusters, are drawn from.
        clusters: one label per scenario, (m,); for ``new`` only. None for independent scenarios.
        people: one label per scenario, (m,), equal where the same people may have answered both.
            None if all scenarios have people of their own; if they don't, the interval without
            labels is far too short. If the same people answered all: ``people=np.zeros(m)``. If it
            is known who answered what, intervals can be shorter; see
            :func:`fidelity.means.person_errors`.
        level: of the interval.
        betting: a generator that draws the order of scenarios for the exact interval. It is only
            for ``new``, and for independent scenarios with people of their own. There is no such
            interval where the ``reach`` of :class:`DiscrepancyBounds` is infinite.

    Raises:
        ValueError: as :func:`discrepancy_bounds`, for ``new`` on fewer than 2 clusters, and for
            ``betting`` where it does not hold.

    Examples:
        >>> from fidelity import mean_discrepancy
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1]]
        >>> found = mean_discrepancy(people, model, discrepancy="tv")
        >>> print(f"{found.lower:.3f} to {found.upper:.3f}")
        0.191 to 0.253
        >>> print(f"with 95 % confidence {found.ci_lower:.2f} to {found.ci_upper:.2f}")
        with 95 % confidence 0.17 to 0.30
    """
    given = lined_up(
        counts=counts,
        q=q,
        clusters=clusters,
        people=people,
        scores=scores,
        sizes=sizes,
        squares=squares,
        options=options,
        draws=draws,
    )
    how = {
        "target": target,
        "level": level,
        "betting": betting,
        **{key: given.pop(key) for key in GROUPS},
    }
    bounds = discrepancy_bounds(discrepancy=discrepancy, **given)
    return possible(mean_interval(bounds, **how), bounds)


def possible(interval: DiscrepancyInterval, bounds: DiscrepancyBounds) -> DiscrepancyInterval:
    """Return one simulator's interval, cut to the values that a mean discrepancy can have.

    These are from 0 to the largest possible discrepancy. The two bounds are not cut: only uncut are
    they right on average.
    """
    lower, upper = np.clip([interval.ci_lower, interval.ci_upper], 0.0, bounds.reach.max())
    return interval._replace(ci_lower=float(lower), ci_upper=float(upper))


def mean_difference(
    counts: ArrayLike,
    q: ArrayLike,
    other: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    target: str = ASKED,
    clusters: ArrayLike | None = None,
    people: ArrayLike | None = None,
    level: float = 0.95,
    betting: np.random.Generator | None = None,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    squares: ArrayLike | None = None,
    options: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    other_draws: ArrayLike | None = None,
) -> DiscrepancyInterval:
    """Return two bounds on mean L(p, q) - mean L(p, other), and an interval; < 0 where q is closer.

    For all pairs of s simulators take the level 1 - .05/(s(s-1)/2) (Bonferroni).

    Args:
        q, other, draws, other_draws: as :func:`difference_bounds`.
        counts, discrepancy, target, clusters, people, level, betting, scores, sizes, squares,
        options: as :func:`mean_discrepancy`.

    Examples:
        >>> from fidelity import mean_difference
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> model, guess = [[0.5, 0.3, 0.2], [0.4, 0.35, 0.25], [0.8, 0.1, 0.1]], [[1 / 3] * 3] * 3
        >>> found = mean_difference(people, model, guess, discrepancy="tv")
        >>> print(f"{found.ci_lower:.2f} to {found.ci_upper:.2f}")
        -0.33 to -0.20
    """
    given = lined_up(
        counts=counts,
        q=q,
        other=other,
        clusters=clusters,
        people=people,
        scores=scores,
        sizes=sizes,
        squares=squares,
        options=options,
        draws=draws,
        other_draws=other_draws,
    )
    how = {
        "target": target,
        "level": level,
        "betting": betting,
        **{key: given.pop(key) for key in GROUPS},
    }
    return mean_interval(difference_bounds(discrepancy=discrepancy, **given), **how)


def mean_interval(
    bounds: DiscrepancyBounds,
    *,
    target: str = ASKED,
    clusters: ArrayLike | None = None,
    people: ArrayLike | None = None,
    level: float = 0.95,
    betting: np.random.Generator | None = None,
    errors: ArrayLike | None = None,
    df: float = np.inf,
) -> DiscrepancyInterval:
    """Return the mean of scenarios' bounds with its interval; see :func:`mean_discrepancy`.

    Infinite where a scenario's discrepancy is infinite, since somebody chose an option that q calls
    impossible. NaN where a difference is of two infinite discrepancies.

    A flat discrepancy, such as (p - q)², hardly varies where p̂ happens to be q. If e is the error
    of p̂, then |p - q| ≤ |p̂ - q| + z·SD(e), so (p - q)² ≤ (p̂ - q)² + 2z·|p̂ - q|·SD(e) + z²·Var(e).
    The jackknife finds the second term only. For ``asked``, z² times the third, the ``noise``, is
    added to the upper end. In a mean of m independent scenarios it is divided by m.

    Args:
        bounds: of each scenario.
        target, clusters, people, level, betting: as there.
        errors: standard errors of both means from answers being random, (2,). Give them where they
            are known better than from ``bounds`` and ``people``; see
            :func:`fidelity.means.person_errors`.
        df: degrees of freedom of these errors, such as the number of primary sampling units less
            that of strata. Few make the interval longer, by Student's t.

    Examples:
        >>> from fidelity.means import discrepancy_bounds, mean_interval
        >>> people, model = [[120, 50, 30], [46, 29, 25]], [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> found = mean_interval(discrepancy_bounds(people, model, discrepancy="tv"), level=0.9)
        >>> print(round(found.ci_upper, 3))
        0.277
    """
    inputs.one_of("target", target, TARGETS)
    level = inputs.number("level", level, inputs.INSIDE)
    df = inputs.number("df", df, inputs.POSITIVE)
    m = len(bounds.lower)
    if np.isinf([bounds.lower, bounds.upper]).any() or np.isnan(bounds.upper).any():
        with np.errstate(invalid="ignore"):
            below, above = float(bounds.lower.mean()), float(bounds.upper.mean())
        mean = below if below == above else np.nan
        return DiscrepancyInterval(mean, mean, mean, mean, m)
    if betting is not None:
        if target != NEW or clusters is not None or people is not None:
            raise ValueError(
                "betting is for the target new, and for independent scenarios with people of their"
                " own: without clusters and people"
            )
        limits = _betting_limits(bounds, level, betting)
        return DiscrepancyInterval(
            float(bounds.lower.mean()), float(bounds.upper.mean()), *limits, m
        )
    people_se = np.array([people_error(se, people) for se in (bounds.lower_se, bounds.upper_se)])
    if errors is not None:
        people_se = inputs.vector("errors", errors, inputs.REAL, 2)
    smooth = np.stack([bounds.smooth_lower, bounds.smooth_upper], 1)
    if target == ASKED:
        z = sp.special.stdtrit(df, (1.0 + level) / 2.0)
        half = z * people_se + [0.0, z**2 * _noise(bounds, people, errors)]
    else:
        known = np.isfinite(smooth).all(0)
        bars = mean_error_bar(np.where(known, smooth, 0.0), clusters, level=level)
        shared = 0.0 if people is None and errors is None else people_se
        t = sp.special.stdtrit(np.minimum(bars.df, df), (1.0 + level) / 2.0)
        half = t * np.hypot(bars.se, shared)
        half = np.where(known, half, np.nan)
    lowest, highest = smooth.mean(0) + [-1.0, 1.0] * half
    return DiscrepancyInterval(
        float(bounds.lower.mean()), float(bounds.upper.mean()), float(lowest), float(highest), m
    )


def _betting_limits(
    bounds: DiscrepancyBounds, level: float, generator: np.random.Generator
) -> tuple[float, float]:
    """Return limits that both hold with probability ``level`` at every m; NaN without a reach.

    The limits are for the mean of independent bounds in [-reach, reach], by betting on each side.
    """
    reach = bounds.reach.max()
    if not np.isfinite(reach):
        return np.nan, np.nan
    ends = np.stack([-bounds.lower, bounds.upper])
    once = np.ones_like(ends)
    gamma, low, high = np.array([(1.0 + level) / 2.0, -reach, reach])
    lower, upper = betting_upper(ends, once, gamma, low, high, generator)
    return float(-lower), float(upper)


def _noise(bounds: DiscrepancyBounds, people: ArrayLike | None, errors: ArrayLike | None) -> float:
    """Return the largest variance that sampling gives to a direction, in a mean of scenarios.

    All scenarios of the same people may err together. Where their common error is known, it is
    compared with the one that they would then have.
    """
    m = len(bounds.noise)
    if errors is not None:
        most = bounds.upper_se.mean()
        share = (np.asarray(errors, float)[1] / most) ** 2 if most > 0.0 else 1.0
        return float(bounds.noise.mean() * min(1.0, share))
    member = _members(people, m)
    return float((np.bincount(member) * np.bincount(member, bounds.noise)).sum() / m**2)


def people_error(se: FloatArray, people: ArrayLike | None) -> float:
    """Return the standard error of the mean of scenarios, adding up those with the same people.

    Args:
        se: of each scenario, (m,).
        people: as :func:`mean_discrepancy`.
    """
    m = len(se)
    return float(np.sqrt((np.bincount(_members(people, m), se) ** 2).sum()) / m)


def _members(people: ArrayLike | None, m: int) -> IntArray:
    """Return a number for each scenario, (m,), equal where the same people answer."""
    if people is None:
        return np.arange(m)
    found: IntArray = np.unique(inputs.labels("people", people, m), return_inverse=True)[1]
    return found
