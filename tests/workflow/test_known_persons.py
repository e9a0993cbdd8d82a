"""Means of a study whose files tell who answered what, from the files to the table."""

import numpy as np
import pandas as pd
import pytest

from fidelity.means import discrepancy_bounds, mean_interval, person_errors
from fidelity.responses import Answers, Responses
from fidelity_study import compare

PERSONS, QUESTIONS = 150, 6
STATED = np.array([0.8, 0.15, 0.05])


@pytest.mark.slow
def test_intervals_of_weighted_persons_are_those_of_the_library(tmp_path):
    """Persons answer all questions much alike; every fifth leaves one out."""
    generator = np.random.default_rng(3)
    leaning = generator.normal(size=(PERSONS, 1))
    noise = generator.normal(size=(PERSONS, QUESTIONS)) / 3
    names = [f"q{question}" for question in range(QUESTIONS)]
    people = pd.DataFrame(np.digitize(leaning + noise, [-0.3, 0.6]), columns=names).astype("Int64")
    people.loc[::5, "q4"] = pd.NA
    weight = generator.uniform(0.2, 3.0, PERSONS)
    simulated = pd.DataFrame(
        [(name, "model", value, p) for name in names for value, p in enumerate(STATED)],
        columns=["scenario", "simulator", "value", "probability"],
    )
    given = {"weight": "weight", "kind": "categorical", "quiet": True, "folder": tmp_path}
    found = compare(people.assign(weight=weight), simulated, **given)
    (row,) = (
        found.table("comparison/mean_discrepancy")
        .query("simulator == 'model' and discrepancy == 'tv' and target == 'asked' and tail == 1")
        .itertuples()
    )
    scenario, person = np.nonzero(people.notna().to_numpy().T)
    option = people.to_numpy()[person, scenario].astype(int)
    counts = np.zeros((QUESTIONS, len(STATED)))
    np.add.at(counts, (scenario, option), weight[person])
    sizes = counts.sum(1) ** 2 / np.bincount(scenario, weight[person] ** 2)
    q = np.tile(STATED, (QUESTIONS, 1))
    bounds = discrepancy_bounds(Responses(counts, sizes=sizes), q, discrepancy="tv")
    answers = Answers(person, scenario, option, weight[person])
    errors = person_errors(Responses(counts, answers=answers), q, discrepancy="tv")
    expected = mean_interval(bounds, errors=errors)
    assert (row.ci_lower, row.ci_upper) == pytest.approx((expected.ci_lower, expected.ci_upper))
    assert "whole persons left out" in row.method
