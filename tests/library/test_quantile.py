"""Quantile curves: the definitions in exact fractions, and awkward floats."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fidelity import (
    area_under_curve,
    closer_share,
    empirical_quantile,
    lower_quantile_curve,
    quantile_curve,
    tail_mean,
    value_at_risk,
)
from fidelity.bernoulli import bernoulli_kl
from fidelity.curves.target import (
    cluster_weights,
    held_out_coverage,
    in_scenario_set,
    scenario_set_mean,
    weighted_conformal_bound,
    weighted_quantile_curve,
)
from fidelity.levels import rational
from fidelity.prediction import prediction_intervals

# Few distinct values, so that ties are common; coverages of the simplest denominators.
samples = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=12)
coverages = st.sampled_from([Fraction(k, 20) for k in range(2, 20)])
levels = st.integers(0, 40).map(lambda k: Fraction(k, 40))
samples_with_coverages = st.integers(2, 12).flatmap(
    lambda m: st.tuples(
        st.lists(st.integers(0, 6).map(float), min_size=m, max_size=m),
        st.lists(coverages, min_size=m, max_size=m).filter(lambda g: len(set(g)) > 1),
    )
)


def survival(values, gammas, t):
    """Return S(t), an exact fraction."""
    return sum(1 / g for x, g in zip(values, gammas, strict=True) if x > t) / len(values)


def upper_by_definition(values, gammas, tau):
    """Return inf{t : S(t) ≤ 1-τ} among the values."""
    return next(t for t in sorted(values) if survival(values, gammas, t) <= 1 - tau)


def lower_by_definition(values, gammas, tau):
    weighted = list(zip(values, gammas, strict=True))
    return next(
        (
            t
            for t in sorted(values)
            if sum(1 / g for x, g in weighted if x <= t) / len(values) >= tau
        ),
        np.inf,
    )


def tail_by_definition(values, gammas, alpha):
    """Return (1/α)∫₀^∞ min(α, S): S is constant between order statistics."""
    ends = [0.0, *sorted(values)]
    pieces = [
        (Fraction(right) - Fraction(left)) * min(alpha, survival(values, gammas, left))
        for left, right in pairwise(ends)
    ]
    return float(sum(pieces) / alpha)


def as_floats(fractions):
    return np.array([float(x) for x in fractions])


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.14, Fraction(7, 50)),
        (0.1 + 0.2, Fraction(3, 10)),
        (1 / 3, Fraction(1, 3)),
        (1 - 0.9, Fraction(1, 10)),
        (np.float64(0.28), Fraction(7, 25)),
        ("1/3", Fraction(1, 3)),
        ("0.05", Fraction(1, 20)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.int64(1), Fraction(1)),
        (0, Fraction(0)),
        (0.0, Fraction(0)),
        (1 - 1e-9, Fraction(1 - 1e-9)),
        (np.pi / 4, Fraction(np.pi / 4)),
        (Decimal("0.14"), Fraction(7, 50)),
    ],
)
def test_numbers_are_read_as_they_print(number, expected):
    assert rational(number) == expected


@given(samples, coverages, levels)
def test_curves_with_one_coverage(values, gamma, tau):
    gammas = [gamma] * len(values)
    upper = upper_by_definition(values, gammas, tau)
    assert quantile_curve(values, float(gamma), [tau])[0] == upper
    assert quantile_curve(values, as_floats(gammas), [tau])[0] == upper
    assert empirical_quantile(values, [1 - gamma * (1 - tau)])[0] == upper
    lower = lower_by_definition(values, gammas, tau)
    assert lower_quantile_curve(values, float(gamma), [tau])[0] == lower


@given(samples_with_coverages, levels)
def test_curves_with_a_coverage_for_each_scenario(case, tau):
    values, gammas = case
    upper = quantile_curve(values, as_floats(gammas), [tau])[0]
    assert upper == upper_by_definition(values, gammas, tau)
    lower = lower_quantile_curve(values, as_floats(gammas), [tau])[0]
    assert lower == lower_by_definition(values, gammas, tau)


@given(samples_with_coverages, levels)
def test_mean_and_smallest_coverage_take_the_place_of_one(case, tau):
    values, gammas = case
    for weights, gamma in (("mean", sum(gammas) / len(gammas)), ("min", min(gammas))):
        options = {"index": weights}
        assert quantile_curve(values, as_floats(gammas), [tau], **options) == empirical_quantile(
            values, [1 - gamma * (1 - tau)]
        )
        assert lower_quantile_curve(
            values, as_floats(gammas), [tau], **options
        ) == empirical_quantile(values, [gamma * tau])


@given(samples, coverages, levels)
def test_coverages_equal_but_for_rounding_give_the_curve_of_equal_ones(values, gamma, tau):
    gammas = np.full(len(values), float(gamma))
    gammas[0] = np.nextafter(gammas[0], 1)
    assert quantile_curve(values, gammas, [tau]) == quantile_curve(values, float(gamma), [tau])
    low = lower_quantile_curve(values, gammas, [tau])
    assert low == lower_quantile_curve(values, float(gamma), [tau])


@given(samples_with_coverages, levels.filter(bool))
def test_integrals_are_exact(case, alpha):
    values, gammas = case
    for chosen in (gammas, gammas[:1] * len(values)):
        expected = tail_by_definition(values, chosen, alpha)
        assert tail_mean(values, as_floats(chosen), alpha) == pytest.approx(expected, rel=1e-12)
    whole = tail_by_definition(values, gammas, Fraction(1))
    assert area_under_curve(values, as_floats(gammas)) == pytest.approx(whole, rel=1e-12)


def test_value_at_risk_is_the_curve_from_the_other_end():
    values, gammas = np.random.default_rng(1).random((2, 50))
    for gamma in (0.8, gammas):
        curve = quantile_curve(values, gamma, [0.9, 0.75])
        assert [value_at_risk(values, gamma, a) for a in (0.1, "1/4")] == list(curve)


def test_coverage_tied_to_the_discrepancy():
    """Δ uniform, γ = .3 where Δ > ½ and .95 elsewhere, Δ̂ = Δ with probability γ and 0 else.

    Only the unnormalised weights find the median ½. The mean coverage .625 finds where
    .15 + .95(½ - t) = .3125, and normalised weights are further off still.
    """
    m = 200_000
    delta = (np.arange(m) + 0.5) / m
    gamma = np.where(delta > 0.5, 0.3, 0.95)
    upper = np.where((np.arange(m) * 0.6180339887498949) % 1 < gamma, delta, 0.0)
    assert quantile_curve(upper, gamma, [0.5])[0] == pytest.approx(0.5, abs=0.001)
    by_mean = quantile_curve(upper, gamma, [0.5], index="mean")[0]
    assert by_mean == pytest.approx(0.5 - (0.3125 - 0.15) / 0.95, abs=0.001)
    assert by_mean < 0.35
    assert quantile_curve(upper, gamma, [0.5], index="min")[0] > 0.5


def test_a_weighted_sum_that_equals_the_level_is_not_lost_to_rounding():
    """(1/3)/.7 = 10/21 = 1 - τ exactly, but not in floats: there V̂ would be 3."""
    assert quantile_curve([1.0, 2.0, 3.0], [0.3, 0.3, 0.7], [Fraction(11, 21)])[0] == 2.0


def test_infinite_discrepancies_stay_infinite():
    values = [0.1, 0.2, 0.3, np.inf]
    np.testing.assert_array_equal(quantile_curve(values, 0.5, [0, 0.5, 1]), [0.2, 0.3, np.inf])
    assert area_under_curve(values, 0.5) == np.inf
    assert value_at_risk(values, 0.5, 0.6) == 0.3


@pytest.mark.parametrize(
    ("values", "gamma", "share"),
    [
        ([-1, -1, -1, 1], 0.5, 0.5),
        ([-1, 0, 0, 0], 0.5, 1.0),
        ([1, 1, 1, -1], 0.5, 0.0),
        ([-1, -1, 1, -1], [0.5, 0.5, 0.8, 0.5], 1 - 1 / 3.2),
    ],
)
def test_share_of_scenarios_where_the_first_simulator_is_closer(values, gamma, share):
    assert closer_share(np.array(values, float), np.array(gamma)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("gamma", "index", "named"), [(0.0, "weights", "gamma"), (0.5, "harmonic", "index")]
)
def test_no_coverage_and_unknown_weights_are_refused(gamma, index, named):
    for curve in (quantile_curve, lower_quantile_curve):
        with pytest.raises(ValueError, match=named):
            curve([1.0, 2.0], gamma, [0.5], index=index)
    for summary in (area_under_curve, closer_share):
        with pytest.raises(ValueError, match=named):
            summary([1.0, 2.0], gamma, index=index)


@pytest.mark.parametrize("level", [-0.1, 1.1])
def test_levels_outside_the_unit_interval_are_refused(level):
    for curve in (quantile_curve, lower_quantile_curve):
        with pytest.raises(ValueError, match=r"\S"):
            curve([1.0, 2.0], 0.5, [level])
    with pytest.raises(ValueError, match=r"\S"):
        empirical_quantile([1.0, 2.0], [level])


@pytest.mark.parametrize("m", [1, 7, 50, 99, 1000, 2999])
def test_ranks_of_floats_are_those_of_exact_arithmetic(m):
    rng = np.random.default_rng(m)
    fractions = rng.integers(0, m + 1, 200) / m
    nudged = np.clip(fractions + rng.integers(-20, 21, 200) * 2.0**-53, 0.0, 1.0)
    values = np.arange(m)
    for levels in (np.arange(100) / 99, np.arange(101) / 100, fractions, rng.random(200), nudged):
        exact = [max(ceil(m * rational(level)), 1) - 1 for level in levels.tolist()]
        assert empirical_quantile(values, levels).tolist() == exact


coverages_to_one = st.sampled_from([Fraction(k, 20) for k in range(2, 21)])
scenarios = st.integers(1, 12).flatmap(
    lambda m: st.tuples(
        st.lists(st.integers(0, 6).map(float), min_size=m, max_size=m),
        st.lists(coverages_to_one, min_size=m, max_size=m),
        st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any),
    )
)
weights_of_d_options = st.lists(st.floats(0.01, 1), min_size=2, max_size=6)
Q = np.array([[0.2, 0.3, 0.5], [0.05, 0.9, 0.05], [1 / 3, 1 / 3, 1 / 3]])


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


@given(scenarios, coverages_to_one, levels, st.integers(1, 5))
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


def test_held_out_coverage_of_a_bound_that_always_or_never_holds():
    delta, generator = np.linspace(0.1, 0.5, 20), np.random.default_rng(0)
    always = held_out_coverage(delta, np.ones(20), 0.5, 0.1, generator, 10)
    assert always == (1.0, 0.0, 0.9)
    never = held_out_coverage(delta, np.zeros(20), 0.5, 0.1, generator, 10)
    assert never == (0.0, 0.0, 0.9)


def test_held_out_coverage_averages_over_all_splits_of_three_scenarios():
    """One calibrates two others: its Δ̂ = Δ covers none, one or both, a half on average."""
    delta = np.array([0.1, 0.2, 0.3])
    result = held_out_coverage(delta, delta, 1.0, 0.5, np.random.default_rng(0), 3000)
    assert result.standard_error == pytest.approx(np.sqrt(1 / 6) / np.sqrt(3000), rel=0.05)
    assert result.mean == pytest.approx(0.5, abs=4 * result.standard_error)
    assert result.nominal == 0.5


def test_held_out_coverage_uses_coverages_of_every_scenario():
    delta = np.random.default_rng(2).random(40)
    gamma = np.where(delta > np.median(delta), 0.5, 0.9)
    wide, narrow = (
        held_out_coverage(delta, delta, g, 0.3, np.random.default_rng(3), 200) for g in (gamma, 1.0)
    )
    assert narrow.mean == pytest.approx(0.7, abs=0.08)
    assert wide.mean == pytest.approx(0.85, abs=0.08)


@pytest.mark.parametrize(("m", "splits"), [(1, 10), (10, 1)])
def test_too_few_scenarios_or_splits_are_refused(m, splits):
    with pytest.raises(ValueError, match="at least 2"):
        held_out_coverage(np.full(m, 0.5), np.ones(m), 0.5, 0.1, np.random.default_rng(0), splits)


def test_cluster_weights_are_the_targets_share_over_the_samples():
    clusters = np.array(["a", "b", "a", "a"])
    weights = cluster_weights(clusters, {"a": 1.0, "b": 1.0})
    np.testing.assert_allclose(weights, [2 / 3, 2.0, 2 / 3, 2 / 3])
    np.testing.assert_allclose(cluster_weights(clusters, {"a": 3, "b": 1}), 1.0)


@pytest.mark.parametrize("target", [{"a": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0, "b": 0}])
def test_a_target_with_other_clusters_is_refused(target):
    with pytest.raises(ValueError, match="target must have"):
        cluster_weights(np.array(["a", "b"]), target)
