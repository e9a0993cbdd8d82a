"""Baselines that any dataset can have: fitted among the scenarios with the same options."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fidelity.baselines.from_wording import nearest_questions, question_ridge
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.baselines import with_baselines
from fidelity_study.reading.ingest.responses import Responses

BASELINES = ["uniform", "pooled", "nearest_questions", "question_ridge"]
STEP = {"seed": 1, "dataset": "d", "draws": 50, "simulators": BASELINES}
AGREE = ["I like cats", "I like dogs and cats", "I hate dogs", "Rain is nice", "Snow is nice"]
OFTEN = ["I eat meat", "I eat fish and meat", "I drink milk", "I drink tea", "I run"]


@pytest.fixture
def responses():
    """Return ten questions on two sets of options with the same codes, in mixed order."""
    counts = np.random.default_rng(2).integers(1, 30, (10, 2))
    texts = [text for pair in zip(AGREE, OFTEN, strict=True) for text in pair]
    scenarios = pd.DataFrame({"scenario": [f"s{i}" for i in range(10)], "question": texts})
    scenarios["cluster"] = ["a", "b"] * 2 + ["a", "b", "b", "a", "c", "c"]
    scenarios["value"] = [[1.0, 2.0]] * 10
    scenarios["option"] = [["no", "yes"], ["seldom", "often"]] * 5
    outcomes = scenarios[["scenario"]].loc[np.repeat(range(10), 2)].assign(source="human")
    outcomes = outcomes.assign(value=[1.0, 2.0] * 10, count=counts.ravel().astype(float))
    model = pd.DataFrame({"scenario": ["s0"], "source": "model", "value": 1.0, "count": 3.0})
    return Responses("file.csv", pd.concat([outcomes, model], ignore_index=True), scenarios)


def stated(found, name):
    rows = found.stated[found.stated["source"] == name]
    return {scenario: part["probability"].tolist() for scenario, part in rows.groupby("scenario")}


def counts_of(responses, chosen):
    people = responses.outcomes[responses.outcomes["source"] == "human"]
    return people.set_index("scenario")["count"].to_numpy().reshape(10, 2)[chosen]


def test_each_set_of_options_is_a_world_of_its_own(responses):
    found = with_baselines(STEP, responses)
    assert stated(found, "uniform") == {f"s{i}": [0.5, 0.5] for i in range(10)}
    for first, texts in enumerate((AGREE, OFTEN)):
        counts = counts_of(responses, slice(first, None, 2))
        for name, simulate in (
            ("nearest_questions", nearest_questions),
            ("question_ridge", question_ridge),
        ):
            answered = stated(found, name)
            rows = [answered[f"s{i}"] for i in range(first, 10, 2)]
            np.testing.assert_array_equal(rows, simulate(counts, texts))
    pooled = stated(found, "pooled")
    assert set(pooled) == {f"s{i}" for i in range(6)}
    others = counts_of(responses, [2, 4]).sum(axis=0)
    np.testing.assert_allclose(pooled["s0"], others / others.sum())


def test_they_answer_as_often_as_the_config_says_beside_what_was_there(responses):
    found = with_baselines(STEP, responses)
    drawn = found.outcomes[found.outcomes["source"].isin(BASELINES)]
    assert drawn.groupby(["source", "scenario"])["count"].sum().eq(50).all()
    pd.testing.assert_frame_equal(
        found.outcomes.iloc[: len(responses.outcomes)], responses.outcomes, check_dtype=False
    )


def test_the_datas_own_simulator_goes_before_the_baseline(responses):
    own = replace(responses, outcomes=responses.outcomes.replace({"source": {"model": "uniform"}}))
    assert with_baselines(STEP | {"simulators": ["uniform"]}, own) is own
    silent = pd.DataFrame({"scenario": ["s0"], "source": "pooled", "reason": "refused", "count": 1})
    own = replace(responses, missing=silent)
    assert with_baselines(STEP | {"simulators": ["pooled"]}, own) is own


@pytest.mark.parametrize("name", ["nearest_questions", "question_ridge"])
def test_wordings_that_are_not_told_teach_nothing(responses, name):
    scenarios = responses.scenarios.drop(columns="question")
    unnamed = replace(responses, scenarios=scenarios.assign(description=scenarios["scenario"]))
    with pytest.raises(DataError, match=f"{name} learns from the wording .* a column question"):
        with_baselines(STEP | {"simulators": ["uniform", name]}, unnamed)
    found = with_baselines(STEP | {"simulators": ["uniform", "pooled"]}, unnamed)
    assert set(found.stated["source"]) == {"uniform", "pooled"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pooled", "no two scenarios of a cluster have the same options"),
        ("nearest_questions", "no two questions with the same options are in different folds"),
        ("question_ridge", "no two questions with the same options are in different folds"),
    ],
)
def test_a_baseline_with_nothing_to_learn_from_says_why(responses, name, why):
    lonely = responses.scenarios.iloc[:2].assign(cluster=["a", "b"])
    alone = replace(responses, scenarios=lonely)
    with pytest.raises(DataError, match=f"file.csv: the simulator {name} has nothing .* {why}"):
        with_baselines(STEP | {"simulators": ["uniform", name]}, alone)


def test_wordings_without_words_are_told(responses):
    signs = responses.scenarios.assign(question=["?"] * 10)
    with pytest.raises(DataError, match="no text has a letter or digit; take nearest_questions"):
        with_baselines(STEP, replace(responses, scenarios=signs))
