"""Curves and means for the questions that will be asked next: files, step, page, config."""

import re
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from asked_and_new import TOPICS, write
from small_study import REPOSITORY
from tabular_step import by, step

from fidelity import Responses
from fidelity.curves.target import weighted_quantile_curve
from fidelity_study.config.keys import Target
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.new_questions import new_questions, questions_asked
from fidelity_study.reading.tabular.target import target_features
from fidelity_study.report.page.target import target
from fidelity_study.steps.cases import Case
from fidelity_study.steps.curves import TAU
from fidelity_study.steps.people import People
from fidelity_study.steps.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.steps.target import BALANCE, CURVES, MEANS, Asked
from fidelity_study.steps.unanswered import Answered

SETTINGS = {
    "human": "people.csv",
    "simulated": "model.csv",
    "scenarios": "questions.csv",
    "outcome": {"kind": "categorical", "levels": ["no", "yes"]},
    "simulators": ["model"],
    "cluster": "none",
}
ASKED = 120
HOWTO = (REPOSITORY / "docs" / "howto" / "predict.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def files(here):
    write(here, asked=ASKED, new=0)
    pd.read_csv("questions.csv").drop(columns="length").to_csv("questions.csv", index=False)


def coming(questions: list[tuple[str, str]], **more):
    rows = [(f"next{j}", wording, topic) for j, (wording, topic) in enumerate(questions)]
    frame = pd.DataFrame(rows, columns=["scenario", "question", "topic"]).assign(**more)
    frame.to_csv("next.csv", index=False)


def settings(*features: str, **changed) -> dict:
    wanted = {"questions": "next.csv", "features": list(features)}
    given = step(**{**SETTINGS, **changed})
    return {**given, "ingest": "tabular", "target_questions": wanted}


def usual_coming():
    lengths = range(8, 18)
    coming([(" ".join(["word"] * length), TOPICS[length % 2]) for length in lengths])


def asked_of(given: dict) -> tuple[Asked, pd.DataFrame]:
    scenarios = questions_asked(given)
    used = {name: scenarios[name].tolist() for name in ("scenario", "cluster", "question", "value")}
    return Asked.of(pa.table(used), given), scenarios


def test_features_come_from_both_files_or_are_counted():
    usual_coming()
    given = settings("topic", "length")
    asked = questions_asked(given)
    here, there = target_features(given, asked)
    known = pd.read_csv("questions.csv").set_index("scenario").loc[asked["scenario"]]
    assert here["topic"] == known["topic"].tolist()
    assert here["length"] == [len(text.split()) for text in known["question"]]
    assert (set(there["topic"]), there["length"]) == ({*TOPICS[:2]}, [*range(8, 18)])


def test_a_column_called_length_counts_before_the_words():
    questions = pd.read_csv("questions.csv").assign(length=3)
    questions.to_csv("questions.csv", index=False)
    coming([("a b c d", TOPICS[0])], length=[9])
    given = settings("length")
    here, there = target_features(given, questions_asked(given))
    assert ({*here["length"]}, there["length"]) == ({3.0}, [9.0])


@pytest.mark.parametrize(
    ("feature", "why"),
    [
        ("size", "'size' is no feature; there are: .*length"),
        ("n_options", "'n_options' is not known of .*next0"),
    ],
)
def test_a_feature_that_is_not_known_is_refused(feature, why):
    usual_coming()
    given = settings(feature)
    with pytest.raises(DataError, match=why):
        target_features(given, questions_asked(given))


def test_only_new_questions_are_the_target():
    pd.read_csv("questions.csv").to_csv("next.csv", index=False)
    given = settings("length")
    with pytest.raises(DataError, match="only questions that people were asked"):
        target_features(given, questions_asked(given))


def test_balanced_means_are_the_targets_and_the_rest_has_no_weight():
    usual_coming()
    asked, scenarios = asked_of(settings("topic", "length"))
    rows = list(asked.balance())
    pa.Table.from_pylist(rows, BALANCE)
    assert [row["weighted"] for row in rows] == pytest.approx([row["target"] for row in rows])
    weights, _ = asked.weights(np.arange(ASKED))
    topics = pd.read_csv("questions.csv").set_index("scenario").loc[scenarios["scenario"], "topic"]
    assert {*topics[weights > 0]} == {*TOPICS[:2]}


def test_clusters_that_a_feature_tells_are_fixed():
    usual_coming()
    assert (
        asked_of(settings("topic", "length", cluster="topic", clustered=True))[0].clusters is None
    )
    by_length, _ = asked_of(settings("length", cluster="topic", clustered=True))
    assert {*by_length.clusters} == {*TOPICS, "cooking"}
    with pytest.raises(ValueError, match="equal clusters, fewer than 20"):
        by_length.weights(np.arange(ASKED))


def case_of(m: int):
    counts = np.random.default_rng(0).integers(20, 80, (m, 2)).astype(float)
    names = [f"q{j}" for j in range(m)]
    people = People(names, Responses(counts), False, (1, "d", "means"))
    q, none = np.full((m, 2), 0.5), np.full(m, np.nan)
    own = Answered("model", "stated", np.arange(m), q, none, np.zeros(m))
    return Case(people, own, "tv", False)


class _Results:
    nouns, level = "questions", "95 %"

    def __init__(self, row):
        self.target_means = [row]

    def named(self, name):
        return name


def said(row):
    table = SimpleNamespace(
        results=_Results(row),
        discrepancy="tv",
        level="95 %",
        tested=[SimpleNamespace(cell={"simulator": "model", "k": "stated"})],
    )
    return target(table)


@pytest.mark.slow
def test_the_mean_is_told_or_why_there_is_none():
    usual_coming()
    row = asked_of(settings("topic", "length"))[0].mean(case_of(ASKED), "true", 0.05)
    pa.Table.from_pylist([row], MEANS)
    assert row["ci_lower"] < row["lower"] <= row["upper"] < row["ci_upper"]
    assert 20 < row["effective_scenarios"] < ASKED * 2 / 5
    first, last = said({"reason": None, **row})
    assert "The mean distance of \u2068model\u2069 is" in first and "of 120 questions" in first
    assert "weighted until their means of topic, length are those" in last
    coming([("one", TOPICS[0]), ("two", "seaside")])
    refused = asked_of(settings("topic"))[0].mean(case_of(ASKED), "true", 0.05)
    assert refused["reason"].endswith("topic = seaside is 0.5, and none of these has it")
    (only,) = said(refused)
    assert only.startswith("Nothing is said of \u2068model\u2069: the target is too unlike")


def test_the_curve_is_that_of_the_weights():
    usual_coming()
    asked, scenarios = asked_of(settings("topic", "length"))
    generator = np.random.default_rng(1)
    upper = generator.uniform(size=ASKED)
    same = {"simulator": "model", "k": "stated", "confidence_set": "witness", "gamma": "0.5"}
    same |= {"discrepancy": "tv", "replicate": 0, "gamma_j": 0.5}
    same |= dict.fromkeys(("n_j", "k_j", "plugin", "lower", "gap", "oracle"), 1.0)
    names = scenarios["scenario"].tolist()
    table = pd.DataFrame({"scenario": names, "upper": upper}).assign(**same)
    table = pa.Table.from_pandas(table[PSEUDO_DISCREPANCY.names], PSEUDO_DISCREPANCY)
    facts = pa.table({"scenario": names, "cluster": ["none"] * ASKED, "people": names})
    curves = asked.curves(table, facts, [0.5])
    assert curves.schema.equals(CURVES)
    weights, _ = asked.weights(np.arange(ASKED))
    expected = weighted_quantile_curve(upper, 0.5, TAU, weights)
    assert curves["upper"].to_numpy().tolist() == expected.tolist()


CONFIG = {
    "datasets": {
        "town": {
            **{key: value for key, value in SETTINGS.items() if key != "simulators"},
            "ingest": "tabular",
            "target": {"questions": "next.csv", "features": ["topic", "length"]},
        }
    }
}


def test_the_key_is_complete_and_the_guide_writes_it():
    usual_coming()
    known = Study(CONFIG).datasets["town"]
    assert known["target"] is None and known["target_questions"]["features"] == ["topic", "length"]
    (written,) = re.findall(r"^    target: .*$", HOWTO, re.MULTILINE)
    written = yaml.safe_load(written)["target"]
    assert written.keys() == Target.schema["properties"].keys()
    assert written == CONFIG["datasets"]["town"]["target"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "values"), [("categorical", {"no": 1, "yes": 2}), ("real", {"2": 2, "3": 3})]
)
def test_answers_to_new_questions_are_options_of_those_asked_or_numbers(kind, values):
    write(Path(), asked=6, new=2, options=tuple(values))
    given = step(**{**SETTINGS, "cluster": "topic", "outcome": {"kind": kind}})
    predict = {"questions": None, "scenarios": None, "features": [], "weights": None}
    given |= {"ingest": "tabular", "unasked": True, "predict": predict}
    found = new_questions(given, questions_asked(given))
    model = pd.read_csv("model.csv", dtype={"value": str}).query("scenario > 'q06'")
    model["value"] = model["value"].map(values)
    columns = ["scenario", "value", "probability"]
    assert by(found.stated[columns], "probability") == by(model[columns], "probability")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"target": {"questions": "gone.csv", "features": ["topic"]}}, "gone.csv is not there"),
        ({"target": {"questions": "next.csv"}}, "features"),
        ({"target": {"questions": "next.csv", "features": ["question"]}}, "the name of a column"),
        ({"groups": ["sex"]}, "questions do not go with groups"),
    ],
)
def test_what_does_not_fit_is_refused(changed, fault):
    usual_coming()
    config = deepcopy(CONFIG)
    config["datasets"]["town"] |= changed
    with pytest.raises(DataError, match=fault):
        Study(config)
