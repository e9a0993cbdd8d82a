"""Columns that nothing reads: those that may count answers are refused, the others are told."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from small_study import REPOSITORY
from tabular_step import answers, by, read

from fidelity_study.errors import DataError

EXAMPLE = yaml.safe_load((REPOSITORY / "config/example.yaml").read_text(encoding="utf-8"))
TOWN = EXAMPLE["datasets"]["town_survey"]
FILES = ("human", "simulated", "scenarios")
SETTINGS = {
    **{name: f"{name}.csv" for name in FILES},
    "outcome": TOWN["outcome"],
    "cluster": TOWN["cluster"],
    "simulators": ["language_model"],
}
NAMES = [
    *("n", "N", "nn", "freq", "Freq", "frequency", "prob", "p", "pr", "share", "prop", "pct", "w"),
    *("wt", "wgt", "total", "x", "count_of_answers", "Häufigkeit", "100 %", "y", "id", "year"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        text = (REPOSITORY / "config/example" / f"{name}.csv").read_text(encoding="utf-8")
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


def rename(folder, file, old, new):
    path = folder / f"{file}.csv"
    pd.read_csv(path).rename(columns={old: new}).to_csv(path, index=False)


def keys_to_write(message):
    """Return the keys that a message tells to write into the config, in its order."""
    written = re.findall(r"(columns: \{.*?\}|ignore: \[.*?\])", message)
    return [yaml.safe_load(each) for each in written]


def as_read(found):
    """Return what was read, for comparison."""
    missing = found.missing.sort_values(["scenario", "source"]).reset_index(drop=True)
    return answers(found, "human"), answers(found, "language_model"), by(missing, "count")


@pytest.mark.parametrize("files", [["human"], ["simulated"], ["human", "simulated"]])
@pytest.mark.parametrize("name", NAMES)
def test_counts_under_another_name_are_refused_with_the_key_to_write(folder, name, files):
    meant = as_read(read(**SETTINGS))
    for file in files:
        rename(folder, file, "count", name)
    with pytest.raises(DataError) as refusal:
        read(**SETTINGS)
    message = str(refusal.value)
    assert message.startswith(f"{files[0]}.csv, column {name!r}: holds numbers and is not read")
    first = keys_to_write(message)[0]
    assert first == {"columns": {"count": name}}
    assert as_read(read(**SETTINGS, **first)) == meant


@pytest.mark.parametrize("name", ["p", "prob", "share", "wt", "likelihood"])
def test_probabilities_under_another_name_are_refused_with_the_key_to_write(folder, name):
    path = folder / "simulated.csv"
    table = pd.read_csv(path).dropna()
    total = table.groupby(["scenario", "simulator"])["count"].transform("sum")
    table["count"] = (table["count"] / total).round(15)
    table.rename(columns={"count": name}).to_csv(path, index=False)
    with pytest.raises(DataError) as refusal:
        read(**SETTINGS)
    first = keys_to_write(str(refusal.value))[0]
    assert first == {"columns": {"probability": name}}
    stated = by(read(**SETTINGS, **first).stated, "probability")
    # fares: 22 of 50 agree, the first option of the file of scenarios
    assert stated["bus_fares", "language_model", 1.0] == pytest.approx(0.44)


@pytest.mark.parametrize("name", ["share", "percent", "wt", "people"])
def test_shares_of_people_are_refused_since_they_do_not_say_of_how_many(folder, name):
    path = folder / "human.csv"
    table = pd.read_csv(path).dropna()
    total = table.groupby("scenario")["count"].transform("sum")
    table["count"] = (100 * table["count"] / total).round(1).astype(str) + " %"
    table.rename(columns={"count": name}).to_csv(path, index=False)
    with pytest.raises(DataError, match=f"column '{name}'.*multiply them by the number of people"):
        read(**SETTINGS)


def test_counts_in_a_column_of_weights_are_refused(folder):
    rename(folder, "human", "count", "weight")
    with pytest.raises(DataError, match=r"human.csv, column 'weight': .* call the column count"):
        read(**SETTINGS)


def test_counts_by_group_are_refused_though_answers_repeat(folder):
    table = pd.read_csv(folder / "human.csv")
    halves = [table.assign(sex=sex, n=table["count"] // 2) for sex in "fm"]
    pd.concat(halves).drop(columns="count").to_csv(folder / "human.csv", index=False)
    with pytest.raises(DataError, match=r"column 'n': .*columns: \{count: n\}"):
        read(**SETTINGS)


def test_weights_under_another_name_are_refused_and_read_by_the_key(folder):
    rows = "scenario,value,wt\ns1,yes,1\ns1,yes,1\ns1,no,2\ns2,no,3\ns2,yes,3\n"
    (folder / "human.csv").write_text(rows, encoding="utf-8")
    files = {**SETTINGS, "cluster": "scenario", "simulators": [], "simulated": []}
    del files["scenarios"]
    with pytest.raises(DataError) as refusal:
        read(**files)
    *_, weight, ignore = keys_to_write(str(refusal.value))
    assert (weight, ignore) == ({"columns": {"weight": "wt"}}, {"ignore": ["wt"]})
    assert answers(read(**files, **weight), "human")["s1"] == {"yes": 1.5, "no": 1.5}
    assert answers(read(**files, **ignore), "human")["s1"] == {"yes": 2.0, "no": 1.0}


def respondents(people: int, numbers: bool = False) -> pd.DataFrame:
    """Return a row for each of some people in three scenarios, and what is known of them."""
    generator = np.random.default_rng(people)
    who = pd.DataFrame(
        {
            "id": np.arange(1, people + 1),
            "age": generator.integers(18, 90, people),
            "elo": generator.normal(0, 200, people).round(1),
            "sex": generator.choice(["f", "m"], people),
        }
    )
    parts = []
    for j, name in enumerate(("s1", "s2", "s3")):
        chosen, drawn = generator.choice(["yes", "no"], people), generator.normal(size=people)
        given = drawn.round(6) if numbers else chosen
        parts.append(who.assign(scenario=name, value=given, wave=2000 + j))
    return pd.concat(parts)


LEGITIMATE = {
    "a row for each person": (respondents(40), {}),
    "three people": (respondents(3), {"outcome": {"kind": "binary"}}),
    "numbers of known persons": (
        respondents(40, numbers=True),
        {"columns": {"respondent": "id"}, "outcome": {"kind": "real"}},
    ),
    "numbers, rows numbered": (
        respondents(40, numbers=True).drop(columns="age"),
        {"outcome": {"kind": "real"}},
    ),
    "one outcome each": (
        pd.DataFrame(
            {
                "scenario": [f"game {j}" for j in range(8)],
                "value": list("wlwlwwll"),
                "season": range(2001, 2009),
                "points": [3, 14, 21, 7, 0, 3, 31, 17],
            }
        ),
        {"outcome": {"kind": "binary"}},
    ),
    "counts and their percentages": (
        pd.DataFrame(
            {
                "scenario": ["s1", "s1", "s2", "s2"],
                "value": list("abab"),
                "count": [3, 4, 5, 6],
                "percent": [42.9, 57.1, 45.5, 54.5],
            }
        ),
        {},
    ),
}


@pytest.mark.parametrize("case", LEGITIMATE)
def test_columns_that_are_no_counts_are_told_and_not_refused(folder, case):
    table, settings = LEGITIMATE[case]
    table.to_csv(folder / "human.csv", index=False)
    plain = {"human": "human.csv", "cluster": "scenario", "simulators": [], **settings}
    found = read(**plain)
    counts = answers(found, "human")
    if "count" not in table:
        assert sum(sum(each.values()) for each in counts.values()) == len(table)
    named = {"scenario", "value", "count", *settings.get("columns", {}).values()}
    left = [name for name in table.columns if name not in named]
    (note,) = found.notes
    assert note.startswith(f"human.csv: not read: {', '.join(map(repr, left))};")
    assert read(**plain, ignore=left).notes == []


def test_a_file_that_is_read_wholly_has_no_note(folder):
    assert read(**SETTINGS).notes == []


def test_a_simulator_that_is_not_there_is_told_with_those_that_are(folder):
    path = folder / "simulated.csv"
    table = pd.read_csv(path)
    named = [table.assign(simulator=f"model {j}") for j in range(9)]
    pd.concat(named).to_csv(path, index=False)
    there = [f"model {j}" for j in range(9)]
    for wanted in ("all", "model"):
        with pytest.raises(DataError) as refusal:
            read(**{**SETTINGS, "simulators": [wanted]})
        message = str(refusal.value)
        assert f"simulator {wanted!r} answers in no scenario" in message
        assert f"there are: {', '.join(there)}" in message
        assert ("for all of them, write" in message) == (wanted == "all")
        if wanted == "all":
            told = yaml.safe_load(re.search(r"simulators: \[.*\]", message)[0])["simulators"]
    assert told == there
    found = read(**{**SETTINGS, "simulators": told})
    assert set(found.outcomes["source"]) == {"human", *there}
