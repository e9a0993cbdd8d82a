"""Answers of the release as counts, and what is said of those that cannot be counted."""

import numpy as np
import pandas as pd
import paper_release as release
import pytest

from fidelity_study.digest import used
from fidelity_study.errors import DataError
from fidelity_study.root import ROOMS

THIRDS = [-1.0, -0.333333333333, 0.333333333333, 1.0]


@pytest.mark.parametrize(
    "answers",
    [
        pd.Series([1.0, -1 / 3, np.nan, 1 / 3, 1.0], index=[9, 8, 7, 6, 5]),
        np.array([1.0, -1 / 3, None, 1 / 3, 1.0], dtype=object),
        [1, -1 / 3, None, 1 / 3, 1],
    ],
)
def test_answers_fall_on_the_nearest_score(answers):
    counts, missing = release.tally(answers, THIRDS, origin="people.pkl", question="Q1")
    assert counts.tolist() == [0, 1, 1, 2]
    assert missing == 1


def test_right_and_wrong_may_be_truth_values():
    counts, missing = release.tally(
        np.array([True, False, True]), [0.0, 1.0], origin="people.pkl", question="3"
    )
    assert (counts.tolist(), missing) == ([1, 2], 0)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([1.0, 0.5], r"people\.pkl, question Q1: holds 0\.5, which is no option's score \(-1, "),
        ([1.0, np.inf], "holds inf, which is no option's score"),
        (["1.0", "a lot"], "people.pkl, question Q1: holds an answer that is no number"),
        ({"a": 1}, "holds no list of answers but a dict"),
        ([[1.0, 1.0]], "holds no list of answers but a list"),
    ],
)
def test_what_cannot_be_counted_is_told(answers, message):
    with pytest.raises(DataError, match=message):
        release.tally(answers, THIRDS, origin="people.pkl", question="Q1")


def questions(*names):
    count = len(names)
    return pd.DataFrame(
        {
            "scenario": names,
            "cluster": names,
            "description": names,
            "value": [[0, 1]] * count,
            "option": [["no", "yes"]] * count,
            "score": [[-1.0, 1.0]] * count,
        }
    )


def test_people_have_to_answer_every_question():
    with pytest.raises(DataError, match=r"people\.pkl: has no question Q2 \(2 in all\)"):
        release.survey(
            questions("Q1", "Q2", "Q3"), {"Q1": [1]}, {}, "sources.yaml", origin="people.pkl"
        )


def test_check_values_are_of_people(tmp_path):
    found = release.people_found(
        release.survey(
            questions("Q1"), {"Q1": [1, 1, 1, -1, np.nan]}, {}, "sources.yaml", origin="people.pkl"
        )
    )
    assert found == {"scenarios": 1, "Q1 n": 4, "Q1 mean": 0.5}
    sources = tmp_path / "sources.yaml"
    sources.write_text("checks: {scenarios: 1, Q1 n: 4, Q1 mean: 0.5000004}")
    release.verify(found, sources, origin="people.pkl")
    for wrong in ["Q1 mean: 0.500002", "Q1 n: 5", "Q9 n: 4"]:
        sources.write_text(f"checks: {{{wrong}}}")
        with pytest.raises(DataError, match=rf"people\.pkl: {wrong.partition(':')[0]} is"):
            release.verify(found, sources, origin="people.pkl")


def test_a_table_without_the_column_is_told():
    with pytest.raises(DataError, match=r"people\.pkl, question 3: has no column 'IsCorrect'"):
        release.columns({"3": pd.DataFrame({"a": [1]})}, "IsCorrect", "people.pkl")


def test_a_pointer_in_the_place_of_json_is_told(tmp_path):
    file = tmp_path / "scores.json"
    file.write_text("version https://git-lfs.github.com/spec/v1\nsize 3\n")
    with pytest.raises(DataError, match=r"scores\.json: is no JSON .* Git LFS pointer"):
        release.read_json(file)


@pytest.mark.parametrize("room", ["eedi", "opinionqa", "umar", "worldvaluesbench"])
def test_a_change_of_the_release_is_a_change_of_its_datasets(room):
    names = {path.name for path in used(ROOMS / room / "ingest.py")}
    assert {"paper_release.py", "paper_pickles.py"} <= names
