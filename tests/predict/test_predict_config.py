"""What of a config keeps questions nobody was asked from being predicted, and its defaults."""

from copy import deepcopy

import pytest
from asked_and_new import write

from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

CONFIG = {
    "datasets": {
        "town": {
            "ingest": "tabular",
            "human": "people.csv",
            "simulated": "model.csv",
            "outcome": {"kind": "binary", "levels": ["no", "yes"]},
            "predict": {},
        }
    }
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, asked=20, new=3)


def changed(**settings) -> dict:
    config = deepcopy(CONFIG)
    config["datasets"]["town"] |= settings
    return config


@pytest.mark.slow
def test_the_coverage_is_fixed_from_alpha():
    predict = Study(changed(predict={"alpha": 0.2}), looks=True).datasets["town"]["predict"]
    assert (predict["alpha"], predict["gamma"]) == (0.2, 0.9)
    assert predict["pairs"] == {"absolute": ["witness"]}


def test_new_questions_are_told_before_anything_runs():
    (note,) = [each for each in Study(CONFIG, looks=True).notes if "to be predicted" in each]
    assert all(f"q{j}" in note for j in (21, 22, 23))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"outcome": {"kind": "real"}}, "real outcomes are numbers without bounds"),
        ({"curves": False}, "predictions need discrepancies"),
        ({"predict": {"gamma": 0.9}}, "predict.gamma: 0.9 is not above 1 - alpha, 0.9"),
        ({"predict": {"questions": "gone.csv"}}, "predict: gone.csv is not there"),
        ({"predict": {"statement": ["weighted"]}}, "weighted needs the key weights"),
        ({"predict": {"statement": ["sure"]}}, "is not marginal, exact, per_cluster"),
        ({"predict": {"alpha": 0}}, "is not a number from 0.001 to 0.5"),
        ({"groups": ["sex"]}, "predict: does not go with groups"),
        (
            {"outcome": {"kind": "ordinal"}, "grid": {"discrepancy": ["mmd_delta"]}},
            "gives no range of what people answer",
        ),
    ],
)
def test_what_cannot_be_said_is_refused(settings, fault):
    with pytest.raises(DataError, match=fault):
        Study(changed(**settings))


def test_a_dataset_of_the_project_needs_a_file_of_new_answers():
    config = {
        "datasets": {
            "bfi": {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "predict": {}},
        }
    }
    with pytest.raises(DataError, match="predict: the folder bfi has people's answers to all"):
        Study(config)


def test_nothing_to_predict_is_told(tmp_path):
    write(tmp_path, asked=20, new=0)
    with pytest.raises(DataError, match="people answered every question that simulators did"):
        Study(CONFIG, looks=True)


TOPICS = {"scenarios": "questions.csv", "cluster": "topic"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"predict": {"features": ["lenght"]}, **TOPICS}, "is no column of questions.csv; did you"),
        ({"predict": {"weights": "nope"}, **TOPICS}, "'nope' is no column of questions.csv; there"),
        ({"predict": {"weights": "nope"}}, "'nope' is a column of no file; name one that"),
    ],
)
def test_columns_that_no_file_has_are_told_before_anything_runs(settings, fault):
    with pytest.raises(DataError, match=f"^datasets.town.predict: .*{fault}"):
        Study(changed(**settings), looks=True)


@pytest.mark.slow
def test_columns_that_a_file_has_and_what_is_built_in_are_taken():
    predict = {"features": ["question", "n_options", "length"], "weights": "ratio"}
    Study(changed(predict=predict, **TOPICS), looks=True)


def test_one_statement_is_refused_with_the_list_that_is_meant():
    with pytest.raises(DataError, match=r"statement: 'weighted' is not .*; write \[weighted\]$"):
        Study(changed(predict={"statement": "weighted"}))
    with pytest.raises(DataError, match="statement: 'sure' is not a list of different") as told:
        Study(changed(predict={"statement": "sure"}))
    assert "write" not in str(told.value)


