"""Proper scores by scenario: brute force, integrals, and simulated studies with known truth."""

import numpy as np
import pytest

from fidelity.comparison.proper_scores import (
    brier_by_scenario,
    crps_by_scenario,
    log_score_by_scenario,
)


def distributions(generator, m, d):
    return generator.dirichlet(np.ones(d), m)


def brute_force(stated, counts, penalty):
    """Return the mean of penalty(q, i) over all answers, one by one."""
    found = []
    for q, row in zip(stated, counts, strict=True):
        answers = [i for i, many in enumerate(row) for _ in range(many)]
        found.append(np.mean([penalty(q, i) for i in answers]))
    return np.array(found)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_scores_are_means_over_the_answers_one_by_one(d, n):
    generator = np.random.default_rng([d, n])
    stated, counts = distributions(generator, 30, d), generator.multinomial(n, np.ones(d) / d, 30)
    people = counts / n
    eye = np.eye(d)
    brier = brute_force(stated, counts, lambda q, i: sum((q[j] - eye[i, j]) ** 2 for j in range(d)))
    log = brute_force(stated, counts, lambda q, i: -np.log(q[i]))
    assert brier_by_scenario(stated, people) == pytest.approx(brier, abs=1e-12)
    assert log_score_by_scenario(stated, people) == pytest.approx(log, abs=1e-12)


def test_the_crps_is_its_integral():
    generator = np.random.default_rng(1)
    values = np.sort(generator.normal(size=7))
    stated, counts = distributions(generator, 20, 7), generator.multinomial(5, np.ones(7) / 7, 20)
    grid = np.linspace(values[0] - 1, values[-1] + 1, 400_001)
    at = np.searchsorted(values, grid, "right")

    def integral(q, i):
        below = np.concatenate([[0.0], np.cumsum(q)])[at]
        return np.trapezoid((below - (values[i] <= grid)) ** 2, grid)

    expected = brute_force(stated, counts, integral)
    assert crps_by_scenario(stated, counts / 5, values) == pytest.approx(expected, abs=2e-5)


def test_an_option_that_was_answered_but_stated_0_is_infinitely_bad():
    stated, people = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    assert log_score_by_scenario(stated, people).tolist() == [0.0, np.inf]
    assert brier_by_scenario(stated, people).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("stated", "people", "words"),
    [
        ([[0.5, 0.6]], [[1, 0]], "stated: row 0"),
        ([[0.5, 0.5], [1.5, -0.5]], [[1, 0], [1, 0]], "stated: row 1"),
        ([[0.5, 0.5]], [[2, 3]], "people: row 0"),
        ([[0.5, np.nan]], [[1, 0]], "stated: row 0"),
        ([[0.5, 0.5]], [[1, 0], [0, 1]], "the same options"),
        ([0.5, 0.5], [1, 0], "the same options"),
    ],
)
@pytest.mark.parametrize("score", [brier_by_scenario, log_score_by_scenario])
def test_what_is_no_distribution_is_refused(score, stated, people, words):
    with pytest.raises(ValueError, match=words):
        score(np.array(stated), np.array(people))


@pytest.mark.parametrize("values", [[0.0, 1.0, 1.0], [0.0, 1.0]])
def test_values_that_do_not_increase_are_refused(values):
    with pytest.raises(ValueError, match="increasing"):
        crps_by_scenario(np.ones((2, 3)) / 3, np.ones((2, 3)) / 3, np.array(values))
