"""Columns that say which version, group, wave or language an answer is of: asked, not compared."""

import numpy as np
import pandas as pd
import pytest
from test_codebook import cells, edit, started, what_is_read

from fidelity_study.app.start.cells import UNDECIDED


def split_ballot(name, *, by_form, seed=0):
    """Return people's answers and two simulators', half of whose rows are of each form.

    Args:
        name: of the column with the form.
        by_form: whether one of the questions is put in form A only.
    """
    rng = np.random.default_rng(seed)
    people, one, other = (
        pd.DataFrame(
            {
                name: rng.permutation(["A"] * (n - some) + ["B"] * some),
                "spend": rng.choice(["more", "same", "less"], n, p=[0.5, 0.3, 0.2]),
                "allow": rng.choice(["yes", "no"], n, p=[0.6, 0.4]),
            }
        )
        for n, some in ((180, 80), (60, 30), (60, 30))
    )
    model = pd.concat([one.assign(simulator="one"), other.assign(simulator="other")])
    for rows in (people, model) if by_form else ():
        rows.loc[rows[name] == "B", "allow"] = None
    return people, model


def shares(table):
    """Return how many gave each answer, by question, group and source."""
    named = table.assign(scenario=table["scenario"].astype(str), source=table["source"].astype(str))
    return named.groupby(["scenario", "source"])["count"].apply(lambda x: sorted(map(int, x)))


@pytest.mark.parametrize(("name", "by_form"), [("Ballot", False), ("zweig", True)])
def test_the_version_of_a_row_is_no_question(here, capsys, name, by_form):
    people, model = split_ballot(name, by_form=by_form)
    people.to_csv("p.csv", index=False)
    model.to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    assert f"columns.csv: p.csv, {name}: group?" in capsys.readouterr().err
    started(["p.csv", "m.csv", "--accept"])
    read = what_is_read().outcomes
    sides = people.assign(simulator="human"), model
    expected = {}
    for question in ("spend", "allow"):
        for (form, source), rows in pd.concat(sides).dropna().groupby([name, "simulator"]):
            counts = rows[question].value_counts()
            expected[f"{question} | {form}", source] = sorted(counts)
    read = shares(read[read["count"] > 0])
    if by_form:
        read = read[[scenario.startswith("allow") for scenario, _ in read.index]]
        expected = {key: n for key, n in expected.items() if key[0].startswith("allow")}
    assert read.to_dict() == expected


def test_a_version_may_be_a_question(here):
    people, model = split_ballot("group", by_form=False)
    people.to_csv("p.csv", index=False)
    model.to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    edit("columns", {"file": "p.csv", "column": "group"}, use="question")
    started(["p.csv", "m.csv"])
    assert {row["question"] for row in cells("questions")} == {"group", "spend", "allow"}
