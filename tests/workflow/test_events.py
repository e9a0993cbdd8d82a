"""From people's counts and stated probabilities to rows for the measures of calibration."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity.calibration import Groups
from fidelity.calibration.scores import brier_scores
from fidelity_study.steps.arrays import Scale, Scenarios
from fidelity_study.steps.events import PERSONA, SCENARIO, groups_of
from fidelity_study.tables import ingest
from fidelity_study.tables.ingest import OUTCOMES, STATED, STATED_BY_PERSONA

GROUPS = Groups(
    SCENARIO,
    np.arange(2),
    people=[np.array([6.0, 4.0]), np.array([5.0, 0.0, 15.0])],
    stated=[np.array([0.7, 0.3]), np.array([0.25, 0.05, 0.7])],
)
SCENARIOS = Scenarios(
    ["a", "b"], [[0.0, 1.0], [1.0, 2.0, 5.0]], [Scale(2, None, None), Scale(3, None, None)]
)


def test_a_row_for_each_option_that_somebody_chose():
    answers = GROUPS.choices(np.arange(2), several=True)
    np.testing.assert_array_equal(
        answers.probability, [[0.7, 0.3, 0], [0.7, 0.3, 0], [0.25, 0.05, 0.7], [0.25, 0.05, 0.7]]
    )
    assert answers.truth.tolist() == [0, 1, 0, 2]
    assert answers.counts.tolist() == [6, 4, 5, 15]
    assert answers.samples.tolist() == [0, 0, 1, 1]
    assert (answers.weights == 1).all()


def test_weighted_people_keep_their_mass():
    people = [np.array([0.4, 2.5]), np.array([1.0, 1.0])]
    groups = Groups(SCENARIO, np.arange(2), people, [np.array([0.5, 0.5]), np.array([0.2, 0.8])])
    answers = groups.choices(np.arange(2), several=True)
    np.testing.assert_allclose(answers.counts * answers.weights, [0.4, 2.5, 1, 1])
    assert answers.counts.tolist() == [1, 3, 1, 1]
    squares = [0.5 * 0.4 + 0.5 * 2.5, (0.8**2 * 2) + (0.2**2 * 2)]
    found = np.average(brier_scores(**answers.rows), weights=answers.counts * answers.weights)
    assert found == pytest.approx(sum(squares) / 4.9)


def rows(schema, **columns):
    return pa.table(columns).select(schema.names).cast(schema)


def people(scenario, value, count):
    source = ["human"] * len(count)
    return rows(OUTCOMES, scenario=scenario, source=source, value=value, count=count)


def stated(scenario, value, probability, **persona):
    schema = STATED_BY_PERSONA if persona else STATED
    source = ["model"] * len(value)
    told = {"scenario": scenario, "source": source, "value": value, "probability": probability}
    told["statements"] = [1.0] * len(value)
    return rows(schema, **told, **persona)


PEOPLE = people(["b", "a", "b"], [5.0, 1.0, 1.0], [3.0, 7.0, 2.0])
PERSONAS = rows(
    ingest.PERSONAS,
    scenario=["a", "b", "b", "b"],
    persona=["old", "old", "young", "young"],
    value=[1.0, 1.0, 5.0, 1.0],
    count=[7.0, 1.0, 3.0, 1.0],
)
NOTHING = STATED_BY_PERSONA.empty_table()


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
