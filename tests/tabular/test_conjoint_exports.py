"""Conjoints as survey programs export them: Qualtrics, a row a person, and EDSL."""

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mirror import MIRROR, mirrored
from tabular_step import read

from fidelity_study.errors import DataError
from fidelity_study.reading.settings import with_levels

REAL = MIRROR / "qualtrics_exports/projoint/inst/extdata/mummolo_nall_replication.csv.gz"
SHOWN = {"Price": ["500", "800"], "Brand": ["ours", "theirs"]}


def qualtrics(persons=30, answer=lambda profile: f"Phone {'AB'[profile]}", seed=0):
    """Return an export with its three rows of header, and the profiles in it, a row each."""
    rng, rows, profiles = np.random.default_rng(seed), [], []
    for person in range(persons):
        row = {"ResponseId": f"R_{person}", "Finished": "True"}
        for task in (1, 2):
            names = rng.permutation(list(SHOWN))
            chosen = int(rng.integers(2))
            for profile in range(2):
                levels = {name: str(rng.choice(SHOWN[name])) for name in names}
                profiles.append({**levels, "person": person, "chosen": int(profile == chosen)})
                for at, name in enumerate(names, 1):
                    row[f"F-{task}-{at}"] = name
                    row[f"F-{task}-{profile + 1}-{at}"] = levels[name]
            row[f"Q{task}"] = answer(chosen)
        rows.append(row)
    table = pd.DataFrame(rows)
    wording = [f"Which? [Field-F-{n[1]}-1-1]" if n in ("Q1", "Q2") else n for n in table]
    ids = [f'{{"ImportId":"{"QID" + n[1] if n in ("Q1", "Q2") else n}"}}' for n in table]
    header = pd.DataFrame([wording, ids], columns=table.columns)
    return pd.concat([header, table]), pd.DataFrame(profiles)


def answers(**settings):
    complete = {"human": "people.csv", "simulated": "models.csv", "outcome": {"kind": "binary"}}
    complete |= {"effects": {"attributes": list(SHOWN)}, **settings}
    complete = with_levels(complete)
    return read(**{key: value for key, value in complete.items() if key != "effects"})


@pytest.fixture(autouse=True)
def models():
    """Profiles that a model saw, in EDSL's columns."""
    table = qualtrics(20, seed=1)[1].drop(columns="person")
    table = table.rename(columns={"chosen": "answer.chosen"} | {n: f"scenario.{n}" for n in SHOWN})
    table["model.model"], table["agent.agent_name"] = "model", "a"
    table.to_csv("models.csv", index=False)


def by_its_line(questions, **settings):
    """Return what is read after people's file is turned by the line of its refusal."""
    with pytest.raises(DataError) as error:
        answers(**settings)
    (fault,) = error.value.faults
    assert fault.code == "tasks-in-columns"
    table = pd.read_csv("people.csv", skiprows=[1, 2]).query("Finished")
    known = {"table": table, "pd": pd, "questions": questions}
    rows = eval(re.search("in pandas, `(.+?)`", str(fault))[1], known)
    rows.to_csv("people.csv", index=False)


@pytest.mark.sampled
@pytest.mark.parametrize("coded", [lambda profile: f"Phone {'AB'[profile]}", lambda at: at + 1])
def test_tasks_of_qualtrics_are_profiles_by_the_line_of_their_refusal(coded):
    export, profiles = qualtrics(answer=coded)
    export.to_csv("people.csv", index=False)
    by_its_line(["Q1", "Q2"])
    found = answers()
    given = found.by_respondent
    assert given["psu"].nunique() == 30 and given["respondent"].nunique() == 120
    for name, levels in SHOWN.items():
        for level in levels:
            mean = given.loc[given["scenario"] == f"chosen | {name} | {level}", "value"].mean()
            assert mean == profiles.loc[profiles[name] == level, "chosen"].mean()
    assert len(found.runs) == 160 and set(found.runs["source"]) == {"model"}


@pytest.mark.slow
@mirrored(REAL)
def test_a_published_export():
    """Of 483 people who finished, 400 saw the tasks, eight each."""
    Path("people.csv").write_bytes(gzip.decompress(REAL.read_bytes()))
    table = pd.read_csv("people.csv", dtype=str, skiprows=[1, 2]).query("Finished == 'True'")
    rows = pd.DataFrame({"School Quality": ["5 out of 10", "9 out of 10"] * 9, "simulator": "m"})
    rows["Housing Cost"] = ["15% of pre-tax income", "30% of pre-tax income"] * 9
    rows.assign(chosen=[0, 1] * 9).to_csv("models.csv", index=False)
    effects = {"attributes": ["School Quality", "Housing Cost"]}
    by_its_line([f"Q4.{task + 1}" for task in range(1, 9)], effects=effects)
    wanted = ["respondent", *effects["attributes"], "chosen"]
    pd.read_csv("people.csv")[wanted].dropna().to_csv("people.csv", index=False)
    given = answers(effects=effects, simulators=["m"]).by_respondent
    assert given["psu"].nunique() == 400 and given["respondent"].nunique() == 6400
    good = []
    for task in range(1, 9):
        for profile, letter in ((1, "A"), (2, "B")):
            for at in range(1, 8):
                is_good = (table[f"K-{task}-{at}"] == "School Quality") & (
                    table[f"K-{task}-{profile}-{at}"] == "9 out of 10"
                )
                there = table.loc[is_good, f"Q4.{task + 1}"].dropna()
                good += (there.str.endswith(letter)).tolist()
    ours = given.loc[given["scenario"] == "chosen | School Quality | 9 out of 10", "value"]
    assert len(ours) == len(good) and ours.mean() == pytest.approx(np.mean(good), abs=1e-12)
