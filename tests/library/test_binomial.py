"""Bounds for one proportion, against root finding, 60-digit arithmetic and enumeration."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, t

from fidelity.bernoulli import bernoulli_kl, bernoulli_kl_lower, bernoulli_kl_upper
from fidelity.binomial import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    clustered_proportion_interval,
    proportion_interval,
)

GAMMAS = (0.05, 0.3, 0.5, 0.9, 0.95, 0.999)
shares = st.one_of(
    st.floats(1e-12, 1), st.sampled_from([0.0, 1.0, 1e-9, 1 - 1e-9]), st.floats(1e-12, 1e-6)
)
radii = st.floats(-10, 1.7).map(lambda exponent: 10.0**exponent)


def upper_in_60_digits(share: float, radius: float) -> Decimal:
    """Bisect on x, where 1 - u = (1 - share)·exp(-x)."""
    with localcontext() as context:
        context.prec = 60
        p, r = Decimal(share), Decimal(radius)
        if p == 1:
            return Decimal(1)
        if p == 0:
            return 1 - (-r).exp()
        low, high = Decimal(0), (r - p * p.ln()) / (1 - p)
        for _ in range(130):
            x = (low + high) / 2
            u = 1 - (1 - p) * (-x).exp()
            inside = (1 - p) * x + p * (p / u).ln() <= r
            low, high = (x, high) if inside else (low, x)
        return 1 - (1 - p) * (-low).exp()


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("n", [1, 7, 10**6])
def test_clopper_pearson_closed_forms(n, gamma):
    none = -np.expm1(np.log1p(-gamma) / n)
    assert clopper_pearson_upper(0, n, gamma) == pytest.approx(none, rel=1e-12)
    assert clopper_pearson_upper(n, n, gamma) == 1.0
    assert clopper_pearson_lower(0, n, gamma) == 0.0
    all_but_none = gamma ** (1 / n)
    assert clopper_pearson_upper(n - 1, n, gamma) == pytest.approx(all_but_none, rel=1e-12)


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 40])
def test_coverage_of_clopper_pearson_is_never_below_gamma_and_reaches_it(n, gamma):
    outcomes = np.arange(n + 1)
    bound = clopper_pearson_upper(outcomes, n, gamma)
    # Coverage is lowest just above a bound, where that outcome stops covering.
    worst = np.append(bound[:-1] * (1 + 1e-12), np.linspace(0.001, 0.999, 97))
    covered = (binom.pmf(outcomes, n, worst[:, None]) * (bound >= worst[:, None])).sum(1)
    assert covered.min() >= gamma - 1e-9
    assert covered.min() == pytest.approx(gamma, abs=1e-9)


def test_fractional_counts_lie_between_whole_ones():
    counts = np.arange(0, 20.01, 0.25)
    bound = clopper_pearson_upper(counts, 20, 0.9)
    assert (np.diff(bound) > 0).all()
    np.testing.assert_allclose(bound[::4], clopper_pearson_upper(np.arange(21), 20, 0.9))


@pytest.mark.parametrize(
    ("share", "u", "expected"),
    [
        (0.0, 0.3, -np.log(0.7)),
        (1.0, 0.3, -np.log(0.3)),
        (0.5, 0.25, 0.5 * np.log(4 / 3)),
        (0.3, 0.3, 0.0),
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 0.0),
        (0.3, 0.0, np.inf),
        (0.3, 1.0, np.inf),
        (0.0, 1.0, np.inf),
    ],
)
def test_bernoulli_kl_closed_forms(share, u, expected):
    assert bernoulli_kl(share, u) == pytest.approx(expected, rel=1e-14)


@given(shares, radii)
def test_inverted_kl_agrees_with_60_digits(share, radius):
    found = Decimal(float(bernoulli_kl_upper(share, radius)))
    assert abs(found - upper_in_60_digits(share, radius)) <= Decimal("1e-15")


@pytest.mark.parametrize("radius", [1e-10, 0.01, 1.0, 50.0])
def test_inverted_kl_at_the_ends(radius):
    assert bernoulli_kl_upper(0.0, radius) == pytest.approx(-np.expm1(-radius), rel=1e-14)
    assert bernoulli_kl_upper(1.0, radius) == 1.0
    assert bernoulli_kl_lower(0.0, radius) == 0.0
    assert bernoulli_kl_lower(1.0, radius) == pytest.approx(np.exp(-radius), abs=3e-16)


@pytest.mark.parametrize(("count", "n"), [(0, 5), (5, 5), (3, 40), (39, 40)])
def test_interval_of_a_share_is_scipys(count, n):
    exact = binomtest(count, n).proportion_ci(0.9, "exact")
    assert proportion_interval(count / n, n, 0.9) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("n", [2, 3, 7, 30])
@pytest.mark.parametrize("p", [0.05, 0.5, 0.9, 0.99])
def test_few_clusters_that_agree_within_are_covered_exactly(n, p):
    """All of a cluster are inside or none, the worst case; by enumeration."""
    inside = np.arange(n + 1) / n
    lower, upper = clustered_proportion_interval(inside, inside * np.nan, np.nan, n, 1 / n, 10 * n)
    covered = (lower <= p) & (p <= upper)
    assert binom.pmf(np.arange(n + 1), n, p)[covered].sum() >= 0.95
    assert lower[-1] == pytest.approx(0.025 ** (1 / n))
    assert (lower[0], upper[-1]) == (0, 1)


def test_many_clusters_are_worth_korn_and_graubards_people():
    """p = .8, SE .02 over 60 clusters: 400 people as precise, less for 59 degrees of freedom."""
    lower, upper = clustered_proportion_interval(0.8, 0.02, 59, 60, 1 / 60, 5000)
    worth = 400 * (1.959964 / t.ppf(0.975, 59)) ** 2
    np.testing.assert_allclose((lower, upper), proportion_interval(0.8, worth), rtol=1e-6)
    at_most = clustered_proportion_interval(0.8, 0.001, 59, 60, 1 / 60, 300)
    np.testing.assert_allclose(at_most, proportion_interval(0.8, 300))
    all_inside = clustered_proportion_interval(1.0, 0.0, 59, 60, 1 / 60, 5000)
    np.testing.assert_allclose(all_inside, (0.025 ** (1 / 60), 1))


def test_one_cluster_says_nothing():
    assert np.isnan(clustered_proportion_interval(0.5, np.nan, np.nan, 1.0, 1.0, 9)).all()
