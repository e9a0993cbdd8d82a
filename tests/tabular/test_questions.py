"""Which columns of a wide file are questions, and which cells are no answers to some of them."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from parameters import quick
from small_study import REPOSITORY
from tabular_step import answers, by, read

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.questions import _share

PEOPLE = 60


def survey(**columns):
    """Write a wide file of people, with more columns, and a simulator's answers to q1 to q4."""
    generator = np.random.default_rng(5)
    asked = [f"q{j}" for j in range(1, 5)]
    answers = {name: generator.integers(1, 6, PEOPLE) for name in asked}
    pd.DataFrame({**columns, **answers}).to_csv("human.csv", index=False)
    model = pd.DataFrame({name: generator.integers(1, 6, 30) for name in asked})
    model.insert(0, "simulator", "model")
    model.to_csv("simulated.csv", index=False)


def studied(**settings):
    outcome = settings.pop("outcome", {"kind": "ordinal", "levels": [1, 2, 3, 4, 5]})
    return read(human="human.csv", simulated="simulated.csv", outcome=outcome, **settings)


SPREAD = np.linspace(0.2, 3, PEOPLE)
ODD = {
    "ResponseId": ([f"R_{i}" for i in range(PEOPLE)], "a name of persons"),
    "wgt": (SPREAD.round(2), "a name of weights"),
    "Age": ([20 + i % 50 for i in range(PEOPLE)], "a name of facts"),
    "StartDate": (["2026-01-02 10:00"] * PEOPLE, "a name of facts"),
    "v7": ([f"2026-01-{1 + i % 9:02}" for i in range(PEOPLE)], "dates"),
    "v8": (SPREAD.round(1), "numbers with decimals"),
    "v9": ([f"I think {i}" for i in range(PEOPLE)], "many more different cells"),
    "v10": ([1 + i % 2 for i in range(PEOPLE)], "no simulator answers"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", ODD)
def test_a_column_that_may_be_no_question_is_refused(name):
    survey(**{name: ODD[name][0]})
    with pytest.raises(DataError) as error:
        studied(outcome={"kind": "categorical"})
    assert f"{name!r} ({ODD[name][1]}" in str(error.value)


@pytest.mark.slow
def test_all_such_columns_are_told_at_once_and_either_key_settles_them():
    survey(**{name: cells for name, (cells, _) in ODD.items()})
    with pytest.raises(DataError) as error:
        studied(outcome={"kind": "categorical"})
    (message,) = str(error.value).splitlines()
    assert all(repr(name) in message for name in ODD)
    assert "columns: {respondent: ResponseId, weight: wgt}" in message
    assert f"ignore: [{', '.join(ODD)}]" in message
    assert "questions: [q*]" in message
    with pytest.raises(DataError, match="'wgt': the name suggests people's weights"):
        studied(questions=["q*"])
    by_pattern = studied(questions=["q*"], ignore=["wgt"])
    ignored = studied(ignore=list(ODD))
    pd.testing.assert_frame_equal(by_pattern.outcomes, ignored.outcomes)
    assert list(by_pattern.scenarios.index) == ["q1", "q2", "q3", "q4"]
    assert any(
        note.startswith("human.csv: not read: 'ResponseId'") for note in map(str, by_pattern.notes)
    )


def test_columns_in_the_file_of_scenarios_are_questions_whatever_their_names():
    survey(Age=[1 + i % 5 for i in range(PEOPLE)])
    rows = "".join(f"{name},a topic\n" for name in ["Age", "q1", "q2", "q3", "q4"])
    Path("scenarios.csv").write_text(f"scenario,topic\n{rows}")
    assert "Age" in studied(scenarios="scenarios.csv").scenarios.index


def test_questions_may_be_few_and_weights_and_respondents_stay():
    survey(id=range(PEOPLE), w=SPREAD)
    found = studied(
        questions=["q1", "q[23]"], columns={"respondent": "id", "weight": "w"}, ignore=["q4"]
    )
    assert list(found.scenarios.index) == ["q1", "q2", "q3"]
    assert (found.scenarios["n_effective"] < PEOPLE).all()


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["q*", "Q5"], "datasets.d.questions: no column fits 'Q5'"),
        (["trust_*"], "no column fits 'trust_*'"),
    ],
)
def test_a_pattern_that_fits_nothing_is_refused(questions, said):
    survey()
    with pytest.raises(DataError, match="no column fits") as error:
        studied(questions=questions)
    assert said.replace("datasets.d.", "") in str(error.value)


