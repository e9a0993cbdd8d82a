"""What one person can answer: single options, or the ends where any number can be given."""

from collections.abc import Iterator

import numpy as np

from fidelity import inputs
from fidelity.arrays import BoolArray, FloatArray, IntArray
from fidelity.discrepancies.base import Discrepancy


def single_answers(
    measure: Discrepancy, exists: BoolArray, scores: FloatArray | None, limits: FloatArray | None
) -> Iterator[tuple[IntArray, IntArray, FloatArray | None, FloatArray]]:
    """Yield scenarios with one way to answer: their rows, options, scores, and each answer.

    An answer is a row of shares: a single option. Where any number in a range can be given, the two
    ends of the range are further options, and the farthest ones.

    Args:
        measure: the discrepancy.
        exists: which options each scenario has, (m, d).
        scores: of the options, (d,), (m, d), or None.
        limits: the smallest and the largest answer, (m, 2), or None.
    """
    for rows, there, values in inputs.scales(exists, scores):
        d = len(there)
        values = measure.checked_scores(values, d)
        single = np.eye(d)
        if limits is not None and values is not None:
            values = np.append(values, [limits[rows, 0].min(), limits[rows, 1].max()])
            single = np.eye(d + 2)[d:]
        yield rows, there, values, single


def largest_discrepancies(
    measure: Discrepancy, exists: BoolArray, scores: FloatArray | None, limits: FloatArray | None
) -> FloatArray:
    """Return the largest possible discrepancy in each scenario, (m,); see :func:`single_answers`.

    It is between two single answers, as discrepancies are convex; infinite where limits are.
    """
    largest = np.full(len(exists), np.inf)
    if limits is None or np.isfinite(limits).all():
        for rows, _, scores_there, single in single_answers(measure, exists, scores, limits):
            one, two = np.divmod(np.arange(len(single) ** 2), len(single))
            largest[rows] = measure.between(single[one], single[two], scores_there).max()
    return largest
