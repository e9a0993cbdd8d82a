"""Regressions of a study: from files with facts on persons to slopes of both sides."""

import numpy as np
import pandas as pd
import pytest
from tabular_step import read, tables_of

from fidelity.regression import Covariates, compare_slopes, joined_slopes, linear_slopes
from fidelity_study.config.study import Study as Config
from fidelity_study.errors import DataError
from fidelity_study.reading.settings import facts_of, with_levels
from fidelity_study.steps.regressions import Study, regression_tables

OUTCOME = {"kind": "ordinal", "levels": [1, 2, 3, 4, 5]}
TRUST, ECON = "trust ~ age + party", "econ ~ age"
PARTIES = np.array(["Left", "Right", "None"])


def persons(n, seed, age=0.5, spread=15.0):
    """Return invented persons whose answers depend on their age and party."""
    rng = np.random.default_rng(seed)
    ages, party = rng.normal(45, spread, n).round(), rng.choice(3, n, p=[0.5, 0.3, 0.2])
    trait = age * (ages - 45) / 15 + 0.6 * (party == 1) + rng.normal(size=n)
    answers = [np.clip(np.round(3 + trait + rng.normal(size=n)), 1, 5) for _ in range(2)]
    return pd.DataFrame(
        {
            "id": [f"{seed}_{number}" for number in range(n)],
            "age": ages.astype(int),
            "party": PARTIES[party],
            "trust": answers[0].astype(int),
            "econ": answers[1].astype(int),
        }
    )


def tables(folder, people, simulated, regressions=None, **settings):
    """Return the rows of both tables by name."""
    regressions = regressions or {"trust": TRUST}
    files = {"people": people, **simulated}
    for name, frame in files.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    found = read(
        human=str(folder / "people.csv"),
        simulated={name: str(folder / f"{name}.csv") for name in simulated},
        simulators=list(simulated),
        facts=facts_of(regressions),
        **{
            "columns": {"respondent": "id"},
            "questions": ["trust", "econ"],
            "outcome": OUTCOME,
            **settings,
        },
    )
    made = tables_of(found, settings.get("outcome", OUTCOME)["kind"])
    study = Study(
        made["scenarios"],
        *(made[name].to_pandas() for name in ("respondents", "runs")),
        made["facts"].to_pandas().astype({"fact": object, "text": object}),
        "town",
    )
    step = {"simulators": list(simulated), "regressions": regressions, "test": {"alpha": 0.05}}
    step["uses"] = {"declared": [], "limits": {}}
    return {name: rows for name, (rows, _) in regression_tables(study, step).items()}


@pytest.fixture(scope="module")
def people():
    return persons(600, 1)


def by_hand(frame, question="trust"):
    """Return the slopes of a table, with people's commonest party as the base."""
    columns = [frame["age"], frame["party"] == "Right", frame["party"] == "None"]
    facts = Covariates(
        np.stack(columns, 1).astype(float),
        names=["age", "party Right", "party None"],
        terms=["age", "party", "party"],
    )
    return linear_slopes(facts, (frame[question] - 3) / 2, outcomes=["trust"])


def test_slopes_are_those_of_the_library(tmp_path, people):
    model = persons(400, 2, age=-0.5)
    found = tables(tmp_path, people, {"model": model})
    compared = compare_slopes(by_hand(people), by_hand(model))
    (row,) = found["regressions"]
    assert (row["people"], row["runs"], row["slopes"], row["same_persons"]) == (600, 400, 3, False)
    assert row["root_mean_square"] == pytest.approx(compared.root_mean_square.estimate, abs=1e-9)
    assert row["slope_upper"] == pytest.approx(compared.slope.upper, abs=1e-9)
    assert [slope["column"] for slope in found["slopes"]] == ["age", "party Right", "party None"]
    for name, expected in (("people", compared.people), ("difference", compared.difference)):
        for end, values in zip(("", "_lower", "_upper"), expected, strict=True):
            there = [slope[f"{name}{end}"] for slope in found["slopes"]]
            assert there == pytest.approx(values.tolist(), abs=1e-9)
    assert [slope["sign"] for slope in found["slopes"]] == compared.signs
    assert compared.signs[0] == "opposite"


def test_several_regressions_hold_together(tmp_path, people):
    model = persons(400, 2)
    found = tables(tmp_path, people, {"model": model}, {"trust": TRUST, "econ": ECON})
    *each, both = found["regressions"]
    assert [row["regression"] for row in each] == ["trust", "econ"] and both["regression"] is None
    assert both["slopes"] == len(found["slopes"]) == 4
    sides = []
    for frame in (people, model):
        age = Covariates(frame[["age"]], names=["age"])
        econ = linear_slopes(age, (frame["econ"] - 3) / 2, outcomes=["econ"])
        sides.append(joined_slopes([by_hand(frame), econ], [range(len(frame))] * 2))
    compared = compare_slopes(*sides)
    assert both["root_mean_square_upper"] == pytest.approx(compared.root_mean_square.upper)
    assert found["slopes"][3]["standardised_lower"] == pytest.approx(compared.standardised.lower[3])
    alone = tables(tmp_path, people, {"model": model})["slopes"]
    width = [rows[0]["people_upper"] - rows[0]["people_lower"] for rows in (found["slopes"], alone)]
    assert width[0] > width[1]  # four slopes at once are less sure than three


