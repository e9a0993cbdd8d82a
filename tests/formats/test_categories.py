"""Lists and ordered categories in Parquet files that pandas wrote."""

from pathlib import Path

import pandas as pd
import pytest
from tabular_step import answers, read

from fidelity_study.errors import DataError

OFTEN = pd.CategoricalDtype(["never", "sometimes", "often", "always"], ordered=True)
PEOPLE = {"q1": ["often", "never", None, "often"], "q2": ["sometimes", "often", "often", "never"]}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def people(dtype=OFTEN, **how):
    pd.DataFrame(PEOPLE).astype(dtype).to_parquet("people.parquet", **how)


@pytest.mark.parametrize("how", [{}, {"row_group_size": 1}])
def test_levels_of_ordered_categories_are_options(how):
    people(**how)
    found = read(human="people.parquet", simulators=["uniform"], outcome={"kind": "ordinal"})
    assert found.scenarios["option"]["q1"] == list(OFTEN.categories)
    assert answers(found, "human")["q1"] == {"often": 2, "never": 1}
    assert any(
        "ordered categories of 'q1', 'q2' are the options" in each for each in map(str, found.notes)
    )


def test_categories_without_an_order_say_nothing():
    people(pd.CategoricalDtype(OFTEN.categories))
    with pytest.raises(DataError, match="their order is unknown"):
        read(human="people.parquet", simulators=["uniform"], outcome={"kind": "ordinal"})


def test_levels_of_the_config_and_the_file_of_scenarios_come_first():
    people()
    rows = "scenario,options\nq1,\nq2,never | sometimes | often\n"
    Path("scenarios.csv").write_text(rows)
    levels = ["never", "sometimes", "often"]
    asked = {"human": "people.parquet", "simulators": ["uniform"]}
    found = read(**asked, outcome={"kind": "ordinal", "levels": levels})
    assert found.scenarios["option"]["q1"] == levels
    found = read(**asked, outcome={"kind": "ordinal"}, scenarios="scenarios.csv")
    assert found.scenarios["option"].map(len).to_dict() == {"q1": 4, "q2": 3}


def scenarios(*options):
    frame = pd.DataFrame({"scenario": ["q1", "q2"], "options": list(options)})
    frame.to_parquet("scenarios.parquet")
    pd.DataFrame(PEOPLE).to_csv("people.csv", index=False)
    return read(human="people.csv", scenarios="scenarios.parquet", simulators=["uniform"])


def test_lists_of_options():
    few = ["often", "sometimes", "never"]
    found = scenarios([*few, "always"], few)
    assert found.scenarios["option"].to_dict() == {"q1": [*few, "always"], "q2": few}


def test_lists_that_cannot_be_written_are_refused():
    with pytest.raises(DataError, match=r"scenarios\.parquet, column 'options': .*'a\|b'"):
        scenarios(["a|b", "c"], ["d", "e"])


def test_lists_of_answers_are_refused():
    frame = pd.DataFrame({"scenario": ["q1"], "value": [["often", "never"]]})
    frame.to_parquet("people.parquet")
    with pytest.raises(DataError, match="column 'value': holds list"):
        read(human="people.parquet", simulators=["uniform"])
