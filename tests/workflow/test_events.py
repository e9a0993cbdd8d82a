"""From people's counts and stated probabilities to rows for the measures of calibration."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity.calibration import (
    brier_score,
    equal_width_edges,
    expected_calibration_error,
    reliability,
)
from fidelity_study import tables
from fidelity_study.arrays import Scale, Scenarios
from fidelity_study.events import PERSONA, SCENARIO, Groups, answers_of, events_of, groups_of

GROUPS = Groups(
    SCENARIO,
    np.arange(2),
    people=[np.array([6.0, 4.0]), np.array([5.0, 0.0, 15.0])],
    stated=[np.array([0.7, 0.3]), np.array([0.25, 0.05, 0.7])],
)
SCENARIOS = Scenarios(
    ["a", "b"], [[0.0, 1.0], [1.0, 2.0, 5.0]], [Scale(2, None, None), Scale(3, None, None)]
)


def test_of_two_options_the_second_is_an_event_else_all():
    events = events_of(GROUPS)
    rows = {
        (scenario, confidence, outcome): count
        for scenario, confidence, outcome, count in zip(
            events.scenario, events.confidence, events.outcome, events.counts, strict=True
        )
    }
    assert rows == {
        (0, 0.3, 1): 4,
        (0, 0.3, 0): 6,
        (1, 0.25, 1): 5,
        (1, 0.25, 0): 15,
        (1, 0.05, 0): 20,
        (1, 0.7, 1): 15,
        (1, 0.7, 0): 5,
    }
    assert (events.weights == 1).all()


def test_the_error_is_that_by_hand():
    events = events_of(GROUPS)
    edges = equal_width_edges(10)
    diagram = reliability(events.confidence, events.outcome, edges, **events.mass)
    # .25 and .3 lie in one bin, (.2, .3]: its gap is that of both together
    together = abs((10 * 0.3 + 20 * 0.25) - (4 + 5))
    by_hand = (together + 20 * 0.05 + 20 * 0.05) / 70
    assert expected_calibration_error(diagram) == pytest.approx(by_hand)


def test_weighted_people_keep_their_mass():
    people = [np.array([0.4, 2.5]), np.array([1.0, 1.0])]
    groups = Groups(SCENARIO, np.arange(2), people, [np.array([0.5, 0.5]), np.array([0.2, 0.8])])
    events = events_of(groups)
    mass = events.counts * events.weights
    np.testing.assert_allclose(
        [mass[events.outcome == 1].sum(), mass[events.outcome == 0].sum()], [3.5, 1.4]
    )
    rows = answers_of(groups)
    squares = [0.5 * 0.4 + 0.5 * 2.5, (0.8**2 * 2) + (0.2**2 * 2)]
    assert brier_score(**rows) == pytest.approx(sum(squares) / 4.9)


def test_groups_apart_by_their_number_of_options():
    two, three = GROUPS.of_options()
    assert (two.scenario.tolist(), three.scenario.tolist()) == ([0], [1])
    np.testing.assert_array_equal(answers_of(three)["truth"], [0, 2])


def rows(schema, **columns):
    return pa.table(columns).select(schema.names).cast(schema)


def people(scenario, value, count):
    source = ["human"] * len(count)
    return rows(tables.OUTCOMES, scenario=scenario, source=source, value=value, count=count)


def stated(scenario, value, probability, **persona):
    schema = tables.STATED_BY_PERSONA if persona else tables.STATED
    source = ["model"] * len(value)
    told = {"scenario": scenario, "source": source, "value": value, "probability": probability}
    return rows(schema, **told, **persona)


PEOPLE = people(["b", "a", "b"], [5.0, 1.0, 1.0], [3.0, 7.0, 2.0])
PERSONAS = rows(
    tables.PERSONAS,
    scenario=["a", "b", "b", "b"],
    persona=["old", "old", "young", "young"],
    value=[1.0, 1.0, 5.0, 1.0],
    count=[7.0, 1.0, 3.0, 1.0],
)
NOTHING = tables.STATED_BY_PERSONA.empty_table()


def test_statements_of_scenarios_meet_all_who_answered_them():
    said = stated(["b", "b"], [2.0, 5.0], [0.4, 0.6])
    groups = groups_of(SCENARIOS, PEOPLE, PERSONAS, said, NOTHING)
    assert (groups.stated_for, groups.scenario.tolist()) == (SCENARIO, [1])
    np.testing.assert_array_equal(groups.people, [[2, 0, 3]])
    np.testing.assert_array_equal(groups.stated, [[0, 0.4, 0.6]])


def test_statements_of_personas_meet_their_respondents():
    own = stated(
        ["b", "b", "a", "b", "a"],
        [2.0, 5.0, 0.0, 1.0, 1.0],
        [0.4, 0.6, 0.1, 1.0, 0.9],
        persona=["young", "young", "nobody here", "old", "nobody here"],
    )
    groups = groups_of(SCENARIOS, PEOPLE, PERSONAS, stated([], [], []), own)
    assert (groups.stated_for, groups.scenario.tolist()) == (PERSONA, [1, 1])
    np.testing.assert_array_equal(groups.people, [[1, 0, 0], [1, 0, 3]])
    np.testing.assert_array_equal(groups.stated, [[1, 0, 0], [0, 0.4, 0.6]])


def test_where_no_persona_is_known_the_scenario_counts():
    own = stated(["b"], [2.0], [1.0], persona=[""])
    said = stated(["b"], [2.0], [1.0])
    assert groups_of(SCENARIOS, PEOPLE, PERSONAS, said, own).stated_for == SCENARIO
    assert len(groups_of(SCENARIOS, PEOPLE, PERSONAS, stated([], [], []), NOTHING).people) == 0
