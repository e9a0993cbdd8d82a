"""SPSS files that PSPP wrote, and Stata files that haven and pandas wrote.

survey.sps and survey.R make the files; the answers are invented.
"""

import shutil
import struct
import sys
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
import yaml
from tabular_step import answers, by, read

from fidelity_study.__main__ import main
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.spss import weight_of

HERE = Path(__file__).parent
ASKED = ["trust", "news", "party"]
OFTEN = ["never", "sometimes", "often", "always"]
PARTIES = ["Reds", "Greens", "Blues", "Greys"]


@pytest.fixture(autouse=True)
def folder(here):
    for file in HERE.glob("survey.*"):
        shutil.copy(file, here)


def studied(path="survey.sav", **settings):
    """Return what a study of people alone takes from a file."""
    common = {"simulators": ["uniform"], "outcome": {"kind": "categorical"}, "questions": ASKED}
    if path.endswith("sav"):
        common["ignore"] = ["person_weight"]
    return read(**{**common, "human": path, **settings})


def options(found) -> dict:
    return found.scenarios["option"].to_dict()


@pytest.mark.parametrize("path", ["survey.sav", "survey.zsav"])
def test_value_labels_are_answers_and_options_those_that_nobody_chose_too(path):
    found = studied(path)
    assert options(found) == {"trust": OFTEN, "news": OFTEN, "party": PARTIES}
    assert answers(found, "human") == {
        "trust": {"never": 2, "sometimes": 3, "often": 2, "always": 2},
        "news": {"never": 3, "sometimes": 4, "often": 3},
        "party": {"Reds": 6, "Greens": 4, "Blues": 2},
    }
    assert found.scenarios["question"]["trust"] == "How much do you trust the town council?"


def test_what_the_file_says_is_no_answer_is_counted_by_its_reasons_and_told():
    """Labels of codes that the file declares missing are reasons; the system's has none."""
    found = studied()
    assert by(found.missing, "count") == {
        ("trust", "human", "refused"): 1,
        ("trust", "human", "undecided"): 2,
        ("news", "human", "missing"): 1,
        ("news", "human", "refused"): 1,
    }
    (told,) = (note for note in map(str, found.notes) if "no answers" in note)
    assert told == (
        "survey.sav: no answers, as the file says: \"don't know\" (-8) 2, 'refused' (-9) 2, "
        "system-missing 1"
    )


def test_a_scale_with_labelled_ends_has_its_numbers_as_answers():
    found = studied(questions=["fair"])
    assert options(found) == {"fair": [str(step) for step in range(11)]}
    assert found.missing["count"].sum() == 1
    assert any("0 'not at all', 10 'completely'" in note for note in map(str, found.notes))


def test_numbers_get_their_range_from_labelled_ends():
    frame = pd.DataFrame({"fair": [1, 9, 5], "simulator": ["model"] * 3})
    frame.to_csv("simulated.csv", index=False)
    found = studied(
        questions=["fair"],
        simulated="simulated.csv",
        simulators=["model"],
        outcome={"kind": "bounded"},
    )
    assert found.scenarios.loc["fair", ["lower", "upper"]].tolist() == [0, 10]


def test_labels_of_the_config_come_first():
    levels = ["always", "often", "sometimes", "never"]
    asked = {"questions": ["trust", "news"]}
    found = studied(outcome={"kind": "ordinal", "levels": levels}, **asked)
    assert options(found)["trust"] == levels


@pytest.mark.parametrize("marks", [["always"], [4]])
def test_marks_of_the_config_are_labels_or_codes(marks):
    found = studied(missing_in={"trust": marks})
    assert options(found)["trust"] == OFTEN[:3]
    assert options(found)["news"] == OFTEN
    assert by(found.missing, "count")["trust", "human", "missing"] == 2


def test_codes_are_the_answers_if_the_config_says_so():
    found = studied(value_labels=False)
    assert options(found)["party"] == ["1", "2", "3", "4"]
    assert answers(found, "human")["party"] == {"1": 6, "2": 4, "3": 2}


def test_a_file_of_scenarios_goes_before_labels():
    rows = "scenario,question\ntrust,In short: trust?\nnews,News?\nparty,\n"
    Path("scenarios.csv").write_text(rows)
    found = studied(scenarios="scenarios.csv")
    assert found.scenarios["question"]["trust"] == "In short: trust?"
    assert found.scenarios["question"]["party"] == "Which party do you feel close to?"
    assert not any("wording" in note for note in map(str, found.notes))


def test_a_weighting_variable_is_refused_until_it_is_named():
    with pytest.raises(DataError) as error:
        studied(ignore=[])
    assert str(error.value).startswith(
        "survey.sav, column 'person_weight': the file says that its cases are"
    )
    assert "columns: {weight: person_weight}" in str(
        error.value
    ) and "ignore: [person_weight]" in str(error.value)
    found = studied(ignore=[], columns={"weight": "person_weight"})
    assert found.scenarios["n_effective"]["party"] == pytest.approx(12 * 12 / 12.3)


