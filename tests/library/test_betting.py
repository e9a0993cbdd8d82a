"""Betting bounds, against a gambler written out step by step, and their coverage."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from fidelity.sets import betting
from fidelity.sets.betting import betting_upper, sequence_lower
from fidelity.sets.mean_bounds import hoeffding_radius

GAMMAS = (0.5, 0.9, 0.95)
SCORES = np.linspace(-1, 1, 5)


def generator(seed=0):
    return np.random.default_rng(seed)


def largest_capital(sequence, m, delta):
    """Bet on one outcome after the other, as Waudby-Smith & Ramdas 2023 have it; c = ¾."""
    n, capital, largest = len(sequence), 1.0, 1.0
    total, squares, variance = 0.5, 0.25, 0.25
    for t, x in enumerate(sequence, start=1):
        bet = np.sqrt(2 * np.log(1 / delta) / (n * variance))
        capital *= 1 + min(bet, 0.75 / m) * (x - m)
        largest = max(largest, capital)
        total += x
        squares += (x - total / (t + 1)) ** 2
        variance = squares / (t + 1)
    return largest


def lower_of(sequence, gamma):
    sequence = np.atleast_2d(np.asarray(sequence, float))
    n = np.full(len(sequence), sequence.shape[1])
    return sequence_lower(sequence, n, np.full(len(sequence), gamma))


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([0.0, 0.02, 0.5, 0.9, 1.0]), min_size=1, max_size=25),
    st.sampled_from([0.05, *GAMMAS, 0.999]),
)
def test_bound_is_the_largest_mean_that_the_gambler_refutes(sequence, gamma):
    (lower,) = lower_of(sequence, gamma)
    delta = 1 - gamma
    assert largest_capital(sequence, lower + 1e-9, delta) < 1 / delta
    if lower > 1e-9:
        assert largest_capital(sequence, lower - 1e-9, delta) >= 1 / delta
    grid = [largest_capital(sequence, m, delta) for m in np.linspace(0.01, 1, 34)]
    assert (np.diff(grid) <= 1e-12 * np.array(grid[:-1])).all()


def test_one_response_at_the_top_in_numbers():
    """At γ = ½ the bet is truncated, 1 + ¾(1/m - 1) = 2; at .9 it multiplies by 5.3, not by 10."""
    assert lower_of([1.0], 0.5) == pytest.approx(3 / 7, rel=1e-14)
    assert lower_of([1.0], 0.9) == 0.0
    upper = betting_upper([-1.0, 3.0], [[1, 0]], 0.5, -1, 3, generator())
    assert upper == pytest.approx(3 - 4 * 3 / 7, rel=1e-14)


def test_bounds_move_with_the_unit_of_the_outcomes():
    counts = generator().multinomial(40, [0.1, 0.2, 0.4, 0.2, 0.1], size=20)
    plain = betting_upper(SCORES, counts, 0.9, -1, 1, generator(3))
    moved = betting_upper(5 + 3 * SCORES, counts, 0.9, 2, 8, generator(3))
    np.testing.assert_allclose(moved, 5 + 3 * plain, rtol=1e-13)


def test_range_and_coverage_may_differ_between_samples():
    counts = np.array([[3, 7], [3, 7], [3, 7]])
    values = np.array([[0.0, 1.0], [0.0, 1.0], [10.0, 20.0]])
    upper = [
        betting_upper(values, counts, [0.5, gamma, 0.9], [0, 0, 10], [1, b, 20], generator())
        for gamma, b in ((0.5, 1), (0.9, 1), (0.5, 2))
    ]
    assert upper[0][1] < upper[1][1]
    assert upper[0][1] < upper[2][1]
    np.testing.assert_array_equal(np.array(upper)[:, [0, 2]], np.array([upper[0][[0, 2]]] * 3))


@pytest.mark.parametrize("filler", [0.0, 1e9, np.nan])
def test_columns_that_were_never_seen_change_nothing(filler):
    counts = generator().multinomial(40, [0.1, 0.2, 0.4, 0.2, 0.1], size=7)
    padded = np.concatenate([np.full(2, filler), SCORES, [filler]])
    padding = np.pad(counts, ((0, 0), (2, 1)))
    np.testing.assert_array_equal(
        betting_upper(SCORES, counts, 0.9, -1, 1, generator(1)),
        betting_upper(padded, padding, 0.9, -1, 1, generator(1)),
    )


@pytest.mark.parametrize("at_once", [1, 150, 1000])
def test_bounds_do_not_depend_on_how_many_samples_are_taken_at_once(at_once, monkeypatch):
    sizes = np.array([3, 200, 41, 1, 77])
    counts = generator().multinomial(sizes, [0.1, 0.2, 0.4, 0.2, 0.1])
    together = betting_upper(SCORES, counts, 0.9, -1, 1, generator(1))
    monkeypatch.setattr(betting, "RESPONSES_AT_ONCE", at_once)
    np.testing.assert_array_equal(together, betting_upper(SCORES, counts, 0.9, -1, 1, generator(1)))


def test_every_order_of_the_responses_is_as_likely_as_any_other():
    """One success among five has five places, each with a bound of its own."""
    draws = 5000
    values, counts = np.array([0.3, 0.9]), np.tile([4, 1], (draws, 1))
    bounds = 1 - betting_upper(1 - values, counts, 0.9, 0, 1, generator(2))
    places = lower_of(np.where(np.eye(5), 0.9, 0.3), 0.9)
    assert np.diff(np.sort(places)).min() > 1e-6
    observed = (np.abs(bounds[:, None] - places) < 1e-12).sum(0)
    assert observed.sum() == draws
    assert chi2.sf(((observed - draws / 5) ** 2 / (draws / 5)).sum(), 4) > 1e-3


@pytest.mark.parametrize(
    ("values", "counts", "gamma", "reason"),
    [
        ([0.0, 1.0], [[1.5, 2.0]], 0.5, "whole counts"),
        ([0.0, 1.5], [[1, 2]], 0.5, "range"),
        ([-0.1, 1.0], [[1, 2]], 0.5, "range"),
        ([0.0, 1.0], [[1, 2]], 1.0, "gamma"),
        ([0.0, 1.0], [[0, 0]], 0.5, "at least one"),
    ],
)
def test_samples_that_cannot_be_bet_on_are_refused(values, counts, gamma, reason):
    with pytest.raises(ValueError, match=reason):
        betting_upper(values, counts, gamma, 0, 1, generator())


def test_an_empty_range_is_refused():
    with pytest.raises(ValueError, match="below b"):
        betting_upper([1.0], [[3]], 0.5, 1, 1, generator())


@pytest.mark.parametrize("gamma", [0.3, *GAMMAS])
@pytest.mark.parametrize(
    ("outcomes", "n"), [([0, 1], 1), ([0, 1], 3), ([0, 1], 8), ([0, 0.4, 1], 5)]
)
def test_one_sided_bound_covers_every_distribution_on_a_few_points(outcomes, n, gamma):
    """All sequences enumerated; also with means just below a bound, where it stops covering."""
    outcomes = np.array(outcomes, float)
    which = np.array(list(product(range(len(outcomes)), repeat=n)))
    counts = (which[:, :, None] == np.arange(len(outcomes))).sum(1)
    bounds = lower_of(outcomes[which], gamma)
    if len(outcomes) == 2:
        successes = np.concatenate([bounds * (1 - 1e-9), np.linspace(0, 1, 101)])
        p = np.stack([1 - successes, successes], axis=1)
    else:
        p = generator().dirichlet(np.full(3, 0.4), 2000)
    probability = np.prod(p[:, None] ** counts, axis=2)
    covered = (probability * (bounds <= (p @ outcomes)[:, None] + 1e-12)).sum(1)
    assert covered.min() >= gamma - 1e-9


def test_little_variance_makes_the_bounds_narrow():
    """Scores near the middle: far narrower than Hoeffding."""
    counts = generator().multinomial(500, [0, 0.1, 0.8, 0.1, 0], size=50)
    above = betting_upper(SCORES, counts, 0.95, -1, 1, generator(1)) - counts @ SCORES / 500
    assert np.mean(above) < 0.35 * hoeffding_radius(500, 0.9, 2.0)
