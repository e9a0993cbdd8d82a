"""Errors of weighted means in clusters: matrices of Bell & McCaffrey, repeated rows, simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from fidelity.comparison.few_clusters import satterthwaite_df
from fidelity.comparison.weighted_means import cluster_errors, weighted_mean_error_bar


def bell_mccaffrey(values, clusters):
    """CR2 and its degrees of freedom of a regression on a constant, by matrices."""
    n = len(values)
    residual_maker = np.eye(n) - np.full((n, n), 1 / n)
    pieces = []
    for label in np.unique(clusters):
        own = clusters == label
        roots, vectors = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T
        pieces.append(residual_maker[:, own] @ adjusted @ np.ones(own.sum()) / n)
    gram = np.array([[first @ second for first in pieces] for second in pieces])
    se = np.sqrt(sum((piece @ values) ** 2 for piece in pieces))
    return se, np.trace(gram) ** 2 / (gram**2).sum()


@given(st.lists(st.integers(1, 3), min_size=3, max_size=6), st.integers(0, 99))
def test_error_and_degrees_of_freedom_are_those_of_matrices(sizes, seed):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(seed).normal(size=len(clusters))
    se, df = bell_mccaffrey(values, clusters)
    bar = weighted_mean_error_bar(values, clusters=clusters)
    assert (bar.estimate, bar.se, bar.df) == pytest.approx((values.mean(), se, df))
    half = t.ppf(0.975, df) * se
    assert (bar.lower, bar.upper) == pytest.approx((values.mean() - half, values.mean() + half))
    assert (bar.n, bar.n_clusters) == (len(values), len(sizes))


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4)), min_size=5, max_size=20))
def test_counts_are_repeated_rows(rows):
    counts, clusters = np.array(rows).T
    values = np.random.default_rng(1).normal(size=(len(rows), 2))
    for labels in (None, clusters):
        found = cluster_errors(values, counts, None, labels, samples=clusters)
        long = [None if each is None else np.repeat(each, counts) for each in (labels, clusters)]
        repeated = cluster_errors(np.repeat(values, counts, axis=0), None, None, *long)
        np.testing.assert_allclose(found.estimate, repeated.estimate, atol=1e-12)
        np.testing.assert_allclose(found.se(), repeated.se(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.people, repeated.people, rtol=1e-9, atol=1e-12)
        assert found.df == pytest.approx(repeated.df, nan_ok=True)
        assert found.effective_clusters == pytest.approx(repeated.effective_clusters)


def test_error_of_a_weighted_mean_is_unbiased_under_its_model():
    """Cluster sums whose variance is as their mass: E SE² is the variance of the mean."""
    generator, mass = np.random.default_rng(3), np.array([5.0, 1.0, 2.0, 8.0])
    sums = generator.normal(size=(20_000, 4)) * np.sqrt(mass)
    found = cluster_errors((sums / mass).T, weights=mass, clusters=np.arange(4))
    assert (found.se() ** 2).mean() == pytest.approx(found.estimate.var(), rel=0.02)
    scaled = found.se() ** 2 / (found.se() ** 2).mean()
    assert 2 / scaled.var() == pytest.approx(satterthwaite_df(mass / 16), rel=0.05)


@pytest.mark.parametrize("sizes", [[30], [100, 2, 2, 2]])
def test_one_cluster_that_outweighs_all_others_tells_no_error(sizes):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    found = cluster_errors(np.arange(len(clusters)), clusters=clusters)
    assert found.estimate == (len(clusters) - 1) / 2
    assert found.effective_clusters == pytest.approx(sum(sizes) ** 2 / np.square(sizes).sum())
    assert np.isnan([found.se()[0], found.df]).all()


def test_scenarios_of_one_person_say_nothing_of_people():
    found = cluster_errors(np.arange(4.0), clusters=np.arange(4), samples=np.arange(4))
    assert found.people == 0


@pytest.mark.parametrize("value", [0.23, 0.1, -1e5, 1 / 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_equal_values_have_no_interval_whatever_is_rounded(value, weighted):
    generator, values = np.random.default_rng(5), np.full(29, value)
    weights = generator.uniform(0.2, 3, 29) if weighted else None
    for clusters in (None, np.arange(29) % 6):
        for samples in (None, np.arange(29) % 9):
            bar = weighted_mean_error_bar(values, None, weights, clusters, samples)
            assert bar.estimate == pytest.approx(value)
            assert bar.se == 0
            assert np.isnan([bar.lower, bar.upper, bar.statistic, bar.p_value]).all()


def test_equal_means_of_clusters_have_no_interval():
    """Each cluster has .1, .2 and .3 in another order: sums differ by rounding only."""
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1], [0.3, 0.2, 0.1]]).ravel()
    bar = weighted_mean_error_bar(values, clusters=np.repeat(np.arange(4), 3))
    assert bar.se == 0
    assert np.isnan([bar.lower, bar.p_value]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "at least one row"),
        (([1.0, np.nan],), "values must be finite"),
        (([1.0], [0]), "counts must be .* positive"),
        (([1.0], None, [1.0, 2.0]), "weights must be a vector of 1 "),
        (([1.0], None, None, ["a", "b"]), "clusters must be a vector of 1 labels"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        cluster_errors(*arguments)
