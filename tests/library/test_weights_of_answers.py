"""Weights that depend on the answers: errors by squared weights of each option."""

from functools import partial

import numpy as np
import pytest

from fidelity import mean_discrepancy, tail_discrepancy
from fidelity.means import (
    difference_bounds,
    discrepancy_bounds,
)
from fidelity.responses import Responses

SCORES = [-1.0, 0.0, 1.0]


def sums(option, weight, options=3):
    """Return people's counts, squared weights and Kish's number, of one scenario."""
    counts, squares = (np.bincount(option, weight**power, options) for power in (1, 2))
    return counts[None], squares[None], counts.sum() ** 2 / squares.sum(keepdims=True)


def test_of_a_mean_the_error_is_that_of_leaving_out_each_person_with_their_weight():
    """Where people of one option weigh alike; jackknife by hand, around the mean."""
    option = np.repeat([0, 1, 2], [80, 10, 5])
    weight = np.array([1.0, 1.5, 9.0])[option]
    counts, squares, kish = sums(option, weight)
    x = np.array(SCORES)[option]
    mean = weight @ x / weight.sum()
    left = weight.sum() - weight
    expected = np.sqrt(((weight * (x - mean) / left) ** 2).sum())
    of, how = {"scores": SCORES, "sizes": kish}, {"discrepancy": "absolute"}
    people, first = Responses(counts, squares=squares, **of), [[1.0, 0.0, 0.0]]
    found = discrepancy_bounds(people, first, **how)
    np.testing.assert_allclose(found.upper_se[0], expected, rtol=1e-9)
    np.testing.assert_allclose(found.lower_se[0], expected, rtol=0.2)  # of 128 samples drawn anew
    assert discrepancy_bounds(Responses(counts, **of), first, **how).upper_se[0] < 0.8 * expected
    twice = difference_bounds(people, first, [[0.0, 0.0, 1.0]], **how)
    np.testing.assert_allclose(twice.upper_se[0], 2 * expected, rtol=0.2)
    people = Responses(7 * counts, squares=49 * squares, **of)
    other_unit = discrepancy_bounds(people, first, **how)
    np.testing.assert_allclose(other_unit.upper_se, found.upper_se)


@pytest.mark.parametrize("discrepancy", ["tv", "absolute", "w1", "squared", "kl", "mmd_gaussian"])
def test_weights_that_have_nothing_to_do_with_answers_change_nothing(discrepancy):
    counts = np.array([[30.0, 50.0, 20.0], [10.0, 0.0, 30.0]])
    q, scores = [[0.2, 0.5, 0.3]] * 2, [SCORES] * 2
    squares = 3 * counts
    kish = counts.sum(1) ** 2 / squares.sum(1)
    found, alike = (
        discrepancy_bounds(
            Responses(counts, scores=scores, sizes=kish, squares=each), q, discrepancy=discrepancy
        )
        for each in (squares, None)
    )
    np.testing.assert_allclose(found, alike, rtol=1e-9)


def test_means_and_tails_take_them_too():
    option = np.repeat([0, 1, 2], [80, 10, 5])
    counts, squares, kish = sums(option, np.array([1.0, 1.5, 9.0])[option])
    people = [Responses(counts, sizes=kish, squares=each) for each in (None, squares)]
    for function in (mean_discrepancy, partial(tail_discrepancy, alpha=1.0)):
        shorter, longer = (function(each, [[0.9, 0.06, 0.04]], discrepancy="tv") for each in people)
        assert shorter.ci_upper < longer.ci_upper
        assert shorter.upper == longer.upper


@pytest.mark.parametrize("squares", [[[1.0, 0.0]], [[1.0, 2.0], [1.0, 2.0]], [[1.0, -2.0]]])
def test_squares_are_those_of_the_counts(squares):
    with pytest.raises(ValueError, match="squares must"):
        discrepancy_bounds(
            Responses([[3, 4]], sizes=[5.0], squares=squares), [[0.5, 0.5]], discrepancy="tv"
        )
