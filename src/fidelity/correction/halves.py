"""People in two halves: a correction is fitted to one and judged by the other."""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Generators, IntArray
from fidelity.hybrids.split import INSTEAD


def halve_people(counts: ArrayLike, generator: Generators) -> FloatArray:
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
        drawn = streams[j].multivariate_hypergeometric(row, row.sum() // 2, method="marginals")
        first[j] = np.where(np.isnan(counts[j]), np.nan, drawn)
    return np.stack([first, counts - first])


def halve_persons(person: ArrayLike, generator: np.random.Generator) -> IntArray:
    """Return which half each answer is in, 0 or 1, (N,): a random half of all persons, or the rest.

    For persons who answer several scenarios: all answers of a person are in one half. If few answer
    a scenario, one half may have no answers to it. Whether somebody answers a scenario may depend
    on the person and the scenario, not on the answer.

    Args:
        person: a number for who gave each answer, (N,).
        generator: of the halves.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import halve_persons
        >>> halve_persons([7, 7, 3, 5, 3, 4], np.random.default_rng(0))
        array([1, 1, 0, 0, 0, 1])
    """
    inputs.generator("generator", generator)
    names, number = np.unique(inputs.labels("person", person), return_inverse=True)
    half = np.zeros(len(names), np.int64)
    half[generator.permutation(len(names))[len(names) // 2 :]] = 1
    return half[number]
