"""Scores that nearly all agree: their intervals hold the truth, although little varies."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from test_score_files import HEADER, evaluated, studied, written

from fidelity.comparison import combined_error_bar, score_error_bar, shared_clusters_error_bar
from fidelity.comparison.evaluations import ESTIMATORS
from fidelity_study.steps.evaluation import difference_rows, mean_rows, use_rows


def rows(wrong: dict[str, int], m: int, of: str = "", size: int = 1) -> str:
    """Return scores of m questions: each model is wrong on its first few."""
    return "".join(
        f"q{i},{model},{int(i >= many)}{f',{of}{i // size}' if of else ''}\n"
        for i, (model, many) in product(range(m), wrong.items())
    )


@pytest.mark.sampled
@pytest.mark.parametrize("m", [20, 50, 100])
def test_intervals_of_rare_mistakes_hold_the_truth(tmp_path, m):
    """Enumerated: a model is wrong on a rate of questions, the other on none."""
    ends = {"mean": [], "difference": []}
    for wrong in range(13):
        of = studied(written(tmp_path, HEADER + rows({"A": wrong, "B": 0}, m)))
        (difference,) = difference_rows(of)
        mean = next(row for row in mean_rows(of) if row["model"] == "A")
        for name, row in (("mean", mean), ("difference", difference)):
            ends[name].append((row["lower"] or row["estimate"], row["upper"] or row["estimate"]))
    for rate in (0.005, 0.01, 0.02, 0.03, 0.05):
        for name, truth in (("mean", 1 - rate), ("difference", -rate)):
            lower, upper = np.array(ends[name]).T
            covers = (lower <= truth) & (truth <= upper)
            assert stats.binom.pmf(np.arange(13), m, rate) @ covers >= 0.93


def test_a_difference_that_is_the_same_on_all_questions_is_settled(tmp_path):
    """B is right on all of 30 questions, A on none: the sign test's p is 2⁻²⁹."""
    (row,) = difference_rows(studied(written(tmp_path, HEADER + rows({"A": 30, "B": 0}, 30))))
    assert row["estimate"] == -1
    assert row["upper"] < -0.8
    assert row["p_value"] < 1e-9


def test_rare_mistakes_in_clusters_count_as_clusters(tmp_path):
    """3 wrong answers in one of 20 topics: a topic in 20 may be like that, and all wrong."""
    text = "question,model,score,topic\n" + rows({"A": 3, "B": 0}, 100, "t", 5)
    of = studied(written(tmp_path, text), {"cluster": "topic"})
    (difference,) = difference_rows(of)
    sums = np.r_[-3, np.zeros(19), -5, 5]
    half = stats.t.ppf(0.975, 21) * stats.sem(sums) / 5
    middle = sums.mean() / 5
    assert (difference["lower"], difference["upper"]) == pytest.approx(
        (middle - half, middle + half)
    )
    assert difference["p_value"] > 0.3
    assert "nearly all scores are equal" in difference["warning"]


def test_no_margin_is_kept_by_questions_of_which_few_differ(tmp_path):
    """1 of 40 differs: with a true difference of .075, the margin, that has probability .19."""
    table = written(tmp_path, HEADER + rows({"A": 1, "B": 0}, 40))
    (row,) = difference_rows(studied(table, baseline="B", margin=0.075))
    assert row["p_non_inferior"] > 0.05


@pytest.mark.parametrize("unpaired", [False, True])
def test_scores_without_an_end_have_plain_intervals_or_none(tmp_path, unpaired):
    """As of word errors: by Student's t where enough differ; nothing where nearly all are 0."""
    rates = np.random.default_rng(2).gamma(1.2, 0.1, (30, 2))
    few = np.zeros((30, 2))
    few[0] = 1.5, 0.2
    for scores in (rates, few):
        lines = [
            f"{'b' if unpaired and m else 'q'}{i},{name},{scores[i, m]}"
            for i in range(30)
            for m, name in enumerate("AB")
        ]
        table = written(tmp_path, HEADER + "\n".join(lines))
        of = studied(
            table, {"range": [0, float("inf")], "better": "lower"}, unpaired=unpaired, margin=None
        )
        first = next(row for row in mean_rows(of) if row["model"] == "A")
        (difference,) = difference_rows(of)
        if scores is few:
            assert "nearly all scores are equal" in first["warning"]
            assert first["lower"] is difference["lower"] is difference["p_value"] is None
            continue
        sd, half = rates.std(axis=0, ddof=1) / 30**0.5, stats.t.ppf(0.975, 29)
        mean = rates[:, 0].mean()
        assert (first["lower"], first["upper"]) == pytest.approx(
            (max(0, mean - half * sd[0]), mean + half * sd[0])
        )
        test = stats.ttest_ind if unpaired else stats.ttest_rel
        p_value = test(*rates.T, **({"equal_var": False} if unpaired else {})).pvalue
        assert difference["p_value"] == pytest.approx(p_value, rel=1e-3)
        limits = [row["limit"] for row in use_rows(of)]
        assert limits == pytest.approx([np.ptp(rates) / 20] * 2)


def test_evals_in_shared_clusters_have_no_interval_where_nearly_all_scores_agree(tmp_path):
    header = "question,model,score,passage\n"
    evals = {
        name: {
            "files": written(tmp_path, header + rows(wrong, 60, "p", 2), f"{name}.csv"),
            "cluster": "passage",
        }
        for name, wrong in (("rare", {"A": 2, "B": 0}), ("usual", {"A": 30, "B": 0}))
    }
    over = [row for row in difference_rows(evaluated(evals)) if row["of"] != "eval"]
    assert len(over) == 2
    for row in over:
        assert (row["lower"], row["p_value"]) == (None, None)
        assert "rare has none" in row["warning"]


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
    together = (groups[:, None] == groups) & ~np.eye(len(y), dtype=bool)
    ends["miller"] += scaled @ together @ scaled
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
