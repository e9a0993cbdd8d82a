"""Weighted scenarios, and sets for unseen ones, against definitions, brute force and symmetries."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fidelity import quantile_curve
from fidelity.bernoulli import bernoulli_kl
from fidelity.curves.target import (
    cluster_weights,
    in_scenario_set,
    scenario_set_mean,
    weighted_conformal_bound,
    weighted_quantile_curve,
)
from fidelity.curves.target import held_out_coverage as coverage_of_differences
from fidelity.prediction import prediction_intervals
from fidelity.pseudo_discrepancies import between

coverages = st.sampled_from([Fraction(k, 20) for k in range(2, 21)])
levels = st.integers(0, 40).map(lambda k: Fraction(k, 40))
scenarios = st.integers(1, 12).flatmap(
    lambda m: st.tuples(
        st.lists(st.integers(0, 6).map(float), min_size=m, max_size=m),
        st.lists(coverages, min_size=m, max_size=m),
        st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any),
    )
)
weights_of_d_options = st.lists(st.floats(0.01, 1), min_size=2, max_size=6)
Q = np.array([[0.2, 0.3, 0.5], [0.05, 0.9, 0.05], [1 / 3, 1 / 3, 1 / 3]])


def held_out_coverage(p, q, upper, gamma, alpha, generator, splits, **measure):
    """Hold the bound against the discrepancy from what all people answered."""
    delta = between(p, q, **measure)
    return coverage_of_differences(delta, upper, gamma, alpha, generator, splits)


@pytest.mark.slow
@given(scenarios, levels)
def test_weighted_curve_by_its_definition(drawn, tau):
    """inf{t : S_w(t) ≤ 1-τ} in exact fractions."""
    upper, gamma, weights = drawn

    def survival(t):
        beyond = [w / g for u, g, w in zip(upper, gamma, weights, strict=True) if u > t]
        return Fraction(sum(beyond)) / sum(weights)

    expected = next(t for t in sorted(upper) if survival(t) <= 1 - tau)
    value = weighted_quantile_curve(
        np.array(upper), np.array(gamma, float), [tau], np.array(weights)
    )
    assert value[0] == expected


@given(scenarios)
def test_a_whole_number_weighs_like_that_many_scenarios(drawn):
    upper, gamma, weights = np.array(drawn[0]), np.array(drawn[1], float), np.array(drawn[2])
    tau = [Fraction(k, 20) for k in range(21)]
    weighted = weighted_quantile_curve(upper, gamma, tau, weights)
    repeated = quantile_curve(np.repeat(upper, weights), np.repeat(gamma, weights), tau)
    np.testing.assert_array_equal(weighted, repeated)


def test_many_curves_at_once_are_those_one_by_one():
    generator = np.random.default_rng(0)
    upper, weights = generator.random(30), generator.integers(0, 4, (30, 7))
    tau = [0.2, 0.5, 0.9, 1.0]
    curves = weighted_quantile_curve(upper, 0.7, tau, weights)
    for curve, own in zip(curves.T, weights.T, strict=True):
        np.testing.assert_array_equal(curve, weighted_quantile_curve(upper, 0.7, tau, own))


@pytest.mark.parametrize(
    ("upper", "gamma", "weights", "message"),
    [
        ([1.0, 2.0], 0.5, [1.0], "weights must be a vector of 2"),
        ([1.0, 2.0], 0.5, [1.0, -1.0], "weights must be .* at least 0"),
        ([1.0, 2.0], 0.5, [0.0, 0.0], "weights must not all be 0"),
        ([1.0, 2.0], 0.5, [1.0, np.inf], "finite"),
        ([1.0, np.nan], 0.5, [1.0, 1.0], "upper must be .* other than NaN"),
        ([1.0, 2.0], 0.0, [1.0, 1.0], "gamma"),
    ],
)
def test_weights_and_values_that_make_no_sense_are_refused(upper, gamma, weights, message):
    with pytest.raises(ValueError, match=message):
        weighted_quantile_curve(np.array(upper), gamma, [0.5], np.array(weights))


@given(scenarios, coverages, levels, st.integers(1, 5))
def test_conformal_bound_by_its_definition(drawn, gamma, alpha, new_weight):
    """The (1-γα)-quantile of the weighted values, +inf among them with the new one's weight."""
    upper, _, weights = drawn
    mass = [*zip(upper, weights, strict=True), (np.inf, new_weight)]
    total = sum(weight for _, weight in mass)
    expected = next(
        t
        for t in sorted([*upper, np.inf])
        if sum(weight for value, weight in mass if value > t) <= gamma * alpha * total
        and (t == np.inf or new_weight <= gamma * alpha * total)
    )
    bound = weighted_conformal_bound(np.array(upper), gamma, alpha, np.array(weights), new_weight)
    assert bound == expected


def test_interval_of_a_mean():
    lower, upper = scenario_set_mean(np.array([0.2, -0.5]), 0.25)
    np.testing.assert_allclose([lower, upper], [[-0.05, -0.75], [0.45, -0.25]])


