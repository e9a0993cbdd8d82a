"""Clusters of scenarios, against textbook numbers, analysis of variance by hand, and symmetries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq
from scipy.stats import beta, f_oneway, t

from fidelity import marginal_rank
from fidelity.curves.clusters import (
    cluster_bootstrap,
    design_effect,
    design_effect_exact_miss,
    effective_clusters,
    effective_scenarios,
    intraclass_correlation,
    new_cluster_exact_miss,
    one_per_cluster_curve,
)
from fidelity.curves.guarantee import exact_miss, marginal_curve

ETA = 0.05
# Shrout & Fleiss (1979), table 2: six targets rated by four judges; ICC(1,1) = .17.
RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
TARGETS = np.repeat(np.arange(6), 4)
grouped = st.integers(2, 6).flatmap(
    lambda groups: st.tuples(
        arrays(float, 12, elements=st.integers(-20, 20).map(float)),
        st.permutations([*range(groups), *[0] * (12 - groups)]),
    )
)


def test_icc_of_the_textbook():
    assert intraclass_correlation(RATINGS.ravel(), TARGETS) == pytest.approx(0.17, abs=0.005)
    labels = np.array(["topic " + "fedcba"[i] for i in TARGETS])
    assert intraclass_correlation(RATINGS.ravel(), labels) == pytest.approx(
        (11.24 - 6.26) / (11.24 + 3 * 6.26), abs=1e-3
    )


@given(grouped)
def test_icc_follows_from_the_f_statistic_also_of_unequal_clusters(drawn):
    """(F - 1)/(F - 1 + n₀)."""
    values, clusters = drawn[0], np.array(drawn[1])
    groups = [values[clusters == c] for c in np.unique(clusters)]
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    if within < 1e-9:
        return
    sizes = np.array([len(group) for group in groups])
    size = (12 - (sizes**2).sum() / 12) / (len(groups) - 1)
    ratio = f_oneway(*groups).statistic
    icc = intraclass_correlation(values, clusters)
    assert icc == pytest.approx((ratio - 1) / (ratio - 1 + size), abs=1e-9)
    assert -1 / (size - 1) - 1e-9 <= icc <= 1


def test_design_effect_of_equal_and_unequal_clusters():
    icc = intraclass_correlation(RATINGS.ravel(), TARGETS)
    assert design_effect(RATINGS.ravel(), TARGETS) == pytest.approx(1 + 3 * icc)
    values = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 4.0])
    clusters = np.array([0, 0, 0, 0, 0, 1])
    assert design_effect(values, clusters) == pytest.approx(26 / 6)
    assert effective_scenarios(values, clusters) == pytest.approx(36 / 26)


def test_design_effect_where_there_is_nothing_to_estimate_it_from():
    """Every scenario by itself: 1. No variation: the worst, as if clusters were one scenario."""
    assert design_effect(np.arange(5.0), np.arange(5)) == 1
    assert design_effect(np.zeros(20), np.repeat(np.arange(5), 4)) == 4
    assert effective_scenarios(np.zeros(20), np.repeat(np.arange(5), 4)) == 5


def test_scenarios_are_never_worth_more_than_their_number():
    alike, clusters = np.tile([0.0, 1.0, 2.0, 3.0], 5), np.repeat(np.arange(5), 4)
    assert design_effect(alike, clusters) == pytest.approx(0, abs=1e-12)
    assert effective_scenarios(alike, clusters) == 20


@pytest.mark.parametrize(
    ("values", "clusters", "message"),
    [
        (np.arange(4.0), np.zeros(4), "clusters must be at least 2"),
        (np.arange(4.0), np.arange(4), "clusters must be at least 2"),
        (np.arange(4.0), np.array([0, 0, 1]), "clusters must be a vector of 4 labels"),
        (np.array([0, 1, np.inf, 2]), np.array([0, 0, 1, 1]), "finite numbers"),
        (np.zeros(0), np.zeros(0), "values must be a vector"),
    ],
)
def test_an_icc_that_can_not_be_estimated_is_refused(values, clusters, message):
    with pytest.raises(ValueError, match=message):
        intraclass_correlation(values, clusters)


@pytest.mark.parametrize("rank", [120, 180, 235, 240])
def test_corrected_bound_of_clusters_that_do_not_matter(rank):
    """The exact bound, but for the quantiles of t with 11 degrees of freedom and rounding."""
    upper = np.tile(np.arange(20.0), 12) + np.repeat(np.arange(12), 20) / 100
    clusters = np.repeat(np.arange(12), 20)
    miss = design_effect_exact_miss(upper, clusters, 0.9, rank, ETA)
    few = (t.ppf(0.95, 239) / t.ppf(0.95, 11)) ** 2
    if rank == 240:
        m = np.floor(12 * few)
    else:
        m = np.floor(240 * few)
        assert design_effect((upper > np.sort(upper)[rank - 1]) * 1.0, clusters) < 1
    beyond = (240 - rank) / 240 * m
    assert miss == pytest.approx(min(1, beta.ppf(0.95, beyond + 1, m - beyond) / 0.9))
    assert miss >= exact_miss(240, 0.9, ETA)[rank - 1]


def test_corrected_bound_of_independent_scenarios_is_the_exact_one():
    upper = np.random.default_rng(0).random(100)
    miss = design_effect_exact_miss(upper, np.arange(100), 0.5, 90, ETA)
    assert miss == pytest.approx(exact_miss(100, 0.5, ETA)[89])


@pytest.mark.parametrize(("rank", "eta"), [(0, 0.05), (11, 0.05), (5, 0.5), (5, 0)])
def test_corrected_bounds_that_do_not_exist_are_refused(rank, eta):
    with pytest.raises(ValueError, match="must be a"):
        design_effect_exact_miss(np.arange(10.0), np.repeat([0, 1], 5), 0.5, rank, eta)
    with pytest.raises(ValueError, match="clusters must be at least 2"):
        design_effect_exact_miss(np.arange(10.0), np.zeros(10), 0.5, 5, ETA)


def test_effective_clusters_of_equal_ones_and_of_one_that_dominates():
    assert effective_clusters(np.repeat(["a", "b", "c"], 96)) == pytest.approx(3)
    assert effective_clusters(np.arange(7)) == pytest.approx(7)
    dominated = np.repeat(np.arange(11), [100] + [10] * 10)
    assert effective_clusters(dominated) == pytest.approx(200**2 / (100**2 + 10 * 10**2))


@pytest.mark.parametrize(
    ("sizes", "rank", "largest_share"),
    [
        ([30, 30, 30, 30], 114, 6 / 120),
        ([10, 20, 90], 115, (5 / 10) / 3),
        ([10, 20, 90], 95, (1 + 15 / 20) / 3),
        ([10, 20, 90], 120, 0.0),
    ],
)
def test_bound_for_a_new_cluster_takes_the_worst_place_of_what_lies_beyond(
    sizes, rank, largest_share
):
    """The mean of the clusters' shares, largest over all ways to place m - rank scenarios."""
    beyond = sum(sizes) - rank
    placed = [
        (a, b, beyond - a - b)
        for a in range(sizes[0] + 1)
        for b in range(sizes[1] + 1)
        if 0 <= beyond - a - b <= sum(sizes[2:])
    ]
    if len(sizes) == 3:
        assert largest_share == pytest.approx(
            max(sum(x / n for x, n in zip(each, sizes, strict=True)) / 3 for each in placed)
        )

    def divergence(u):
        s = largest_share
        return (s * np.log(s / u) if s else 0.0) + (1 - s) * np.log((1 - s) / (1 - u))

    budget = np.log(1 / ETA) / len(sizes)
    root = brentq(lambda u: divergence(u) - budget, largest_share + 1e-12, 1 - 1e-12)
    clusters = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    found = new_cluster_exact_miss(clusters, 0.9, rank, ETA)
    assert found == pytest.approx(min(1, root / 0.9), rel=1e-9)


