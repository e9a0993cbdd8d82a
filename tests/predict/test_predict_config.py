"""What of a config keeps questions nobody was asked from being predicted, and its defaults."""

from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from asked_and_new import write
from scipy.special import rel_entr
from scipy.stats import beta

from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.report.page.predictions import CHOSEN, Predictions
from fidelity_study.report.page.words import plain
from fidelity_study.report.results import Results
from fidelity_study.steps.arrays import Scale, Scenarios
from fidelity_study.steps.held_out import _checked, _share
from fidelity_study.steps.likeness import nearest_first
from fidelity_study.steps.new_bounds import Asked, RefusedError, bounds
from fidelity_study.steps.new_measured import Measured
from fidelity_study.steps.new_questions import UnusableError, answering

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
def files(here):
    write(here, asked=20, new=3)


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


def asked(m: int, *, same_people: bool, clusters: np.ndarray | None = None) -> Asked:
    return Asked(
        upper=np.linspace(0.1, 0.4, m),
        clusters=clusters,
        drawn=np.arange(m),
        same_people=same_people,
        taught=False,
        shared=1,
        weights=None,
        place=np.arange(m),
        alike=None,
        alpha=Fraction("0.1"),
        gamma=Fraction("0.95"),
        eta=0.05,
    )


def refused(statement: str, given: Asked) -> str:
    with pytest.raises(RefusedError) as caught:
        bounds(statement, given)
    return str(caught.value)


def with_alpha(given: Asked, alpha: str) -> Asked:
    return replace(given, alpha=Fraction(alpha), gamma=1 - Fraction(alpha) / 2)


@pytest.mark.parametrize(
    ("m", "same_people", "alpha"), [(9, False, "0.15"), (5, False, "0.2"), (9, True, "0.2")]
)
def test_too_few_questions_are_told_with_the_alpha_that_they_are_enough_for(m, same_people, alpha):
    given = asked(m, same_people=same_people)
    assert given.miss == (Fraction(1, 20) if same_people else Fraction(19, 200))
    told = refused("marginal", given)
    assert told.endswith(f"or put predict: {{alpha: {alpha}}} in the config")
    assert np.isfinite(bounds("marginal", with_alpha(given, alpha))(-1).bound)


def test_no_alpha_is_named_where_none_is_large_enough():
    assert "alpha" not in refused("marginal", asked(1, same_people=True))


def test_clusters_with_too_few_questions_are_told_with_such_an_alpha():
    given = asked(8, same_people=False, clusters=np.repeat([0, 1], 4))
    told = refused("marginal", given)
    assert "predict: {alpha: 0.25} in the config, or put cluster: none" in told
    assert np.isfinite(bounds("marginal", with_alpha(given, "0.25"))(-1).bound)


def test_coverage_of_questions_left_out_is_counted_with_its_exact_interval():
    given = asked(20, same_people=False)
    people = np.repeat([50, 100], 10)  # too few people say little about a true discrepancy
    judged = Measured(
        None, "", "", given.place, given.upper, given.upper, given.upper, given.upper, people, None
    )
    checked = _checked(given, "marginal", judged, given.place, 0.05)
    # The largest of 19 others bounds a question: all but the largest of 20 are covered.
    for name, inside, m in (("upper", 19, 20), ("people", 9, 10)):
        assert checked[f"checked_{name}"] == m
        assert checked[f"covered_{name}"] == pytest.approx(inside / m)
        low, high = beta.ppf([0.025, 0.975], [inside, inside + 1], [m - inside + 1, m - inside])
        assert checked[f"covered_{name}_low"] == pytest.approx(low)
        assert checked[f"covered_{name}_high"] == pytest.approx(high)
    assert checked["infinite"] == 0


def test_coverage_of_clusters_left_out_is_the_mean_of_their_shares():
    covered, groups = np.array([True, True, True, False, True, True]), np.array([0, 0, 0, 1, 1, 2])
    checked = _share("upper", covered, groups, 0.05)
    assert checked["covered_upper"] == pytest.approx(2.5 / 3)
    for end in (checked["covered_upper_low"], checked["covered_upper_high"]):
        spent = rel_entr([2.5 / 3, 0.5 / 3], [end, 1 - end]).sum()
        assert spent == pytest.approx(np.log(40) / 3)
    assert _share("people", covered[:0], groups[:0], 0.05) == {"checked_people": 0}


def test_new_questions_are_answered_as_often_as_those_asked_or_refused():
    asked = pa.table({"simulator": ["model"] * 2, "k": ["20", "50"], "k_j": [20.0, 50.0]})
    new = Scenarios(["next"], [[1.0, 2.0]], [Scale(2, None, None)])

    def answered(many: float):
        rows = {"scenario": ["next"] * 2, "source": ["model"] * 2, "value": [1.0, 2.0]}
        tables = (pa.table({**rows, name: [many - 4.0, 4.0]}) for name in ("count", "probability"))
        outcomes, stated = tables
        return answering("model", asked, new, (outcomes, stated.slice(0, 0)), (1,))

    assert (answered(30.0).k, answered(30.0).draws) == ("20", {0: 20.0})
    assert answered(50.0).shares[0] == pytest.approx([46 / 50, 4 / 50])
    with pytest.raises(UnusableError, match="gave 19 answers to a new question, and at least 20"):
        answered(19.0)


def test_equally_near_questions_come_by_name():
    near = np.array([0.2, 0.5, 0.3 + 0.2, 0.1 + 0.2 + 0.2, 0.9])
    names = ["a", "d", "c", "b", "e"]
    assert [names[i] for i in nearest_first(near, names)] == ["e", "b", "c", "d", "a"]


def standings(bounds, discrepancy="tv", **changes):
    """Return simulators, each with its bounds of new questions."""
    rows = [
        {
            "scenario": f"q{i}",
            "simulator": name,
            "discrepancy": discrepancy,
            "option": "yes",
            "statement": "marginal",
            "about": "questions like those asked",
            "bound": bound,
            "main": True,
            "method": None,
        }
        for name, own in bounds.items()
        for i, bound in enumerate(own)
    ]
    results = SimpleNamespace(
        predictions=rows,
        named=str.upper,
        noun="question",
        nouns="questions",
        step={"predict": {"alpha": 0.1}},
        bound_level="95 %",
        under_test=lambda names: Results.under_test(None, names),
        predictors=lambda names: [],
        **changes,
    )
    every = [SimpleNamespace(name=name) for name in bounds]
    return SimpleNamespace(every=every, results=results, discrepancy=discrepancy)


def told(*args, **changes):
    return [plain(each) for each in Predictions(standings(*args, **changes)).promise]


def test_every_simulator_under_test_is_named_with_its_bounds():
    said = told({"a": [0.3, 0.3], "b": [0.21, 0.22], "uniform": [0.5, 0.5]})
    assert (
        "A share is known to within 0.210 to 0.220 with B and 0.300 with A on either side." in said
    )
    assert CHOSEN in said
    assert not any("uniform" in each.lower() for each in said)


def test_one_simulator_is_not_called_chosen():
    said = told({"a": [0.3], "uniform": [0.2]}, "l2")
    assert "The distance from people is predicted to be at most 0.300 with A." in said
    assert "A uniform guess has a smaller bound (0.200): A predicts no better than a guess." in said
    assert CHOSEN not in said
