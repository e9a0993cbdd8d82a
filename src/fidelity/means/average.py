"""The mean discrepancy of a simulator, between two bounds that need no confidence set.

For each scenario j, E Λ_j ≤ Δ_j ≤ E Δ̂_j. The plug-in Δ̂_j is the upper bound, for every L that is
convex in p. The leave-one-out Λ_j is the lower one; the mean takes smooth ones, since the sharpest
vary far more (:mod:`fidelity.means.leave_one_out`). So the mean discrepancy lies between the
expectations of their means, and [Λ̄ - z·SE, Δ̂̄ + z·SE] covers it.

The error depends on which mean is asked for:

- *asked*: (1/m) Σ Δ_j of these very scenarios. Only people and draws are random. Where scenarios
  have different people, SE² = (1/m²) Σ SE_j². SE_j is that of the jackknife, and for Λ̃ of a
  distance that of answers drawn anew (:mod:`fidelity.means.resampled`). Where the same people
  answer several scenarios, SE ≤ (1/m) Σ SE_j, for any dependence. The errors of draws are
  independent between scenarios, unless one run of the simulator answered several. Rare options take
  unseen answers for granted (:mod:`fidelity.means.rare_options`). Clusters of scenarios play no
  part.
- *new*: the mean over the population that the scenarios, or their clusters, are drawn from. CR2 and
  Student's t (:mod:`fidelity.comparison.error_bars`) are approximate. Where people answer several
  scenarios, their common error is added. For independent scenarios with people of their own there
  is also an interval by betting, exact at every m.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray
from fidelity.comparison.error_bars import mean_error_bar
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.means.differences import Pair
from fidelity.means.scales import Scale, scales, squares_together, sums_together
from fidelity.means.single_answers import largest_discrepancies
from fidelity.responses import Responses, Simulator, common_runs, side_by_side
from fidelity.sets.betting import betting_upper

ASKED, NEW = TARGETS = ("asked", "new")
OF_PEOPLE, OF_DRAWS = ("lower_se", "upper_se"), ("lower_draws_se", "upper_draws_se")
UNSEEN = (
    ("lower_unseen_se", "upper_unseen_se"),
    ("lower_unseen_draws_se", "upper_unseen_draws_se"),
)
LONGER, SEVERAL = 1.1, 10


class DiscrepancyBounds(NamedTuple):
    """Estimates of each scenario whose expectations enclose its discrepancy, (m,) each.

    Attributes:
        lower: leave-one-out, E lower ≤ Δ. Negative ones are no mistake.
        upper: the plug-in, E upper ≥ Δ.
        smooth_lower, smooth_upper: the same for intervals, with leave-one-out bounds that are
            somewhat lower but vary less; see :mod:`fidelity.means.leave_one_out`.
        lower_se, upper_se: standard errors of the smooth bounds, from people's answers being
            random; NaN where there are fewer than three.
        reach: the largest possible |lower| or |upper|; infinite where none is known.
        noise: estimates of E upper - Δ, for discrepancies that are flat at Δ = 0, such as
            ``squared``; 0 for others, and for differences. See :func:`mean_interval`.
        lower_draws_se, upper_draws_se: the same from draws being random, 0 where there are none;
            NaN where there are fewer than three. Draws differ between scenarios where people may
            not, so that their errors add up in another way.
        lower_unseen_se, upper_unseen_se, lower_unseen_draws_se, upper_unseen_draws_se: what to add
            to these errors in quadrature, since options that few chose, or nobody, vary more than
            they show; see :mod:`fidelity.means.rare_options`.
        lowest, highest: the least and the largest value that is possible; infinite where unknown.

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
    lower_draws_se: FloatArray
    upper_draws_se: FloatArray
    lower_unseen_se: FloatArray
    upper_unseen_se: FloatArray
    lower_unseen_draws_se: FloatArray
    upper_unseen_draws_se: FloatArray
    lowest: FloatArray
    highest: FloatArray


