"""Baseline simulators: closed forms, and that none ever sees the scenario's own answers."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from fidelity.baselines import from_answers as simulator

ITEM = np.array(["a", "a", "a", "b", "b", "c"])
YEAR = np.array([2000, 1990, 2004, 1990, 2000, 1990])
COUNTS = np.array([[10, 30], [5, 5], [1, 0], [8, 2], [0.5, 1.5], [3, 4]])

FEATURES = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], float)


def by_pattern(options=3):
    generator = np.random.default_rng(20240607)
    return generator.integers(0, 30, (len(ITEM), len(FEATURES), options)).astype(float)


def test_uniform_gives_each_option_the_same():
    np.testing.assert_array_equal(simulator.uniform(np.zeros((2, 4))), np.full((2, 4), 0.25))


def test_pooled_is_the_share_in_the_rest_of_the_cluster():
    expected = [[6 / 11, 5 / 11], [11 / 41, 30 / 41], [0.3, 0.7], [0.25, 0.75], [0.8, 0.2]]
    pooled = simulator.pooled(COUNTS, ITEM)
    np.testing.assert_allclose(pooled[:5], expected, rtol=1e-14)
    assert np.isnan(pooled[5]).all()


def test_pooled_over_time_uses_strictly_earlier_scenarios():
    pooled = simulator.pooled(COUNTS, ITEM, YEAR)
    np.testing.assert_allclose(pooled[[0, 2, 4]], [[0.5, 0.5], [0.3, 0.7], [0.8, 0.2]], rtol=1e-14)
    assert np.isnan(pooled[[1, 3, 5]]).all()
    same_time = simulator.pooled(COUNTS[:2], ITEM[:2], np.array([1990, 1990]))
    assert np.isnan(same_time).all()


def test_persistence_repeats_the_previous_time_point():
    persistence = simulator.persistence(COUNTS, ITEM, YEAR)
    np.testing.assert_allclose(
        persistence[[0, 2, 4]], [[0.5, 0.5], [0.25, 0.75], [0.8, 0.2]], rtol=1e-14
    )
    assert np.isnan(persistence[[1, 3, 5]]).all()


def test_persistence_is_unknown_where_nobody_answered_before():
    counts = np.array([[0.0, 0.0], [3.0, 1.0]])
    assert np.isnan(simulator.persistence(counts, ["a", "a"], [1, 2])).all()


SIMULATORS = {
    "uniform": simulator.uniform,
    "pooled": lambda counts: simulator.pooled(counts, ITEM),
    "pooled earlier": lambda counts: simulator.pooled(counts, ITEM, YEAR),
    "persistence": lambda counts: simulator.persistence(counts, ITEM, YEAR),
}


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_scenarios_own_answers_do_not_matter(name):
    before = SIMULATORS[name](COUNTS)
    for j in range(len(COUNTS)):
        counts = COUNTS.copy()
        counts[j] = [123.456, 1e-3]
        np.testing.assert_array_equal(SIMULATORS[name](counts)[j], before[j])


@pytest.mark.parametrize("time", [None, YEAR])
def test_demographic_sees_who_answered_but_not_what(time):
    counts = by_pattern()
    before, before_by_pattern = simulator.demographic(counts, FEATURES, ITEM, time)
    for j in range(len(counts)):
        changed = counts.copy()
        changed[j] = counts[j][:, [1, 2, 0]]
        after, after_by_pattern = simulator.demographic(changed, FEATURES, ITEM, time)
        np.testing.assert_array_equal(after[j], before[j])
        np.testing.assert_array_equal(after_by_pattern[j], before_by_pattern[j])


def test_demographic_averages_over_the_scenarios_respondents():
    counts = by_pattern()
    stated, patterns = simulator.demographic(counts, FEATURES, ITEM)
    people = counts.sum(axis=2)
    for j in range(5):
        expected = np.average(patterns[j], axis=0, weights=people[j])
        np.testing.assert_allclose(stated[j], expected, rtol=1e-12)
    np.testing.assert_allclose(stated[:5].sum(axis=1), 1.0, rtol=1e-12)
    assert np.isnan(stated[5]).all()


def test_demographic_without_covariates_is_pooled():
    counts = by_pattern()
    stated, _ = simulator.demographic(counts, np.empty((5, 0)), ITEM, YEAR, ridge=1e-9)
    np.testing.assert_allclose(stated, simulator.pooled(counts.sum(axis=1), ITEM, YEAR), rtol=1e-9)


@pytest.mark.parametrize("ridge", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("options", [2, 4])
def test_logit_agrees_with_a_general_optimiser(options, ridge):
    counts = by_pattern(options)[1]
    design = np.column_stack([np.ones(len(FEATURES)), FEATURES])

    def loss(flat):
        logit = np.zeros(counts.shape)
        logit[:, 1:] = design @ flat.reshape(options - 1, -1).T
        return ridge / 2 * flat @ flat - np.sum(counts * log_softmax(logit, axis=1))

    reference = minimize(loss, np.zeros((options - 1) * 3), method="BFGS", tol=1e-9)
    fit = simulator.fit_logit(counts, FEATURES, ridge=ridge)
    assert fit.shape == (options - 1, 3)
    np.testing.assert_allclose(fit.ravel(), reference.x, atol=1e-5)
    assert loss(fit.ravel()) <= reference.fun + 1e-9


def test_logit_stays_finite_for_separated_and_unused_options():
    counts = np.array([[50, 0, 0], [50, 0, 0], [0, 40, 0], [0, 60, 0], [0, 5, 0]])
    fit = simulator.fit_logit(counts, FEATURES)
    probability = simulator.logit_probability(fit, FEATURES)
    assert np.isfinite(fit).all()
    assert (probability[:2, 0] > 0.85).all()
    assert (probability[2:, 1] > 0.85).all()
    assert (probability[:, 2] < 0.05).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulator.uniform(np.ones(3)), "scenarios, options"),
        (lambda: simulator.pooled([[1, -1]], ["a"]), "at least 0"),
        (lambda: simulator.pooled([[1, np.nan]], ["a"]), "finite"),
        (lambda: simulator.pooled(COUNTS, ITEM[:2]), "cluster"),
        (lambda: simulator.pooled(COUNTS, ITEM, YEAR[:2]), "time"),
        (lambda: simulator.persistence(COUNTS[:2], ["a", "a"], [1, 1]), "one time point"),
        (lambda: simulator.demographic(COUNTS, FEATURES, ITEM), "scenarios, patterns, options"),
        (lambda: simulator.demographic(by_pattern(), FEATURES[:2], ITEM), "5 patterns"),
        (lambda: simulator.fit_logit(COUNTS, FEATURES[:, 0]), "patterns, covariates"),
        (lambda: simulator.fit_logit(COUNTS[:5], FEATURES, ridge=0), "ridge"),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