@pytest.mark.parametrize("bound", [-0.1, np.nan])
def test_bounds_that_are_negative_or_missing_are_refused(bound):
    with pytest.raises(ValueError, match="bound must be a number of at least 0"):
        scenario_set_mean(0.2, bound)
    with pytest.raises(ValueError, match="bound must be a number of at least 0"):
        in_scenario_set(Q, Q, bound, "tv")


@given(weights_of_d_options, st.floats(1e-4, 3))
def test_kl_ranges_end_where_the_divergence_of_two_proportions_is_the_bound(weights, bound):
    q = np.array(weights) / sum(weights)
    lower, upper = prediction_intervals(q, bound, discrepancy="kl")[:2]
    assert (lower <= q).all()
    assert (q <= upper).all()
    np.testing.assert_allclose(
        bernoulli_kl(upper, q), np.minimum(bound, -np.log(q)), rtol=1e-6, atol=1e-12
    )
    np.testing.assert_allclose(
        bernoulli_kl(lower, q), np.minimum(bound, -np.log1p(-q)), rtol=1e-6, atol=1e-12
    )


def test_members_of_a_set():
    u = np.array([[0.3, 0.3, 0.4], [0.4, 0.2, 0.4], [0.2, 0.3, 0.5]])
    np.testing.assert_array_equal(in_scenario_set(u, Q[0], 0.15, "tv"), [True, False, True])
    scores = np.array([-1.0, 0.0, 1.0])
    inside = in_scenario_set(u, Q[0], 0.25, "absolute", scores)
    np.testing.assert_array_equal(inside, [True, False, True])
    inside = in_scenario_set(u, Q[0], np.array([0.03, 0.1, 0.0]), "squared", scores)
    np.testing.assert_array_equal(inside, [False, True, True])
    assert in_scenario_set(u[0], Q[0], np.inf, "tv")


def binary(delta):
    """Return p and q whose total variation distance is ``delta``."""
    return np.stack([1 - delta, delta], 1), np.tile([1.0, 0.0], (len(delta), 1))


def test_held_out_coverage_of_a_bound_that_always_or_never_holds():
    p, q = binary(np.linspace(0.1, 0.5, 20))
    generator = np.random.default_rng(0)
    always = held_out_coverage(p, q, np.ones(20), 0.5, 0.1, generator, 10, discrepancy="tv")
    assert always == (1.0, 0.0, 0.9)
    never = held_out_coverage(p, q, np.zeros(20), 0.5, 0.1, generator, 10, discrepancy="tv")
    assert never == (0.0, 0.0, 0.9)


def test_held_out_coverage_averages_over_all_splits_of_three_scenarios():
    """One calibrates two others: its Δ̂ = Δ covers none, one or both, a half on average."""
    delta = np.array([0.1, 0.2, 0.3])
    p, q = binary(delta)
    result = held_out_coverage(
        p, q, delta, 1.0, 0.5, np.random.default_rng(0), 3000, discrepancy="tv"
    )
    assert result.standard_error == pytest.approx(np.sqrt(1 / 6) / np.sqrt(3000), rel=0.05)
    assert result.mean == pytest.approx(0.5, abs=4 * result.standard_error)
    assert result.nominal == 0.5


def test_held_out_coverage_uses_scores_and_coverages_of_every_scenario():
    generator = np.random.default_rng(2)
    p = generator.dirichlet(np.ones(3), 40)
    q = generator.dirichlet(np.ones(3), 40)
    scores = np.array([-1.0, 0.0, 1.0])
    delta = np.abs((p - q) @ scores)
    gamma = np.where(delta > np.median(delta), 0.5, 0.9)
    arguments = {"discrepancy": "absolute", "scores": scores}
    wide, narrow = (
        held_out_coverage(p, q, delta, g, 0.3, np.random.default_rng(3), 200, **arguments)
        for g in (gamma, 1.0)
    )
    assert narrow.mean == pytest.approx(0.7, abs=0.08)
    assert wide.mean == pytest.approx(0.85, abs=0.08)


@pytest.mark.parametrize(("m", "splits"), [(1, 10), (10, 1)])
def test_too_few_scenarios_or_splits_are_refused(m, splits):
    p, q = binary(np.full(m, 0.5))
    with pytest.raises(ValueError, match="at least 2"):
        held_out_coverage(
            p, q, np.ones(m), 0.5, 0.1, np.random.default_rng(0), splits, discrepancy="tv"
        )


def test_cluster_weights_are_the_targets_share_over_the_samples():
    clusters = np.array(["a", "b", "a", "a"])
    weights = cluster_weights(clusters, {"a": 1.0, "b": 1.0})
    np.testing.assert_allclose(weights, [2 / 3, 2.0, 2 / 3, 2 / 3])
    np.testing.assert_allclose(cluster_weights(clusters, {"a": 3, "b": 1}), 1.0)


@pytest.mark.parametrize("target", [{"a": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0, "b": 0}])
def test_a_target_with_other_clusters_is_refused(target):
    with pytest.raises(ValueError, match="target must have"):
        cluster_weights(np.array(["a", "b"]), target)
