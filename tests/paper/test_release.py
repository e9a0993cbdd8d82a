"""Answers of the release as counts, and what is said where they are others than printed."""

from types import SimpleNamespace

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
    counts, missing = release.tally(answers, THIRDS)
    assert counts.tolist() == [0, 1, 1, 2]
    assert missing == 1


def test_right_and_wrong_may_be_truth_values():
    counts, missing = release.tally(np.array([True, False, True]), [0.0, 1.0])
    assert (counts.tolist(), missing) == ([1, 2], 0)


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


def test_check_values_are_of_people(tmp_path):
    sources, people = tmp_path / "sources.yaml", {"Q1": [1, 1, 1, -1, np.nan]}
    files = SimpleNamespace(people="people.pkl", simulators=[], sources=sources)
    sources.write_text("checks: {scenarios: 1, Q1 n: 4, Q1 mean: 0.5000004}")
    responses = release.survey(questions("Q1"), people, files)
    assert release.people_found(responses) == {"scenarios": 1, "Q1 n": 4, "Q1 mean": 0.5}
    for wrong in ["Q1 mean: 0.500002", "Q1 n: 5", "Q9 n: 4"]:
        sources.write_text(f"checks: {{{wrong}}}")
        with pytest.raises(DataError, match=rf"people\.pkl: {wrong.partition(':')[0]} is"):
            release.survey(questions("Q1"), people, files)


@pytest.mark.parametrize("room", ["eedi", "opinionqa", "umar", "worldvaluesbench"])
def test_a_change_of_the_release_is_a_change_of_its_datasets(room):
    names = {path.name for path in used(ROOMS / room / "ingest.py")}
    assert {"paper_release.py", "paper_pickles.py"} <= names