class DiscrepancyInterval(NamedTuple):
    """A mean discrepancy, of all scenarios or of the worst, between two bounds.

    Attributes:
        lower, upper: estimates whose expectations enclose it, from smooth bounds as the interval.
        ci_lower, ci_upper: ends of a confidence interval for it; NaN where the data allow none.
        m: scenarios.
        few_answers: whether rare options make the interval more than a tenth longer. It then rests
            on few answers, and is rough; more answers, or more scenarios, would tell.

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
    few_answers: bool = False


def discrepancy_bounds(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    *,
    discrepancy: str | Discrepancy,
) -> DiscrepancyBounds:
    """Return how far a simulator is from people in each scenario, as two estimates around it.

    Their expectations enclose the discrepancy.

    No confidence set is needed. People must be independent within a scenario (for the upper bound
    alone, unbiased shares are enough), and the simulator must know nothing of their answers. With
    weighted people one effective respondent is left out, which is approximate.

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulator: :class:`fidelity.Simulator` or probabilities, (m, d). With draws the bounds are
            about the probabilities drawn from.
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.

    Raises:
        ValueError: on malformed arrays, a discrepancy that is not convex, or, of draws, one that is
            not symmetric (``is_symmetric``).

    Examples:
        >>> from fidelity import discrepancy_bounds
        >>> people = [[12, 5, 3], [46, 29, 25], [9, 1, 0]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1]]
        >>> found = discrepancy_bounds(people, model, discrepancy="tv")
        >>> found.lower.round(3), found.upper.round(3)
        (array([ 0.4  , -0.128,  0.3  ]), array([0.4 , 0.06, 0.3 ]))
    """
    people, (stated,) = side_by_side(responses, simulator=simulator)
    bounds = _collected(scales(people, stated, discrepancy))
    if people.limits is None:
        return bounds
    known = people.exists, people.scores, people.limits
    largest = largest_discrepancies(DISCREPANCIES.of(discrepancy), *known)
    return bounds._replace(reach=np.maximum(bounds.reach, largest))


def difference_bounds(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    other: Simulator | ArrayLike,
    *,
    discrepancy: str | Discrepancy,
) -> DiscrepancyBounds:
    """Return how much farther from people one simulator is than another, per scenario, as bounds.

    Two estimates whose expectations enclose L(p, q) - L(p, other).

    The lower one is Λ of q less the plug-in of other, the upper one the plug-in of q less Λ of
    other. Both are the same unbiased estimate where the difference is linear in p: ``squared``,
    ``l2`` and ``kl``; see :mod:`fidelity.means.differences`. Standard errors take into account that
    both simulators are compared with the same people.

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulator, other: :class:`fidelity.Simulator` or probabilities, (m, d). With draws the
            bounds are about the probabilities drawn from.
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.

    Examples:
        >>> from fidelity import difference_bounds
        >>> people, model = [[120, 50, 30], [46, 29, 25]], [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> found = difference_bounds(people, model, [[0.5, 0.3, 0.2]] * 2, discrepancy="tv")
        >>> found.lower.round(3), found.upper.round(3)
        (array([ 0.3  , -0.178]), array([0.3 , 0.01]))
    """
    people, both = side_by_side(responses, simulator=simulator, other=other)
    return _collected([*map(Pair, *(scales(people, stated, discrepancy) for stated in both))])


def _collected(parts: Sequence[Scale | Pair]) -> DiscrepancyBounds:
    """Return the bounds of all scenarios from those of scenarios with the same options."""
    bounds = np.zeros((len(DiscrepancyBounds._fields), sum(len(part.rows) for part in parts)))
    for part in parts:
        sharp, (of_people, of_draws, *unseen) = part.sharp, part.errors()
        noise = part.noise(sharp)
        reach = np.full(noise.shape, part.reach)
        bounds[:, part.rows] = np.vstack(
            [sharp, part.smooth, of_people, reach, noise, of_draws, *unseen, part.limits]
        )
    return DiscrepancyBounds(*bounds)


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
    return DiscrepancyBounds(*np.mean([list(bounds) for bounds in several], axis=0))


def mean_discrepancy(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    target: str = ASKED,
    level: float = 0.95,
    betting: np.random.Generator | None = None,
) -> DiscrepancyInterval:
    """Return two bounds on a simulator's mean discrepancy, and a confidence interval for it.

    If it is known who answered what, intervals can be shorter; see
    :func:`fidelity.means.person_errors`.

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulator: :class:`fidelity.Simulator` or probabilities, (m, d). With draws the interval is
            about the probabilities drawn from.
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        target: ``asked``, the mean over these scenarios, or ``new``, the mean over the population
            that they, or their clusters, are drawn from.
        level: of the interval.
        betting: a generator that draws the order of scenarios for the exact interval. It is only
            for ``new``, and for independent scenarios with people of their own. There is no such
            interval where the ``reach`` of :class:`DiscrepancyBounds` is infinite.

    Raises:
        ValueError: on malformed arrays, a discrepancy that is not convex, or, of draws, one that is
            not symmetric; for ``new`` on fewer than 2 clusters, and for
            ``betting`` where it does not hold; for ``replicates``, ``df`` and ``unanswered``, which
            count in :func:`fidelity.mean_discrepancies`.

    Examples:
        >>> from fidelity import Responses, mean_discrepancy
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1]]
        >>> found = mean_discrepancy(people, model, discrepancy="tv")
        >>> print(f"{found.lower:.3f} to {found.upper:.3f}")
        0.243 to 0.253
        >>> print(f"with 95 % confidence {found.ci_lower:.2f} to {found.ci_upper:.2f}")
        with 95 % confidence 0.19 to 0.30

        If the same people answered all three:

        >>> found = mean_discrepancy(
        ...     Responses(people, respondents=[0, 0, 0]), model, discrepancy="tv"
        ... )
        >>> print(f"{found.ci_lower:.2f} to {found.ci_upper:.2f}")
        0.15 to 0.33
    """
    people, (stated,) = side_by_side(responses, simulator=simulator)
    _refuse_more(people, stated)
    bounds = discrepancy_bounds(people, stated, discrepancy=discrepancy)
    interval = interval_of(
        bounds, people, target=target, level=level, betting=betting, runs=stated.runs
    )
    return possible(interval, bounds)


def _refuse_more(people: Responses, *simulators: Simulator) -> None:
    """Raise ValueError for what a mean of :mod:`fidelity.means.together` counts, and others not."""
    if people.replicates is not None or np.isfinite(people.df):
        raise ValueError("replicates and df count in mean_discrepancies and mean_differences only")
    if any(simulator.unanswered.any() for simulator in simulators):
        raise ValueError("answers left out (unanswered) count in mean_discrepancies only")


def interval_of(
    bounds: DiscrepancyBounds,
    people: Responses,
    *,
    target: str,
    level: float,
    betting: np.random.Generator | None = None,
    runs: AnyArray | None = None,
) -> DiscrepancyInterval:
    """Return :func:`mean_interval` with the clusters and respondents of people's responses."""
    return mean_interval(
        bounds,
        target=target,
        clusters=people.clusters,
        respondents=people.respondents,
        level=level,
        betting=betting,
        runs=runs,
    )