def test_a_file_without_weights_names_none():
    frame = pd.DataFrame({"a_very_long_name_indeed": ["x" * 300, "y"], "q": [1.0, 2.0]})
    pyreadstat.write_sav(frame, "plain.sav", variable_value_labels={"q": {1: "one", 2: "two"}})
    assert weight_of("plain.sav", frame.columns) is None


def test_ids_and_facts_are_refused_until_questions_are_named():
    with pytest.raises(DataError) as error:
        read(
            human="survey.sav",
            simulators=["uniform"],
            outcome={"kind": "categorical"},
            ignore=["person_weight"],
        )
    assert "'id' (a name of persons)" in str(error.value)


def test_stata_files_of_haven():
    found = studied("survey.dta", questions=["trust", "fair", "party"])
    assert options(found)["trust"] == OFTEN and options(found)["party"] == PARTIES
    assert by(found.missing, "count") == {
        ("trust", "human", "missing"): 1,
        ("trust", "human", "refused"): 1,
        ("trust", "human", "undecided"): 1,
        ("fair", "human", "missing"): 1,
        ("party", "human", "missing"): 1,
    }
    assert any("\"don't know\" (.d) 1, 'refused' (.r) 1" in note for note in map(str, found.notes))
    assert any("their names serve for 'party'" in note for note in map(str, found.notes))


def test_stata_files_of_pandas():
    often = pd.CategoricalDtype(OFTEN, ordered=True)
    frame = pd.DataFrame(
        {"trust": pd.Series(["often", "never", None], dtype=often), "share": [0.1, 0.2, 0.3]}
    ).astype({"share": "float32"})
    frame.to_stata("pandas.dta", write_index=False, variable_labels={"trust": "Trust?"})
    found = studied("pandas.dta", questions=["trust"], form="wide")
    assert options(found) == {"trust": OFTEN}
    assert found.scenarios["question"]["trust"] == "Trust?"
    assert found.missing["count"].tolist() == [1]
    assert opened("pandas.dta").cells(["share"])["share"].to_pylist() == ["0.1", "0.2", "0.3"]


def written(labels: dict, cells: list, **more):
    """Write a column with labels as SPSS file."""
    frame = pd.DataFrame({"q": cells})
    pyreadstat.write_sav(frame, "made.sav", variable_value_labels={"q": labels}, **more)
    return studied("made.sav", questions=["q"], ignore=[])


def test_codes_of_one_label_are_told_apart():
    assert options(written({1: "no", 2: "yes", 3: "yes"}, [1.0, 2.0, 3.0])) == {
        "q": ["no", "yes (2)", "yes (3)"]
    }


def test_an_unlabelled_code_beside_labels_is_refused():
    with pytest.raises(DataError) as error:
        written({1: "no", 2: "yes"}, [1.0, 2.0, 7.0])
    assert "made.sav, row 3, column 'q': '7' is no option of scenario 'q' (no, yes)" in str(
        error.value
    )


def test_words_for_no_answer_among_the_options_are_told_or_asked_about():
    found = written({1: "no", 2: "yes", 3: "don't know"}, [1.0, 2.0, 3.0])
    assert any(
        "counts as an option" in note and "missing: [" in note for note in map(str, found.notes)
    )
    with pytest.raises(DataError, match='8 "don\'t know": no answers by their labels'):
        written({1: "no", 2: "yes", 8: "don't know"}, [1.0, 2.0, 8.0])


def test_words_for_a_refusal_are_asked_about_where_others_are_declared_missing():
    labels = {1: "no", 2: "yes", 8: "don't know", 9: "Refused"}
    frame = pd.DataFrame({"q": [1.0, 2.0, 8.0, 9.0]})
    pyreadstat.write_sav(frame, "made.sav", variable_value_labels={"q": labels})
    made = {"questions": ["q"], "ignore": []}
    with pytest.raises(DataError, match=r"9 'Refused': .+ put missing: \[Refused\] in the config"):
        studied("made.sav", **made, missing=["don't know"])
    assert options(studied("made.sav", **made, missing=["don't know", 9])) == {"q": ["no", "yes"]}


def test_a_long_file_has_the_options_of_its_answers():
    frame = pd.DataFrame({"scenario": ["a", "a", "b", "b"], "value": [1.0, 2.0, 2.0, 1.0]})
    pyreadstat.write_sav(
        frame, "long.sav", variable_value_labels={"value": {1: "no", 2: "yes", 3: "perhaps"}}
    )
    found = read(human="long.sav", simulators=["uniform"])
    assert options(found) == {name: ["no", "yes", "perhaps"] for name in ("a", "b")}


def test_a_broken_file_is_told():
    Path("broken.sav").write_bytes(b"$FL2 but nothing else")
    with pytest.raises(DataError, match=r"broken\.sav: cannot be read as one of SPSS files"):
        opened("broken.sav")


def test_a_missing_library_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(DataError, match=r"pyreadstat, which is not installed; run make install-f"):
        opened("survey.sav")


