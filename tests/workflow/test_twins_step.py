"""The step: twins against the twins of others, from tables, by enumeration and by hand."""

from itertools import permutations

import numpy as np
import pyarrow.parquet as pq
import pytest
from called_step import call_step
from test_structure_step import STEP, answers, long, names_of, respondents, runs, scenarios

from fidelity_study.steps import twins
from fidelity_study.steps.registry import STEPS
from fidelity_study.steps.twins import GROUP, PERSON, QUESTION, TWINS, TWINS_BY, twin_tables
from fidelity_study.tables.ingest import RUNS
from fidelity_study.tables.uses import MEASURED

ITSELF = {"twin_of": lambda run: run}
KINDS = ("twins", "twins_csv", "twins_by", "of_persons")


def tables_of(x, y, step=STEP, **twin):
    names = names_of(x)
    simulated = runs(y, names, **(twin or ITSELF))
    made = twin_tables(scenarios(names), respondents(x, names), simulated, step)
    return made["twins"][0], made["twins_by"][0]


def test_hits_excess_and_exact_p_value_of_six_persons():
    x = answers(6, 3, 0)
    y = np.where(np.random.default_rng(1).random(x.shape) < 0.6, x, answers(6, 3, 2))
    (hits, apart), _ = tables_of(x, y)
    own = np.array([[(x[i] == y[k]).mean() for k in range(6)] for i in range(6)])
    others = own[~np.eye(6, dtype=bool)].mean()
    assert hits["own"] == pytest.approx(own.trace() / 6, abs=1e-9)
    assert hits["excess"] == pytest.approx(own.trace() / 6 - others, abs=1e-9)
    sums = [own[range(6), order].sum() for order in permutations(range(6))]
    share = np.mean([each >= own.trace() - 1e-9 for each in sums])
    assert hits["p_value"] == pytest.approx(share, abs=1e-9)
    assert (hits["measure"], apart["measure"]) == ("hits", "absolute")
    assert apart["own"] == pytest.approx(np.abs(x - y).mean() / 2.0, abs=1e-9)  # scores are ½ apart


def test_persons_in_another_condition_of_each_study_are_compared_within_it():
    rng, n = np.random.default_rng(0), 120
    arms = rng.integers(0, 2, (n, 2))
    wide = np.full((2, n, 8), np.nan)  # study, question, arm
    for side in wide.reshape(2, n, 2, 2, 2):
        for study in range(2):
            likely = rng.random((n, 2)) < np.where(arms[:, study], 0.9, 0.1)[:, None]
            side[np.arange(n), study, :, arms[:, study]] = 1.0 + likely
    took_part = rng.random(n) < 0.7
    wide[:, ~took_part, 4:] = np.nan
    names = [f"q{study}{j} | {arm}" for study in range(2) for j in range(2) for arm in "ct"]
    asked = scenarios(names, topics=[f"study {name[1]}" for name in names], options=2)
    step = STEP | {"groups": ["arm"], "clustered": True}
    made = twin_tables(asked, respondents(wide[0], names), runs(wide[1], names, **ITSELF), step)
    hits = [row for row in made["twins"][0] if row["measure"] == "hits"]
    assert [row["topic"] for row in hits] == [None, "study 0", "study 1"]
    assert [row["persons"] for row in hits] == [n, n, took_part.sum()]
    assert [row["groups"] for row in hits] == [4, 2, 2]
    for row in hits:  # twins know the arm only
        assert row["p_value"] > 0.01 and row["excess_lower"] < 0.0 < row["excess_upper"]
    assert hits[0]["p_value"] == min(1.0, 2.0 * min(row["p_value"] for row in hits[1:]))
    assert hits[1]["p_holm"] >= hits[1]["p_value"]
    groups = [(row["topic"], row["name"]) for row in made["twins_by"][0] if row["of"] == GROUP]
    assert groups == [(f"study {study}", arm) for study in range(2) for arm in "ct"]


def test_weights_count_on_both_sides():
    x, y = answers(80, 3, 0), answers(80, 3, 1)
    weights = np.where(np.arange(80) < 40, 3.0, 1.0)
    names = names_of(x)
    people = respondents(x, names, weights)
    (hits, _) = twin_tables(scenarios(names), people, runs(y, names, **ITSELF), STEP)["twins"][0]
    assert hits["own"] == pytest.approx(np.average((x == y).mean(1), weights=weights), abs=1e-9)


def test_the_worst_persons_and_all_questions_are_listed():
    x = answers(60, 5, 0)
    y = x.copy()
    y[7] = 6.0 - x[7] + (x[7] == 3.0)
    _, by = tables_of(x, y)
    assert [row["name"] for row in by if row["of"] == QUESTION] == names_of(x)
    persons = [row for row in by if row["of"] == PERSON]
    assert (persons[0]["name"], len(persons)) == ("7", 20)


def test_runs_of_nobody_are_no_twins():
    x = answers(40, 3, 0)
    assert tables_of(x, x, twin_of=lambda run: [None] * len(run)) == ([], [])
    twice = tables_of(x, x, twin_of=lambda run: run // 2)
    assert twice == ([], [])  # two twins of one person
    empty = long(x[:0], names_of(x), RUNS)
    assert twin_tables(scenarios(names_of(x)), respondents(x, names_of(x)), empty, STEP) == {
        "twins": ([], TWINS),
        "twins_by": ([], TWINS_BY),
        "of_persons": ([], MEASURED),
    }


def test_answers_with_too_many_values_have_no_hits(monkeypatch):
    monkeypatch.setattr(twins, "MOST_CELLS", 40 * 3 * 4)  # five values of each answer
    x = answers(40, 3, 0)
    assert tables_of(x, x) == ([], [])


def test_the_step_writes_its_tables(tmp_path):
    x = answers(40, 3, 0)
    names = names_of(x)
    tables = {"scenarios": scenarios(names), "runs": runs(x, names, **ITSELF)}
    tables["respondents"] = respondents(x, names)
    made = call_step(twins.main, tmp_path, STEP, tables, *KINDS)
    rows = pq.read_table(made["twins"], schema=TWINS).to_pylist()
    assert [row["own"] for row in rows] == [1.0, 0.0]
    assert made["twins_csv"].read_text().startswith("simulator,topic,measure,persons")
    assert len(pq.read_table(made["twins_by"], schema=TWINS_BY)) == 3 + twins.WORST


def test_forecasts_have_no_such_table():
    assert STEPS["twins"].runs({"curves": True}) and not STEPS["twins"].runs({"curves": False})
