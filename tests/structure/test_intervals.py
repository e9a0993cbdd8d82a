"""Intervals of answers that hardly vary end at what is possible, and are never NaN or 0 wide."""

from itertools import chain

import numpy as np
import pytest

from fidelity.structure import (
    Interval,
    TooFewError,
    associations,
    compare_associations,
    compare_scale,
    cronbach_alpha,
    first_eigenvalue,
    group_differences,
    mean_correlation,
    twin_agreement,
    variance_ratios,
)

RNG = np.random.default_rng(0)
HALVES = np.arange(40.0) % 2
ALONE = np.zeros(40)
ALONE[0] = 1.0
TABLES = {
    "one item twice": np.repeat(RNG.integers(1, 6, (40, 1)), 2, 1),
    "two persons": [[1, 2], [2, 4]],
    "two persons, one item twice": [[1, 1], [2, 2]],
    "three persons": [[1, 2], [2, 4], [3, 1]],
    "all alike": np.ones((40, 2)),
    "all alike in one": np.stack([np.ones(40), RNG.integers(1, 6, 40)], 1),
    "one differs in each": np.stack([ALONE, ALONE[::-1]], 1),
    "opposite": np.stack([HALVES, 1.0 - HALVES], 1),
    "rare": RNG.random((40, 2)) < 0.03,
    "varied": RNG.integers(1, 6, (40, 2)),
    "half missing": np.where(RNG.random((40, 2)) < 0.5, np.nan, RNG.integers(1, 6, (40, 2))),
}
TABLES = {name: np.asarray(table, float) for name, table in TABLES.items()}


def intervals(found):
    """Yield the intervals of a result, with their names."""
    if isinstance(found, Interval):
        yield found
    elif isinstance(found, list | tuple):
        yield from chain.from_iterable(map(intervals, found))


def of_one(x):
    yield lambda: cronbach_alpha(x)
    yield lambda: first_eigenvalue(x, generator=np.random.default_rng(0))
    yield lambda: mean_correlation(associations(x, fewest=2))


def of_two(x, y):
    yield lambda: compare_scale(x, y)
    yield lambda: variance_ratios(x, y)
    yield lambda: compare_associations(associations(x, fewest=2), associations(y, fewest=2))
    yield lambda: group_differences(x, y, np.arange(len(x)) % 2, np.arange(len(y)) % 2)
    if len(x) == len(y):
        yield lambda: twin_agreement(x, y, generator=np.random.default_rng(0), permuted=9)


@pytest.mark.sampled
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", TABLES)
def test_answers_that_hardly_vary_give_no_certain_estimate(name):
    x, several = TABLES[name], list(of_one(TABLES[name]))
    several += chain.from_iterable(of_two(x, y) for other, y in TABLES.items() if other != name)
    for measured in several:
        try:
            found = measured()
        except TooFewError:
            continue
        for estimate, lower, upper in intervals(found):
            assert lower < upper  # so neither is NaN
            assert not np.isinf(estimate)
            least = (
                0.0 if lower == 0.0 else estimate
            )  # squares without noise may be below 0 by chance
            assert np.isnan(estimate) or lower - 1e-9 <= max(estimate, least) <= upper + 1e-9


@pytest.mark.parametrize("name", ["one item twice", "two persons", "two persons, one item twice"])
def test_alpha_of_two_persons_or_of_an_item_twice_has_the_limits_of_what_is_possible(name):
    found = cronbach_alpha(TABLES[name])
    one, other = TABLES[name].T
    alpha = 2.0 * (1.0 - (one.var() + other.var()) / (one + other).var())
    assert found.estimate == pytest.approx(alpha)
    assert found[1:] == (-np.inf, 1.0)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_a_population_compared_with_itself_differs_by_nothing(order):
    answers = RNG.integers(1, 6, (200, 6)).astype(float)
    answers[RNG.random(answers.shape) < 0.1] = np.nan
    (found,) = compare_associations(associations(answers), associations(answers[order]))
    assert found.same_answers
    assert tuple(found.mean_squared) == (0.0, 0.0, 0.0)
    assert tuple(found.slope) == tuple(found.congruence) == (1.0, 1.0, 1.0)
    other = answers.copy()
    other[0, 0] = 6.0
    (found,) = compare_associations(associations(answers), associations(other))
    assert not found.same_answers
    assert found.mean_squared.lower == 0.0 < found.mean_squared.upper