def test_without_the_key_a_question_of_the_file_of_scenarios_is_left_out_and_told(tmp_path):
    config = changed(**TOPICS)
    del config["datasets"]["town"]["predict"]
    (note,) = Study(config, looks=True).notes
    assert note.startswith("people.csv: left out, as nobody answers: 'q21', 'q22', 'q23'")
    assert note.endswith("to have them predicted, put predict: {} in the config")
    write(tmp_path, asked=20, new=3)
    model = (tmp_path / "model.csv").read_text(encoding="utf-8").splitlines()
    kept = [line for line in model if line.partition(",")[0] not in ("q21", "q22", "q23")]
    (tmp_path / "model.csv").write_text("\n".join(kept), encoding="utf-8")
    (note,) = Study(config, looks=True).notes
    assert note == "people.csv: left out, as nobody answers: 'q21', 'q22', 'q23'"


def test_without_the_key_a_question_that_people_lack_is_refused_as_before():
    config = deepcopy(CONFIG)
    del config["datasets"]["town"]["predict"]
    with pytest.raises(
        DataError, match=r"scenario 'q21', 'q22', 'q23' are not in people\.csv"
    ) as told:
        Study(config, looks=True)
    assert "put predict: {} in the config if people were not asked" in str(told.value)


def in_own_file(folder, text: str, **predict) -> dict:
    write(folder, asked=20, new=0)
    (folder / "new.csv").write_text(text, encoding="utf-8")
    return changed(**TOPICS, predict={"questions": "new.csv", **predict})


NEW = "scenario,simulator,value,probability\nq61,model,no,0.4\nq61,model,yes,0.6\n"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (NEW.replace("scenario", "number"), "new.csv: "),
        (NEW.replace("model", "other"), "new.csv: no simulator of the study answers a new"),
        (NEW.replace("q61", "q01"), "new.csv, row 2: people answered 'q01', so it is not new"),
        (NEW.replace("yes", "perhaps"), "new.csv, row 3.*'perhaps' is no option"),
        (NEW.replace("0.6", "0.9"), "new.csv, row 2.*sum"),
    ],
)
def test_faults_of_a_file_of_new_questions_are_told_before_anything_runs(tmp_path, text, fault):
    with pytest.raises(DataError, match=fault):
        Study(in_own_file(tmp_path, text), looks=True)


def test_a_new_cluster_that_may_be_misspelt_is_told_before_anything_runs(tmp_path):
    (tmp_path / "about.csv").write_text("scenario,topic\nq61,trafic\n", encoding="utf-8")
    config = in_own_file(tmp_path, NEW, scenarios="about.csv")
    (note,) = [each for each in Study(config, looks=True).notes if "'trafic'" in each]
    assert "new questions are of clusters that nobody was asked" in note
    assert "did you mean 'traffic'?" in note


def test_a_file_of_new_answers_to_a_dataset_of_the_project_is_read_before_anything_runs(tmp_path):
    (tmp_path / "new.csv").write_text(NEW.replace("scenario", "item"), encoding="utf-8")
    bfi = {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "predict": {"questions": "new.csv"}}
    with pytest.raises(DataError, match=r"^new\.csv: "):
        Study({"datasets": {"bfi": bfi}}, looks=True)


@pytest.mark.slow
def test_a_file_of_new_questions_may_have_usual_names_or_those_of_the_dataset(tmp_path):
    for named in ("scenario", "item"):
        config = in_own_file(tmp_path, NEW.replace("scenario", named), scenarios="about.csv")
        (tmp_path / "about.csv").write_text("scenario,topic\nq61,traffic\n", encoding="utf-8")
        for file in ("people", "model", "questions"):
            place = tmp_path / f"{file}.csv"
            place.write_text(place.read_text().replace("scenario", "item", 1), encoding="utf-8")
        config["datasets"]["town"]["columns"] = {"scenario": "item"}
        config["datasets"]["town"]["predict"]["features"] = ["topic"]
        Study(config, looks=True)