def test_a_file_of_questions_is_no_pattern():
    survey()
    Path("questions.csv").write_text("scenario,question\nq1,Do you?\n")
    with pytest.raises(DataError, match="this is a file") as error:
        studied(questions=["questions.csv"])
    (problem,) = error.value.faults
    assert [remedy.settings for remedy in problem.remedies] == [{"scenarios": "questions.csv"}]


def test_questions_are_for_wide_files():
    Path("human.csv").write_text("scenario,value\nq1,1\nq1,2\n")
    Path("simulated.csv").write_text("scenario,simulator,value\nq1,model,1\n")
    with pytest.raises(DataError, match="no file is wide"):
        studied(questions=["q1"])


def counts(found, source="human"):
    rows = found.missing[found.missing["source"] == source]
    return dict(zip(rows["scenario"], rows["count"], strict=True))


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["wide", "long"])
def test_a_code_is_no_answer_where_it_is_meant_so_and_an_answer_elsewhere(form):
    rooms = [1, 2, 3, 9, 9] * 12
    hours = [7, 8, 9, 10, 6] * 12
    table = pd.DataFrame({"rooms": rooms, "hours": hours})
    files = {"human": table, "simulated": table.assign(simulator="model")}
    for name, each in files.items():
        by = [column for column in each if column == "simulator"]
        if form == "long":
            each = each.melt(by, var_name="scenario")
        each.to_csv(f"{name}.csv", index=False)
    found = studied(outcome={"kind": "real"}, missing_in={"roo*": [9]})
    assert counts(found) == counts(found, "model") == {"rooms": 24}
    assert found.scenarios.loc["rooms", "value"] == [1, 2, 3]
    assert found.scenarios.loc["hours", "value"] == [6, 7, 8, 9, 10]
    alone = studied(outcome={"kind": "real"}, missing_in={"*": [9]})
    assert counts(alone) == {"rooms": 24, "hours": 12}


def test_a_pattern_of_missing_in_that_fits_nothing_is_refused():
    survey()
    with pytest.raises(DataError, match=r"no scenario fits 'q9'; there are: 'q1', 'q2'"):
        studied(missing_in={"q9": [5]})


REFUSALS = ["I cannot answer that.", "As an AI, I have no opinion"]


@pytest.fixture
def refusing():
    survey()
    rows = [["q1", "model", each] for each in ["1", "2", *REFUSALS, "2"]]
    rows += [[f"q{j}", "model", "3"] for j in (2, 3, 4)]
    table = pd.DataFrame(rows, columns=["scenario", "simulator", "value"])
    table.to_csv("simulated.csv", index=False)


@pytest.mark.sampled
@pytest.mark.parametrize("why", ["refused", "unparsable", "missing"])
def test_they_count_as_no_answer_where_the_config_says_so(refusing, why):
    found = studied(unlisted=why)
    assert counts(found, "model") == {"q1": 2}
    assert set(found.missing["reason"]) == {why}
    given = found.outcomes[found.outcomes["source"] == "model"]
    assert given.groupby("scenario")["count"].sum().to_dict() == {
        "q1": 3,
        "q2": 1,
        "q3": 1,
        "q4": 1,
    }
    assert any(
        "taken for no answer, as unlisted: 'I cannot" in note for note in map(str, found.notes)
    )


def test_people_may_give_listed_options_only_whatever_models_do(refusing):
    table = pd.read_csv("human.csv").astype(object)
    table.loc[3, "q1"] = "no idea"
    table.to_csv("human.csv", index=False)
    with pytest.raises(DataError, match=r"human.csv, row 5, column 'q1': 'no idea' is no option"):
        studied(unlisted="refused")


def test_without_a_list_nothing_is_unlisted(refusing):
    with pytest.raises(DataError, match="unlisted: no options are listed"):
        studied(unlisted="refused", outcome={"kind": "categorical"})


