"""Exports with questions that people answer in their own words, and names with odd spaces.

The forms are those of github.com/kwinkunks/open-source-survey-2026, Responses.csv (Google Forms),
github.com/sealuzh/quality-perception-appendix, data/results-survey.csv (LimeSurvey), and
github.com/DmPin/ChatGPT-in-Academia, Responses.csv (commas within brackets).
"""

import pandas as pd
import pytest
from tabular_step import answers, read

from fidelity_study.reading.tabular.multiple_choice import parts_of
from fidelity_study.reading.tabular.opening import opened

PEOPLE = 12
LIKED = "Did you\u00a0like  it?"
WISH = "What do you wish for?"
WAYS = ["Cost (fees, licences), Speed", "Speed", "Cost (fees, licences)"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def form(wishes: list[str], rows: int = PEOPLE) -> pd.DataFrame:
    """Return an export of Google Forms."""
    stamps = [f"3/9/2023 13:{minute:02}:06" for minute in range(rows)]
    liked = ["Yes", "No", "Yes"] * (rows // 3)
    ways = WAYS * (rows // 3)
    return pd.DataFrame({"Timestamp": stamps, LIKED: liked, WISH: wishes, "Why?": ways})


LONG = [f"I would wish for number {i} of all the things there are" for i in range(PEOPLE)]
LINES = [f"One\n{i}" for i in range(PEOPLE)]


@pytest.mark.sampled
@pytest.mark.parametrize("wishes", [LONG, LINES])
def test_answers_in_own_words_are_left_out_and_told_also_where_a_model_has_few(wishes):
    form(wishes).to_csv("human.csv", index=False)
    form(wishes[:1] * 6, rows=6).to_csv("model.csv", index=False)
    (_, told) = opened("human.csv").recognised
    assert told == f"left out, as answered in own words: {WISH!r}"
    settings = {"outcome": {"kind": "categorical"}, "multiple": ["Why?"], "simulators": ["m"]}
    found = read(human="human.csv", simulated={"m": "model.csv"}, **settings)
    assert answers(found, "human") == {
        "Did you like it?": {"Yes": 8, "No": 4},
        "Why?: Cost (fees, licences)": {"0": 4, "1": 8},
        "Why?: Speed": {"0": 4, "1": 8},
    }
    assert answers(found, "m")["Did you like it?"] == {"Yes": 4, "No": 2}


@pytest.mark.parametrize(
    "wishes",
    [
        ["A long answer that is one of three options", "Another one of the three", "b"] * 4,
        [str(i) for i in range(PEOPLE)],
    ],
)
def test_options_and_numbers_are_no_own_words(wishes):
    form(wishes).to_csv("human.csv", index=False)
    assert opened("human.csv").in_own_words == ()
    assert WISH in opened("human.csv").questions


@pytest.mark.parametrize(
    "cell, parts",
    [
        ("A (x, y, z), B (q), C", ["A (x, y, z)", "B (q)", "C"]),
        ("(a, (b, c), d)", ["(a, (b, c), d)"]),
        ("A (x, B, C", ["A (x", "B", "C"]),
        ("a), b (c, d", ["a)", "b (c", "d"]),
        ("A, , B", ["A", "B"]),
    ],
)
def test_a_comma_in_brackets_is_no_sign_between_options(cell, parts):
    assert parts_of(cell, ",") == parts
