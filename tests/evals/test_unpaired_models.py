"""Models that were asked different questions: as two independent samples, if the config says so."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from fidelity_study.steps.evaluation import (
    DIFFERENCES,
    DIFFERENT,
    Eval,
    Evaluation,
    QuestionMeans,
    difference_rows,
)


def rows(unpaired, clusters=None, other_clusters=None):
    generator = np.random.default_rng(1)
    models, of_question = {}, {}
    for name, many, groups in (("galleon", 40, clusters), ("sloop", 25, other_clusters)):
        questions = np.array([f"{name}{at:02}" for at in range(many)])
        scores = generator.random(many) + 0.4 * (name == "galleon")
        nothing = np.full(many, np.nan)
        models[name] = QuestionMeans(questions, scores, np.ones(many), nothing)
        if groups is not None:
            of_question |= dict(zip(questions.tolist(), groups, strict=True))
    eval_ = Eval("sums", models, of_question, {}, [], "higher")
    test = {"alpha": 0.05, "power": 0.8, "effect": None}
    step = {
        "evals": {"sums": {"range": [0, 2]}},
        "baseline": None,
        "margin": 0.1,
        "standard_error": "cr2",
        "test": test,
    }
    study = Evaluation([eval_], {**step, "unpaired": unpaired})
    found = difference_rows(study)
    pa.Table.from_pylist(found, DIFFERENCES)
    return found, [models[name].mean for name in models]


def test_the_difference_is_welchs():
    (row, *others), (first, other) = rows(unpaired=True)
    test = stats.ttest_ind(first, other, equal_var=False)
    interval = test.confidence_interval(0.95)
    assert (row["model"], row["baseline"], row["questions"]) == ("galleon", "sloop", 0)
    assert row["estimate"] == pytest.approx(first.mean() - other.mean())
    assert [row["lower"], row["upper"]] == pytest.approx(list(interval))
    assert row["p_value"] == pytest.approx(test.pvalue) and row["p_holm"] == row["p_value"]
    assert DIFFERENT in row["warning"] and row["p_non_inferior"] < 0.05 and others == []


def test_without_the_key_nothing_is_compared():
    (row,), _ = rows(unpaired=False)
    assert row["warning"] == "no question has a score of both models"
    assert "estimate" not in row


def test_clusters_of_both_models_are_not_independent():
    apart, _ = rows(True, np.arange(40) // 4, 50 + np.arange(25) // 3)
    assert apart[0]["n_clusters"] == 10 + 9
    (row,), _ = rows(True, np.arange(40) // 4, np.arange(25) // 3)
    assert "estimate" not in row and "some cluster questions of both" in row["warning"]