def test_texts_of_a_scale_that_begin_with_its_number_are_options():
    steps = ["1 (not at all)", "2", "3", "4", "5 (completely)"]
    table = pd.DataFrame({"q1": steps * 9, "q2": steps[::-1] * 9})
    table.to_csv("human.csv", index=False)
    table.assign(simulator="model").to_csv("simulated.csv", index=False)
    found = studied(outcome={"kind": "categorical"})
    assert set(found.scenarios["option"].iloc[0]) == set(steps)


@pytest.mark.slow
def test_a_second_spelling_is_no_refusal_and_can_be_recoded():
    survey()
    table = pd.read_csv("simulated.csv").replace({5: "five "})
    table.to_csv("simulated.csv", index=False)
    people = pd.read_csv("human.csv").replace({5: "Five"})
    people.to_csv("human.csv", index=False)
    listed = {"kind": "ordinal", "levels": [1, 2, 3, 4, "Five"]}
    with pytest.raises(DataError, match=r"looks like 'Five'; .* put recode: \{five: Five\}"):
        studied(outcome=listed, unlisted="refused")
    found = studied(outcome=listed, recode={"five": "Five"})
    assert found.scenarios["option"].iloc[0] == ["1", "2", "3", "4", "Five"]
    as_numbers = studied(outcome={"kind": "ordinal"}, recode={"five": 5, "Five": 5})
    assert as_numbers.scenarios["value"].iloc[0] == [1, 2, 3, 4, 5]


def test_a_simulator_of_which_nothing_is_left_is_refused(refusing):
    table = pd.read_csv("simulated.csv")
    table["value"] = "Sorry"
    table.to_csv("simulated.csv", index=False)
    with pytest.raises(DataError, match="no text of 'model' is a listed option"):
        studied(unlisted="refused")


def test_an_option_within_a_text_that_is_unlisted_is_told():
    steps = ["Too much", "About right", "Too little"]
    pd.DataFrame({"q": steps * 9}).to_csv("human.csv", index=False)
    texts = [*steps, "My answer is: Too much", "Hard to say"] * 5
    pd.DataFrame({"q": texts}).assign(simulator="model").to_csv("simulated.csv", index=False)
    found = studied(outcome={"kind": "ordinal", "levels": steps}, unlisted="unparsable")
    told = "'My answer is: Too much' seems to answer 'Too much'"
    assert any(told in str(note) for note in found.notes)


def test_the_wording_may_have_a_name_of_its_own():
    survey()
    rows = "".join(f"q{j},How is {j}?\n" for j in range(1, 5))
    Path("scenarios.csv").write_text(f"scenario,wording\n{rows}")
    found = studied(scenarios="scenarios.csv", columns={"question": "wording"})
    assert found.scenarios["question"].tolist() == [f"How is {j}?" for j in range(1, 5)]


def test_missing_in_some_questions_only_counts_by_the_reason_it_says():
    table = pd.DataFrame(
        {"bus": ["yes", "no", "don't know", "skip", "refused"] * 20, "tram": ["yes", "no"] * 50}
    )
    table.to_csv("human.csv", index=False)
    table.assign(simulator="model").to_csv("simulated.csv", index=False)
    marks = {"missing_in": {"bus": ["don't know", "skip", "refused"]}}
    missing = studied(outcome={"kind": "categorical"}, **marks).missing
    assert missing.set_index(["source", "reason"])["count"].to_dict() == {
        (source, reason): 20
        for source in ("human", "model")
        for reason in ("missing", "refused", "undecided")
    }


TICKED = [("1", ""), ("", "1"), ("1", "1"), ("", "")]


@pytest.mark.sampled
@pytest.mark.parametrize("yes, no", [("1", "0"), ("Yes", "No"), ("TRUE", "FALSE"), ("x", "")])
def test_a_simulator_may_write_its_no_where_peoples_boxes_are_empty(yes, no):
    columns = ["m_1", "m_2"]
    people = pd.DataFrame(TICKED, columns=columns).assign(trust=["a", "b", "a", "b"])
    model = people.replace({"1": yes, "": no}).assign(simulator="model")
    people.to_csv("human.csv", index=False)
    model.to_csv("simulated.csv", index=False)
    found = studied(outcome={"kind": "categorical"})
    for source in ("human", "model"):
        assert answers(found, source)["m_1"] == {"0": 2, "1": 2}