def possible(interval: DiscrepancyInterval, bounds: DiscrepancyBounds) -> DiscrepancyInterval:
    """Return one simulator's interval, cut to the values that a mean discrepancy can have.

    These are from 0 to the largest possible discrepancy. The two bounds are not cut: only uncut are
    they right on average.
    """
    return _cut(interval, 0.0, bounds.reach.max())


def possible_difference(
    interval: DiscrepancyInterval, bounds: DiscrepancyBounds
) -> DiscrepancyInterval:
    """Return an interval for these scenarios, cut to the values that the mean difference can have.

    |L(p, q) - L(p, q')| is at most L(q, q') for distances, whatever people answer.
    """
    return _cut(interval, bounds.lowest.mean(), bounds.highest.mean())


def _cut(interval: DiscrepancyInterval, lowest: float, highest: float) -> DiscrepancyInterval:
    lower, upper = np.clip([interval.ci_lower, interval.ci_upper], lowest, highest)
    return interval._replace(ci_lower=float(lower), ci_upper=float(upper))


def mean_difference(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    other: Simulator | ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    target: str = ASKED,
    level: float = 0.95,
    betting: np.random.Generator | None = None,
) -> DiscrepancyInterval:
    """Return which of two simulators is closer to people on average, with an interval.

    Two bounds on mean L(p, q) - mean L(p, other); below 0 where q is closer.

    Of draws it is about the models that draw. The interval for ``asked`` is cut to what is
    possible: for a distance from -L(q, other) to L(q, other) in each scenario.

    For all pairs of s simulators take the level 1 - .05/(s(s-1)/2) (Bonferroni).

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulator, other: :class:`fidelity.Simulator` or probabilities, (m, d).
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        target: ``asked``, the mean over these scenarios, or ``new``, the mean over the population
            that they, or their clusters, are drawn from.
        level: of the interval.
        betting: a generator that draws the order of scenarios for the exact interval. It is only
            for ``new``, and for independent scenarios with people of their own.

    Examples:
        >>> from fidelity import mean_difference
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> model, guess = [[0.5, 0.3, 0.2], [0.4, 0.35, 0.25], [0.8, 0.1, 0.1]], [[1 / 3] * 3] * 3
        >>> found = mean_difference(people, model, guess, discrepancy="tv")
        >>> print(f"{found.ci_lower:.2f} to {found.ci_upper:.2f}")
        -0.24 to -0.19
    """
    people, both = side_by_side(responses, simulator=simulator, other=other)
    _refuse_more(people, *both)
    bounds = difference_bounds(people, *both, discrepancy=discrepancy)
    interval = interval_of(
        bounds, people, target=target, level=level, betting=betting, runs=common_runs(both)
    )
    return possible_difference(interval, bounds) if target == ASKED else interval


