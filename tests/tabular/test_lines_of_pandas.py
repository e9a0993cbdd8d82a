"""Forms that are refused with a line of pandas: what that line makes of them is read right."""

import re
from collections import Counter
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tabular_step import answers, read

from fidelity_study.errors import DataError

FILES = {"human": "human.csv", "simulated": "simulated.csv"}


def write(**texts: str) -> None:
    """Write CSV files."""
    for name, text in texts.items():
        Path(f"{name}.csv").write_text(text)


def mended(code: str, then: dict | None = None, **settings):
    """Return what is read after each refused file is turned by the line of its refusal.

    Settings in ``then`` are for the turned files.
    """
    with pytest.raises(DataError) as error:
        read(**settings)
    for fault in error.value.faults:
        assert fault.code == code
        (name,) = fault.place.files
        line = re.search("in pandas, `(.+?)`", str(fault))[1]
        table = pd.read_csv(name, dtype=str if "dtype=str" in str(fault) else None)
        table = eval(line, {"table": table, "pd": pd, "np": np})
        table.to_csv(name, index=False)
    return read(**settings, **(then or {}))


# Three rows of fivethirtyeight/data at commit 2414091, impeachment-polls/impeachment_polls.csv
# (CC BY 4.0), reduced to the number asked and the percentages; the poll is the question.
POLLS = """\
question,SampleSize,Yes,No,Unsure
Fox News 6/9/2019,1001,43,50,6
Monmouth University 8/16/2019,800,35,59,6
HarrisX 9/22/2019,1006,44,41,15
"""
COLUMNS = {"scenario": "question", "percent": "percent"}


def test_options_in_columns_are_percentages_of_the_people_asked():
    write(human=POLLS)
    then = {"columns": COLUMNS, "base": "SampleSize"}
    found = mended("turned-table", then, human="human.csv", simulators=None)
    counts = answers(found, "human")
    polls = pd.read_csv(StringIO(POLLS), index_col="question")
    assert counts.keys() == {*polls.index}
    for name, row in polls.iterrows():
        whole = row[["Yes", "No", "Unsure"]].sum()
        assert counts[name] == {
            label: pytest.approx(row[label] / whole * row["SampleSize"])
            for label in ("Yes", "No", "Unsure")
        }


@pytest.mark.sampled
@pytest.mark.parametrize("sign", [",", ".", " ", "'", "\u202f"])
@pytest.mark.parametrize("base", ["N", "Sample", "Unweighted base"])
@pytest.mark.parametrize("are_options_in_rows", [False, True])
def test_bases_with_thousands_and_columns_beside_options_are_read(sign, base, are_options_in_rows):
    size = f'"1{sign}043"'
    rows = f"Fares,47%,41%,13%,6%,{size},1050\nLanes,38%,49%,13%,-11%,512,498\n"
    write(human=f"question,Agree,Disagree,Neither,Net agree,{base},Weighted base\n{rows}")
    if are_options_in_rows:
        turned = pd.read_csv("human.csv", index_col="question", dtype=str).T
        turned.to_csv("human.csv", index_label="Option")
    then = {"columns": COLUMNS, "base": base, "ignore": ["Weighted base"]}
    found = mended("turned-table", then, human="human.csv", simulators=None)
    assert answers(found, "human") == {
        "Fares": pytest.approx({"Agree": 485.35644, "Disagree": 423.39604, "Neither": 134.24752}),
        "Lanes": pytest.approx({"Agree": 194.56, "Disagree": 250.88, "Neither": 66.56}),
    }


def test_persons_in_columns_are_rows_and_models_in_columns_are_simulators():
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.choice(["yes", "no"], (30, 2)), columns=["q1", "q2"])
    turned = people.T.set_axis([f"P{i}" for i in range(30)], axis=1)
    turned.to_csv("human.csv", index_label="item")
    write(simulated="item,gpt-4,claude\nq1,yes,no\nq2,no,no\n")
    then = {"columns": {"scenario": "item"}}
    found = mended("turned-table", then, **FILES, simulators=None)
    for name in people:
        assert answers(found, "human")[name] == people[name].value_counts().to_dict()
    assert answers(found, "gpt-4") == {"q1": {"yes": 1}, "q2": {"no": 1}}
    assert answers(found, "claude") == {"q1": {"no": 1}, "q2": {"no": 1}}


@pytest.mark.parametrize(
    ("header", "cat"),
    [
        ("image_id,model,cat,dog", [0.6, 0.3]),
        ("question_id,model,cat,dog", [0.6, 0.3]),
        ("question_id,gpt-4,claude", [0.4, 0.7]),
    ],
)
def test_probabilities_in_columns_are_stated_of_outcomes_in_another_file(header, cat):
    name, model = header.split(",")[0], "gpt-4," if "model" in header else ""
    write(human=f"{name},outcome\n0,cat\n1,dog\n")
    write(simulated=f"{header}\n0,{model}.6,.4\n1,{model}.3,.7\n")
    columns = {"scenario": name, "value": "outcome", **({"simulator": "model"} if model else {})}
    then = {"columns": columns, "outcome": {"kind": "binary", "levels": ["cat", "dog"]}}
    found = mended("turned-table", then, **FILES, simulators=None)
    stated = found.stated[(found.stated["source"] == "gpt-4") & (found.stated["value"] == 0)]
    assert stated["probability"].tolist() == cat


def test_a_table_that_is_said_to_have_persons_in_rows_is_not_turned():
    write(human="item,q1,q2\n1,60,40\n2,30,70\n3,50,50\n")
    with pytest.raises(DataError) as error:
        read(human="human.csv", simulators=None)
    assert [fault.code for fault in error.value.faults] == ["turned-table"]
    found = read(human="human.csv", simulators=None, form="wide")
    assert answers(found, "human")["q1"] == {"30": 1, "50": 1, "60": 1}


@pytest.mark.parametrize(
    ("raters", "judges", "words"),
    [
        (["Rater: Ann", "Rater: Bea"], ["LLM judge (gpt-4o)"], "12345"),
        (["annotator_1", "annotator_2", "annotator_3"], ["gpt-4o", "claude"], "12345"),
        (["human_a", "human_b"], ["judge"], ["good", "bad"]),
        (["Bewerter 1", "Bewerter 2"], ["llm_score"], "123"),
    ],
)
def test_raters_beside_a_judge_are_two_files(raters, judges, words):
    times = dict(zip(raters, (1, 2, 4), strict=False))
    cells = {name: [words[at * k % len(words)] for at in range(30)] for name, k in times.items()}
    judged = {name: [words[at % len(words)] for at in range(30)] for name in judges}
    table = pd.DataFrame({"item_id": range(30), "response": "x", **cells, **judged, "notes": None})
    table.to_csv("ratings.csv", index=False)
    with pytest.raises(DataError) as error:
        read(human="ratings.csv", simulated="ratings.csv")
    assert {fault.code for fault in error.value.faults} == {"raters-in-columns"}
    for line in re.findall("in pandas, `(.+?)`", str(error.value.faults[0])):
        eval(line, {"table": table.astype(str)})
    levels = {"outcome": {"kind": "ordinal", "levels": [*words]}}
    found = read(human="people.csv", simulated="judge.csv", simulators=judges, **levels)
    for name, several in {
        "human": cells,
        **{name: {name: judged[name]} for name in judges},
    }.items():
        counts = answers(found, name)
        for at in range(30):
            given = Counter(column[at] for column in several.values())
            assert {label: number for label, number in counts[str(at)].items() if number} == given
