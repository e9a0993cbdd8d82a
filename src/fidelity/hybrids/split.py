"""People split into those a hybrid sees and those who judge it.

People beyond the n₀ seen are independent of the answers that the hybrid saw. So every bound on a
simulator's discrepancy holds for the hybrid, judged by them. It is the discrepancy from the shares
of the population. The shares of the finite sample itself, seen people included, are nearer to the
hybrid. Where the same people answer several scenarios, whole persons are split, once. Otherwise
those who judge one scenario would have been seen in another.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Generators, IntArray

INSTEAD = "A split is of people, who can't be told from weighted counts; draw them with resample"


class Split(NamedTuple):
    """Answers of the people seen, and of those who judge.

    Attributes:
        seen: answers per option of n₀ people in each scenario, (m, d); for several n₀, (K, m, d),
            the fewer among the more. NaN where a scenario has no such option.
        rest: those of the people who were not seen for the largest n₀, (m, d).

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import split_people
        >>> found = split_people([[40, 60], [70, 30]], 10, np.random.default_rng(0))
        >>> found.seen.sum(1), found.rest.sum(1)
        (array([10., 10.]), array([90., 90.]))
    """

    seen: FloatArray
    rest: FloatArray


def split_people(counts: ArrayLike, n0: int | Sequence[int], generator: Generators) -> Split:
    """Return n₀ of each scenario's people, drawn without replacement, and the rest.

    Multivariate hypergeometric. For scenarios with people of their own; else see
    :func:`split_persons`. With several n₀ each is a subset of the next, and those who judge are
    the same for all: the people whom not even the largest n₀ includes.

    Args:
        counts: people's answers, whole numbers, (m, d); NaN where a scenario has no such option.
        n0: how many are seen, at least 1 and fewer than there are; one, or several.
        generator: one, or one for each scenario, so that its draw doesn't depend on the others.

    Raises:
        ValueError: if counts are not whole, or leave nobody to judge.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import split_people
        >>> found = split_people([[40, 60], [70, 30]], [5, 10], np.random.default_rng(0))
        >>> found.seen.shape, found.rest.sum(1)
        ((2, 2, 2), array([90., 90.]))
    """
    counts = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    counts = inputs.whole_counts("counts", counts, INSTEAD)
    sizes = sizes_of(n0)
    streams = inputs.generators("generator", generator, len(counts))
    whole = np.nan_to_num(counts).astype(np.int64)
    few = whole.sum(1) <= sizes[-1]
    if few.any():
        row = few.argmax()
        raise ValueError(
            f"n0 must leave people to judge in each row of counts; {sizes[-1]} are to be seen, "
            f"and row {row} has {whole[row].sum()}"
        )
    order = np.empty((len(whole), sizes[-1]), int)
    for j, row in enumerate(whole):
        pool = streams[j].multivariate_hypergeometric(row, sizes[-1], method="marginals")
        order[j] = streams[j].permutation(np.repeat(np.arange(len(row)), pool))
    seen = _first(order, sizes, whole.shape[1])
    nothing = np.where(np.isnan(counts), np.nan, 0.0)
    seen, rest = seen + nothing, whole - seen[-1] + nothing
    return Split(seen[0] if np.ndim(n0) == 0 else seen, rest)


def split_persons(
    answers: ArrayLike,
    n0: int | Sequence[int],
    generator: Generators,
    *,
    options: int,
    groups: ArrayLike | None = None,
) -> Split:
    """Return the answers of n₀ persons in each scenario, and those of persons who were not seen.

    Persons are put in a random order, once. The first of them that bring n₀ answers to every
    scenario are the ones seen, all others judge. What a seen person answers beyond the n₀ first
    of a scenario is left out. Whether somebody answers a scenario may depend on the person and the
    scenario, not on the answer.

    Args:
        answers: which option each person chose, from 0, (persons, m); NaN where none.
        n0: as :func:`split_people`.
        generator: of the order; one, or one for each group, in the order of their sorted labels.
        options: d, how many options there are.
        groups: a label for each scenario, (m,), if nobody answers scenarios of two groups, as in
            surveys of several years. Each group's persons are then split by themselves. None if all
            scenarios are one group.

    Raises:
        ValueError: if an entry is no option, nobody is left to judge some scenario, or a person
            answers scenarios of two groups.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import split_persons
        >>> answers = np.tile([[0, 1], [1, 1], [1, np.nan], [0, 0]], (5, 1))  # 20 persons
        >>> found = split_persons(answers, 4, np.random.default_rng(0), options=2)
        >>> found.seen.sum(1), bool((found.rest.sum(1) >= 8).all())
        (array([4., 4.]), True)
    """
    parts = person_groups(answers, options, groups)
    seen, rest = split_groups(parts, sizes_of(n0), generator, options)
    return Split(seen[0] if np.ndim(n0) == 0 else seen, rest)


def person_groups(
    answers: ArrayLike, options: int, groups: ArrayLike | None = None
) -> list[tuple[IntArray, FloatArray]]:
    """Return for each group its scenarios, and the answers of the persons who answer any of them.

    Arguments and errors as :func:`split_persons`.
    """
    domain = inputs.FINITE_OR_NOTHING
    answers = inputs.table("answers", answers, domain, ("persons", "scenarios"))
    options = inputs.whole("options", options, 2)
    given = ~np.isnan(answers)
    chosen = answers[given]
    if (chosen % 1 != 0).any() or not ((chosen >= 0) & (chosen < options)).all():
        raise ValueError(
            f"answers must be options from 0 to {options - 1}, NaN where there is none"
        )
    m = answers.shape[1]
    labels = np.zeros(m, int) if groups is None else inputs.labels("groups", groups, m)
    parts: list[tuple[IntArray, FloatArray]] = []
    many = np.zeros(len(answers), int)
    for name in np.unique(labels):
        scenarios = np.flatnonzero(labels == name)
        there = given[:, scenarios].any(1)
        many += there
        parts.append((scenarios, answers[np.ix_(there, scenarios)]))
    if (many > 1).any():
        raise ValueError(
            "groups must be of scenarios that have nobody in common; person "
            f"{(many > 1).argmax()} answers scenarios of {many.max()}"
        )
    return parts


def split_groups(
    groups: list[tuple[IntArray, FloatArray]],
    sizes: list[int],
    generator: Generators,
    options: int,
) -> Split:
    """Return the split of :func:`split_persons`, of groups as :func:`person_groups` gives them."""
    streams = inputs.generators("generator", generator, len(groups))
    m = sum(len(scenarios) for scenarios, _ in groups)
    seen, rest = np.empty((len(sizes), m, options)), np.empty((m, options))
    for i, (scenarios, choices) in enumerate(groups):
        shuffled = choices[streams[i].permutation(len(choices))]
        there = ~np.isnan(shuffled)
        enough = there.cumsum(0) >= sizes[-1]
        prefix = int(enough.argmax(0).max()) + 1
        unjudged = ~(enough.any(0) & there[prefix:].any(0))
        if unjudged.any():
            first = unjudged.argmax()
            raise ValueError(
                f"n0 must leave people to judge in each scenario; {sizes[-1]} are to be seen in "
                f"all, and scenario {scenarios[first]} has {there[:, first].sum()} answers"
            )
        early = np.argsort(~there, axis=0, kind="stable")[: sizes[-1]]
        order = np.take_along_axis(shuffled, early, 0).T.astype(int)
        seen[:, scenarios] = _first(order, sizes, options)
        rest[scenarios] = counts_of(shuffled[prefix:], options)
    return Split(seen, rest)


def counts_of(answers: FloatArray, options: int) -> FloatArray:
    """Return how many chose each option, (m, d), from answers (persons, m), NaN where none."""
    person, scenario = np.nonzero(~np.isnan(answers))
    m = answers.shape[1]
    cell = scenario * options + answers[person, scenario].astype(np.int64)
    return np.bincount(cell, minlength=m * options).reshape(m, options).astype(float)


def sizes_of(n0: int | Sequence[int]) -> list[int]:
    """Return one or several numbers of people, which must grow."""
    several = list(n0) if isinstance(n0, Sequence | np.ndarray) else [n0]
    sizes = [inputs.whole("n0", number, 1) for number in several]
    if not sizes or any(fewer >= more for fewer, more in pairwise(sizes)):
        raise ValueError(f"n0 must be a number of people, or several that grow, not {n0}")
    return sizes


def _first(order: IntArray, sizes: list[int], d: int) -> FloatArray:
    """Return how often each option is among the first answers, (K, m, d)."""
    chosen = (order[:, :, None] == np.arange(d)).cumsum(1)
    return np.moveaxis(chosen[:, np.array(sizes) - 1], 1, 0).astype(float)