def test_twins_are_compared_person_by_person(tmp_path, people):
    rng = np.random.default_rng(5)
    moved = np.clip(people["trust"] + rng.choice([-1, 0, 1], len(people), p=[0.1, 0.8, 0.1]), 1, 5)
    twins = people[["id"]].assign(trust=moved, econ=people["econ"])
    found = tables(tmp_path, people, {"twins": twins, "others": persons(600, 6)})
    rows = {row["simulator"]: row for row in found["regressions"]}
    assert rows["twins"]["same_persons"] and not rows["others"]["same_persons"]
    half = {name: row["root_mean_square_upper"] for name, row in rows.items()}
    assert half["twins"] < half["others"] / 2
    compared = compare_slopes(
        by_hand(people), by_hand(people.assign(trust=moved)), same_persons=True
    )
    assert rows["twins"]["root_mean_square_upper"] == pytest.approx(
        compared.root_mean_square.upper, abs=1e-9
    )


def test_answers_of_one_persona_are_one_unit(tmp_path, people):
    once = persons(100, 7)
    several = pd.concat([once] * 4, ignore_index=True)
    found = tables(tmp_path, people, {"once": once, "again": several})
    widths = {}
    for row in found["slopes"]:
        widths.setdefault(row["simulator"], []).append(row["slope_upper"] - row["slope_lower"])
    assert widths["again"] == pytest.approx(widths["once"], rel=0.05)


def test_what_is_left_out_is_told(tmp_path, people):
    model = persons(400, 2, spread=5.0)
    model.loc[:19, "party"] = "Green"
    model.loc[20:29, "age"] = None
    (row,) = tables(tmp_path, people, {"model": model})["regressions"]
    assert row["runs"] == 370
    assert "a fact is not known: people 0, runs 10" in row["warning"]
    assert "one side alone has it: party Green" in row["warning"]
    shifted = persons(400, 2).assign(age=lambda frame: frame["age"] + 20)
    (row,) = tables(tmp_path, people, {"model": shifted})["regressions"]
    assert row["warning"].startswith("mean of age: people 4")


@pytest.mark.parametrize(
    ("change", "lacking"),
    [
        (lambda frame: frame.drop(columns=["age", "id"]), "the facts of the formula"),
        (lambda frame: frame[frame["party"] != "None"].head(3), "2 slopes need 4 persons or more"),
        (lambda frame: frame.assign(party="Left"), "party has no 2 levels that both sides have"),
    ],
)
def test_what_cannot_be_fitted_says_why(tmp_path, people, change, lacking):
    found = tables(tmp_path, people, {"model": change(persons(300, 2))})
    (row,) = found["regressions"]
    assert lacking in row["lacking"] and not found["slopes"]


def test_a_logit_has_average_marginal_effects(tmp_path, people):
    both = [
        frame.assign(trust=(frame["trust"] > 3).astype(int), econ=(frame["econ"] > 3).astype(int))
        for frame in (people, persons(400, 2, age=-0.5))
    ]
    found = tables(
        tmp_path,
        both[0],
        {"model": both[1]},
        {"trust": "logit(trust) ~ age", "econ": "logit(econ) ~ age"},
        outcome={"kind": "binary"},
    )
    *alone, both = found["regressions"]
    assert all(row.get("lacking") is None and row["model"] == "logit" for row in alone)
    assert all(0.005 < slope["people"] < 0.03 for slope in found["slopes"])
    squares = [row["root_mean_square"] ** 2 for row in alone]
    assert min(squares) > 0.0  # so that the mean over both terms is that of the two regressions
    assert both["root_mean_square"] ** 2 == pytest.approx(np.mean(squares))


def test_a_question_that_is_not_there_is_refused(tmp_path, people):
    with pytest.raises(DataError, match=r"no question 'trusst' .* did you mean trust"):
        tables(tmp_path, people, {"model": people}, {"trust": "trusst ~ age"})


@pytest.mark.parametrize("formula", ["trust", "trust ~", "~ age", "trust ~ age +* b"])
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(DataError) as error:
        with_levels({"regressions": {"trust": formula}})
    assert [fault.code for fault in error.value.faults] == ["no-formula"]


def test_facts_are_no_questions(tmp_path, people):
    people.to_csv(tmp_path / "people.csv", index=False)
    people.to_csv(tmp_path / "model.csv", index=False)
    config = {
        "datasets": {
            "town": {
                "ingest": "tabular",
                "human": str(tmp_path / "people.csv"),
                "simulated": str(tmp_path / "model.csv"),
                "ignore": ["id"],
                "outcome": OUTCOME,
                "simulators": ["model"],
                "regressions": {"trust": TRUST},
            }
        }
    }
    options = Config(config).datasets["town"]["options"]
    assert options["facts"] == ["age", "party"]
