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
from fidelity.levels import rational

TEN = [0.02, 0.31, 0.07, 0.07, 0.55, 0.19, 0.004, 0.41, 0.13, 0.26]
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


@pytest.mark.parametrize("gamma", ["1/2", "4/5", "19/20"])
def test_ten_discrepancies_by_their_definitions(gamma):
    """Order statistic ⌈mα⌉, and exact integrals of the steps; levels as text and as floats."""
    ordered, level = sorted(TEN), Fraction(gamma)

    def at(alpha):
        return ordered[max(1, ceil(10 * alpha)) - 1]

    for text in ("0", "1/100", "1/10", "1/5", "1/4", "3/10", "1/2", "7/10", "3/4", "99/100", "1"):
        tau = Fraction(text)
        for given_as in (text, float(tau)):
            assert empirical_quantile(TEN, [given_as])[0] == at(tau)
            upper = quantile_curve(TEN, float(level), [given_as])[0]
            assert upper == at(1 - level * (1 - tau)), text
            lower = lower_quantile_curve(TEN, float(level), [given_as])[0]
            assert lower == at(level * tau), text
    coverages = [level] * 10
    for alpha in (Fraction(1, 20), Fraction(1, 5), Fraction(1, 4), Fraction(1, 2), Fraction(1)):
        expected = tail_by_definition(TEN, coverages, alpha)
        assert tail_mean(TEN, float(level), str(alpha)) == pytest.approx(expected, rel=1e-14)
    area = tail_by_definition(TEN, coverages, Fraction(1))
    assert area_under_curve(TEN, float(level)) == pytest.approx(area, rel=1e-14)


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
