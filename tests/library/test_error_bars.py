"""Error bars: definitions in fractions and 30 digits, textbook formulas by hand, and simulation."""

from itertools import product

import numpy as np
import pytest
from reference import exact
from scipy.integrate import quad
from scipy.stats import t, ttest_ind, ttest_rel

from fidelity.comparison import (
    combined_error_bar,
    mean_error_bar,
    non_inferiority,
    score_error_bar,
    unpaired_error_bar,
    weighted_mean_error_bar,
    wild_cluster_interval,
)
from fidelity.comparison.error_bars import (
    clt_standard_error,
    cr0_standard_error,
    cr1_standard_error,
    cr2_standard_error,
    error_bar,
    paired_error_bar,
    paper_clustered_standard_error,
)
from fidelity.comparison.few_clusters import degrees_of_freedom, satterthwaite_df, size_of_test
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


# R 4.2.2, clubSandwich 0.5.8: coef_test(lm(y ~ 1), vcov = "CR2"): SE and degrees of freedom for
# y = (i² mod 17)/17 + (c mod 3)/4 of scenario i and cluster c, both counted from 1
BY_SIZES = {
    (60, 10, 10, 10, 10, 10, 10): (0.0455237406285914, 2.95121951219513),
    (4, 4, 4, 4, 3, 2, 1, 1, 9): (0.0582159744439117, 5.50352810132963),
    (20, 16, 14, 3, *[1] * 10): (0.0873966750971528, 3.60139256055651),
    (90, 10, 8, 3): (0.0503064890277137, 1.28586059342071),
}
# clusters as in the default study: questions, items, items over years, countries
STUDIED = {
    "3 of 96": [96] * 3,
    "4 of 51": [51] * 4,
    "7 of 25 to 34": [34, 32, 31, 30, 28, 27, 25],
    "68 of 1 to 5": [5] * 5 + [4] * 5 + [3] * 6 + [2] * 22 + [1] * 30,
}
DOMINATED = {
    f"{g} clusters, {share:.0%} in one": [round(120 * share)]
    + [max(1, round(120 * (1 - share) / (g - 1)))] * (g - 1)
    for g in (3, 4, 6, 8, 12)
    for share in (0.5, 0.75, 0.9)
}
UNEVEN = {
    "13 uneven": [40, 30, 20, 20, 10, 10, 10, 8, 6, 5, 4, 3, 2],
    "few large, many small": [20, 16, 14, 3, *[1] * 10],
    "one large, 50 single": [30, *[1] * 50],
}


@pytest.mark.parametrize("sizes", BY_SIZES)
def test_cr2_of_uneven_clusters_is_that_of_clubsandwich(sizes):
    i, clusters = np.arange(1, sum(sizes) + 1), np.repeat(np.arange(1, len(sizes) + 1), sizes)
    se, df = BY_SIZES[sizes]
    scores = i**2 % 17 / 17 + clusters % 3 / 4
    assert cr2_standard_error(scores, clusters) == pytest.approx(se, rel=1e-12)
    assert satterthwaite_df(sizes) == pytest.approx(df, rel=1e-12)


@pytest.mark.parametrize("critical", [0.5, 2.0, 4.303, 30.0])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
def test_the_size_in_equal_clusters_is_students(critical, correlation):
    for g in (2, 3, 8):
        exact = 2 * t.sf(critical, g - 1)
        assert size_of_test([7] * g, critical, correlation) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("name", STUDIED | DOMINATED | UNEVEN)
def test_normal_scores_reject_no_more_than_six_percent(name):
    """At any intraclass correlation, also between those that the search looks at."""
    sizes = (STUDIED | DOMINATED | UNEVEN)[name]
    df = degrees_of_freedom(sizes)
    assert 0 < df <= satterthwaite_df(sizes) + 1e-9
    critical = t.ppf(0.975, df)
    assert size_of_test(sizes, critical, np.linspace(0, 1, 51)).max() <= 0.06001


def size_by_eigenvalues(sizes, critical, correlation):
    """Craig's formula with the eigenvalues of the whole matrix, integrated adaptively."""
    sizes = np.array(sizes, float)
    share = sizes / sizes.sum()
    weight = share**2 / (1 - share)
    centred = np.eye(len(sizes)) - np.outer(np.ones(len(sizes)), share)
    form = np.outer(share, share) - critical**2 * centred.T @ np.diag(weight) @ centred
    spread = np.sqrt(correlation + (1 - correlation) / sizes)
    *negative, positive = np.linalg.eigvalsh(spread[:, None] * form * spread)
    ratio = np.maximum(-np.array(negative) / positive, 0)
    found = quad(lambda x: np.exp(-np.log1p(ratio / np.sin(x) ** 2).sum() / 2), 1e-12, np.pi / 2)
    return found[0] * 2 / np.pi