@pytest.mark.parametrize(
    ("people", "model", "of_model"),
    [
        ("1,,a\n,1,b\n", "1,,a\n0,1,b\n", {"1": 1}),
        ("1,0,a\n0,1,b\n,,b\n", "1,,a\n,1,b\n", {"0": 1, "1": 1}),
    ],
)
def test_an_empty_cell_beside_a_no_that_is_written_is_no_answer(people, model, of_model):
    Path("human.csv").write_text(f"m_1,m_2,trust\n{people}")
    Path("simulated.csv").write_text(f"m_1,m_2,trust\n{model}")
    found = read(
        human="human.csv", simulated={"model": "simulated.csv"}, outcome={"kind": "categorical"}
    )
    assert answers(found, "human")["m_2"] == {"0": 1, "1": 1}
    assert answers(found, "model")["m_2"] == of_model


def boxes_of(columns, *, simulated=None):
    """Write tick boxes with a mark or nothing, and a simulator's file; return the shares ticked."""
    generator = np.random.default_rng(7)
    shares = np.linspace(0.2, 0.7, len(columns))
    people, model = (
        pd.DataFrame(generator.random((size, len(columns))) < shares, columns=columns)
        for size in (60, 40)
    )
    people.astype(object).where(people, "").replace(True, "Yes").to_csv("human.csv", index=False)
    marks = simulated or {True: "Yes", False: ""}
    model.replace(marks).assign(simulator="model").to_csv("simulated.csv", index=False)
    return people.mean(), model.mean()


def ticked(found, source):
    return {
        name: counts.get("1", 0) / sum(counts.values())
        for name, counts in answers(found, source).items()
    }


@pytest.mark.sampled
@pytest.mark.parametrize("simulated", [None, {True: "Yes", False: "No"}, {True: "1", False: "0"}])
def test_boxes_whose_names_repeat_are_read_as_those_of_other_names(simulated):
    columns = ["1_Q16_1", "1_Q16_2", "1_Q16_1.1", "1_Q16_2.1", "2_Q16_1", "2_Q16_2"]
    people, model = boxes_of(columns, simulated=simulated)
    found = studied(outcome={"kind": "binary"}, cluster="question")
    assert ticked(found, "human") == pytest.approx(people.to_dict())
    assert ticked(found, "model") == pytest.approx(model.to_dict())
    assert found.scenarios["cluster"].tolist() == [*["1_Q16"] * 2, *["1_Q16.1"] * 2, *["2_Q16"] * 2]