def mean_interval(
    bounds: DiscrepancyBounds,
    *,
    target: str = ASKED,
    clusters: ArrayLike | None = None,
    respondents: ArrayLike | None = None,
    level: float = 0.95,
    betting: np.random.Generator | None = None,
    errors: ArrayLike | None = None,
    runs: ArrayLike | None = None,
    df: float = np.inf,
) -> DiscrepancyInterval:
    """Return the mean of scenarios' bounds with its interval; see :func:`mean_discrepancy`.

    Infinite where a scenario's discrepancy is infinite, since somebody chose an option that q calls
    impossible. NaN where a difference is of two infinite discrepancies.

    A flat discrepancy, such as (p - q)², hardly varies where p̂ happens to be q. If e is the error
    of p̂, then |p - q| ≤ |p̂ - q| + z·SD(e), so (p - q)² ≤ (p̂ - q)² + 2z·|p̂ - q|·SD(e) + z²·Var(e).
    The jackknife finds the second term only. For ``asked``, z² times the third, the ``noise``, is
    added to the upper end. In a mean of m scenarios Var(e) becomes 1/m times the largest eigenvalue
    of the covariance of all their errors: Var(e)/m if they are independent, Var(e) if they are the
    same. Where it is known who answered what, it is that of the mean of m scenarios which go
    together as the persons' errors say, at most Var(e).

    Rare options add R_j² to the variance of a scenario's bound (:mod:`.rare_options`). Answers of
    independent scenarios add up, so that four unseen ones are added to all together:
    (1/m²)·Σ R_j⁴/Σ R_j². Where people answer several scenarios R_j is added up first.

    Args:
        bounds: of each scenario.
        target, level, betting: as there.
        clusters, respondents: labels of scenarios, (m,), as :class:`fidelity.Responses`.
        errors: standard errors of both means from answers being random, (2,). Give them where they
            are known better than from ``bounds`` and ``respondents``; see
            :func:`fidelity.means.person_errors`. Where one is NaN there is no interval.
        runs: labels of scenarios, (m,), as :class:`fidelity.Simulator`.
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
    if target == NEW and m < 2:
        raise ValueError("the target new takes at least 2 scenarios, not 1")
    people = inputs.optional_labels("respondents", respondents, m)
    of_draws = inputs.optional_labels("runs", runs, m)
    if errors is not None:
        errors = inputs.vector("errors", errors, inputs.NOT_NEGATIVE_OR_UNKNOWN, 2)
    if np.isinf([bounds.lower, bounds.upper]).any() or np.isnan(bounds.upper).any():
        with np.errstate(invalid="ignore"):
            below, above = float(bounds.lower.mean()), float(bounds.upper.mean())
        mean = below if below == above else np.nan
        return DiscrepancyInterval(mean, mean, mean, mean, m)
    smooth = np.stack([bounds.smooth_lower, bounds.smooth_upper], 1)
    lower, upper = smooth.mean(0).tolist()
    if betting is not None:
        if target != NEW or clusters is not None or respondents is not None:
            raise ValueError(
                "betting is for the target new, and for independent scenarios with people of their"
                " own: without clusters and respondents"
            )
        limits = _betting_limits(bounds, level, betting)
        return DiscrepancyInterval(lower, upper, *limits, m)
    unseen = _unseen(bounds, people, of_draws, errors)
    if target == ASKED:
        z = sp.special.stdtrit(df, (1.0 + level) / 2.0)
        variance = _variances(bounds, people, of_draws, errors, level)
        noise = noise_of_mean(bounds, people, errors)
        half = z * np.sqrt(variance + unseen) + [0.0, z**2 * noise]
    else:
        known = np.isfinite(smooth).all(0)
        bars = mean_error_bar(np.where(known, smooth, 0.0), clusters, level=level)
        variance = bars.se**2
        for labels, errors_of in ((people, OF_PEOPLE), (of_draws, OF_DRAWS)):
            if labels is not None:
                variance = variance + _together(bounds, errors_of, labels)
        if errors is not None:
            variance = bars.se**2 + np.square(errors)
        t = sp.special.stdtrit(np.minimum(bars.df, df), (1.0 + level) / 2.0)
        half = t * np.sqrt(variance + unseen)
        half = np.where(known, half, np.nan)
    lowest, highest = (smooth.mean(0) + [-1.0, 1.0] * half).tolist()
    few_answers = bool((variance + unseen > LONGER**2 * variance).any())
    return DiscrepancyInterval(lower, upper, lowest, highest, m, few_answers)


def _variances(
    bounds: DiscrepancyBounds,
    respondents: AnyArray | None,
    runs: AnyArray | None,
    errors: FloatArray | None,
    level: float,
) -> FloatArray:
    """Return the variances of both means of ``asked``, (2,).

    Where too few answers tell no scenario's error, the variance between ten scenarios or more is at
    least as large, if they err independently; then with Student's t in place of z.
    """
    if errors is not None:
        return np.square(errors)
    total, m = np.zeros(2), len(bounds.lower)
    for labels, errors_of in ((respondents, OF_PEOPLE), (runs, OF_DRAWS)):
        variance = _together(bounds, errors_of, labels)
        if np.isnan(variance).any() and labels is None and m >= SEVERAL:
            smooth = np.stack([bounds.smooth_lower, bounds.smooth_upper])
            wider = sp.special.stdtrit(m - 1, (1.0 + level) / 2.0)
            between = smooth.var(1, ddof=1) / m * (wider / sp.special.ndtri((1.0 + level) / 2)) ** 2
            variance = np.where(np.isnan(variance), between, variance)
        total += variance
    return total


def _together(
    bounds: DiscrepancyBounds, names: tuple[str, str], labels: AnyArray | None
) -> FloatArray:
    """Return the variance of means of scenarios, adding up errors with the same label, (2,)."""
    sums = [squares_together(getattr(bounds, name), labels) for name in names]
    return np.array(sums) / len(bounds.lower) ** 2


def errors_of_mean(bounds: DiscrepancyBounds, respondents: AnyArray | None = None) -> FloatArray:
    """Return the standard errors of both bounds' means that people's answers cause, (2,)."""
    return np.sqrt(_together(bounds, OF_PEOPLE, respondents))


def _unseen(
    bounds: DiscrepancyBounds,
    respondents: AnyArray | None,
    runs: AnyArray | None,
    errors: ArrayLike | None,
) -> FloatArray:
    """Return what rare options add to the variances of both means of scenarios, (2,).

    Scenarios that err independently add together as much as one of them does alone, since answers
    that were expected and not seen add up. Those with the same label err together. Where the common
    error is known, 1/share of them count as independent.
    """
    m = len(bounds.lower)
    of_people, of_draws = ([getattr(bounds, name) for name in names] for names in UNSEEN)
    draws = np.array([_of_one(se, runs) for se in of_draws]) / m**2
    if errors is None:
        return draws + np.array([_of_one(se, respondents) for se in of_people]) / m**2
    share = max(_share(bounds, errors), 1.0 / m)
    return draws + (share * np.mean(of_people, axis=1)) ** 2


def _of_one(se: FloatArray, labels: AnyArray | None) -> float:
    """Return the mean of squares, weighted by themselves, of the sums with the same label."""
    squares = sums_together(se, labels) ** 2
    return float((squares**2).sum() / squares.sum()) if squares.any() else 0.0


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


def noise_of_mean(
    bounds: DiscrepancyBounds, respondents: AnyArray | None, errors: ArrayLike | None
) -> float:
    """Return the largest variance that sampling gives to a direction, in a mean of scenarios.

    All scenarios of the same people may err together. Where their common error is known, it is
    compared with the one that they would then have.
    """
    m = len(bounds.noise)
    if errors is not None:
        return float(bounds.noise.mean() * _share(bounds, errors))
    many = sums_together(np.ones(m), respondents)
    return float((many * sums_together(bounds.noise, respondents)).sum() / m**2)


def _share(bounds: DiscrepancyBounds, errors: ArrayLike) -> float:
    """Return the variance of the mean plug-in over that if all scenarios erred together, ≤ 1."""
    most = np.hypot(bounds.upper_se, bounds.upper_draws_se).mean()
    return min(1.0, float((np.asarray(errors, float)[1] / most) ** 2)) if most > 0.0 else 1.0
