"""Bounds from moments, against closed forms, root finding and enumeration of all samples."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, xlogy

from fidelity.sets.mean_bounds import (
    empirical_bernstein_one_sided,
    empirical_bernstein_radius,
    hoeffding_radius,
    moments,
    variance_bounds,
    variance_lower,
    variance_upper,
)

GAMMAS = (0.5, 0.9, 0.95)
coverages = st.sampled_from([0.05, 0.3, *GAMMAS, 0.999])
sizes = st.integers(1, 10_000)


def expanded(values, counts):
    return np.repeat(values, np.asarray(counts, int))


def test_moments_are_those_of_the_expanded_samples():
    generator = np.random.default_rng(0)
    values, counts = generator.normal(size=(30, 6)), generator.integers(0, 5, (30, 6))
    counts[:, 0] += 2
    samples = [expanded(*row) for row in zip(values, counts, strict=True)]
    n, mean, variance = moments(values, counts)
    np.testing.assert_array_equal(n, [len(each) for each in samples])
    np.testing.assert_allclose(mean, [each.mean() for each in samples], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(variance, [each.var(ddof=1) for each in samples], rtol=1e-12)


def test_a_single_response_has_no_variance():
    n, mean, variance = moments([0.3, 0.7], [[0, 1], [1, 1]])
    np.testing.assert_array_equal(n, [1, 2])
    np.testing.assert_array_equal(mean, [0.7, 0.5])
    assert np.isnan(variance[0])
    assert variance[1] == pytest.approx(0.08, rel=1e-14)


@pytest.mark.parametrize("filler", [0.0, 1e300, np.nan, np.inf])
def test_columns_that_were_never_seen_change_no_moment(filler):
    values, counts = np.array([[0.1, 0.4, 0.9]]), np.array([[3, 1, 2]])
    padded = np.concatenate([values, np.full((1, 9), filler)], axis=1)
    padding = np.concatenate([counts, np.zeros((1, 9))], axis=1)
    for plain, wide in zip(moments(values, counts), moments(padded, padding), strict=True):
        np.testing.assert_allclose(wide, plain, rtol=1e-15)


@pytest.mark.parametrize(
    ("values", "counts", "reason"),
    [
        ([0.0, 1.0], [1, 2], "shape"),
        ([0.0, 1.0, 2.0], [[1, 2]], "shape"),
        ([0.0, 1.0], [[0, 0]], "at least one"),
        ([0.0, 1.0], [[-1, 2]], "not negative"),
        ([0.0, 1.0], [[np.nan, 2]], "finite"),
        ([0.0, np.nan], [[1, 2]], "missing"),
    ],
)
def test_samples_that_make_no_sense_are_refused(values, counts, reason):
    with pytest.raises(ValueError, match=reason):
        moments(values, counts)


def test_empirical_bernstein_radii_in_numbers():
    """log(2/δ) on one side (Maurer & Pontil 2009, Theorem 4), log(4/δ) on two."""
    one = np.sqrt(2 * 0.04 * np.log(20) / 100) + 7 * 2 * np.log(20) / (3 * 99)
    two = np.sqrt(2 * 0.04 * np.log(40) / 100) + 7 * 2 * np.log(40) / (3 * 99)
    assert empirical_bernstein_one_sided(0.04, 100, 0.9, 2.0) == pytest.approx(one, rel=1e-14)
    assert empirical_bernstein_radius(0.04, 100, 0.9, 2.0) == pytest.approx(two, rel=1e-14)


def test_variance_bounds_in_numbers():
    """The standard deviation deviates by sqrt(2·log(1/δ)/(n-1)) (Theorem 10), δ/2 on each side."""
    one, two = np.sqrt(2 * np.log(10) / 1000), np.sqrt(2 * np.log(20) / 1000)
    assert variance_upper(0.04, 1001, 0.9, 1.0) == pytest.approx((0.2 + one) ** 2, rel=1e-13)
    assert variance_lower(0.04, 1001, 0.9, 1.0) == pytest.approx((0.2 - one) ** 2, rel=1e-13)
    both = variance_bounds(0.04, 1001, 0.9, 1.0)
    assert both == pytest.approx([(0.2 - two) ** 2, (0.2 + two) ** 2], rel=1e-13)


def test_one_response_says_nothing_of_spread():
    assert empirical_bernstein_radius(np.nan, 1, 0.5, 2.0) == np.inf
    assert empirical_bernstein_one_sided(np.nan, 1, 0.5, 2.0) == np.inf
    assert variance_bounds(np.nan, 1, 0.5, 2.0) == (0.0, 1.0)


def test_variance_bounds_of_a_sample_that_varies_too_much_stay_possible():
    """The outcomes 0 and 1, once each, have sample variance ½; no variance exceeds ¼."""
    assert (variance_bounds(0.5, 2, 0.5, 1.0)[1], variance_lower(0.5, 10**9, 0.5, 1.0)) == (
        0.25,
        0.25,
    )


@given(st.floats(0, 1), sizes, coverages, st.floats(0.01, 100))
def test_bounds_move_with_the_unit_of_the_outcomes(share, n, gamma, span):
    for radius in (empirical_bernstein_radius, empirical_bernstein_one_sided):
        scaled = radius(share * span**2, n, gamma, span)
        assert scaled == pytest.approx(span * radius(share, n, gamma, 1.0), rel=1e-12)
    bounds = variance_bounds(share / 4 * span**2, n, gamma, span)
    unit = np.multiply(span**2, variance_bounds(share / 4, n, gamma, 1.0))
    assert bounds == pytest.approx(unit, rel=1e-9, abs=1e-12 * span**2)


def test_impossible_samples_are_refused():
    with pytest.raises(ValueError, match="positive"):
        hoeffding_radius([1, 0], 0.5, 1.0)


def all_samples(n, d):
    """Return the counts of every sample of n responses, (samples, d)."""
    free = product(range(n + 1), repeat=d - 1)
    return np.array([(*c, n - sum(c)) for c in free if sum(c) <= n])


def probabilities(counts, p):
    """Return P(counts) under each distribution p (rows), (rows, samples)."""
    ways = gammaln(counts[0].sum() + 1) - gammaln(counts + 1).sum(1)
    return np.exp(ways + xlogy(counts, np.atleast_2d(p)[:, None]).sum(2))


def covered(values, counts, p, gamma, a, b):
    """Return the exact coverage of every bound under each distribution in the rows of p."""
    n, mean, variance = moments(values, counts)
    weight, truth = probabilities(counts, p), p @ values
    spread = p @ values**2 - truth**2
    truth, spread = truth[:, None], spread[:, None]
    low, high = variance_bounds(variance, n, gamma, b - a)
    one = empirical_bernstein_one_sided(variance, n, gamma, b - a)
    two = empirical_bernstein_radius(variance, n, gamma, b - a)
    off, slack = abs(truth - mean), 1e-12
    holds = {
        "hoeffding": off <= hoeffding_radius(n, gamma, b - a) + slack,
        "empirical Bernstein": off <= two + slack,
        "empirical Bernstein upper": truth <= mean + one + slack,
        "empirical Bernstein lower": truth >= mean - one - slack,
        "variance": (low <= spread + slack) & (spread <= high + slack),
        "variance upper": spread <= variance_upper(variance, n, gamma, b - a) + slack,
        "variance lower": spread >= variance_lower(variance, n, gamma, b - a) - slack,
    }
    return {name: (weight * each).sum(1) for name, each in holds.items()}


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 40])
def test_bounds_cover_every_proportion(n, gamma):
    """Including proportions just beyond a bound, where an outcome stops covering."""
    counts = all_samples(n, 2)
    n_, mean, _ = moments([0.0, 1.0], counts)
    beyond = mean + hoeffding_radius(n_, gamma, 1) * (1 + 1e-9)
    share = np.clip(np.concatenate([beyond, np.linspace(0, 1, 101)]), 0, 1)
    p = np.stack([1 - share, share], axis=1)
    shares = covered(np.array([0.0, 1.0]), counts, p, gamma, 0.0, 1.0)
    assert {name for name, share in shares.items() if share.min() < gamma - 1e-9} == set()
