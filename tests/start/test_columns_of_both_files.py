"""Columns that say which version, group, wave or language an answer is of: asked, not compared."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from test_codebook import cells, edit, started, undecided, what_is_read, write

from fidelity_study.app.start.cells import UNDECIDED

LISTS = ["Bus", "Train", "Car; Bus", "Bus", "Car", "Train"]


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "by_form", "is_sorted"),
    [("Ballot", False, False), ("zweig", True, False), ("zweig", False, True)],
)
def test_the_version_of_a_row_is_no_question(here, capsys, name, by_form, is_sorted):
    people, model = split_ballot(name, by_form=by_form)
    model = model.sort_values(["simulator", name]) if is_sorted else model
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


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "takes_turns", "status"),
    [("hCell", False, UNDECIDED), ("zweig", True, UNDECIDED), ("zweig", False, 0)],
)
def test_a_key_of_codes_says_what_groups_are(here, capsys, name, takes_turns, status):
    """People have codes, simulators labels; the key has the groups beside the questions."""
    people, model = split_ballot(name, by_form=False)
    model = model.replace({name: {"A": "Concept A", "B": "Concept B"}})
    if takes_turns:
        model[name] = ["Concept A", "Concept B"] * 60
    lines = ["question,code,label", f"{name},1,Concept A", f"{name},2,Concept B"]
    lines += ["allow,1,yes", "allow,2,no", "spend,1,more", "spend,2,same", "spend,3,less"]
    codes = {"A": 1, "B": 2, "yes": 1, "no": 2, "more": 1, "same": 2, "less": 3}
    people = people.map(codes.get)
    people.to_csv("p.csv", index=False)
    model.to_csv("m.csv", index=False)
    write({"key.csv": "\n".join(lines)})
    started(["p.csv", "m.csv", "key.csv"], status)
    assert (f"p.csv, {name}: group?" in capsys.readouterr().err) == bool(status)
    if status:
        started(["p.csv", "m.csv", "key.csv", "--accept"])
        read = shares(what_is_read().outcomes)
        expected = people.query(f"{name} == 1")["allow"].value_counts()
        assert read["allow | Concept A", "human"] == sorted(expected)


def test_answers_in_equal_parts_by_chance_are_answers(here):
    people, model = split_ballot("zweig", by_form=False)
    people.to_csv("p.csv", index=False)
    model.to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"])
    assert {row["question"] for row in cells("questions")} == {"zweig", "spend", "allow"}


@pytest.mark.slow
def test_a_version_may_be_a_question(here):
    people, model = split_ballot("group", by_form=False)
    people.to_csv("p.csv", index=False)
    model.to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    edit("columns", {"file": "p.csv", "column": "group"}, use="question")
    started(["p.csv", "m.csv"])
    assert {row["question"] for row in cells("questions")} == {"group", "spend", "allow"}


NAMED = ["belong", "tools", "manager"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "texts", "left_out", "questions", "proposal"),
    [
        ("variant", ["control", "A_savings", "B_social"], 0, NAMED, "group"),
        ("Message version", ["control", "A_savings", "B_social"], 0, NAMED, "group"),
        ("Department", ["Sales", "Finance", "Operations"], 1, NAMED, "ignore"),
        ("Department", ["Sales", "Finance", "Operations"], 0, NAMED, "ignore"),
        ("Squad", ["Sales", "Finance", "Operations"], 1, NAMED, "group"),
        ("Squad", ["Sales", "Finance", "Operations"], 0, NAMED, ""),
        ("Squad", ["Sales", "Finance", "Operations"], 0, ["Q1", "Q2", "Q3"], ""),
        ("useful", ["yes", "no"], 1, NAMED, ""),
        ("useful", ["agree", "disagree", "neither"], 1, NAMED, ""),
    ],
)
def test_words_of_their_own_that_have_all_answers_part_people(
    here, capsys, name, texts, left_out, questions, proposal
):
    rng = np.random.default_rng(0)
    for file, n in (("p.csv", 120), ("m.csv", 77)):
        rows = pd.DataFrame({name: rng.choice(texts, n)})
        for question in questions:
            rows[question] = rng.choice(["agree", "neither", "disagree"], n)
        if file == "p.csv":
            rows.loc[: left_out - 1, questions[1]] = None
        else:
            rows["model"] = "m"
        rows.to_csv(file, index=False)
    started(["p.csv", "m.csv"], UNDECIDED if proposal else 0)
    asked = f"columns.csv: p.csv, {name}: {proposal}"
    assert (asked in capsys.readouterr().err) == bool(proposal)


CONCEPTS = ["Concept A", "Concept B", "Concept C"]


def concept_test(ours, theirs, seed=0):
    """Return people's answers, a column for each question, and a simulator's, a row for each."""
    rng = np.random.default_rng(seed)
    draw = {"size": 90, "p": [0.5, 0.3, 0.2]}
    people = pd.DataFrame(
        {ours: CONCEPTS * 30, "buy": rng.choice(["no", "perhaps", "yes"], **draw)}
    )
    people.insert(0, "why", [f"as {at}" for at in range(90)])
    model = pd.DataFrame({theirs: CONCEPTS[::-1] * 30})
    model["scenario"], model["value"] = "buy", rng.choice(["yes", "no", "perhaps"], **draw)
    return people, model.assign(simulator="m")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("names", "way"),
    [
        (("Concept", "concept"), "accepted"),
        (("Concept", "stimulus"), "accepted"),
        (("Concept", "stimulus"), "cells"),
        (("Concept", "stimulus"), "option"),
        (("cell", "cell"), "option"),
    ],
)
def test_a_group_may_be_spelled_otherwise_in_each_file(here, names, way):
    people, model = concept_test(*names)
    people.to_csv("p.csv", index=False)
    model.to_csv("m.csv", index=False)
    named = ["--groups", names[0]] if way == "option" else []
    status = UNDECIDED if way != "option" or names[1] == "stimulus" else 0
    started(["p.csv", "m.csv", *named], status)
    if status and way == "cells":
        for file, name in zip(["p.csv", "m.csv"], names, strict=True):
            edit("columns", {"file": file, "column": name}, use="group")
    if status:
        started(["p.csv", "m.csv", *named, *(["--accept"] if way != "cells" else [])])
    read = what_is_read()
    assert not any("speaks for" in str(note) for note in read.notes)
    expected = {}
    for source, name, table in (("human", names[0], people), ("m", names[1], model)):
        for concept, rows in table.groupby(name):
            answers = rows["buy" if "buy" in rows else "value"]
            expected[f"buy | {concept}", source] = sorted(answers.value_counts())
    assert shares(read.outcomes[read.outcomes["count"] > 0]).to_dict() == expected


def test_ids_of_people_are_seen_by_their_cells(here, capsys):
    people, model = concept_test("cell", "cell")
    people.insert(0, "PROLIFIC", [f"{at * 7919 % 99991:05x}f" for at in range(90)])
    model = model.assign(twin_of=people["PROLIFIC"]).drop(columns="cell")
    people.to_csv("p.csv", index=False)
    model.to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    assert "PROLIFIC and 1 more: respondent?" in capsys.readouterr().err
    started(["p.csv", "m.csv", "--accept"])
    read = what_is_read()
    answers = people.set_index("PROLIFIC")["buy"], model.set_index("twin_of")["value"]
    paired = pd.concat(answers, axis=1)
    both = read.runs.merge(read.by_respondent, on="respondent", suffixes=("_run", "_person"))
    assert sorted(both.groupby(["value_run", "value_person"]).size()) == sorted(
        paired.groupby(["buy", "value"]).size()
    )


@pytest.mark.sampled
@pytest.mark.parametrize("use", ["simulator", "ignore"])
def test_settings_that_differ_within_a_model_are_asked_about(here, capsys, use):
    people, model = concept_test("cell", "other")
    model = model.assign(temperature=[0, 0.7, 1] * 30, seed=range(90)).drop(columns="other")
    people.drop(columns="cell").to_csv("p.csv", index=False)
    model[["temperature", *model.columns.drop("temperature")]].to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    assert "columns.csv: m.csv, temperature: simulator?" in capsys.readouterr().err
    started(["p.csv", "m.csv", "--accept"])
    edit("columns", {"file": "m.csv", "column": "temperature"}, use=use)  # and run at once
    outcomes = what_is_read().outcomes
    number = outcomes[outcomes["source"].astype(str) != "human"].groupby("source")["count"].sum()
    assert [*number[number > 0]] == ([30] * 3 if use == "simulator" else [90])


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["wide", "long"])
def test_a_wave_in_which_persons_answer_once_is_proposed_with_them(here, capsys, form):
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"pid": [*range(500, 540)] * 2, "wave": [1] * 40 + [2] * 40})
    model = pd.DataFrame({"simulator": "m", "wave": [1] * 20 + [2] * 20})
    for rows in (people, model):
        for name in ("tax", "guns"):
            rows[name] = rng.choice(["yes", "no"], len(rows))
    for path, rows in (("p.csv", people), ("m.csv", model)):
        kept = [name for name in rows if name not in ("tax", "guns")]
        long = rows.melt(kept, var_name="scenario", value_name="value")
        (long if form == "long" else rows).to_csv(path, index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    told = capsys.readouterr().err
    assert "p.csv, wave: wave?" in told and "p.csv, pid: respondent?" in told
    started(["p.csv", "m.csv", "--accept"])
    read = what_is_read()
    assert set(read.scenarios["scenario"]) == {
        f"{q} | {w}" for q in ("tax", "guns") for w in (1, 2)
    }
    assert read.by_respondent["respondent"].nunique() == 40


@pytest.mark.slow
def test_what_effects_of_conditions_need_is_asked(here, capsys):
    people, model = split_ballot("arm", by_form=False)
    words = {"spend": {"more": "zop", "same": "zap", "less": "zip"}, "allow": {}}
    for path, rows in (("p.csv", people), ("m.csv", model)):
        rows.assign(spend=rows["spend"].replace(words["spend"])).to_csv(path, index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    edit("columns", {"file": "p.csv", "column": "arm"}, use="condition")
    capsys.readouterr()
    started(["p.csv", "m.csv"], 1)
    assert "--control A\n" in capsys.readouterr().err
    started(["p.csv", "m.csv", "--control", "B"], UNDECIDED)
    told = capsys.readouterr().err
    assert "questions.csv: spend: leave out?" in told and "order" not in told.partition("Dec")[2]
    edit("questions", {"question": "spend"}, use="compare")
    started(["p.csv", "m.csv", "--control", "B"], UNDECIDED)
    assert "questions.csv: * kind: ordinal?" in capsys.readouterr().err
    started(["p.csv", "m.csv", "--control", "B", "--accept"], UNDECIDED)
    assert "--levels" not in capsys.readouterr().err
    for place, text in enumerate(["zip", "zap", "zop"], 1):
        edit("labels", {"text": text}, order=str(place))
    for place, text in enumerate(["no", "yes"], 1):
        edit("labels", {"text": text}, order=str(place))
    started(["p.csv", "m.csv", "--control", "B"])
    table = what_is_read().scenarios
    assert sorted(map(tuple, table["option"])) == [("no", "yes")] * 2 + [("zip", "zap", "zop")] * 2


SCALES = {
    "de": ["stimme nicht zu", "teils teils", "stimme zu"],
    "fr": ["pas d'accord", "neutre", "d'accord"],
    "xx": ["ba", "bi", "bo"],
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("other", "way", "column"),
    [("fr", "accepted", "Sprache"), ("xx", "cells", "country")],
)
def test_options_in_two_languages_are_asked_about(here, capsys, other, way, column):
    rng = np.random.default_rng(2)
    steps = {name: rng.integers(0, 3, 120) for name in ("q1", "q2")}
    languages = np.array(["de"] * 70 + [other] * 50)
    for path, part in (("p.csv", slice(None)), ("m.csv", slice(30, 100))):
        rows = pd.DataFrame({column: languages[part]})
        for name, places in steps.items():
            pairs = zip(languages[part], places[part], strict=True)
            rows[name] = [SCALES[language][step] for language, step in pairs]
        if path == "m.csv":  # a row for each answer
            rows[column] = rows[column].replace({"de": "German", other: "Other"})
            rows = rows.assign(simulator="m").melt([column, "simulator"], var_name="scenario")
        rows.to_csv(path, index=False)
    pairs = [*zip(SCALES[other], SCALES["de"], strict=True)]
    files = ["p.csv", "m.csv", f"columns.csv: {column}: ignore"]
    started(files, UNDECIDED)
    told = capsys.readouterr().err
    assert (f"{SCALES[other][0]}: {SCALES['de'][0]}?" in told) == (other == "fr")
    if way == "cells":
        for text, means in pairs:
            started(files, UNDECIDED)  # as long as one is open
            edit("labels", {"text": text}, means=means)
    started([*files, *(["--accept"] if way == "accepted" else [])])
    read = what_is_read()
    assert {*map(tuple, read.scenarios["option"])} == {tuple(SCALES["de"])}
    counts = shares(read.outcomes)
    for name, places in steps.items():
        assert counts[name, "human"] == sorted(np.bincount(places))
        assert counts[name, "m"] == sorted(np.bincount(places[30:100]))


def test_parties_of_countries_are_options(here):
    rng = np.random.default_rng(3)
    places = rng.integers(0, 3, (4, 90))
    rows = pd.DataFrame({"country": ["A"] * 50 + ["B"] * 40})
    rows["vote"] = [("abc" if at < 50 else "xyz")[step] for at, step in enumerate(places[0])]
    for name, steps in zip(("tax", "guns", "trust"), places[1:], strict=True):
        rows[name] = np.array(["low", "middle", "high"])[steps]
    rows.to_csv("p.csv", index=False)
    rows.drop(columns="country").assign(simulator="m").to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"])


def test_what_each_simulated_row_repeats_of_its_person_is_no_question(here):
    rng = np.random.default_rng(4)
    names = {"id": np.arange(300, 340), "party": rng.integers(1, 8, 40)}
    people = pd.DataFrame({**names, "heat": rng.integers(1, 5, 40), "tax": rng.integers(1, 5, 40)})
    people.to_csv("p.csv", index=False)
    drawn = {name: rng.integers(1, 5, 80) for name in ("heat", "tax")}
    pd.concat([people, people]).assign(**drawn).to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    proposed = {row["column"]: row["proposal"] for row in undecided("columns")}
    assert proposed == {"party": "ignore"}


HEADS = {
    "ess": {
        "pspwght": "Post-stratification weight including design weight",
        "anweight": "Analysis weight",
        "pweight": "Population size weight (must be combined with dweight or pspwght)",
        "dweight": "Design weight",
    },
    "hrs": {
        **{"r13wtresp": "w13 r-level weight", "r15wtresp": "w15 r-level weight"},
        **{"r13bmi": "w13 Body Mass Index", "raestrat": "sampling stratum"},
        "raehsamp": "sampling error unit",
    },
    "inegi": {"UPM": "", "EST_DIS": "", "UPM_DIS": "", "FAC_ELE": ""},
    "anes": {"V200010b": ""},
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("survey", "options", "proposed"),
    [
        ("ess", [], {"anweight": "weight"}),
        ("hrs", [], {"r15wtresp": "weight", "raestrat": "stratum", "raehsamp": "psu"}),
        ("inegi", [], {"FAC_ELE": "weight", "EST_DIS": "stratum", "UPM_DIS": "psu"}),
        ("inegi", ["--psu", "UPM"], {"FAC_ELE": "weight", "EST_DIS": "stratum", "UPM": "psu"}),
        ("anes", [], {"V200010b": "weight"}),
    ],
)
def test_of_several_weights_and_columns_of_a_design_the_right_ones_are_proposed(
    here, survey, options, proposed
):
    rng = np.random.default_rng(4)
    labels = {**HEADS[survey], "r15a": "Trust", "r15b": "Taxes"}
    answers = {name: rng.integers(1, 5, 60) for name in ("r15a", "r15b")}
    cells = {
        **dict.fromkeys(("UPM", "UPM_DIS", "raehsamp"), np.arange(60) // 2),
        **dict.fromkeys(("EST_DIS", "raestrat"), np.arange(60) // 10),
        "FAC_ELE": 120 + np.arange(60) * 37,
    }
    weights = rng.permutation(np.linspace(0.4, 1.6, 60).round(3))
    people = {name: cells.get(name, answers.get(name, weights)) for name in labels}
    pyreadstat.write_sav(pd.DataFrame(people), "p.sav", column_labels=labels)
    pd.DataFrame(answers).sample(frac=1, random_state=1).to_csv("m.csv", index=False)
    started(["p.sav", "m.csv", *options], UNDECIDED)
    asked = {row["column"]: row["proposal"] for row in undecided("columns")}
    assert {name: use for name, use in asked.items() if use != "ignore"} == proposed
    assert "r13bmi" not in asked


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
    "facts agree": (range(PEOPLE), range(PEOPLE), True, 0, 0),
    "facts differ": (range(PEOPLE), range(PEOPLE), True, 13, UNDECIDED),
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
    options = ["columns.csv: age: ignore", "columns.csv: sex: ignore"] if facts else []
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


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("form", "first", "proposal"),
    [
        ("wide", "p", "respondent"),
        ("wide", 1001, "respondent"),
        ("wide", 1, "ignore"),  # may number rows
        ("long", 1001, "respondent"),
        ("long", 1, "ignore"),
        ("lines", 1, ""),  # numbers lines, and not persons
        ("objects", "p", "respondent"),  # of answers
    ],
)
def test_a_column_of_both_files_names_persons_by_its_cells(here, form, first, proposal):
    ids = [f"p{i}" if first == "p" else first + i for i in range(PEOPLE)]
    frame = pd.DataFrame({"persona": ids, "q1": ["yes", "no", "no"] * 20, "q2": ["no", "yes"] * 30})
    if form in ("long", "lines"):
        frame = frame.melt("persona", var_name="question", value_name="answer")
    for name, part in {"p": frame, "m": frame[frame["persona"].isin(ids[:FEWER])]}.items():
        lines = {"persona": range(1, len(part) + 1)} if form == "lines" else {}
        model = {"model": "m"} if name == "m" else {}
        part.assign(**lines, **model).to_csv(f"{name}.csv", index=False)
    model_file = "m.csv"
    if form == "objects":
        rows = [{"persona": who, "a": {"q1": "yes", "q2": "no"}} for who in ids[:FEWER]]
        model_file = "m.jsonl"
        pd.DataFrame(rows).to_json(model_file, orient="records", lines=True)
    started(["p.csv", model_file], UNDECIDED if proposal else 0)
    proposed = {row["proposal"] for row in cells("columns") if row["use"] == "?"}
    assert proposed == {proposal} - {""}
    started(["p.csv", model_file, "--accept", "--force"])
    twins = what_is_read().runs["respondent"].notna()
    assert twins.all() if proposal == "respondent" else not twins.any()


WEIGHTED = "weight,heat\n" + "".join(f"{0.5 + i % 3 / 4},{i * 7 % 100}\n" for i in range(60))
MODEL = "heat\n" + "".join(f"{i * 11 % 100}\n" for i in range(40))


def test_the_range_of_numbers_is_asked_where_people_have_weights(here, capsys):
    write({"p.csv": WEIGHTED, "m.csv": MODEL})
    started(["p.csv", "m.csv", "--kind", "real"], UNDECIDED)
    told = capsys.readouterr().err
    assert "people have weights, and answers are numbers without a known range" in told
    assert "questions.csv: * kind: bounded?" in told
    started(["p.csv", "m.csv", "--kind", "real", "--accept"])
    assert what_is_read().scenarios["upper"].tolist() == [99.0]
    started(["p.csv", "m.csv", "--kind", "real", "columns.csv: weight: ignore"])


def log_probabilities(orders, letter="letter", run="order"):
    """Return stated log probabilities of options, in shuffled orders."""
    rng = np.random.default_rng(1)
    rows = []
    for order in range(1, orders + 1):
        for question, options in (("vote", ["yes", "no", "unsure"]), ("trust", ["low", "high"])):
            shares = 0.9 * rng.dirichlet([2.0] * len(options))
            for place, at in enumerate(rng.permutation(len(options))):
                rows.append((question, order, "ABC"[place], options[at], np.log(shares[at])))
    return pd.DataFrame(rows, columns=["question", run, letter, "option", "logprob"])


@pytest.mark.sampled
@pytest.mark.parametrize(("letter", "run"), [("letter", "order"), ("token", "perm")])
@pytest.mark.parametrize("is_ignored", [False, True])
def test_a_letter_is_no_simulator_and_an_order_is_a_statement(here, letter, run, is_ignored):
    """Each file is one simulator, whose statements are averaged, also where orders are ignored."""
    people = {"vote": ["yes", "no", "unsure"] * 20, "trust": ["low", "high", "low"] * 20}
    pd.DataFrame(people).to_csv("p.csv", index=False)
    for name in ("one", "two"):
        log_probabilities(12, letter, run).to_csv(f"{name}.csv", index=False)
    started(["p.csv", "one.csv", "two.csv"], UNDECIDED)
    uses = {row["column"]: row["proposal"] for row in cells("columns") if row["use"] == "?"}
    assert uses == {run: "respondent"}
    edit("columns", {"column": run}, use="ignore" if is_ignored else "respondent")
    started(["p.csv", "one.csv", "two.csv"])
    stated = what_is_read().stated
    assert {*stated["source"].astype(str)} >= {"one", "two"}
    of_files = stated[stated["source"].isin(["one", "two"])]
    assert (of_files["statements"] == 12).all()


def test_numbers_of_two_files_name_simulators_behind_their_files(here):
    """Neither counts together with the other, though both are called 1."""
    pd.DataFrame({"vote": ["yes", "no"] * 20}).to_csv("p.csv", index=False)
    for name, votes in (("one", ["yes"] * 9 + ["no"]), ("two", ["yes"] + ["no"] * 9)):
        answers = {"simulator": [1, 2] * 5, "vote": votes}
        pd.DataFrame(answers).to_csv(f"{name}.csv", index=False)
    started(["p.csv", "one.csv", "two.csv"])
    counts = what_is_read().outcomes.groupby("source", observed=True)["count"].sum()
    assert counts.drop("human").to_dict() == {f"{n} {i}": 5 for n in ("one", "two") for i in (1, 2)}


@pytest.mark.sampled
@pytest.mark.parametrize(("raw", "price"), [("raw", "cost_usd"), ("reply", "priceEur")])
def test_a_price_is_no_probability_beside_distributions_and_their_text(here, capsys, raw, price):
    people = {"vote": ["yes", "no"] * 20, "trust": ["low", "high"] * 20}
    pd.DataFrame(people).to_csv("p.csv", index=False)
    records = [
        {"model": "m", "item": name, "run": run, raw: json.dumps(share), "shares": share}
        | {price: 0.001 * run}
        for name, options in (("vote", ["yes", "no"]), ("trust", ["low", "high"]))
        for run in range(1, 7)
        for share in [{options[0]: 50 + run, options[1]: 50 - run}]
    ]
    Path("m.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    started(["p.csv", "m.jsonl"], UNDECIDED)
    asked = [(row["column"], row["proposal"]) for row in cells("columns") if row["use"] == "?"]
    assert asked == [("run", "respondent")]
    edit("columns", {"column": "run"}, use="respondent")
    edit("columns", {"column": price}, use="ignore")
    started(["p.csv", "m.jsonl"])
    assert (what_is_read().stated["probability"] > 0.4).all()


def test_ids_of_requests_that_have_ids_of_people_are_asked_about(here):
    ids = [1000 + 37 * place for place in range(30)]
    people = pd.DataFrame({"pnr": ids, "vote": ["yes", "no"] * 15, "trust": ["low", "high"] * 15})
    people.to_csv("p.csv", index=False)
    answers = {"vote": "yes", "trust": "low"}
    lines = [
        {
            "custom_id": f"pnr-{pnr}_{name}",
            "response": {"body": {"model": "m", "choices": [choice]}},
        }
        for pnr in ids
        for name in answers
        for choice in [{"message": {"content": answers[name]}}]
    ]
    Path("m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    started(["p.csv", "m.jsonl"], UNDECIDED)
    rows = [row for row in cells("columns") if row["use"] == "?"]
    assert {(row["column"], row["proposal"]) for row in rows} == {("pnr", "respondent")}


def test_an_end_that_a_question_of_a_battery_lacks_is_a_cell(here):
    steps = [str(step) for step in range(11)]
    people = pd.DataFrame({"a": steps * 6, "b": [step or "0" for step in steps] * 6})
    people.loc[people["b"] == "0", "b"] = "1"
    people.to_csv("p.csv", index=False)
    people.assign(simulator="m").iloc[::-1].to_csv("m.csv", index=False)
    started(["p.csv", "m.csv", "--kind", "ordinal"], UNDECIDED)
    asked = [row for row in cells("questions") if "?" in (row["lower"], row["upper"])]
    assert [row["proposal"] for row in asked] == ["0 | 10"]


def test_a_key_in_one_object_allows_several_options_there_alone(here, capsys):
    rows = [{"a.q": text, "b.q": text.lower()} for text in LISTS * 20]
    for path in ("p.csv", "m.csv"):
        pd.DataFrame(rows).to_csv(path, index=False)
    started(["p.csv", "m.csv", "--multiple", "a.q"], UNDECIDED)
    assert "questions.csv: b.q several: yes?" in capsys.readouterr().err
