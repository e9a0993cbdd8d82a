"""Few effective clusters: no p-value below 4, and the wild cluster bootstrap by enumeration."""

from itertools import product

import numpy as np
import pytest

from fidelity.comparison import (
    combined_error_bar,
    mean_error_bar,
    non_inferiority,
    score_error_bar,
    unpaired_error_bar,
    weighted_mean_error_bar,
    wild_cluster_interval,
)

TWO_LARGE = [40, 40, *[1] * 8]
GENERATOR = np.random.default_rng(3)


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
    scores = GENERATOR.normal(3.0, 1.0, len(clusters))
    bar = mean_error_bar(scores, clusters)
    assert bar.effective_clusters < 4 and bar.lower < bar.estimate < bar.upper
    assert np.isnan(bar.p_value)
    assert np.isnan(weighted_mean_error_bar(scores, clusters=clusters).p_value)
    for estimator in ("cr2", "cr1", "cr0", "miller"):
        assert np.isnan(score_error_bar(scores, clusters, estimator=estimator).p_value)
    assert np.isnan(non_inferiority(bar, 0.1).p_value)
    many = GENERATOR.normal(size=60), np.repeat(np.arange(20), 3)
    assert np.isnan(unpaired_error_bar(scores, many[0], clusters, many[1]).p_value)


def test_effective_clusters_of_two_evaluations_are_those_of_the_weighted_mean():
    """1/sum of squared weights of all clusters: .9/2, .9/2 and ten of .01."""
    bars = [
        score_error_bar(GENERATOR.normal(size=6), np.repeat([0, 1], 3)),
        score_error_bar(GENERATOR.normal(size=20), np.repeat(np.arange(10), 2)),
    ]
    bar = combined_error_bar(bars, [0.9, 0.1])
    assert bar.effective_clusters == pytest.approx(1 / (2 * 0.45**2 + 10 * 0.01**2))
    assert np.isnan(bar.p_value)


def test_no_p_value_calls_two_valued_clusters_different_from_their_mean():
    """All scenarios of a cluster are 1 or -1: 48 % of t's intervals miss the true mean 0."""
    clusters, studies = clusters_of(TWO_LARGE), 400
    effects = np.random.default_rng(1).choice([-1.0, 1.0], (len(TWO_LARGE), studies))
    bar = mean_error_bar(effects[clusters], clusters)
    missed = ((bar.lower > 0) | (bar.upper < 0)).mean()
    called = (bar.p_value <= 0.05).mean()
    assert missed > 0.4 and called == 0.0


@pytest.mark.parametrize("sizes", [[3, 2, 2, 1, 1, 4], [1] * 7, [9, 1, 1, 1, 1, 1, 2]])
def test_the_wild_interval_holds_exactly_the_means_that_are_not_rejected(sizes):
    clusters = clusters_of(sizes)
    scores = np.round(GENERATOR.normal(0.4, 1.0, len(clusters)), 2)
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
    size = np.ones(len(sizes)) if law == "two values" else GENERATOR.exponential(size=len(sizes))
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
