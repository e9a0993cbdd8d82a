"""Error bars: definitions in fractions and 30 digits, textbook formulas by hand, and simulation."""

import numpy as np
import pytest
from reference import exact
from scipy.stats import ttest_ind, ttest_rel

from fidelity.comparison.error_bars import (
    clt_standard_error,
    cr0_standard_error,
    cr1_standard_error,
    error_bar,
    mean_error_bar,
    paired_error_bar,
    paper_clustered_standard_error,
    sign_test,
    unpaired_error_bar,
)
from fidelity.comparison.evaluations import score_error_bar
from fidelity.curves.clusters import intraclass_correlation

RELATIVE = 1e-12
GENERATOR = np.random.default_rng(64)
CLUSTERS = np.repeat(np.arange(12), [1, 2, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10])
PA, PB = np.clip(0.4 + 0.1 * CLUSTERS % 0.3 + GENERATOR.normal(0, 0.2, (2, 64)), 0, 1).round(6)
A, B = (GENERATOR.random((2, 64)) < [PA, PB]).astype(float)
SCORES = {"binary": A, "probabilities": PA, "difference of binary": A - B, "difference": PA - PB}


def close(value):
    return pytest.approx(value, rel=RELATIVE, abs=0)


def root(value):
    return float(exact.sqrt(exact.to_mp(value)))


@pytest.mark.parametrize("name", SCORES)
def test_standard_errors_are_their_definitions_in_fractions(name):
    """To 12 digits, of 64 scenarios in 12 uneven clusters."""
    values, scores = SCORES[name], exact.fractions(SCORES[name])
    clt, cr0 = clt_standard_error(values), cr0_standard_error(values, CLUSTERS)
    cr1 = cr1_standard_error(values, CLUSTERS)
    assert clt == close(root(exact.variance(scores) / 64))
    assert cr0 == close(root(exact.cr0_squared(scores, CLUSTERS)))
    assert cr1 == close(root(exact.cr1_squared(scores, CLUSTERS)))
    paper = paper_clustered_standard_error(values, CLUSTERS)
    assert paper == close(root(max(0, exact.paper_squared(scores, CLUSTERS))))
    correlation = exact.intraclass_correlation(scores, CLUSTERS)
    assert intraclass_correlation(values, CLUSTERS) == close(float(correlation))
    bar = error_bar(values.mean(), cr1, n=64, n_clusters=12, df=11)
    assert bar.estimate == close(float(exact.mean(scores)))
    half = exact.student_quantile("0.95", 11) * exact.sqrt(
        exact.to_mp(exact.cr1_squared(scores, CLUSTERS))
    )
    assert (bar.upper - bar.lower) / 2 == close(float(half))


def test_paired_and_unpaired_differences_are_their_definitions_in_fractions():
    a, b = map(exact.fractions, (A, B))
    difference = [x - y for x, y in zip(a, b, strict=True)]
    paired, unpaired = paired_error_bar(A, B), unpaired_error_bar(A, B)
    variances = exact.variance(a), exact.variance(b)
    assert paired.estimate == unpaired.estimate == close(float(exact.mean(difference)))
    assert paired.se == close(root(exact.variance(difference) / 64))
    assert unpaired.se == close(root(sum(variances) / 64))
    product = exact.sqrt(exact.to_mp(variances[0] * variances[1]))
    assert paired.correlation == close(float(exact.to_mp(exact.covariance(a, b)) / product))
    t = exact.to_mp(exact.mean(difference)) / exact.sqrt(
        exact.to_mp(exact.variance(difference) / 64)
    )
    assert [paired.statistic, paired.p_value] == close([float(t), float(exact.student_tail(t, 63))])
    assert [paired.statistic, paired.p_value] == close([*ttest_rel(A, B)])
    normal = error_bar(paired.estimate, paired.se, n=64, n_clusters=64)
    assert [normal.statistic, normal.p_value] == close(
        [float(t), float(2 * exact.normal_tail(abs(t)))]
    )


def test_sign_test_is_mcnemars_exact_one():
    for smaller, larger in ((11, 16), (0, 5), (3, 3), (20, 2)):
        scores = np.repeat([0.0, 1.0, 0.5], [smaller, larger, 4])
        result = sign_test(scores, np.repeat([1.0, 0.0, 0.5], [smaller, larger, 4]))
        assert (result.smaller, result.larger) == (smaller, larger)
        assert result.p_value == close(float(exact.sign_test_p_value(smaller, larger)))


def test_sign_test_leaves_ties_out():
    assert sign_test([1, 2, np.inf], [1, 2, np.inf]) == (0, 0, 1.0)
    assert sign_test([1, 2, 3, 3], [2, 3, np.inf, 3]).p_value == pytest.approx(0.25)


def test_the_papers_squared_error_is_never_negative():
    """Scenarios of a cluster as different as can be: CR0 is 0, the paper's SE_CLT/√m."""
    scores, clusters = np.tile([0.0, 1.0], 20), np.repeat(np.arange(20), 2)
    assert cr1_standard_error(scores, clusters) == 0
    squared = clt_standard_error(scores) ** 2 - 20 * 2 * 0.25 / 40**2
    assert squared > 0
    assert paper_clustered_standard_error(scores, clusters) ** 2 == pytest.approx(squared)


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
    several = unpaired_error_bar(
        np.array([[1.0, 1], [1, 2], [1, 1], [1, 1]]), np.array([[2.0, 3], [4, 5], [2, 3], [2, 3]])
    )
    assert np.isnan(several.p_value).tolist() == [True, False]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clt_standard_error([1.0]), "at least 2 scenarios"),
        (lambda: mean_error_bar([1.0, 2.0], ["a", "a"]), "clusters must be at least 2"),
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


def test_scores_that_differ_by_rounding_alone_show_no_variance():
    stated = np.linspace(0.97, 0.999, 60)
    scores = 1.0 + stated**2 + (1.0 - stated) ** 2 - 2.0 * stated  # of 60 events that happened
    limits = 2.0 * (1.0 - stated) ** 2, 2.0 * stated**2
    assert np.ptp(scores - limits[0]) > 0.0
    expected = float((2.0 * stated * (1.0 - stated)).mean())
    assert score_error_bar(scores, limits=limits).upper > expected > 20.0 * scores.mean()
