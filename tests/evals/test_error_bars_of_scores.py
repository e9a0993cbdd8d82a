"""Error bars of scores: closed forms and other programs' numbers."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fidelity
from fidelity.comparison import (
    combined_error_bar,
    components_of_samples,
    non_inferiority,
    question_means,
    score_difference,
    score_error_bar,
    variance_with_samples,
    wilson_interval,
)

TOLD = json.loads((Path(__file__).parent / "logs" / "reference.json").read_text("utf-8"))
EXACT = {"rtol": 0, "atol": 1e-12}
Z = stats.norm.ppf(0.975)


def drawn(seed: int = 0, m: int = 40, groups: int = 9) -> tuple[np.ndarray, ...]:
    """Return two models' scores, and clusters of unequal sizes."""
    generator = np.random.default_rng(seed)
    clusters = np.sort(generator.integers(0, groups, m))
    hard = generator.random(m)
    return *((generator.random(m) < hard) * 1.0 for _ in range(2)), clusters


def triple_sum(scores: np.ndarray, clusters: np.ndarray, *, diagonal: bool) -> float:
    """Return Σ_c Σ_i Σ_j of products of deviations in one cluster, with or without i = j."""
    off = scores - scores.mean()
    return sum(
        off[i] * off[j]
        for i, j in itertools.product(range(len(off)), repeat=2)
        if clusters[i] == clusters[j] and (diagonal or i != j)
    )


def test_formulas_of_the_document():
    scores, other, clusters = drawn()
    m, difference = len(scores), scores - other
    clt = np.sqrt(((scores - scores.mean()) ** 2).sum() / (m * (m - 1)))
    bar = score_error_bar(scores, estimator="miller")
    np.testing.assert_allclose(bar.se, clt, **EXACT)
    np.testing.assert_allclose([bar.lower, bar.upper], scores.mean() + np.array([-Z, Z]) * clt)
    clustered = np.sqrt(clt**2 + triple_sum(scores, clusters, diagonal=False) / m**2)
    bar = score_error_bar(scores, clusters, estimator="miller")
    np.testing.assert_allclose(bar.se, clustered, **EXACT)
    paired = np.sqrt(((difference - difference.mean()) ** 2).sum() / (m - 1) / m)
    np.testing.assert_allclose(score_difference(scores, other, estimator="miller").se, paired)
    outside = np.sqrt(triple_sum(difference, clusters, diagonal=True)) / m
    bar = score_difference(scores, other, clusters, estimator="miller")
    np.testing.assert_allclose(bar.se, outside, **EXACT)
    np.testing.assert_allclose(bar.correlation, np.corrcoef(scores, other)[0, 1])
    np.testing.assert_allclose(bar.statistic, difference.mean() / outside)


def test_as_statsmodels():
    told = TOLD["statsmodels"]
    scores, clusters = np.array(told["scores"]), np.array(told["clusters"])
    for estimator, name in (
        ("cr2", "nonrobust"),
        ("cr1", "HC1"),
        ("miller", "HC2"),
        ("cr0", "HC0"),
    ):
        bar = score_error_bar(scores, estimator=estimator)
        np.testing.assert_allclose(bar.se, told[name], **EXACT)
    bar = score_error_bar(scores, clusters, estimator="cr1")
    np.testing.assert_allclose(bar.se, told["cluster"], **EXACT)
    np.testing.assert_allclose([bar.lower, bar.upper], told["cluster t"], **EXACT)
    bar = score_error_bar(scores, clusters, estimator="cr0")
    np.testing.assert_allclose(bar.se, told["cluster uncorrected"], **EXACT)


def test_an_unknown_estimator_is_told():
    with pytest.raises(ValueError, match="cr2"):
        score_error_bar([1, 0, 1], estimator="hc9")


@pytest.mark.slow
@given(st.integers(1, 60).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))))
def test_wilson_solves_its_equation(given_):
    right, m = given_
    lower, upper = wilson_interval(right, m)
    for end in (lower, upper):
        if 0 < end < 1:
            np.testing.assert_allclose(
                (right / m - end) ** 2, Z**2 * end * (1 - end) / m, rtol=1e-9
            )
    told = stats.binomtest(right, m).proportion_ci(method="wilson")
    np.testing.assert_allclose([lower, upper], [told.low, told.high], atol=1e-12)


def test_components_with_equal_samples_are_the_planning_ones():
    generator = np.random.default_rng(2)
    runs = [generator.random((30, k)).round(2) for k in (3, 5)]
    named = [np.repeat(np.arange(30), each.shape[1]) for each in runs]
    found = components_of_samples(
        *(question_means(each.ravel(), name) for each, name in zip(runs, named, strict=True))
    )
    wanted = fidelity.variance_components(*runs)
    np.testing.assert_allclose(found.within, wanted.within)
    np.testing.assert_allclose(found.between, wanted.between)
    np.testing.assert_allclose(found.total - found.noise, wanted.unbiased_between)
    one = components_of_samples(question_means([1, 0, 1], ["a", "b", "b"]))
    assert np.isnan(one.noise) and np.isnan(one.between)


