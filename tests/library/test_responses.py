"""People's responses and simulators as objects: what is known once holds wherever they go."""

import numpy as np
import pandas as pd
import pytest

from fidelity import (
    Answers,
    Responses,
    Simulator,
    discrepancy_bounds,
    mean_difference,
    mean_discrepancy,
)
from fidelity.means import difference_bounds, mean_interval, person_errors, tail_discrepancy
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
