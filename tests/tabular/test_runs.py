"""Answers of simulators' runs: who gave which, and whose twin a run is."""

import pandas as pd
from tabular_step import read

PEOPLE = "id,q1,q2\na,1,2\nb,2,2\nc,1,1\nd,2,1\n"


def runs_of(folder, simulated, people=PEOPLE, **settings):
    for name, text in (("people.csv", people), ("model.csv", simulated)):
        (folder / name).write_text(text, encoding="utf-8")
    found = read(human=str(folder / "people.csv"), simulated=str(folder / "model.csv"), **settings)
    return found, [
        tuple(None if pd.isna(cell) else cell for cell in row)
        for row in found.runs[["scenario", "source", "run", "value", "respondent"]].to_numpy()
    ]


def test_each_row_of_a_wide_file_is_a_run(tmp_path):
    text = "simulator,q1,q2\nmodel,1,2\nmodel,2,\nother,1,1\n"
    _, rows = runs_of(tmp_path, text, ignore=["id"], simulators=["model", "other"])
    assert sorted(rows) == [
        ("q1", "model", 0, 1.0, None),
        ("q1", "model", 1, 2.0, None),
        ("q1", "other", 2, 1.0, None),
        ("q2", "model", 0, 2.0, None),
        ("q2", "other", 2, 1.0, None),
    ]


def test_twins_have_the_names_of_persons(tmp_path):
    text = "simulator,id,q1,q2\nmodel,c,1,2\nmodel,a,2,1\nmodel,z,2,2\n"
    found, rows = runs_of(tmp_path, text, columns={"respondent": "id"})
    numbers = found.by_respondent.set_index(["scenario", "respondent"])["value"]
    assert [row[4] for row in rows if row[0] == "q1"] == [2, 0, None]
    assert numbers["q1"].to_list() == [1.0, 2.0, 1.0, 2.0]


def test_runs_of_a_long_file_are_named(tmp_path):
    people = "respondent,scenario,value\n" + "".join(
        f"{name},{question},{1 + (name in 'bd')}\n" for question in ("q1", "q2") for name in "abcd"
    )
    lines = [f"model,{run},{q},{v}\n" for run, q, v in ((1, "q1", 1), (1, "q2", 2), (2, "q1", 2))]
    head = "simulator,respondent,scenario,value\n"
    _, rows = runs_of(tmp_path, head + "".join(lines), people)
    assert [row[:4] for row in rows] == [
        ("q1", "model", 0, 1.0),
        ("q2", "model", 0, 2.0),
        ("q1", "model", 1, 2.0),
    ]
    _, rows = runs_of(tmp_path, head + "".join([*lines, "model,1,q1,2\n"]), people)
    assert rows == []  # a run that answers twice is none


def test_counts_have_no_runs(tmp_path):
    people = "scenario,value,count\nq1,1,20\nq1,2,10\n"
    _, rows = runs_of(tmp_path, "simulator,scenario,value,count\nmodel,q1,1,3\n", people)
    assert rows == []
