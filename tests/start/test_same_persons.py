"""Ids in people's file and a simulator's: the same persons, or rows that are numbered alike."""

from pathlib import Path

import pytest
from test_codebook import edit, started, what_is_read, write

from fidelity_study.app.start.cells import UNDECIDED

PEOPLE, FEWER = 60, 40


def rows(ids, facts, shift=0):
    """Return a file with a row for each person: an id, perhaps two facts, and two answers."""
    header = "id,age,sex,q1,q2" if facts else "id,q1,q2"
    lines = []
    for at, name in enumerate(ids):
        person = (at * 7 + shift) % 50
        fact = f"{20 + person},{'fm'[person * person % 3 % 2]}," if facts else ""
        lines.append(f"{name},{fact}{1 + at % 5},{1 + at * 3 % 5}")
    return "\n".join([header, *lines, ""])


CASES = {
    "facts differ": (range(PEOPLE), range(PEOPLE), True, 13, UNDECIDED),
    "facts agree": (range(PEOPLE), range(PEOPLE), True, 0, 0),
    "numbered, as many": (range(PEOPLE), range(PEOPLE), False, 0, UNDECIDED),
    "numbered, fewer": (range(1, PEOPLE + 1), range(1, FEWER + 1), False, 0, UNDECIDED),
    "numbers of persons": (range(300, 300 + PEOPLE), range(300, 300 + FEWER), False, 0, 0),
    "names": ([f"p{i}" for i in range(PEOPLE)], [f"p{i}" for i in range(FEWER)], False, 0, 0),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", CASES)
def test_ids_that_may_be_nobody_s_are_asked_about(here, capsys, case):
    people, simulated, facts, shift, status = CASES[case]
    write({"p.csv": rows(people, facts), "m.csv": rows(simulated, facts, shift)})
    options = ["--ignore", "age", "--ignore", "sex"] if facts else []
    started(["p.csv", "m.csv", *options], status)
    if not status:
        assert what_is_read().runs["respondent"].notna().all()
        return
    likely = "respondent" if case == "numbered, as many" else "ignore"
    assert f"columns.csv: m.csv, id: {likely}?" in capsys.readouterr().err
    started(["p.csv", "m.csv", *options, "--accept"])
    edit("columns", {"file": "m.csv", "column": "id"}, use="ignore")
    read = what_is_read()
    assert read.runs["respondent"].isna().all()
    assert read.by_respondent["respondent"].nunique() == len(people)
    edit("columns", {"file": "m.csv", "column": "id"}, use="respondent")
    twins = what_is_read().runs["respondent"]
    assert twins.notna().all() and twins.nunique() == len(simulated)
    assert Path("s.yaml").exists()