def test_few_clusters_say_nothing_of_a_new_one():
    assert new_cluster_exact_miss(np.repeat(np.arange(3), 96), 0.5, 274, ETA) == 1.0
    many = new_cluster_exact_miss(np.repeat(np.arange(100), 3), 0.5, 285, ETA)
    assert exact_miss(300, 0.5, ETA)[284] < many < 0.3
    with pytest.raises(ValueError, match="rank must be"):
        new_cluster_exact_miss(np.arange(4), 0.5, 5, ETA)


def test_one_per_cluster_takes_one_from_each_cluster():
    """Values that tell their cluster: whichever is drawn, the curve is that of the clusters."""
    clusters = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    tau = [0.1, 0.5, 0.8, 0.9]
    curve = one_per_cluster_curve(
        clusters.astype(float), clusters, 0.7, tau, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(curve, marginal_curve(np.arange(12.0), 0.7, tau))
    assert curve[2] == marginal_rank(12, 0.7, 0.2) - 1
    assert np.isinf(curve[3])


@pytest.mark.slow
def test_one_per_cluster_draws_every_scenario_of_a_cluster_equally_often():
    generator = np.random.default_rng(1)
    upper = np.array([0.0, 1.0, 2.0, 3.0, np.inf])
    clusters = np.array(["a", "a", "a", "a", "b"])
    drawn = [one_per_cluster_curve(upper, clusters, 1, [1 / 3], generator)[0] for _ in range(4000)]
    share = np.bincount(np.array(drawn, int), minlength=4) / 4000
    np.testing.assert_allclose(share, 0.25, atol=4 * np.sqrt(0.25 * 0.75 / 4000))


def test_bootstrap_weights_are_those_of_whole_clusters():
    clusters = np.array(["b", "a", "b", "c", "a", "b"])
    weights = cluster_bootstrap(lambda w: w, clusters, np.random.default_rng(0), 500)
    assert weights.shape == (6, 500)
    for label in "abc":
        of_label = weights[clusters == label]
        assert (of_label == of_label[:1]).all()
    drawn = weights[[1, 0, 3]]
    assert (drawn.sum(0) == 3).all()
    np.testing.assert_allclose(drawn.mean(1), 1, atol=4 * np.sqrt(2 / 3 / 500))


def test_bootstrap_variance_of_a_mean_is_the_clustered_one():
    """Var = ΣS_c²/n² for equal clusters, S_c their summed deviations from the mean."""
    generator = np.random.default_rng(4)
    values, clusters = (
        generator.random(40) + np.repeat(generator.random(10), 4),
        np.repeat(np.arange(10), 4),
    )
    means = cluster_bootstrap(lambda w: values @ w / w.sum(0), clusters, generator, 20_000)
    sums = (values - values.mean()).reshape(10, 4).sum(1)
    assert means.var() == pytest.approx((sums**2).sum() / 40**2, rel=0.05)
