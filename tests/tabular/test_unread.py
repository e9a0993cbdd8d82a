"""Columns that nothing reads: those that may count answers are refused, the others are told."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from parameters import quick
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
    written = re.findall(r"(columns: \{.*?\}|(?:ignore|questions): \[.*?\])", message)
    return [yaml.safe_load(each) for each in written]


def as_read(found):
    """Return what was read, for comparison."""
    missing = found.missing.sort_values(["scenario", "source"]).reset_index(drop=True)
    return answers(found, "human"), answers(found, "language_model"), by(missing, "count")


FILE_LISTS = [["human"], ["simulated"], ["human", "simulated"]]


@pytest.mark.slow
@pytest.mark.parametrize("files", quick(FILE_LISTS, only=FILE_LISTS[:1]))
@pytest.mark.parametrize("name", quick(NAMES, only=NAMES[::4]))
def test_counts_under_another_name_are_refused_with_the_key_to_write(folder, name, files):
    meant = as_read(read(**SETTINGS))
    for file in files:
        rename(folder, file, "count", name)
    with pytest.raises(DataError) as refusal:
        read(**SETTINGS)
    message = str(refusal.value)
    assert message.startswith(f"{files[0]}.csv, column {name!r}: holds numbers and is not read")
    first = keys_to_write(message)[0]
    if "human" in files and ("%" in name or name == "pct"):
        assert first == {"columns": {"percent": name}}  # no number of people by its name
        return
    assert first == {"columns": {"count": name}}
    assert as_read(read(**SETTINGS, **first)) == meant


@pytest.mark.sampled
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
    with pytest.raises(DataError, match=f"column '{name}': holds .*percentages"):
        read(**SETTINGS)


def test_counts_in_a_column_of_weights_are_refused(folder):
    rename(folder, "human", "count", "weight")
    with pytest.raises(DataError, match=r"human.csv, column 'weight': .* call the column count"):
        read(**SETTINGS)


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


@pytest.mark.sampled
@pytest.mark.parametrize("case", LEGITIMATE)
def test_columns_that_are_no_counts_are_told_and_not_refused(folder, case):
    table, settings = LEGITIMATE[case]
    table.to_csv(folder / "human.csv", index=False)
    plain = {"human": "human.csv", "cluster": "none", "simulators": [], **settings}
    found = read(**plain)
    counts = answers(found, "human")
    if "count" not in table:
        assert sum(sum(each.values()) for each in counts.values()) == len(table)
    named = {"scenario", "value", "count", *settings.get("columns", {}).values()}
    left = [name for name in table.columns if name not in named]
    (note,) = found.notes
    assert str(note).startswith(f"human.csv: not read: {', '.join(map(repr, left))};")
    assert read(**plain, ignore=left).notes == []


def test_a_file_that_is_read_wholly_has_no_note(folder):
    assert read(**SETTINGS).notes == []


ALONE = {"human": "human.csv", "cluster": "none", "simulators": []}
ODD_CELLS = {
    "suppressed": "<5",
    "a star": "*",
    "a full stop": ".",
    "a dash": "-",
    "thousands by a space": "1 234",
    "thousands by an apostrophe": "1'234",
    "thousands by commas": '"1,234,567"',
    "with its share": "41 (77%)",
    "with a word": "41 people",
    "a code": "-9",
}


def refused(folder, rows, file="human", **settings):
    """Return the message for a file; the key to write is checked to stand in it."""
    (folder / f"{file}.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(DataError) as refusal:
        read(**{**ALONE, **settings})
    return str(refusal.value)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["n", "freq", "N.", "votes", "n_obs"])
@pytest.mark.parametrize("cell", ODD_CELLS.values(), ids=ODD_CELLS)
def test_one_cell_that_is_no_plain_number_does_not_hide_counts(folder, name, cell):
    message = refused(folder, f"scenario,value,{name}\na,yes,41\na,no,{cell}\nb,yes,5\nb,no,4\n")
    assert message.startswith(f"human.csv, column {name!r}: holds numbers and is not read")
    assert keys_to_write(message) == [
        {"columns": {"count": name}}
    ]  # no way to take a row for a person


def test_logarithms_of_answers_that_were_drawn_state_nothing(folder):
    rows = "scenario,simulator,value,run,logprob\n" + "".join(
        f"{name},m,{answer},{run},{-0.1 - run / 9:.3f}\n"
        for name in "ab"
        for run, answer in enumerate(("yes", "yes", "no"))
    )
    (folder / "human.csv").write_text("scenario,value,count\na,yes,3\na,no,1\nb,yes,1\nb,no,1\n")
    message = refused(folder, rows, "simulated", simulated="simulated.csv", simulators=["m"])
    assert "column 'logprob'" in message


BY_GROUP = "scenario,value,sex,{}\n" + "".join(
    f"{scenario},{value},{sex},{3 + 7 * j}\n"
    for j, (scenario, value, sex) in enumerate(
        (a, b, c) for a in ("a", "b") for b in ("yes", "no") for c in "fm"
    )
)
GROUPED = [
    *("votes", "people", "answers", "obs", "n_obs", "cases", "responses", "n_people", "size"),
    *("number", "Anzahl", "N.", "n1", "weighted_n", "hits", "stimmen"),
]


@pytest.mark.sampled
@pytest.mark.parametrize("name", GROUPED)
def test_counts_by_group_are_refused_whatever_their_name(folder, name):
    message = refused(folder, BY_GROUP.format(name))
    assert message.startswith(f"human.csv, column {name!r}: ")
    assert keys_to_write(message)[0] == {"columns": {"count": name}}


SHARES = {"A": (22, 35, 43), "B": (61, 20, 18), "C": (5, 50, 46)}
SAYS = [("scenario", "value", "party", "n", "pct"), ("pct", "n", "scenario", "party", "value")]


def shares_by_group(numbers) -> pd.DataFrame:
    """Return percentages of three options by group, with ``numbers`` of group and option."""
    rows = [
        (question, value, group, numbers(group, place), share)
        for question in ("q1", "q2")
        for group, shares in SHARES.items()
        for place, (value, share) in enumerate(zip("xyz", shares, strict=True))
    ]
    return pd.DataFrame(rows, columns=SAYS[0])


@pytest.mark.parametrize("columns", SAYS)
@pytest.mark.parametrize("settings", [{"groups": ["party"]}, {"ignore": ["party"]}, {}])
def test_percentages_by_group_are_of_the_base_that_is_repeated(folder, settings, columns):
    table = shares_by_group(lambda group, _: {"A": 128, "B": 141, "C": 119}[group])
    message = refused(folder, table[[*columns]].to_csv(index=False), **settings)
    assert message.startswith("human.csv, column 'pct': holds percentages")
    assert "columns: {percent: pct}, base: n in the config" in message


@pytest.mark.parametrize("columns", SAYS)
def test_a_number_that_differs_between_options_is_no_base(folder, columns):
    table = shares_by_group(lambda group, place: SHARES[group][place] * 3)
    text = table[[*columns]].to_csv(index=False)
    message = refused(folder, text, groups=["party"])
    assert "base: n" not in message
    named = {"columns": {"percent": "pct"}, "base": "n", "groups": ["party"]}
    message = refused(folder, text, **named)
    assert message.startswith("human.csv, column 'n': has several numbers for the answers of")


def test_sums_of_weights_by_group_are_refused(folder):
    message = refused(folder, BY_GROUP.format("weight"))
    assert "column 'weight'" in message
    assert "call the column count" in message


def test_a_weight_beside_a_count_is_of_each_person_if_it_is_named(folder):
    rows = "scenario,value,count,weight\na,yes,3,1.5\na,no,2,4\n"
    message = refused(folder, rows)
    assert "if it is the sum, divide it by 'count' before" in message
    assert keys_to_write(message) == [{"columns": {"weight": "weight"}}]
    named = read(**ALONE, columns={"weight": "weight"})
    # 3 people of weight 1.5 and 2 of weight 4, 5 people in all
    assert answers(named, "human")["a"] == pytest.approx({"yes": 5 * 4.5 / 12.5, "no": 3.2})


def test_one_label_in_two_spellings_does_not_hide_counts(folder):
    message = refused(folder, "scenario,value,stimmen\na,1,41\na,1.0,3\na,2,90\nb,1,5\nb,2,80\n")
    assert keys_to_write(message)[0] == {"columns": {"count": "stimmen"}}


def test_a_respondent_column_of_simulators_does_not_hide_counts(folder):
    (folder / "human.csv").write_text("scenario,value,count\na,yes,3\na,no,1\n")
    rows = "scenario,simulator,value,respondent,{}\na,m,yes,1,41\na,m,no,2,59\n"
    for name in ("freq", "stimmen"):
        message = refused(
            folder, rows.format(name), "simulated", simulated="simulated.csv", simulators=["m"]
        )
        assert message.startswith(f"simulated.csv, column {name!r}")


@pytest.mark.parametrize("name", ["n", "wt", "votes"])
def test_a_respondent_column_that_numbers_the_rows_does_not_hide_counts(folder, name):
    rows = f"id,scenario,value,{name}\n1,a,yes,41\n2,a,no,59\n3,b,yes,10\n4,b,no,90\n"
    message = refused(folder, rows, columns={"respondent": "id"})
    assert message.startswith(f"human.csv, column {name!r}")
    assert keys_to_write(message)[0] == {"columns": {"count": name}}


ROLE_BY_NAME = {
    **dict.fromkeys(["n", "Freq", "prob", "pct"]),
    **dict.fromkeys(["wt", "w", "weights", "pspwght", "WTSSALL", "rakedweight"], "weight"),
    **dict.fromkeys(["gewicht", "poids", "ponderador", "waga", "\u6743\u91cd"], "weight"),
    **dict.fromkeys(["id", "ID", "case_id"], "respondent"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", ROLE_BY_NAME)
def test_a_wide_file_makes_no_scenario_of_counts_weights_and_persons(folder, name):
    message = refused(folder, f"{name},q1,q2\n17,yes,no\n18,yes,yes\n19,no,no\n")
    assert message.startswith("human.csv: a wide file has a column for each question, but")
    assert f"{name!r} (a name of " in message
    role = ROLE_BY_NAME[name]
    ways = [*([{"columns": {role: name}}] if role else []), {"ignore": [name]}]
    ways.append({"questions": ["q*"]})
    assert keys_to_write(message) == ways
    for way in ways[:-1] if role == "weight" else ways:
        assert set(answers(read(**ALONE, **way), "human")) == {"q1", "q2"}
