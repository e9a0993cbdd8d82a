"""People in two halves: a correction is fitted to one and judged by the other."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import FloatArray
from fidelity.hybrids.split import INSTEAD


def halve_people(
    counts: ArrayLike, generator: np.random.Generator | Sequence[np.random.Generator]
) -> FloatArray:
    """Return the answers of half of each scenario's people, and of the other half, (2, m, d).

    Drawn without replacement (multivariate hypergeometric); of an odd number the second half has
    one more. For scenarios with people of their own; else see :func:`halve_persons`.

    Args:
        counts: people's answers, whole numbers, (m, d); NaN where a scenario has no such option.
        generator: one, or one for each scenario, so that its draw doesn't depend on the others.

    Raises:
        ValueError: if counts are not whole.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import halve_people
        >>> halves = halve_people([[40, 60], [70, 31]], np.random.default_rng(0))
        >>> halves.sum(2)
        array([[50., 50.],
               [50., 51.]])
    """
    counts = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    counts = inputs.whole_counts("counts", counts, INSTEAD)
    streams = inputs.generators("generator", generator, len(counts))
    first = counts.copy()
    for j, row in enumerate(np.nan_to_num(counts).astype(np.int64)):
        own = streams if isinstance(streams, np.random.Generator) else streams[j]
        drawn = own.multivariate_hypergeometric(row, row.sum() // 2, method="marginals")
        first[j] = np.where(np.isnan(counts[j]), np.nan, drawn)
    return np.stack([first, counts - first])


def halve_persons(
    person: ArrayLike,
    scenario: ArrayLike,
    option: ArrayLike,
    exists: ArrayLike,
    generator: np.random.Generator,
) -> FloatArray:
    """Return the answers of a random half of all persons, and of the others, (2, m, d).

    For persons who answer several scenarios: whoever is in one half answers all scenarios there.
    Of a scenario that few answer a half may have nobody. Whether somebody answers a scenario may
    depend on the person and the scenario, not on the answer.

    Args:
        person: a number for who gave each answer, (N,).
        scenario: which scenario it is an answer to, from 0, (N,).
        option: which option was chosen, from 0, (N,).
        exists: which options each scenario has, (m, d).
        generator: of the halves.

    Raises:
        ValueError: if the three don't fit together, or an answer is to no option that exists.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import halve_persons
        >>> person, scenario = np.repeat(range(10), 2), np.tile([0, 1], 10)
        >>> alike = person % 2  # who says yes to the first question says so to the second
        >>> ones = np.ones((2, 2), bool)
        >>> halves = halve_persons(person, scenario, alike, ones, np.random.default_rng(0))
        >>> halves.sum(2), bool((halves[:, 0] == halves[:, 1]).all())
        (array([[5., 5.],
               [5., 5.]]), True)
    """
    exists = np.asarray(exists, bool)
    who, where, what = np.asarray(person), np.asarray(scenario), np.asarray(option)
    if not who.shape == where.shape == what.shape == (len(who),):
        raise ValueError("person, scenario and option must be (N,), one entry for each answer")
    m, d = exists.shape
    within = (where >= 0) & (where < m) & (what >= 0) & (what < d)
    if not within.all() or not exists[where, what].all():
        raise ValueError("scenario and option must be positions where exists is true")
    inputs.generator("generator", generator)
    names, number = np.unique(who, return_inverse=True)
    half = np.zeros(len(names), np.int64)
    half[generator.permutation(len(names))[len(names) // 2 :]] = 1
    cell = (half[number] * m + where) * d + what
    found = np.bincount(cell, minlength=2 * m * d).reshape(2, m, d)
    halves: FloatArray = np.where(exists, found, np.nan)
    return halves
