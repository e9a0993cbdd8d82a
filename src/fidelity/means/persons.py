"""The error of a mean discrepancy where it is known who answered what.

Leaving out one person changes the mean over scenarios of a bound by the sum of changes that this
person's answers make, each in its own scenario. So the jackknife over whole persons needs only the
jackknife of each scenario. This is exact where all persons answer all scenarios.
"""

import numpy as np
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import FloatArray, IntArray
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.jackknife import jackknife_deviations
from fidelity.means.scales import Scale, scales


def person_errors(
    counts: ArrayLike,
    q: ArrayLike,
    other: ArrayLike | None = None,
    *,
    person: ArrayLike,
    scenario: ArrayLike,
    option: ArrayLike,
    discrepancy: str | Discrepancy,
    scores: ArrayLike | None = None,
) -> FloatArray:
    """Return the standard errors of the mean lower and upper bound that people cause, (2,).

    The jackknife leaves out whole persons, so one person's answers may depend on each other in any
    way. The errors are for :func:`fidelity.means.mean_interval`. Without them it uses a larger
    bound, as if all scenarios of the same people erred together.

    Args:
        counts: people's answers, (m, d); NaN where there is no such option.
        q: the simulator's probabilities, (m, d).
        other: probabilities of another simulator; the errors are then of the difference
            L(p, q) - L(p, other).
        person: who gave each answer, a number from 0, (N,).
        scenario: the row of ``counts`` that the answer belongs to, (N,).
        option: which option was chosen, (N,). Together these are the answers that ``counts``
        counts.
        discrepancy, scores: as :func:`fidelity.discrepancy_bounds`.

    Raises:
        ValueError: if the answers are not those that were counted, and as there.

    Examples:
        >>> import numpy as np
        >>> from fidelity.means import person_errors
        >>> answers = np.random.default_rng(0).integers(2, size=100)
        >>> counts = np.tile(np.bincount(answers), (4, 1))  # four questions, all answered alike
        >>> person, scenario = np.tile(range(100), 4), np.repeat(range(4), 100)
        >>> told = {"person": person, "scenario": scenario, "option": np.tile(answers, 4)}
        >>> person_errors(counts, [[0.2, 0.8]] * 4, **told, discrepancy="tv").round(3)
        array([0.05, 0.05])
    """
    counts = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    who = np.asarray(person)
    cell = np.ravel_multi_index((np.asarray(scenario), np.asarray(option)), counts.shape)
    told = np.bincount(cell, minlength=counts.size).reshape(counts.shape)
    if who.shape != cell.shape or (told != np.nan_to_num(counts)).any():
        raise ValueError("person, scenario and option must be the answers that counts counts")

    def split(stated: ArrayLike, whose: str = "") -> list[Scale]:
        rest = {"scores": scores, "sizes": None, "options": None, "draws": None}
        return scales(counts, stated, discrepancy=discrepancy, whose=whose, **rest)[1]

    first = split(q)
    second = [None] * len(first) if other is None else split(other, "other")
    errors = np.empty(2)
    for end in range(2):
        deviations = np.zeros(counts.shape)
        for one, two in zip(first, second, strict=True):
            deviations[np.ix_(one.rows, one.columns)] = _deviations(one, two, end)
        of_each = np.bincount(who, deviations.ravel()[cell])
        errors[end] = np.sqrt((of_each**2).sum()) / len(counts)
    return errors


def _deviations(one: Scale, two: Scale | None, end: int) -> FloatArray:
    """Return an answer's effect on its scenario's lower (0) or upper (1) bound, (N, d)."""

    def without(people: FloatArray, rows: IntArray) -> FloatArray:
        first = one.take(rows)
        found = first.upper(people) if end else first.lower(people)
        if two is None:
            return found
        second = two.take(rows)
        return found - (second.lower(people) if end else second.upper(people))

    return jackknife_deviations(without, one.counts)
