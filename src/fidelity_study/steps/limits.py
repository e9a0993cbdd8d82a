"""The lists of questions at every tolerance that a reader may choose: half points from 0 to 40.

A step is a half per cent of the answers, or of the scale of the scores. A list is kept as the steps
at which a question enters or leaves it, beginning with an empty list: a question that is within
from step 12 on has ``[12]``, one that is farther up to step 3 has ``[0, 4]``.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.comparison.selection import certified_scenarios, p_values_at
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.steps.draws import is_from_people
from fidelity_study.tables.common import LABEL, columns

STEPS = 81
OF_SCALE = 1 / 200
USUAL_STEP, DIGITS = 20, 12

LIMITS = pa.schema(
    [
        *columns(LABEL, "scenario", "simulator", "k", "discrepancy"),
        *columns(pa.list_(pa.int16()), "within", "farther"),
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


def limit_rows(
    case, people, q: np.ndarray, scale: tuple[float, float], alpha: float, many: int
) -> Iterator[dict]:
    """Yield each question with the steps at which it enters or leaves the lists.

    Args:
        case: of :mod:`fidelity_study.steps.mean_discrepancy`.
        people, q: what the tests compare.
        scale: as for :func:`tolerance_at`.
        alpha: the level of lists.
        many: simulators; the list of those within holds for all of them at once.
    """
    left = case.own.unanswered[case.own.rows]
    dependent = case.people.people is not None or is_from_people(case.own.simulator)
    tolerances = [tolerance_at(step, case.discrepancy, scale) for step in range(STEPS)]
    p_values = p_values_at(people, q, tolerances, discrepancy=case.discrepancy, unanswered=left)
    within, farther = (
        switches(np.array([certified_scenarios(p, level, dependent=dependent) for p in at_steps]))
        for at_steps, level in zip(zip(*p_values, strict=True), (alpha / many, alpha), strict=True)
    )
    for row, near, far in zip(case.own.rows, within, farther, strict=True):
        yield {
            "scenario": case.people.names[row],
            **case.keys,
            "within": near,
            "farther": far,
        }
