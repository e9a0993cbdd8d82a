"""Means of several simulators whose limits hold all at once, and who is closer, pair by pair.

Of s simulators at level 1 - α, a mean has the level 1 - α/s, a difference 1 - α/(s(s-1)/2)
(Bonferroni). So the closest may be picked after looking. Limits of means also allow for any answers
to the questions that a simulator left open (:mod:`fidelity.means.unanswered`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import ceil, comb
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike
from fidelity.comparison.few_clusters import too_few
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.means.average import ASKED, NEW, DiscrepancyInterval
from fidelity.means.estimates import Estimate
from fidelity.means.unanswered import Unanswered
from fidelity.responses import Responses, Simulator, side_by_side


class MeanDifference(NamedTuple):
    """The mean discrepancy of one simulator less that of another.

    Attributes:
        interval: holds it, together with all other pairs.
        closer: the name of the simulator that is closer to people for certain, or None.
        draws_to_settle: about how many draws of each would tell who is closer; None where that is
            known, nobody draws, or more people are needed.
        by_means: whether intervals of both single means made the interval shorter.

    Examples:
        >>> from fidelity import mean_differences
        >>> people, model = [[120, 50, 30], [90, 10, 0]], [[0.6, 0.3, 0.1], [0.8, 0.1, 0.1]]
        >>> models = {"model": model, "guess": [[1 / 3] * 3] * 2}
        >>> mean_differences(people, models, discrepancy="tv")["model", "guess"].closer
        'model'
    """

    interval: DiscrepancyInterval
    closer: str | None
    draws_to_settle: int | None
    by_means: bool = False


def mean_discrepancies(
    responses: Responses | ArrayLike,
    simulators: Mapping[str, Simulator | ArrayLike],
    *,
    discrepancy: str | Discrepancy,
    target: str = ASKED,
    level: float = 0.95,
) -> dict[str, DiscrepancyInterval]:
    """Return each simulator's mean discrepancy with limits that hold for all simulators at once.

    Limits allow for any answers to the questions that a simulator left open
    (:attr:`fidelity.Simulator.unanswered`), also in scenarios where it answered nothing: these are
    among the scenarios of the mean. They are NaN where it isn't known how much such answers change
    the mean. That is so for the probabilities behind draws, for discrepancies of which no root is a
    metric (``metric_root``), and where an answer may be any number. Where it is known who answered
    what, or there are replicate weights, errors are theirs; see
    :func:`fidelity.means.person_errors`.

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulators: by name, each :class:`fidelity.Simulator` or probabilities, (m, d).
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        target: ``asked``, the mean over these scenarios, or ``new``, the mean over the population
            that they, or their clusters, are drawn from.
        level: of all limits together.

    Raises:
        ValueError: on malformed arrays, a discrepancy that is not convex, or, of draws, one that is
            not symmetric, and for ``new`` on fewer than 2 clusters.

    Examples:
        >>> from fidelity import Simulator, mean_discrepancies
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> model = Simulator([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.7, 0.2, 0.1]], unanswered=0.05)
        >>> models = {"model": model, "guess": [[1 / 3] * 3] * 3}
        >>> for name, found in mean_discrepancies(people, models, discrepancy="tv").items():
        ...     print(f"{name}: {found.ci_lower:.2f} to {found.ci_upper:.2f}")
        model: 0.03 to 0.22
        guess: 0.26 to 0.37
    """
    people, lined_up = _side_by_side(responses, simulators)
    level = 1.0 - (1.0 - inputs.number("level", level, inputs.INSIDE)) / len(lined_up)
    return {
        name: limits_of(people, simulator, discrepancy, name)(target, level)
        for name, simulator in lined_up.items()
    }


def limits_of(
    people: Responses, simulator: Simulator, discrepancy: str | Discrepancy, name: str = "it"
) -> Callable[[str, float], DiscrepancyInterval]:
    """Return a function that gives a mean discrepancy's limits, of a target and a level.

    Args:
        people, simulator: side by side.
        discrepancy: as :func:`mean_discrepancies`.
        name: the simulator's, for messages.
    """
    measure = DISCREPANCIES.of(discrepancy)
    missing = Unanswered.of(people, simulator, measure)
    some = missing.answering
    if not len(some):
        raise ValueError(f"{simulator.name} must have answers: {name} left all of them out")
    mean = Estimate.of(people.only(some), simulator.only(some), discrepancy=measure)

    def limits(target: str, level: float) -> DiscrepancyInterval:
        if missing.is_none or simulator.draws is None:
            return familywise_limits(mean, missing, target, level)
        return _without_ends(mean.interval(target, level))

    return limits


def familywise_limits(
    mean: Estimate, missing: Unanswered, target: str, level: float
) -> DiscrepancyInterval:
    """Return the interval of a mean whose ends allow for any answers to unanswered questions.

    Its ends are NaN where it isn't known how much they change it, and where there is no interval.

    Args:
        mean: over the scenarios that the simulator answers, of these answers.
        missing: what it left out, in all m scenarios in which it was asked.
        target, level: as :func:`fidelity.mean_discrepancy`.
    """
    interval = mean.interval(target, level)
    is_known = missing.is_none or missing.is_bounded
    if not is_known or np.isnan([interval.ci_lower, interval.ci_upper]).any():
        return _without_ends(interval)
    if missing.is_none:
        return interval
    everywhere = missing.bounds(mean.bounds)
    together = replace(mean, people=missing.people, bounds=everywhere, errors=None, runs=None)
    limits_of_all = together.interval(target, level)
    lower = limits_of_all.ci_lower
    if target == ASKED:
        lower = max(lower, missing.lowered(interval.ci_lower))
    upper = min(limits_of_all.ci_upper, float(missing.largest.max()))
    return interval._replace(ci_lower=lower, ci_upper=upper)


def _without_ends(interval: DiscrepancyInterval) -> DiscrepancyInterval:
    return interval._replace(ci_lower=np.nan, ci_upper=np.nan)


def mean_differences(
    responses: Responses | ArrayLike,
    simulators: Mapping[str, Simulator | ArrayLike],
    *,
    discrepancy: str | Discrepancy,
    target: str = ASKED,
    level: float = 0.95,
) -> dict[tuple[str, str], MeanDifference]:
    """Return who is closer to people, for every two simulators; all intervals hold at once.

    Of draws it is about the models that draw: of two equal models neither is closer. Where the same
    people may have answered several scenarios and it isn't known who, half of 1 - ``level`` goes to
    intervals of single means, which are fewer and err less: if means lie in [l, u] and [l', u'],
    their difference lies in [l - u', u - l'].

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulators: by name, each :class:`fidelity.Simulator` or probabilities, (m, d).
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        target: ``asked``, the mean over these scenarios, or ``new``, the mean over the population
            that they, or their clusters, are drawn from.
        level: of all intervals together.

    Returns:
        By the names of both. Intervals are of the first one's mean less the second's: below 0 where
        the first is closer. Of fewer than 4 effective clusters nobody is called closer among new
        scenarios, whatever the interval.

    Raises:
        ValueError: on malformed arrays, a discrepancy that is not convex, for ``new`` on fewer than
            2 clusters, and if a simulator left answers out.

    Examples:
        >>> from fidelity import Simulator, mean_differences
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> model = Simulator([[0.6, 0.3, 0.1], [0.45, 0.35, 0.2], [0.85, 0.1, 0.05]], draws=20)
        >>> other = Simulator([[0.4, 0.3, 0.3], [0.3, 0.3, 0.4], [0.7, 0.2, 0.1]], draws=20)
        >>> models = {"model": model, "other": other, "guess": [[1 / 3] * 3] * 3}
        >>> for pair, found in mean_differences(people, models, discrepancy="tv").items():
        ...     print(*pair, found.closer, found.draws_to_settle)
        model other None 1245
        model guess model None
        other guess None 30
    """
    people, lined_up = _side_by_side(responses, simulators)
    left = [name for name, simulator in lined_up.items() if simulator.unanswered.any()]
    if left:
        raise ValueError(
            f"{left[0]} left answers out, which could be anything: compare the limits of "
            "mean_discrepancies"
        )
    alpha, of_means = 1.0 - inputs.number("level", level, inputs.INSIDE), {}
    if hides_persons(people):
        alpha /= 2.0
        single = 1.0 - alpha / len(lined_up)
        of_means = {
            name: Estimate.of(people, simulator, discrepancy=discrepancy).interval(ASKED, single)
            for name, simulator in lined_up.items()
        }
    paired = 1.0 - alpha / max(comb(len(lined_up), 2), 1)
    differences = {}
    for pair in combinations(lined_up, 2):
        both = [lined_up[name] for name in pair]
        mean = Estimate.of(people, *both, discrepancy=discrepancy)
        stated = [side.as_stated() for side in both]
        differences[pair] = difference_of(
            mean,
            pair,
            target,
            paired,
            means=[of_means.get(name) for name in pair],
            given=partial(Estimate.of, people, *stated, discrepancy=discrepancy),
            draws=max((side.draws.max() for side in both if side.draws is not None), default=None),
        )
    return differences


def difference_of(
    mean: Estimate,
    names: Sequence[str],
    target: str,
    level: float,
    *,
    means: Sequence[DiscrepancyInterval | None] = (None, None),
    given: Callable[[], Estimate] | None = None,
    draws: float | None = None,
) -> MeanDifference:
    """Return who of two is closer, and if that is open how many draws would tell.

    Args:
        mean: of the models that draw.
        names: of both.
        target, level: of the interval.
        means: intervals of both means over the scenarios asked, that hold together with this one.
        given: makes the estimate of the answers as they are.
        draws: how many there are of each; None if nobody draws.
    """
    wide = mean.interval(target, level)
    interval = narrowed(wide, *means) if target == ASKED else wide
    nearer, more = closer(interval, names, mean if target == NEW else None), None
    if nearer is None and draws is not None and given is not None:
        more = draws_to_settle(interval, given().interval(target, level), draws)
    return MeanDifference(interval, nearer, more, interval != wide)


def hides_persons(people: Responses) -> bool:
    """Return whether the same people may have answered several scenarios, unknown who.

    Then errors add up as in the worst case, and a mean's interval errs less than a difference's.
    """
    is_unknown = people.answers is None and people.replicates is None
    return people.respondents is not None and is_unknown


def narrowed(
    interval: DiscrepancyInterval,
    one: DiscrepancyInterval | None,
    two: DiscrepancyInterval | None,
) -> DiscrepancyInterval:
    """Return a difference's interval within what intervals of both means allow.

    If each mean lies in [l, u] then their difference lies in [l - u', u - l'], whatever ties the
    two (Bonferroni). It stays where a mean has no interval.
    """
    if np.isnan(interval.ci_lower) or one is None or two is None:
        return interval
    lower = np.fmax(interval.ci_lower, one.ci_lower - two.ci_upper)
    upper = np.fmin(interval.ci_upper, one.ci_upper - two.ci_lower)
    if lower > upper:
        return interval
    return interval._replace(ci_lower=float(lower), ci_upper=float(upper))


def closer(
    interval: DiscrepancyInterval, names: Sequence[str], of_new: Estimate | None = None
) -> str | None:
    """Return which simulator is closer for certain; None where the interval holds 0.

    None, too, for new scenarios of too few clusters, whatever the interval.

    Args:
        interval: of the mean of the first less that of the second.
        names: of both.
        of_new: the estimate, if the interval is of new scenarios.
    """
    if of_new is not None and too_few(of_new.clusters):
        return None
    if interval.ci_upper < 0.0:
        return names[0]
    return names[1] if interval.ci_lower > 0.0 else None


def draws_to_settle(
    interval: DiscrepancyInterval, given: DiscrepancyInterval, draws: float
) -> int | None:
    """Return about how many draws would show who is closer, if their shares stay as they are.

    All that draws add to an interval shrinks about as the root of their number. What is left is the
    interval of the answers as they are. None if that holds 0, so that more people are needed.

    Args:
        interval: of the models that draw.
        given: of the answers as they are.
        draws: how many there are of each.
    """
    is_settled_by_more = given.ci_lower > 0.0 or given.ci_upper < 0.0
    if np.isnan(interval.ci_lower) or not is_settled_by_more:
        return None
    far, near = max(
        (given.ci_lower, interval.ci_lower),
        (-given.ci_upper, -interval.ci_upper),
        key=lambda end: end[0],
    )
    return ceil(int(draws) * ((far - near) / far) ** 2)


def _side_by_side(
    responses: Responses | ArrayLike, simulators: Mapping[str, Simulator | ArrayLike]
) -> tuple[Responses, dict[str, Simulator]]:
    """Return people's responses, and simulators by name, in one order."""
    if not isinstance(simulators, Mapping) or not simulators:
        raise ValueError("simulators must be a dict: a name, and the simulator's answers")
    people = Responses.of(responses)
    lined_up = {}
    for name, simulator in simulators.items():
        people, (lined_up[name],) = side_by_side(people, simulator=simulator)
    return people, lined_up
