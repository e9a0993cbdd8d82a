"""Lists of scenarios within a tolerance, or farther away, at one tolerance or at many.

p-values are those of :mod:`fidelity.comparison.selection`. The limits of numbers are further
options: numbers between them may be answered that nobody has given here, so a mean of them varies
in the whole range.
"""

from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray
from fidelity.comparison.selection import certified_scenarios, p_values_at
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.responses import Responses, Simulator, side_by_side


class ScenarioLists(NamedTuple):
    """Which of m scenarios are on a list at each of T tolerances, (T, m) each.

    Attributes:
        within: whether the discrepancy is within the tolerance.
        beyond: whether it exceeds the tolerance.
        p_within, p_beyond: the p-values, small where a scenario is certainly on the list.

    Examples:
        >>> from fidelity import scenario_lists
        >>> people, model = [[120, 50, 30], [46, 29, 25]], [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> scenario_lists(people, model, [0.2], discrepancy="tv").p_within.round(4)
        array([[1.    , 0.0032]])
    """

    within: BoolArray
    beyond: BoolArray
    p_within: FloatArray
    p_beyond: FloatArray


def scenario_lists(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    tolerances: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    level: float = 0.05,
    simulators: int = 1,
    dependent: bool | None = None,
) -> ScenarioLists:
    """Return on which scenarios a simulator is within tolerances, or farther away, at each of them.

    Lists keep their share of wrong entries at one tolerance that is chosen before; see
    :func:`fidelity.certified_scenarios`. Answers that the simulator left out count as the worst.

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulator: :class:`fidelity.Simulator` or probabilities, (m, d). Draws are taken as they
            are.
        tolerances: T of them, in the unit of the discrepancy.
        discrepancy: one whose ``is_maximum`` is true, such as ``tv``.
        level: the expected share of wrong entries, in (0, 1).
        simulators: how many there are; the lists of those within hold for all of them at once.
        dependent: whether scenarios have people in common, or the simulator was fitted to people's
            answers in other scenarios; None for what ``respondents`` say.

    Raises:
        ValueError: on malformed arguments, and where no p-value is known: if an answer may be any
            number, or any in a range, and the discrepancy isn't one of means.

    Examples:
        >>> from fidelity import scenario_lists
        >>> people, model = [[120, 50, 30], [46, 29, 25]], [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> lists = scenario_lists(people, model, [0.1, 0.2], discrepancy="tv")
        >>> lists.within, lists.beyond
        (array([[False, False],
               [False,  True]]), array([[ True, False],
               [ True, False]]))
    """
    measure, level = DISCREPANCIES.of(discrepancy), inputs.number("level", level, inputs.INSIDE)
    simulators = inputs.whole("simulators", simulators, 1)
    tolerances = inputs.vector("tolerances", tolerances, inputs.FINITE_NOT_NEGATIVE)
    people, (stated,) = side_by_side(responses, simulator=simulator)
    if not can_be_listed(people, measure):
        raise ValueError(
            f"{measure.name} has no tests of a tolerance where any number can be answered"
        )
    if dependent is None:
        dependent = people.respondents is not None
    listed, q = with_ends(people, stated.shares)
    left = stated.unanswered
    at_each = p_values_at(listed, q, tolerances, discrepancy=measure, unanswered=left)
    p_within, p_beyond = map(np.array, zip(*at_each, strict=True))
    within, beyond = (
        np.array([certified_scenarios(p, share, dependent=dependent) for p in several])
        for several, share in ((p_within, level / simulators), (p_beyond, level))
    )
    return ScenarioLists(within, beyond, p_within, p_beyond)


def with_ends(people: Responses, *shares: FloatArray) -> tuple[Any, ...]:
    """Return people and shares, (m, d), with the limits of numbers as further options."""
    counts, scores, limits = people.counts, people.scores, people.limits
    if limits is None:
        return people, *shares
    none, ends = np.zeros((len(counts), 2)), np.ones((len(counts), 2), bool)
    if scores is None:
        raise ValueError("limits are those of scores; give the scores of the options, too")
    scores = np.hstack([np.broadcast_to(scores, counts.shape), limits])
    every = Responses(
        np.hstack([counts, none]),
        scores=scores,
        sizes=people.sizes,
        options=np.hstack([people.exists, ends]),
    )
    return every, *(np.hstack([share, none]) for share in shares)


def can_be_listed(people: Responses, measure: Discrepancy) -> bool:
    """Return whether p-values are known: not for unlisted numbers, nor for how far they move."""
    return people.limits is None or (not people.is_open and measure.on == "mean")