@pytest.mark.slow
def test_start_reads_codes_by_labels_or_as_they_are(capsys):
    Path("answers.csv").write_text("trust,news,party\n1,2,3\n2,2,1\n4,4,4\n")
    asked = [part for name in ASKED for part in ("--questions", name)]
    command = ["start", "survey.sav", "answers.csv", "--weight", "person_weight", *asked]
    assert main(command) == 0
    assert "codes of 'trust', 'news', 'party' are read by their labels" in capsys.readouterr().out
    assert main([*command, "--codes", "--force"]) == 0
    assert (
        yaml.safe_load(Path("survey.yaml").read_text())["datasets"]["survey"]["value_labels"]
        is False
    )


def test_labels_are_options_even_if_they_look_like_nothing():
    found = written({1: "None", 2: "1.50", 3: "a  lot"}, [1.0, 2.0, 3.0])
    assert options(found) == {"q": ["None", "1.5", "a lot"]}
    assert any("'None' counts as an option" in note for note in map(str, found.notes))


def test_simulators_may_answer_with_such_a_label():
    frame = pd.DataFrame({"q": [1.0, 2.0]})
    pyreadstat.write_sav(frame, "made.sav", variable_value_labels={"q": {1: "None", 2: "Some"}})
    Path("model.csv").write_text("q\nNone\nSome\n")
    found = read(human="made.sav", simulated={"model": "model.csv"})
    assert answers(found, "model") == {"q": {"None": 1, "Some": 1}}


def test_recoded_labels_are_options():
    frame = pd.DataFrame({"q": [1.0, 2.0, 3.0]})
    labels = {1: "no", 2: "yes", 3: "YES!"}
    pyreadstat.write_sav(frame, "made.sav", variable_value_labels={"q": labels})
    found = studied("made.sav", questions=["q"], ignore=[], recode={"YES!": "yes"})
    assert options(found) == {"q": ["no", "yes"]}
    assert answers(found, "human") == {"q": {"no": 1, "yes": 2}}


# -------------------------------------------------------------------- multiple response sets

MEDIA = {"trust": [1, 2, 1, 2], "Media_1": [1, None, 1, None], "Media_2": [None, 1, 1, None]}


def with_sets(path: str, sets: str) -> None:
    """Write multiple response sets into a file, as PSPP's developers' guide describes the record.

    The library that writes SPSS files can't.
    """
    data, text = Path(path).read_bytes(), sets.encode()
    end = data.index(struct.pack("<2i", 999, 0))
    record = struct.pack("<4i", 7, 7, 1, len(text)) + text
    Path(path).write_bytes(data[:end] + record + data[end:])


def of_media(second: list, labels: dict[int, str], **settings):
    """Return what a study takes from a file with a set of two columns."""
    frame = pd.DataFrame({**MEDIA, "Media_2": second}, dtype=float)
    pyreadstat.write_sav(
        frame,
        "sets.sav",
        column_labels=["Trust?", "Newspaper", "Radio"],
        variable_value_labels={"trust": {1: "much", 2: "little"}, "Media_1": labels},
    )
    with_sets("sets.sav", "$media=D1 1 10 Media used media_1 media_2\n")
    common = {"outcome": {"kind": "categorical"}, "cluster": "question", "simulators": ["uniform"]}
    return read(**{**common, "human": "sets.sav", **settings})


@pytest.mark.parametrize("labels", [{}, {1: "Yes"}, {1: "Newspaper"}])
def test_columns_of_a_set_are_tick_boxes_with_its_name_and_labels(labels):
    found = of_media(MEDIA["Media_2"], labels)
    people = answers(found, "human")
    assert people["Media_1"] == people["Media_2"] == {"0": 2, "1": 2}
    assert found.scenarios["cluster"].to_dict() == {
        "trust": "trust",
        "Media_1": "media",
        "Media_2": "media",
    }
    assert found.scenarios["description"]["Media_2"] == "media: Radio"
    assert found.scenarios["question"]["Media_2"] == "Media used: Radio"


@pytest.mark.sampled
@pytest.mark.parametrize("yes, no", [("1", "0"), ("Yes", "No"), ("Newspaper", "")])
def test_a_simulator_may_tick_boxes_in_other_words(yes, no):
    text = f"trust,Media_1,Media_2\nmuch,{yes},{no and '0'}\nlittle,{no},1\nmuch,{no},1\n"
    Path("model.csv").write_text(text)
    files = {"simulated": {"m": "model.csv"}, "simulators": ["m"]}
    found = of_media(MEDIA["Media_2"], {1: "Newspaper"}, **files)
    assert answers(found, "m")["Media_1"] == {"0": 2, "1": 1}
    assert answers(found, "m")["Media_2"] == {"0": 1, "1": 2}


def test_a_set_with_a_code_for_no_is_a_topic_and_empty_cells_were_not_asked():
    found = of_media([0, 1, 1, None], {0: "No", 1: "Yes"})
    assert answers(found, "human")["Media_2"] == {"0": 1, "1": 2}
    assert set(found.scenarios["cluster"][["Media_1", "Media_2"]]) == {"media"}