@pytest.mark.sampled
@pytest.mark.parametrize("swapped", [False, True])
def test_one_answer_and_empty_cells_are_boxes_where_the_other_side_writes_its_no(swapped):
    people, model = boxes_of(["car", "bike"], simulated={True: "Yes", False: "No"})
    if swapped:
        for name in ("human.csv", "simulated.csv"):
            Path(name).rename(f"new_{name}")
        pd.read_csv("new_simulated.csv").drop(columns="simulator").to_csv("human.csv", index=False)
        pd.read_csv("new_human.csv").assign(simulator="model").to_csv("simulated.csv", index=False)
        people, model = model, people
    found = studied(outcome={"kind": "binary"})
    assert ticked(found, "human") == pytest.approx(people.to_dict())
    assert ticked(found, "model") == pytest.approx(model.to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("levels", [{}, {"levels": ["No", "Yes"]}])
def test_one_answer_and_empty_cells_are_refused_until_a_config_says_what_they_are(levels):
    people, _ = boxes_of(["car", "bike"])
    outcome = {"kind": "binary", **levels}
    with pytest.raises(DataError) as refused:
        studied(outcome=outcome)
    (fault,) = refused.value.faults
    boxes, empty = (remedy.settings for remedy in fault.remedies)
    assert fault.code == "one-answer-and-empty"
    assert boxes == {"multiple": ["car", "bike"]}
    assert ticked(studied(outcome={"kind": "binary"}, **boxes), "human") == people.to_dict()
    unanimous = studied(outcome={"kind": "binary", "levels": ["No", "Yes"]}, **empty)
    assert answers(unanimous, "human")["car"].keys() == {"Yes"}


def test_few_empty_cells_beside_one_answer_are_no_answers():
    for name in ("human.csv", "simulated.csv"):
        table = pd.DataFrame({"car": ["Yes"] * 40, "bike": ["Yes", "No"] * 20})
        table.loc[3, "car"] = None
        table.to_csv(name, index=False)
    table.assign(simulator="model").to_csv("simulated.csv", index=False)
    found = studied(outcome={"kind": "binary"})
    assert answers(found, "human")["car"] == {"Yes": 39}


@pytest.mark.slow
def test_spellings_are_recoded_one_way_to_the_commonest():
    people = {"q1": ["Readable"] + ["readable"] * 9, "q2": ["readable", "Readable"] * 5}
    pd.DataFrame({**people, "q3": ["Fast", "fast"] * 5}).to_csv("human.csv", index=False)
    model = {"q1": ["readable"] * 9 + ["Readable"], "q2": ["Readable", "readable"] * 5}
    table = pd.DataFrame({**model, "q3": ["Fast", "Fast"] * 5})
    table.assign(simulator="model").to_csv("simulated.csv", index=False)
    with pytest.raises(DataError) as refused:
        studied(outcome={"kind": "categorical"})
    recodes = [r.settings["recode"] for fault in refused.value.faults for r in fault.remedies[:1]]
    merged = {spelling: target for recode in recodes for spelling, target in recode.items()}
    assert merged == {"Readable": "readable", "fast": "Fast"}
    assert (
        len(
            studied(
                outcome={"kind": "categorical", "levels": ["readable", "Fast"]}, recode=merged
            ).scenarios
        )
        == 3
    )


def test_a_share_is_of_the_cells_that_count():
    part = np.array([[True, True, False, True], [False] * 4])
    assert _share(part, np.array([[True] * 3 + [False], [False] * 4])).tolist() == [2 / 3, 0.0]


@pytest.mark.parametrize("kind", [{"kind": "bounded", "bounds": [0, 100]}, {"kind": "real"}])
def test_questions_on_a_much_smaller_scale_than_others_are_told(kind):
    """A code beside the small scale makes it no larger; small amounts are on the same one."""
    small = [1, 2, 3, 4, 5, 6, 7] * 8
    table = pd.DataFrame(
        {"warm": [0, 15, 50, 70, 85, 100, 60] * 8, "fifth": [0, 10, 25] * 18 + [0, 10]}
        | {"milk": [1.5, 2, 3.2, 8] * 14, "rare": [*range(14)] * 4}  # amounts
        | dict.fromkeys("abcd", small)
    )
    table.to_csv("human.csv", index=False)
    model = table.assign(simulator="model", a=[4.5, *small[1:]])
    model.to_csv("simulated.csv", index=False)
    (note,) = (note for note in studied(outcome=kind).notes if note.code == "another-range")
    said = "'a', 'b', 'c' and 1 more: few steps, where 'warm' reach much farther; "
    assert said in str(note)
    table.assign(a=[*small[:-1], 99]).to_csv("human.csv", index=False)
    coded = studied(outcome=kind, missing_in={"a": [99]} if kind["kind"] == "real" else {})
    assert str(note) in map(str, coded.notes)


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
def folder(tmp_path):
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
    if "%" in name or name == "pct":
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
@pytest.mark.parametrize("cell", ODD_CELLS.values(), ids=ODD_CELLS)
def test_one_cell_that_is_no_plain_number_does_not_hide_counts(folder, cell):
    message = refused(folder, f"scenario,value,votes\na,yes,41\na,no,{cell}\nb,yes,5\nb,no,4\n")
    assert message.startswith("human.csv, column 'votes': holds numbers and is not read")
    assert keys_to_write(message) == [{"columns": {"count": "votes"}}]  # else a row is a person


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
GROUPED = ["votes", "n_obs", "N.", "stimmen"]


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
