"""Error bars: values other implementations print, textbook formulas by hand, and simulation."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, ttest_ind, ttest_rel

from fidelity.comparison.error_bars import (
    clt_standard_error,
    cr0_standard_error,
    cr1_standard_error,
    cr2_standard_error,
    error_bar,
    mean_error_bar,
    paired_error_bar,
    paper_clustered_standard_error,
    sign_test,
    unpaired_error_bar,
)
from fidelity.curves.clusters import intraclass_correlation

RELATIVE = 1e-12
SCORES = {
    "a (binary)": lambda e: e.a,
    "pa (continuous)": lambda e: e.pa,
    "a-b (binary diff)": lambda e: e.a - e.b,
    "pa-pb": lambda e: e.pa - e.pb,
}


@pytest.fixture(scope="module")
def evals(vectors):
    return pd.read_csv(vectors / "evals_clustered64.csv")


@pytest.fixture(scope="module")
def printed(vectors):
    return json.loads((vectors / "se_outputs.json").read_text())


def close(value):
    return pytest.approx(value, rel=RELATIVE, abs=0)


@pytest.mark.parametrize("name", SCORES)
def test_standard_errors_of_other_implementations(evals, printed, name):
    """To 12 digits."""
    values, expected = SCORES[name](evals).to_numpy(float), printed[name]
    clusters = evals.cluster.to_numpy()
    clt, cr0 = clt_standard_error(values), cr0_standard_error(values, clusters)
    cr1, n = cr1_standard_error(values, clusters), len(values)
    bar = error_bar(values.mean(), cr1, n=n, n_clusters=12, df=11)
    assert (bar.n, bar.n_clusters) == (printed["n"], printed["G"])
    assert bar.estimate == close(expected["mean"])
    assert clt == close(expected["SE_CLT (ddof=1)"])
    assert clt * np.sqrt((n - 1) / n) == close(expected["SE_CLT population var (ddof=0)"])
    equation = "SE_clustered paper eq: sqrt(SE_CLT^2 + cross/n^2)"
    assert paper_clustered_standard_error(values, clusters) == close(expected[equation])
    assert cr0 == close(expected["SE_clustered CR0: sqrt(sum_c S_c^2)/n"])
    assert cr0 == close(expected["statsmodels cluster (use_correction=False)"])
    for peer in (
        "SE_clustered CR1 (inspect_ai, G/(G-1))",
        "statsmodels cluster (use_correction=True)",
        "errorbars.cluster_robust_se",
        "evalconfidence",
    ):
        assert cr1 == close(expected[peer])
    half = expected["t df G-1 95% half-width on CR1"]
    assert (bar.upper - bar.lower) / 2 == close(half)
    student = error_bar(bar.estimate, cr0, n=n, n_clusters=12, df=11)
    abeval = expected["abeval.clustered_mean_ci se,lo,hi"]
    assert [student.se, student.lower, student.upper] == close(abeval)
    assert intraclass_correlation(values, clusters) == close(expected["ICC (errorbars)"])
    assert (cr1 / clt) ** 2 == close(expected["DEFF=(CR1/CLT)^2"])


@pytest.mark.parametrize("name", SCORES)
def test_one_over_m_stands_outside_the_root(evals, printed, name):
    """A widely copied text prints sqrt(ΣΣΣ/m): √m times what the same sum really gives."""
    wrong = printed[name]["SEED003 printed paired-clustered sqrt(1/n * sum)"]
    right = cr0_standard_error(SCORES[name](evals), evals.cluster)
    assert right == close(wrong / np.sqrt(64))


def test_paired_differences_of_other_implementations(evals, printed):
    expected, peer = printed["paired"], printed["paired"]["errorbars.paired_compare"]
    paired = paired_error_bar(evals.a, evals.b)
    unpaired = unpaired_error_bar(evals.a, evals.b)
    assert paired.se == close(expected["SE_paired"])
    assert paired.se == close(expected["identity Var_unpaired - 2Cov/n"])
    assert unpaired.se == close(expected["SE_unpaired"])
    assert unpaired.se == close(peer["se_unpaired"])
    assert unpaired.estimate == paired.estimate
    assert paired.correlation == close(expected["corr"])
    assert [paired.statistic, paired.p_value] == close(expected["scipy.ttest_rel"])
    normal = error_bar(paired.estimate, paired.se, n=64, n_clusters=64)
    assert [normal.statistic, normal.p_value] == close(expected["z,p normal"])
    assert 1 - (paired.se / unpaired.se) ** 2 == close(peer["variance_reduction"])
    assert [evals.a.mean(), evals.b.mean()] == close([peer["mean_a"], peer["mean_b"]])
    se = cr1_standard_error(evals.a - evals.b, evals.cluster)
    clustered = error_bar(paired.estimate, se, df=11, n=64, n_clusters=12)
    for bar, suffix in ((paired, ""), (clustered, "_clustered")):
        assert bar.estimate == close(peer["mean_diff"])
        assert bar.se == close(peer[f"se{suffix}" if suffix else "se_paired"])
        assert bar.lower == pytest.approx(peer[f"ci_low{suffix}"], rel=1e-10)
        assert bar.upper == close(peer[f"ci_high{suffix}"])
        assert bar.p_value == pytest.approx(peer[f"p_value{suffix}"], rel=1e-10)
        assert bar.n == peer["n"]


def test_exact_mcnemar_of_another_implementation(evals, printed):
    peer = printed["paired"]["errorbars.paired_compare"]["mcnemar"]
    result = sign_test(evals.a, evals.b)
    assert (result.smaller, result.larger) == (peer["n01"], peer["n10"])
    assert result.p_value == close(peer["p_value"])


def test_sign_test_leaves_ties_out():
    assert sign_test([1, 2, np.inf], [1, 2, np.inf]) == (0, 0, 1.0)
    assert sign_test([1, 2, 3, 3], [2, 3, np.inf, 3]).p_value == pytest.approx(0.25)


def test_clustered_errors_by_hand():
    """Deviations (-2, 0, 2, 0 | 1, -1, 4, -4), sums of pairs (-2, 2, 0, 0)."""
    scores = np.array([1, 3, 5, 3, 4, 2, 7, -1], float)
    clusters = ["p", "p", "q", "q", "r", "r", "s", "s"]
    squares, crossed = 4 + 4 + 1 + 1 + 16 + 16, 2 * (0 + 0 - 1 - 16)
    assert cr0_standard_error(scores, clusters) == pytest.approx(np.sqrt(8) / 8)
    assert cr1_standard_error(scores, clusters) == pytest.approx(np.sqrt(4 / 3 * 8) / 8)
    paper = paper_clustered_standard_error(scores, clusters)
    assert paper == pytest.approx(np.sqrt(squares / 56 + crossed / 64))


def test_the_papers_squared_error_is_never_negative():
    """Scenarios of a cluster as different as can be: CR0 is 0, the paper's SE_CLT/√m."""
    scores, clusters = np.tile([0.0, 1.0], 20), np.repeat(np.arange(20), 2)
    assert cr1_standard_error(scores, clusters) == 0
    squared = clt_standard_error(scores) ** 2 - 20 * 2 * 0.25 / 40**2
    assert squared > 0
    assert paper_clustered_standard_error(scores, clusters) ** 2 == pytest.approx(squared)


