"""A text that hardly anybody answers becomes an option of its own: this is told first."""

import pandas as pd
import pytest
from tabular_step import answers, read

from fidelity_study.errors import DataError, in_yaml
from fidelity_study.reading.tabular.doubtful import _spellings, codes_of_nothing, strays

QUESTIONS = ["fares", "lanes", "parks"]


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Write answers to 3 questions by 110 people and 110 runs, and return all notes on them."""
    monkeypatch.chdir(tmp_path)

    def notes(stray, times=1, questions=QUESTIONS, **settings):
        rows = [(name, "agree", 70) for name in questions]
        rows += [(name, "disagree", 40) for name in questions]
        rows = pd.DataFrame(rows, columns=["scenario", "value", "count"])
        rows.to_csv("human.csv", index=False)
        other = rows.assign(count=rows["count"].where(rows["value"] == "agree", 30 + 3 * times))
        other = pd.concat([other, pd.DataFrame([{**rows.iloc[0], "value": stray, "count": times}])])
        other.assign(simulator="model").to_csv("simulated.csv", index=False)
        files = {"human": "human.csv", "simulated": "simulated.csv"}
        found = read(**files, outcome={"kind": "categorical"}, simulators=["model"], **settings)
        return list(map(str, found.notes))

    return notes


@pytest.mark.parametrize(
    ("stray", "more"),
    [
        ("agre", "; if it is another spelling, put recode: {agre: agree} in the config"),
        ("As an AI, I can't", ""),
    ],
)
def test_one_stray_text_among_hundreds_of_answers_is_told_first(told, stray, more):
    first, *_ = told(stray)
    assert first == (
        f"simulated.csv: {stray!r} counts as an option that hardly anybody gives (1 of 214"
        " answers), and a uniform guess gives it as much as any other; if it is no answer, put"
        f" {in_yaml({'missing': [stray]})[1:-1]} in the config{more}"
    )


def test_an_option_that_some_people_give_is_no_stray_text(told):
    assert not any("hardly anybody" in each for each in told("other", times=5))


@pytest.mark.parametrize(
    ("label", "given", "answers", "is_stray"),
    [
        ("agre", 1, 660, True),
        ("agre", 3, 660, True),
        ("agre", 4, 6600, False),
        ("agre", 1, 199, False),
        ("agre", 1, 200, True),
        ("7", 1, 660, False),
        ("don't know", 1, 660, False),
    ],
)
def test_a_stray_text_is_one_of_hundreds_of_answers_and_no_number(label, given, answers, is_stray):
    assert strays({label: (given, answers), "agree": (answers - given, answers)}) == (
        [label] if is_stray else []
    )


def test_texts_at_both_ends_of_a_scale_of_numbers_are_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ends = {"1": "Not at all", "10": "Completely"}
    steps = [ends.get(str(step), str(step)) for step in range(1, 11)]
    frame = pd.DataFrame({"trust": steps * 9, "vote": ["yes", "no", "spoilt"] * 30})
    frame.to_csv("human.csv", index=False)
    frame.iloc[:50].to_csv("model.csv", index=False)
    found = read(human="human.csv", simulated={"model": "model.csv"})
    assert answers(found, "human")["trust"] == dict.fromkeys(steps, 9)
    assert any("'Not at all', 'Completely' of 'trust'" in str(note) for note in found.notes)


@pytest.mark.parametrize("texts", [["Other", "Nothing"], ["Not at all", "Refused"], ["Never"]])
def test_other_texts_among_numbers_are_refused(tmp_path, monkeypatch, texts):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"trust": ["1", "2", "3", "4", *texts] * 9})
    frame.to_csv("human.csv", index=False)
    frame.to_csv("model.csv", index=False)
    with pytest.raises(DataError):
        read(human="human.csv", simulated={"model": "model.csv"})


@pytest.mark.parametrize(
    ("code", "is_code"), [("99999999", True), ("99999", True), ("-1", True), ("30000", False)]
)
def test_nines_and_a_minus_one_stand_apart_from_amounts(code, is_code):
    amounts = [str(1000 * step) for step in range(10, 60, 3)]
    assert codes_of_nothing([*amounts, code]) == ([code] if is_code else [])


def test_a_simulators_weights_are_told_as_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "q1,q2,weight\n" + "yes,no,1.5\nno,no,0.5\nno,yes,2\n" * 4
    for name in ("human.csv", "simulated.csv"):
        (tmp_path / name).write_text(rows, encoding="utf-8")
    files = {"human": "human.csv", "simulated": {"model": "simulated.csv"}, "cluster": "none"}
    found = read(**files, simulators=["model"], outcome={"kind": "categorical"})
    assert any("simulated.csv: not read: 'weight'" in str(note) for note in found.notes)
    assert answers(found, "model")["q1"] == {"yes": 4.0, "no": 8.0}
    assert answers(found, "human")["q1"] == {"yes": 4.5, "no": 7.5}


def test_a_spreadsheets_date_may_be_a_range():
    assert {"2-1", "1-2"} <= _spellings("02-Jan") & _spellings("2-jan")


def test_of_many_rare_texts_none_is_stray():
    """As of brands or places; a typing error is one of few."""
    places = {f"place {i}": (3.0, 1600.0) for i in range(100)}
    common = {f"town {i}": (20.0, 1600.0) for i in range(60)}
    assert strays(places | common) == []
    few = dict([*places.items()][:9])
    assert strays(few | common) == [*few]
