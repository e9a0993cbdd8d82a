"""People's responses and simulators as objects: what is known once holds wherever they go."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from fidelity import (
    Answers,
    Responses,
    Simulator,
    discrepancy_bounds,
    mean_difference,
    mean_discrepancy,
    tail_discrepancy,
)
from fidelity.baselines import from_answers as simulator
from fidelity.means import difference_bounds, mean_interval, person_errors
from fidelity.responses import side_by_side

COUNTS = np.array([[12.0, 5.0, 3.0], [46.0, 29.0, 25.0], [10.0, 6.0, 4.0]])
Q, OTHER = np.array([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2], [0.6, 0.3, 0.1]]), np.full((3, 3), 1 / 3)
ROWS, COLUMNS = ["a", "b", "c"], ["no", "maybe", "yes"]


def labelled(table):
    return pd.DataFrame(table, ROWS, COLUMNS)


def test_simulators_come_in_the_order_of_people_however_often_they_are_lined_up():
    people = Responses(labelled(COUNTS), scores=pd.Series([1, 0, -1], COLUMNS[::-1]))
    draws = pd.Series([10, 20, 30], ROWS)
    one = Simulator(labelled(Q).iloc[::-1, ::-1], draws=draws.iloc[[1, 0, 2]])
    for _ in range(2):
        _, (one, two) = side_by_side(people, one=one, two=labelled(OTHER).iloc[[1, 2, 0]])
        np.testing.assert_array_equal(one.shares, Q)
        np.testing.assert_array_equal(one.draws, [10, 20, 30])
        np.testing.assert_array_equal(two.shares, OTHER)
    np.testing.assert_array_equal(people.scores, [-1, 0, 1])


def test_of_people_without_labels_the_first_simulator_with_labels_decides():
    one, two = labelled(Q).iloc[::-1], labelled(OTHER * [0.6, 1.2, 1.2])
    _, (first, second) = side_by_side(COUNTS, one=one, two=two)
    np.testing.assert_array_equal(first.shares, Q[::-1])
    np.testing.assert_array_equal(second.shares, two.to_numpy()[::-1])


def test_people_who_are_known_are_worth_kishs_number():
    person, scenario = np.arange(6), np.repeat([0, 1], 3)
    option, weight = np.array([0, 1, 1, 0, 0, 1]), np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    counts = [[1.0, 3.0], [4.0, 1.0]]
    people = Responses(counts, answers=Answers(person, scenario, option, weight))
    np.testing.assert_allclose(people.sizes, [16 / 6, 25 / 11])
    sized = Responses(counts, sizes=[16 / 6, 25 / 11])
    np.testing.assert_allclose(people.counts, sized.counts)
    with pytest.raises(ValueError, match="must have answers"):
        person_errors(sized, [[0.5, 0.5]] * 2, discrepancy="tv")


def test_draws_of_one_run_err_together_in_a_difference():
    both = [Simulator(each, draws=20, runs=[0, 0, 0]) for each in (Q, OTHER)]
    bounds = difference_bounds(COUNTS, *both, discrepancy="l2")
    expected = mean_interval(bounds, runs=np.zeros(3))
    found = mean_difference(COUNTS, *both, discrepancy="l2")
    assert found.upper - found.lower == expected.upper - expected.lower
    alone = mean_difference(
        COUNTS, *(Simulator(each, draws=20) for each in (Q, OTHER)), discrepancy="l2"
    )
    assert found.ci_upper - found.ci_lower > alone.ci_upper - alone.ci_lower
    one_of_both = [both[0], Simulator(OTHER, draws=20)]
    assert mean_difference(COUNTS, *one_of_both, discrepancy="l2") == found


def test_two_simulators_of_other_runs_are_refused():
    both = Simulator(Q, draws=20, runs=[0, 0, 1]), Simulator(OTHER, draws=20, runs=[0, 1, 1])
    with pytest.raises(ValueError, match="runs must be the same"):
        mean_difference(COUNTS, *both, discrepancy="l2")


def test_the_worst_scenarios_are_of_draws_as_they_are():
    drawn, stated = Simulator(Q, draws=20), Q
    found, expected = (
        tail_discrepancy(COUNTS, each, discrepancy="tv", alpha=0.5) for each in (drawn, stated)
    )
    assert found == expected
    assert (
        discrepancy_bounds(COUNTS, drawn, discrepancy="tv").lower
        < discrepancy_bounds(COUNTS, stated, discrepancy="tv").lower
    ).any()


@pytest.mark.parametrize(
    ("people", "shares", "message"),
    [
        ({}, Q[:2], "must be a table of the scenarios and options of counts, 3 x 3"),
        ({}, Q * 2, "numbers in"),
        ({}, Q * 0.9, "sum to 1"),
        ({"options": [[True, True, False]] * 3}, Q, "NaN or 0 elsewhere"),
        ({}, [[0.5, 0.5, np.nan]] * 3, "numbers for the same options"),
    ],
)
def test_simulators_of_other_scenarios_or_options_are_refused(people, shares, message):
    counts = COUNTS * [1, 1, 0] if people else COUNTS
    with pytest.raises(ValueError, match=message):
        side_by_side(Responses(counts, **people), q=shares)


def test_answers_show_which_scenarios_share_persons():
    """Scenarios 0 and 1 share persons, 1 and 2 others, and 3 has persons of its own."""
    person = [0, 1, 2, 1, 2, 3, 3, 4, 5, 6, 7]
    scenario = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
    counts = np.bincount(scenario)[:, None] * [1, 0]
    answers = Answers(person, scenario, np.zeros(11, int))
    labels = Responses(counts, answers=answers).respondents
    assert labels[0] == labels[1] == labels[2] != labels[3]
    own = Answers(range(11), scenario, np.zeros(11, int))
    assert Responses(counts, answers=own).respondents is None
    psu = own._replace(psu=["a", "b"] * 5 + ["a"])
    assert len({*Responses(counts, answers=psu).respondents}) == 1
    assert [*Responses(counts, answers=answers, respondents=[*"abcd"]).respondents] == [*"abcd"]


def test_known_persons_are_not_taken_as_different_ones():
    choice = np.arange(100) % 2
    counts = np.tile(np.bincount(choice), (12, 1))
    answers = Answers(np.tile(range(100), 12), np.repeat(range(12), 100), np.tile(choice, 12))
    known, same = (
        mean_discrepancy(Responses(counts, **who), [[0.3, 0.7]] * 12, discrepancy="tv")
        for who in ({"answers": answers}, {"respondents": np.zeros(12)})
    )
    assert known == same


ITEM = np.array(["a", "a", "a", "b", "b", "c"])
YEAR = np.array([2000, 1990, 2004, 1990, 2000, 1990])
UNEVEN = np.array([[10, 30], [5, 5], [1, 0], [8, 2], [0.5, 1.5], [3, 4]])

FEATURES = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], float)


def by_pattern(options=3):
    generator = np.random.default_rng(20240607)
    return generator.integers(0, 30, (len(ITEM), len(FEATURES), options)).astype(float)


def test_uniform_gives_each_option_the_same():
    np.testing.assert_array_equal(simulator.uniform(np.zeros((2, 4))), np.full((2, 4), 0.25))


def test_pooled_is_the_share_in_the_rest_of_the_cluster():
    expected = [[6 / 11, 5 / 11], [11 / 41, 30 / 41], [0.3, 0.7], [0.25, 0.75], [0.8, 0.2]]
    pooled = simulator.pooled(UNEVEN, ITEM)
    np.testing.assert_allclose(pooled[:5], expected, rtol=1e-14)
    assert np.isnan(pooled[5]).all()


def test_pooled_over_time_uses_strictly_earlier_scenarios():
    pooled = simulator.pooled(UNEVEN, ITEM, YEAR)
    np.testing.assert_allclose(pooled[[0, 2, 4]], [[0.5, 0.5], [0.3, 0.7], [0.8, 0.2]], rtol=1e-14)
    assert np.isnan(pooled[[1, 3, 5]]).all()
    same_time = simulator.pooled(UNEVEN[:2], ITEM[:2], np.array([1990, 1990]))
    assert np.isnan(same_time).all()


def test_persistence_repeats_the_previous_time_point():
    persistence = simulator.persistence(UNEVEN, ITEM, YEAR)
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
    before = SIMULATORS[name](UNEVEN)
    for j in range(len(UNEVEN)):
        counts = UNEVEN.copy()
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
        (lambda: simulator.pooled(UNEVEN, ITEM[:2]), "cluster"),
        (lambda: simulator.pooled(UNEVEN, ITEM, YEAR[:2]), "time"),
        (lambda: simulator.persistence(UNEVEN[:2], ["a", "a"], [1, 1]), "one time point"),
        (lambda: simulator.demographic(UNEVEN, FEATURES, ITEM), "scenarios, patterns, options"),
        (lambda: simulator.demographic(by_pattern(), FEATURES[:2], ITEM), "5 patterns"),
        (lambda: simulator.fit_logit(UNEVEN, FEATURES[:, 0]), "patterns, covariates"),
        (lambda: simulator.fit_logit(UNEVEN[:5], FEATURES, ridge=0), "ridge"),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
