"""The lists of questions at every tolerance that a reader may choose: half points from 0 to 40.

A step is a half per cent of the answers, or of the scale of the scores. A list is kept as the steps
at which a question enters or leaves it, beginning with an empty list: a question that is within
from step 12 on has ``[12]``, one that is beyond up to step 3 has ``[0, 4]``.

Tables:
    LISTS: for each `tolerance` of the config (`comparison.tolerance`) and scenario: `p_within`, the
        p-value of "its discrepancy exceeds the tolerance", `p_beyond`, that of "it is at most the
        tolerance" (both the largest over all answers that unanswered questions could have got), and
        the `verdict` `within`, `beyond` or `open`. On each list at most a share alpha is wrong on
        average (the report's list "within" divides alpha by the number of simulators), by the
        `method` Benjamini-Hochberg, or Benjamini-Yekutieli where scenarios have people in common or
        the simulator is fitted to people's answers
    LIMITS: the lists at each step of the page's slider, a row per `scenario`, `simulator`, `k` and
        `discrepancy`: the steps (half per cents of the answers, or of the scale) at which the
        scenario enters or leaves the list `within`, and the list `beyond`
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.comparison.lists import ScenarioLists, scenario_lists
from fidelity.comparison.lists import can_be_listed as has_tests
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.responses import Responses
from fidelity.uses.base import BEYOND, OPEN, WITHIN
from fidelity_study.steps.arrays import row_of
from fidelity_study.steps.cases import DRAWN, Case, shown
from fidelity_study.steps.draws import is_from_people
from fidelity_study.tables.common import LABEL, columns

STEPS = 81
OF_SCALE = 1 / 200
USUAL_STEP, DIGITS = 20, 12

LIMITS = pa.schema(
    [
        *columns(LABEL, "scenario", "simulator", "k", "discrepancy"),
        *columns(pa.list_(pa.int16()), "within", "beyond"),
    ]
)


LISTS = pa.schema(
    [
        *columns(LABEL, "scenario", "simulator", "k", "discrepancy"),
        *columns(pa.float64(), "tolerance", "p_within", "p_beyond"),
        *columns(LABEL, "verdict", "method"),
    ]
)


def tolerance_at(step: float, discrepancy: str, scale: tuple[float, float]) -> float:
    """Return the tolerance of a step, in the discrepancy's unit.

    Args:
        step: its number.
        discrepancy: its name.
        scale: the lowest and the highest score.

    Examples:
        >>> tolerance_at(20, "tv", (1, 5)), tolerance_at(20, "absolute", (1, 5))
        (0.1, 0.4)
    """
    measure = DISCREPANCIES[discrepancy]
    width = scale[1] - scale[0] if measure.needs_scores else 1.0
    root = step * OF_SCALE * width
    return root**2 if measure.is_square else root


def tolerances_of(
    named: dict[str, list[float]], discrepancy: str, scale: tuple[float, float]
) -> list[float]:
    """Return a discrepancy's tolerances: those that a config names, or a tenth.

    A tenth of the answers, or of the scale of the scores; none for a discrepancy without tests of
    a tolerance, or without a known scale.

    Args:
        named: discrepancy -> tolerances.
        discrepancy: its name.
        scale: the lowest and the highest score; NaN where unknown.

    Examples:
        >>> tolerances_of({}, "squared", (1, 5)), tolerances_of({"tv": [0.2]}, "tv", (1, 5))
        ([0.16], [0.2])
    """
    measure = DISCREPANCIES[discrepancy]
    if discrepancy in named:
        return named[discrepancy]
    if not measure.is_maximum or (measure.needs_scores and not np.isfinite(scale).all()):
        return []
    return [round(tolerance_at(USUAL_STEP, discrepancy, scale), DIGITS)]


def switches(listed: np.ndarray) -> list[list[int]]:
    """Return the steps at which each column changes: (T, N) -> N lists.

    Examples:
        >>> switches(np.array([[True, False], [True, False], [False, True]]))
        [[0, 2], [2]]
    """
    changed = np.diff(listed.astype(int), axis=0, prepend=0) != 0
    return [np.flatnonzero(column).tolist() for column in changed.T]


def list_rows(case: Case, tolerances: list[float], alpha: float) -> Iterator[dict]:
    """Yield each scenario with its p-values, and the list that it is on."""
    if not (tolerances and can_be_listed(case)):
        return
    lists = lists_of(case, tolerances, alpha)
    names = [case.people.names[row] for row in case.own.rows]
    method = "Benjamini-Yekutieli" if is_dependent(case) else "Benjamini-Hochberg"
    for tolerance, *at_one in zip(tolerances, *lists, strict=True):
        for name, is_within, is_beyond, p_within, p_beyond in zip(names, *at_one, strict=True):
            known = {"scenario": name, "tolerance": tolerance, "method": method, **case.keys}
            known["verdict"] = WITHIN if is_within else BEYOND if is_beyond else OPEN
            yield row_of(LISTS, p_within=p_within, p_beyond=p_beyond, **known)


def limit_rows(
    judged: list[Case], scale: tuple[float, float], alpha: float, many: int
) -> Iterator[dict]:
    """Yield each question with the steps at which it enters or leaves the lists.

    For what the report shows of each simulator; none of no scale.

    Args:
        judged: simulators beside people.
        scale: as for :func:`tolerance_at`.
        alpha: the level of lists.
        many: simulators; the list of those within holds for all of them at once.
    """
    for case in shown(judged):
        is_scaled = np.isfinite(scale).all() or not DISCREPANCIES[case.discrepancy].needs_scores
        if is_scaled and can_be_listed(case):
            tolerances = [tolerance_at(step, case.discrepancy, scale) for step in range(STEPS)]
            lists = lists_of(case, tolerances, alpha, many)
            both = switches(lists.within), switches(lists.beyond)
            for row, within, beyond in zip(case.own.rows, *both, strict=True):
                name = case.people.names[row]
                yield {"scenario": name, **case.keys, "within": within, "beyond": beyond}


def lists_of(case: Case, tolerances: list[float], alpha: float, many: int = 1) -> ScenarioLists:
    """Return the lists of a simulator at some tolerances."""
    return scenario_lists(
        tested(case, np.arange(len(case.own.rows)), alpha),
        case.simulator(DRAWN),
        tolerances,
        discrepancy=case.discrepancy,
        level=alpha,
        simulators=many,
        dependent=is_dependent(case),
    )


def can_be_listed(case: Case) -> bool:
    """Return whether there are tests of a tolerance."""
    measure = DISCREPANCIES[case.discrepancy]
    return measure.is_maximum and has_tests(case.people.responses, measure)


def is_dependent(case: Case) -> bool:
    """Return whether scenarios have people in common, or the simulator knows their answers."""
    repeats = case.people.responses.respondents is not None
    return repeats or is_from_people(case.own.simulator)


def tested(case: Case, rows: np.ndarray, alpha: float) -> Responses:
    """Return the people whom tests of some of its scenarios compare.

    A list of N scenarios asks for p-values down to alpha/N.
    """
    there = case.own.rows[rows]
    people = case.people.responses.only(there)
    if case.people.sizes is None:
        return people
    sizes = case.people.sizes.of_rows(there).at(people.sizes, 1 - alpha / len(there))
    return Responses(people.counts, scores=people.scores, sizes=sizes, limits=people.limits)