def test_own_clusters_are_no_clusters():
    scores = np.random.default_rng(0).normal(size=(30, 3))
    for robust in (cr1_standard_error, cr2_standard_error):
        np.testing.assert_allclose(robust(scores, np.arange(30)), scores.std(0, ddof=1) / 30**0.5)
    alone, each = mean_error_bar(scores), mean_error_bar(scores, np.arange(30))
    np.testing.assert_allclose(alone.lower, each.lower)
    assert alone.df[0] == each.df[0] == 29


def test_scenarios_stand_on_the_first_axis_and_others_are_separate_results():
    generator = np.random.default_rng(1)
    scores, other = generator.normal(size=(20, 2, 3)), generator.normal(size=20)
    clusters = np.repeat(np.arange(5), 4)
    together = paired_error_bar(scores, other, clusters)
    assert together.estimate.shape == together.df.shape == together.correlation.shape == (2, 3)
    alone = paired_error_bar(scores[:, 1, 2], other, clusters)
    for field in ("estimate", "se", "lower", "upper", "statistic", "p_value", "correlation"):
        assert getattr(together, field)[1, 2] == pytest.approx(getattr(alone, field), rel=1e-12)
        assert np.ndim(getattr(alone, field)) == 0


def test_against_scipy_at_other_levels():
    generator = np.random.default_rng(2)
    scores, other = generator.normal(size=12), generator.normal(size=12)
    bar = paired_error_bar(scores, other, level=0.8)
    expected = ttest_rel(scores, other).confidence_interval(0.8)
    assert [bar.lower, bar.upper] == close([expected.low, expected.high])
    own = np.arange(12)
    expected = ttest_ind(scores, other[:9], equal_var=False)
    for labels in ((None, None), (own, own[:9])):
        welch = unpaired_error_bar(scores, other[:9], *labels)
        assert [welch.statistic, welch.p_value, welch.df] == close([*expected, expected.df])


