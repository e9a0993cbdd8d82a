"""CR2 with Satterthwaite's degrees of freedom: R's numbers, matrices, exact and simulated sizes."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import sqrtm
from scipy.stats import t

from fidelity.comparison.error_bars import (
    cr2_standard_error,
    mean_error_bar,
)
from fidelity.comparison.few_clusters import (
    degrees_of_freedom,
    satterthwaite_df,
    size_of_test,
)

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


def scores_by_formula(sizes):
    i, cluster = np.arange(1, sum(sizes) + 1), np.repeat(np.arange(1, len(sizes) + 1), sizes)
    return i**2 % 17 / 17 + cluster % 3 / 4, cluster


@pytest.mark.parametrize("sizes", BY_SIZES)
def test_cr2_of_uneven_clusters_is_that_of_clubsandwich(sizes):
    scores, clusters = scores_by_formula(sizes)
    se, df = BY_SIZES[sizes]
    assert cr2_standard_error(scores, clusters) == pytest.approx(se, rel=1e-12)
    assert satterthwaite_df(sizes) == pytest.approx(df, rel=1e-12)


@pytest.mark.parametrize("sizes", [(5, 1, 3), (2, 2, 7, 4), (1, 1, 1, 12)])
def test_cr2_is_bell_and_mccaffreys_matrix_algebra(sizes):
    """Least squares on an intercept, with (I - H_cc)^(-1/2) of each cluster written out."""
    scores, clusters = scores_by_formula(sizes)
    m = len(scores)
    residual_maker = np.eye(m) - np.ones((m, m)) / m
    residuals, variance, columns = residual_maker @ scores, 0.0, []
    for c in np.unique(clusters):
        own = np.flatnonzero(clusters == c)
        adjust = np.linalg.inv(sqrtm(residual_maker[np.ix_(own, own)]).real)
        variance += (np.ones(len(own)) @ adjust @ residuals[own] / m) ** 2
        columns.append(residual_maker[:, own] @ adjust @ np.ones(len(own)) / m)
    spread = np.array(columns) @ np.array(columns).T
    df = np.trace(spread) ** 2 / np.trace(spread @ spread)
    assert cr2_standard_error(scores, clusters) == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert satterthwaite_df(sizes) == pytest.approx(df, rel=1e-9)


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