@pytest.mark.parametrize("sizes", [(5, 1, 3), (60, 10, 10, 4), (40, 40, *[1] * 20), (2458, 1, 1)])
@pytest.mark.parametrize("critical", [0.7, 3.0, 60.0])
def test_the_size_is_that_of_the_whole_matrix(sizes, critical):
    correlations = np.array([0.0, 0.003, 0.14, 0.6, 1.0])
    expected = [size_by_eigenvalues(sizes, critical, each) for each in correlations]
    assert size_of_test(sizes, critical, correlations) == pytest.approx(expected, rel=1e-6)


LOWERED = {
    "1000 and 1": [1000, 1],
    "50 and 1": [50, 1, 1, 1],
    "2458 and 9 single": [2458, *[1] * 9],
    "2 of 30, 30 single": [30, 30, *[1] * 30],
    "2 of 100, 200 single": [100, 100, *[1] * 200],
    "few large, many small": UNEVEN["few large, many small"],
}
CORRELATIONS = np.unique(np.concatenate([np.linspace(0, 1, 401), np.geomspace(1e-6, 0.1, 200)]))


@pytest.mark.sampled
@pytest.mark.parametrize("alpha", [0.2, 0.1, 0.05, 0.01, 0.05 / 45])
@pytest.mark.parametrize("name", LOWERED)
def test_tests_hold_at_the_level_asked_for_at_every_correlation(name, alpha):
    sizes = LOWERED[name]
    critical = t.ppf(1 - alpha / 2, degrees_of_freedom(sizes, 1 - alpha))
    found = size_of_test(sizes, critical, CORRELATIONS)
    assert found.max() <= 1.201 * alpha
    worst = CORRELATIONS[found.argmax()]
    assert size_by_eigenvalues(sizes, critical, worst) <= 1.201 * alpha


@pytest.mark.parametrize("alpha", [0.2, 0.1, 0.05])
def test_intervals_and_p_values_of_uneven_clusters_agree_at_any_level(alpha):
    sizes = np.array(UNEVEN["few large, many small"])
    generator, clusters = np.random.default_rng(6), np.repeat(np.arange(len(sizes)), sizes)
    means = np.sqrt(0.3 + 0.7 / sizes)[:, None] * generator.standard_normal((len(sizes), 2_000))
    bar = mean_error_bar(means[clusters], clusters, level=1 - alpha)
    excluded = (bar.lower > 0) | (bar.upper < 0)
    assert (excluded == (bar.p_value < alpha)).all() and excluded.any()


def test_many_different_masses_are_lowered_as_one_by_one():
    """300 masses over four orders of magnitude: the search takes neighbours as one."""
    sizes = np.exp(np.random.default_rng(9).normal(0, 2, 300))
    sizes[:2] = sizes[2:].sum() / 3
    df = degrees_of_freedom(sizes)
    assert df < satterthwaite_df(sizes) - 0.1
    odds = np.geomspace(1e-6, 1e6, 100)
    found = size_of_test(sizes / sizes.min(), t.ppf(0.975, df), odds / (1 + odds))
    assert found.max() == pytest.approx(0.06, abs=2e-4)
    assert degrees_of_freedom(1e5 * sizes) == pytest.approx(df, rel=1e-4)


def test_degrees_of_freedom_are_lowered_only_where_scenarios_that_agree_need_it():
    """Few large clusters and many small ones: Satterthwaite's reject 7.7 %."""
    sizes = UNEVEN["few large, many small"]
    critical = t.ppf(0.975, satterthwaite_df(sizes))
    assert max(size_of_test(sizes, critical, each) for each in (0.6, 1.0)) > 0.075
    assert degrees_of_freedom(sizes) < satterthwaite_df(sizes) - 0.5
    for sizes in STUDIED.values():
        assert degrees_of_freedom(sizes) == pytest.approx(satterthwaite_df(sizes), rel=1e-12)


def test_one_cluster_with_nearly_all_scenarios_has_no_interval():
    assert np.isnan(degrees_of_freedom([10**7, 1]))
    assert np.isnan(degrees_of_freedom([1000, 1], 0.7))
    clusters = np.repeat([0, 1], [1000, 1])
    bar = mean_error_bar(np.arange(1001.0), clusters, level=0.7)
    assert np.isnan([bar.df, bar.lower, bar.upper, bar.p_value]).all()
    assert 0 < degrees_of_freedom([99, 1]) < 1


TWO_LARGE = [40, 40, *[1] * 8]
DRAWING = np.random.default_rng(3)