def test_several_evals_are_weighted():
    pairs = [drawn(seed, m)[:2] for seed, m in ((1, 50), (2, 80), (3, 30))]
    bars = [score_difference(*pair) for pair in pairs]
    pooled = combined_error_bar(bars, [bar.n for bar in bars])
    every = np.concatenate([first - second for first, second in pairs])
    np.testing.assert_allclose(pooled.estimate, every.mean())
    within = sum((bar.n / 160) ** 2 * bar.se**2 for bar in bars)
    np.testing.assert_allclose(pooled.se, np.sqrt(within))
    macro = combined_error_bar(bars, [1, 1, 1])
    np.testing.assert_allclose(macro.estimate, np.mean([bar.estimate for bar in bars]))
    np.testing.assert_allclose(macro.se, np.sqrt(sum(bar.se**2 for bar in bars)) / 3)
    alone = combined_error_bar(bars[:1], [5.0])
    np.testing.assert_allclose(alone[:7], bars[0][:7])
    assert np.isnan(combined_error_bar([bars[0], score_error_bar([1, 1, 1])], [1, 1]).lower)


def test_non_inferiority_agrees_with_the_interval():
    scores, other, clusters = drawn(8)
    bar = score_difference(scores, other, clusters, level=0.9)
    at_limit = non_inferiority(bar, max(-float(bar.lower), 0.0))
    np.testing.assert_allclose(at_limit.p_value, 0.05, atol=1e-9)
    one_sided = stats.ttest_1samp(scores - other, -0.1, alternative="greater")
    found = non_inferiority(score_difference(scores, other), 0.1)
    np.testing.assert_allclose(found, [one_sided.statistic, one_sided.pvalue])


def test_equal_scores_have_no_interval():
    for bar in (score_error_bar([1, 1, 1]), score_difference([1, 0, 1], [0, -1, 0])):
        assert bar.se == 0 and np.isnan([bar.lower, bar.p_value]).all()


def test_other_numbers_of_samples_are_never_below_the_noise_of_samples():
    scores, other, clusters = (np.repeat(each, 2) for each in drawn(12, 30, 6))
    generator = np.random.default_rng(5)
    questions = np.repeat(np.arange(30), 2)
    means = [
        question_means(each ^ (generator.random(60) < 0.3), questions)
        for each in (scores > 0, other > 0)
    ]
    parts = components_of_samples(*means)
    bar = score_difference(means[0].mean, means[1].mean, clusters[::2])
    for variance in (float(bar.se) ** 2, parts.noise / 60):
        for samples in (1, 2, 5, 100):
            found, clipped = variance_with_samples(variance, parts, 30, samples)
            assert found >= sum(parts.within) / samples / 30
            assert clipped == (variance < parts.noise / 30)
            if not clipped:
                change = parts.noise - sum(parts.within) / samples
                np.testing.assert_allclose(found, variance - change / 30)
    assert variance_with_samples(parts.noise / 60, parts, 30, np.inf) == (0.0, True)


@pytest.mark.parametrize("estimator", ["cr2", "cr1", "cr0", "miller"])
@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(6), 5)])
def test_an_interval_of_shares_ends_where_no_share_can_be(estimator, clusters):
    """The cut holds the truth as often as the whole interval, and all else stays as it was."""
    rng = np.random.default_rng(0)
    how = {"estimator": estimator}
    for _ in range(50):
        right = (rng.random(30) < 0.9).astype(float)
        cut = score_error_bar(right, clusters, **how)
        whole = score_error_bar(10.0 * right, clusters, **how)  # tens are no shares
        if np.isnan(cut.lower):
            continue
        ends = np.clip([whole.lower / 10, whole.upper / 10], 0.0, 1.0)
        np.testing.assert_allclose([cut.lower, cut.upper], ends, atol=1e-12)
        assert cut.middle == pytest.approx(right.mean()) and cut.se == pytest.approx(whole.se / 10)
        assert non_inferiority(cut, 0.1).p_value == pytest.approx(
            non_inferiority(whole, 1.0).p_value
        )


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_where_all_is_right_or_wrong_limits_have_to_be_said(share):
    assert np.isnan(score_error_bar([share] * 20).lower)
    bar = score_error_bar([share] * 20, limits=(0.0, 1.0))
    assert min(abs(bar.lower - share), abs(bar.upper - share)) == 0.0
    assert 0.1 < bar.upper - bar.lower < 0.3
    with pytest.raises(ValueError, match="limits must hold all scores"):
        score_error_bar([1, 0, 2], limits=(0, 1))


def test_cases_of_both_are_matched_or_refused():
    pandas = pytest.importorskip("pandas")
    scores = pandas.Series([1.0, 0.0, 1.0, 1.0], index=list("abcd"))
    other = pandas.Series([1.0, 0.0, 0.0, 1.0], index=list("dcba"))
    expected = score_difference(scores, other.sort_index())
    np.testing.assert_equal(fidelity.score_difference(scores, other), expected)
    for of_other, told in (
        (other.rename({"a": "x"}), "only one of them has 'a', 'x'"),
        (other.iloc[:3], "only one of them has 'd'|the same row labels"),
        ([1.0, 0.0], "other must be of the same scenarios as scores, 4, not of 2"),
    ):
        with pytest.raises(ValueError, match=told):
            score_difference(scores, of_other)
