"""Evals on common clusters: brute force and statsmodels."""

import json
from pathlib import Path

import numpy as np
import pytest

from fidelity.comparison import (
    combined_error_bar,
    score_error_bar,
    shared_clusters_error_bar,
)
from fidelity.comparison.evaluations import ESTIMATORS

TOLD = json.loads((Path(__file__).parent / "logs" / "reference.json").read_text("utf-8"))
EXACT = {"rtol": 1e-10}


def drawn(seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the scores of three evals, two of them on common passages of unequal sizes."""
    generator = np.random.default_rng(seed)
    clusters = [
        np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 8]),
        np.resize(np.arange(4, 11), 25),
        np.repeat(np.arange(20, 25), 3),
    ]
    hard = generator.normal(size=30)
    return [hard[own] + generator.normal(size=len(own)) for own in clusters], clusters


def by_matrices(scores, clusters, weights) -> dict[str, float]:
    """Return variances and degrees of freedom by the matrices of a regression on dummies.

    CR2 is Bell and McCaffrey's with (I - H)^(-1/2) of each cluster, and their degrees of freedom
    those of a quadratic form in independent errors with each eval's own variance.
    """
    y, groups = np.concatenate(scores), np.concatenate(clusters)
    of = np.repeat(np.arange(len(scores)), [len(each) for each in scores])
    x = (of[:, None] == np.arange(len(scores))) * 1.0
    weights = np.array(weights) / np.sum(weights)
    inverse = np.linalg.inv(x.T @ x)
    hat = x @ inverse @ x.T
    off = y - hat @ y
    ends = {"cr0": 0.0, "cr2": 0.0}
    columns = []
    for name in np.unique(groups):
        own = groups == name
        values, vectors = np.linalg.eigh(np.eye(own.sum()) - hat[np.ix_(own, own)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        row = weights @ inverse @ x[own].T
        ends["cr0"] += float(row @ off[own]) ** 2
        ends["cr2"] += float(row @ root @ off[own]) ** 2
        columns.append((np.eye(len(y)) - hat)[:, own] @ root @ row)
    spread = np.array([each.var(ddof=1) for each in scores])[of]
    among = np.array(columns) @ np.diag(spread) @ np.array(columns).T
    ends["df"] = np.trace(among) ** 2 / np.trace(among @ among)
    many = len(columns)
    ends["cr1"] = ends["cr0"] * many / (many - 1)
    ends["miller"] = sum(
        (w * each.std(ddof=1)) ** 2 / len(each) for w, each in zip(weights, scores, strict=True)
    )
    scaled = off * (weights / np.bincount(of))[of]
    for i in range(len(y)):
        for j in range(len(y)):
            if i != j and groups[i] == groups[j]:
                ends["miller"] += scaled[i] * scaled[j]
    return ends


@pytest.mark.parametrize("weights", [[36, 25, 15], [1, 1, 1], [1, 0, 3]])
def test_as_a_regression_on_dummies(weights):
    scores, clusters = drawn(3)
    kept = [e for e, weight in enumerate(weights) if weight]
    told = by_matrices(*([each[e] for e in kept] for each in (scores, clusters, weights)))
    for estimator in ESTIMATORS:
        bar = shared_clusters_error_bar(scores, clusters, weights, estimator=estimator)
        np.testing.assert_allclose(bar.se**2, told[estimator], **EXACT)
        means = [each.mean() for each in scores]
        np.testing.assert_allclose(bar.estimate, np.average(means, weights=weights), **EXACT)
    bar = shared_clusters_error_bar(scores, clusters, weights)
    assert bar.df <= told["df"] * (1 + 1e-9)


@pytest.mark.parametrize("how", ["pooled", "macro"])
def test_as_statsmodels(how):
    told = TOLD["statsmodels"]["shared clusters"]
    weights = [36, 30] if how == "pooled" else [1, 1]
    bar = shared_clusters_error_bar(told["scores"], told["clusters"], weights, estimator="cr0")
    np.testing.assert_allclose(bar.se, told[how], rtol=0, atol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_eval_is_as_alone(estimator):
    (scores, *_), (clusters, *_) = drawn(5)
    bar = shared_clusters_error_bar([scores], [clusters], [2.0], estimator=estimator)
    alone = score_error_bar(scores, clusters, estimator=estimator)
    np.testing.assert_allclose(bar[:10], alone[:10], **EXACT)


def test_evals_without_common_clusters_are_independent():
    scores, clusters = drawn(6)
    clusters = [clusters[0], clusters[1] + 100, clusters[2]]
    for estimator in ("cr2", "cr0", "miller"):
        bars = [
            score_error_bar(*each, estimator=estimator)
            for each in zip(scores, clusters, strict=True)
        ]
        found = shared_clusters_error_bar(scores, clusters, [1, 2, 3], estimator=estimator)
        np.testing.assert_allclose(found.se, combined_error_bar(bars, [1, 2, 3]).se, **EXACT)


def test_what_says_nothing_is_refused():
    with pytest.raises(ValueError, match="2 in each evaluation, or more"):
        shared_clusters_error_bar([[1, 0], [0, 1]], [["a", "b"], ["a", "a"]], [1, 1])
    with pytest.raises(ValueError, match="above 0"):
        shared_clusters_error_bar([[1, 0]], [["a", "b"]], [0])
    bar = shared_clusters_error_bar([[1, 0, 1], [1, 1, 1]], [["a", "b", "c"]] * 2, [1, 1])
    assert np.isnan([bar.lower, bar.p_value]).all()