def test_without_spread_there_is_no_interval():
    """Equal scores, or clusters that differ within but not between, say nothing of the error."""
    for bar in (
        mean_error_bar(np.full(5, 0.1)),
        mean_error_bar(np.tile([0.0, 1.0], 6), np.repeat(np.arange(6), 2)),
        paired_error_bar([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]),
    ):
        assert bar.se == 0
        assert np.isnan([bar.lower, bar.upper, bar.statistic, bar.p_value]).all()
    assert np.isnan(paired_error_bar(np.zeros(5), np.arange(5.0)).correlation)
    assert unpaired_error_bar(np.zeros(5), np.ones(4)).estimate == -1


def test_a_sample_without_variance_is_not_known_exactly():
    """It once gave p = .001 from three equal scores against three others."""
    for scores, other in (([1.0] * 3, [2.0, 2.1, 2.0]), ([2.0, 2.1, 2.0], [0.1] * 3)):
        for clusters in (None, [0, 1, 2]):
            bar = unpaired_error_bar(scores, other, clusters, clusters)
            assert bar.estimate == pytest.approx(np.mean(scores) - np.mean(other))
            assert np.isnan([bar.se, bar.lower, bar.upper, bar.statistic, bar.p_value]).all()
    several = unpaired_error_bar(np.array([[1.0, 1], [1, 2]]), np.array([[2.0, 3], [4, 5]]))
    assert np.isnan(several.p_value).tolist() == [True, False]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clt_standard_error([1.0]), "at least 2 scenarios"),
        (lambda: mean_error_bar([1.0, np.inf]), "finite"),
        (lambda: mean_error_bar([1.0, 2.0], ["a", "a"]), "clusters must be at least 2"),
        (lambda: mean_error_bar([1.0, 2.0], ["a"]), "clusters must be a vector of 2 labels"),
        (lambda: mean_error_bar([1.0, 2.0], level=1.0), "strictly between"),
        (lambda: unpaired_error_bar([1.0, 2.0], [1.0, 2.0], [0, 1]), "neither"),
        (
            lambda: paired_error_bar(np.ones((2, 9)), np.ones(9)),
            "other must be of the same scenarios",
        ),
        (
            lambda: mean_error_bar(np.ones((2, 9)), np.arange(9)),
            "clusters must be a vector of 2 labels",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_five_percent_tests_reject_five_percent_and_clusters_need_their_own_error():
    """10,000 studies of 30 clusters of 4 with an ICC of .4, no difference; 4 standard errors."""
    generator, studies = np.random.default_rng(3), 10_000
    clusters = np.repeat(np.arange(30), 4)
    independent = generator.normal(size=(120, studies))
    shared = generator.normal(size=(30, studies))[clusters]
    within = np.sqrt(0.6) * generator.normal(size=(120, studies)) + np.sqrt(0.4) * shared
    bars = {
        "clt": mean_error_bar(independent),
        "clustered": mean_error_bar(within, clusters),
        "paired": paired_error_bar(within + 1, independent + 1, clusters),
        "unpaired": unpaired_error_bar(independent[:50], within[::4]),
    }
    error = 4 * np.sqrt(0.05 * 0.95 / studies)
    for name, bar in bars.items():
        assert np.mean(bar.p_value <= 0.05) == pytest.approx(0.05, abs=error), name
    assert np.mean(mean_error_bar(within).p_value <= 0.05) > 0.15


def test_ten_scenarios_are_compared_with_students_t():
    """Normal quantiles reject 8 % of 20,000 true hypotheses; 4 standard errors."""
    bar = mean_error_bar(np.random.default_rng(5).normal(size=(10, 20_000)))
    assert np.mean(bar.p_value <= 0.05) == pytest.approx(0.05, abs=0.0062)
    assert np.mean(np.abs(bar.statistic) > norm.ppf(0.975)) > 0.075


def test_power_is_that_of_the_normal_distribution():
    generator, studies, m, effect = np.random.default_rng(4), 5_000, 200, 0.25
    bars = paired_error_bar(generator.normal(effect, 1, (m, studies)), np.zeros(m))
    expected = norm.sf(norm.ppf(0.975) - effect * np.sqrt(m))
    assert np.mean(bars.p_value <= 0.05) == pytest.approx(expected, abs=0.03)