def clusters_of(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def by_definition(scores, clusters, mean):
    """Return the share of sign patterns whose sum is at least the observed, all patterns tried."""
    totals = [(scores - mean)[clusters == c].sum() for c in np.unique(clusters)]
    sums = [np.dot(signs, totals) for signs in product([1, -1], repeat=len(totals))]
    return np.mean(np.abs(sums) >= abs(sum(totals)) - 1e-9)


@pytest.mark.parametrize("sizes", [TWO_LARGE, [5, 5, 5], [50, 1, 1], [10] * 3, [96, 96, 96]])
def test_below_four_effective_clusters_there_is_an_interval_but_no_p_value(sizes):
    clusters = clusters_of(sizes)
    scores = DRAWING.normal(3.0, 1.0, len(clusters))
    bar = mean_error_bar(scores, clusters)
    assert bar.effective_clusters < 4 and bar.lower < bar.estimate < bar.upper
    assert np.isnan(bar.p_value)
    assert np.isnan(weighted_mean_error_bar(scores, clusters=clusters).p_value)
    for estimator in ("cr2", "cr1", "cr0", "miller"):
        assert np.isnan(score_error_bar(scores, clusters, estimator=estimator).p_value)
    assert np.isnan(non_inferiority(bar, 0.1).p_value)
    many = DRAWING.normal(size=60), np.repeat(np.arange(20), 3)
    assert np.isnan(unpaired_error_bar(scores, many[0], clusters, many[1]).p_value)


def test_effective_clusters_of_two_evaluations_are_those_of_the_weighted_mean():
    """1/sum of squared weights of all clusters: .9/2, .9/2 and ten of .01."""
    bars = [
        score_error_bar(DRAWING.normal(size=6), np.repeat([0, 1], 3)),
        score_error_bar(DRAWING.normal(size=20), np.repeat(np.arange(10), 2)),
    ]
    bar = combined_error_bar(bars, [0.9, 0.1])
    assert bar.effective_clusters == pytest.approx(1 / (2 * 0.45**2 + 10 * 0.01**2))
    assert np.isnan(bar.p_value)


@pytest.mark.parametrize("sizes", [[3, 2, 2, 1, 1, 4], [1] * 7, [9, 1, 1, 1, 1, 1, 2]])
def test_the_wild_interval_holds_exactly_the_means_that_are_not_rejected(sizes):
    clusters = clusters_of(sizes)
    scores = np.round(DRAWING.normal(0.4, 1.0, len(clusters)), 2)
    for level in (0.8, 0.9, 0.95):
        found = wild_cluster_interval(scores, clusters, level=level)
        assert found.p_value == by_definition(scores, clusters, 0.0)
        for end, out in ((found.lower, -1e-6), (found.upper, 1e-6)):
            assert by_definition(scores, clusters, end - out) > 1 - level + 1e-12
            assert by_definition(scores, clusters, end + out) <= 1 - level + 1e-12


@pytest.mark.parametrize("law", ["two values", "magnitudes"])
@pytest.mark.parametrize("sizes", [TWO_LARGE[:7], [5, 1, 1, 2, 3, 8]])
def test_the_wild_bootstrap_never_exceeds_its_level_for_symmetric_effects(sizes, law):
    """Every pattern of signs of the effects is as likely: all are tried."""
    clusters = clusters_of(sizes)
    size = np.ones(len(sizes)) if law == "two values" else DRAWING.exponential(size=len(sizes))
    found = [
        wild_cluster_interval((size * signs)[clusters], clusters)
        for signs in product([1.0, -1.0], repeat=len(sizes))
    ]
    assert np.mean([each.p_value <= 0.05 for each in found]) <= 0.05
    assert np.mean([not each.lower <= 0.0 <= each.upper for each in found]) <= 0.05


def test_five_clusters_are_too_few_for_the_wild_bootstrap_at_five_percent():
    found = wild_cluster_interval(np.arange(1.0, 6.0), np.arange(5))
    assert found.p_value == 1 / 16 and np.isinf([found.lower, found.upper]).all()
    assert np.isfinite(wild_cluster_interval(np.arange(1.0, 7.0), np.arange(6)).lower)


def test_equal_clusters_have_no_wild_interval():
    found = wild_cluster_interval(np.tile([0.0, 1.0], 6), np.repeat(np.arange(6), 2))
    assert np.isnan([found.lower, found.upper, found.p_value]).all()


def test_many_clusters_are_tried_with_random_signs():
    """30 clusters: near Student's t, whose p-value is that of normal scores."""
    scores = np.random.default_rng(5).normal(0.3, 1.0, 30)
    found, t = wild_cluster_interval(scores, np.arange(30)), mean_error_bar(scores)
    assert found.p_value == pytest.approx(t.p_value, abs=0.02)
    assert [found.lower, found.upper] == pytest.approx([t.lower, t.upper], abs=0.05)
