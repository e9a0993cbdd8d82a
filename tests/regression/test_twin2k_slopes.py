"""Regressions of published twins: the numbers of docs/howto/regressions.md."""

import sys

import pandas as pd
import test_regression_step
from mirror import MIRROR, mirrored
from small_study import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "benchmark"))
from twin2k import PERSON, by_person

pytestmark = mirrored(MIRROR / "twin2k_groups")
OUTCOMES = "Redistribution 1", "Redistribution 2", "Fairness", "Work vs Luck", "Trust"
PAGE = (REPOSITORY / "docs" / "howto" / "regressions.md").read_text(encoding="utf-8")


def test_twins_exaggerate_slopes_and_turn_none(tmp_path):
    groups = pd.read_csv(MIRROR / "twin2k_groups" / "derived" / "groups.csv.gz")
    names = {name: name.lower().replace(" ", "_") for name in OUTCOMES}
    rows = by_person(MIRROR / "twin2k_groups")
    people, twins = (
        rows[rows["respondent_type"] == who]
        .pivot(index=PERSON, columns="scenario", values="value")[[*OUTCOMES]]
        .rename(columns=names)
        .astype("Int64")
        .reset_index()
        for who in ("human", "twin")
    )
    people = people.merge(groups, on=PERSON)
    formulas = {name: f"{name} ~ vote2020 + home + area" for name in names.values()}
    found = test_regression_step.tables(
        tmp_path,
        people,
        {"twins": twins},
        formulas,
        columns={"respondent": PERSON},
        questions=list(names.values()),
        outcome={"kind": "bounded", "bounds": [1, 5]},
    )
    *_, row = found["regressions"]
    assert row["same_persons"] and (row["slopes"], row["same"], row["opposite"]) == (55, 10, 0)
    ends = [100 * row[f"root_mean_square_{end}"] for end in ("lower", "upper")]
    assert "off by {:.0f} to {:.0f} hundredths".format(*ends) in " ".join(PAGE.split())
    assert f"other people would be off by {100 * row['others']:.0f}" in " ".join(PAGE.split())
    slope = [row["slope"], row["slope_lower"], row["slope_upper"]]
    assert "{:.2f} [{:.2f}, {:.2f}]".format(*slope) in PAGE
