"""Means of a study whose files tell who answered what, from the files to the table."""

import numpy as np
import pandas as pd
import pytest

from fidelity.means import discrepancy_bounds, mean_interval, person_errors
from fidelity.responses import Answers, Responses
from fidelity_study import compare

PERSONS, QUESTIONS, OPTIONS = 150, 6, 3
STATED = np.array([0.8, 0.15, 0.05])
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def people():
    """Persons with weights who answer all questions much alike; every fifth leaves one out."""
    generator = np.random.default_rng(3)
    leaning = generator.normal(size=(PERSONS, 1))
    noise = generator.normal(size=(PERSONS, QUESTIONS)) / 3
    names = [f"q{question}" for question in range(QUESTIONS)]
    table = pd.DataFrame(np.digitize(leaning + noise, [-0.3, 0.6]), columns=names).astype("Int64")
    table.loc[::5, "q4"] = pd.NA
    return table.assign(weight=generator.uniform(0.2, 3.0, PERSONS))


@pytest.fixture(scope="module")
def simulated(people):
    """The model's probabilities, the same for all questions."""
    rows = [
        {"scenario": name, "simulator": "model", "value": value, "probability": share}
        for name in people.columns.drop("weight")
        for value, share in enumerate(STATED)
    ]
    return pd.DataFrame(rows)


def asked(people, simulated, folder, **arguments) -> pd.Series:
    """Return the model's row of the mean discrepancy over these very questions."""
    found = compare(people, simulated, kind="categorical", quiet=True, folder=folder, **arguments)
    table = found.table("comparison/mean_discrepancy")
    (row,) = table.query(
        "simulator == 'model' and discrepancy == 'tv' and target == 'asked' and tail == 1"
    ).itertuples()
    return row


@pytest.mark.parametrize("are_weighted", [False, True])
def test_intervals_are_those_of_the_library(people, simulated, tmp_path, are_weighted):
    weight = people["weight"].to_numpy() if are_weighted else np.ones(PERSONS)
    answers = people.drop(columns="weight")
    row = asked(
        people if are_weighted else answers,
        simulated,
        tmp_path,
        weight="weight" if are_weighted else None,
    )
    scenario, person = np.nonzero(answers.notna().to_numpy().T)
    option = answers.to_numpy()[person, scenario].astype(int)
    told = {"person": person, "scenario": scenario, "option": option, "weight": weight[person]}
    counts = np.zeros((QUESTIONS, OPTIONS))
    np.add.at(counts, (scenario, option), weight[person])
    sizes = counts.sum(1) ** 2 / np.bincount(scenario, weight[person] ** 2)
    q = np.tile(STATED, (QUESTIONS, 1))
    bounds = discrepancy_bounds(Responses(counts, sizes=sizes), q, discrepancy="tv")
    errors = person_errors(Responses(counts, answers=Answers(**told)), q, discrepancy="tv")
    expected = mean_interval(bounds, errors=errors)
    assert (row.ci_lower, row.ci_upper) == pytest.approx((expected.ci_lower, expected.ci_upper))
    assert "whole persons left out" in row.method
    together = mean_interval(bounds, respondents=np.zeros(QUESTIONS))
    assert row.ci_upper - row.ci_lower < together.ci_upper - together.ci_lower


def test_of_counts_standard_errors_are_added_up(people, simulated, tmp_path):
    counts = (
        people.drop(columns="weight")
        .melt(var_name="scenario")
        .value_counts(["scenario", "value"])
        .reset_index(name="count")
    )
    row = asked(counts, simulated, tmp_path)
    assert "whole persons left out" not in row.method
    assert row.ci_upper - row.ci_lower > 0.0
