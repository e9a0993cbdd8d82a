"""Guarantees at a finite number of scenarios, against published numbers and binomial tails."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from fidelity import (
    certified_curve,
    exact_level,
    marginal_rank,
    paper_level,
    quantile_curve,
)
from fidelity.guarantee import dkw_miss, exact_miss, exact_ranks, index_map_rank, paper_remainder

ETA = 0.05
sizes = st.integers(1, 300)
coverages = st.sampled_from([0.3, 0.5, 0.8, 0.95])


def test_paper_remainder_of_the_reference(vectors):
    reference = json.loads((vectors / "quantile_curve.json").read_text())
    for row in reference["epsilon(alpha,m,eta) and remainder eps/sqrt(m)"]:
        arguments = row["alpha"], row["m"], row["eta"]
        assert paper_remainder(*arguments) == pytest.approx(row["remainder"], rel=1e-14)
        guaranteed = max(0.0, row["guarantee 1-alpha-rem"])
        assert paper_level(*arguments) == pytest.approx(guaranteed, rel=1e-13, abs=1e-15)


def test_levels_and_ranks_of_235_scenarios():
    rank = index_map_rank(235, 0.5, 0.9)
    assert rank == 224
    assert paper_level(0.1, 235, ETA) == pytest.approx(0.656, abs=5e-4)
    assert exact_level(235, 0.5, rank, ETA) == pytest.approx(0.847, abs=5e-4)
    assert list(exact_ranks(235, 0.5, [0.9], ETA)) == [229]


@pytest.mark.parametrize(
    ("m", "paper", "exactly", "dkw", "conformal"),
    [(235, 0.272, 0.088, 0.202, 0.051), (1000, 0.144, 0.069, 0.127, 0.052)],
)
def test_guaranteed_miss_at_the_index_of_the_paper(m, paper, exactly, dkw, conformal):
    rank = index_map_rank(m, 0.5, 0.95)
    assert 1 - paper_level(0.05, m, ETA) == pytest.approx(paper, abs=5e-4)
    assert exact_miss(m, 0.5, ETA)[rank - 1] == pytest.approx(exactly, abs=5e-4)
    assert dkw_miss(m, 0.5, rank, ETA) == pytest.approx(dkw, abs=5e-4)
    marginal = Fraction(m + 1 - rank, m + 1) / Fraction(1, 2)
    assert float(marginal) == pytest.approx(conformal, abs=5e-4)
    assert marginal_rank(m, 0.5, marginal) == rank
    assert marginal_rank(m, 0.5, marginal - Fraction(1, 10**6)) == rank + 1


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.95])
@pytest.mark.parametrize("m", [1, 2, 20, 235, 5000])
def test_exact_miss_is_a_beta_quantile_and_a_binomial_tail(m, gamma):
    """At the bound times γ, m - r or fewer of m scenarios lie beyond with probability η."""
    miss = exact_miss(m, gamma, ETA)
    ranks = np.arange(1, m + 1)
    quantiles = beta.ppf(1 - ETA, m - ranks + 1, ranks)
    np.testing.assert_allclose(miss, np.minimum(1, quantiles / gamma), rtol=1e-12)
    np.testing.assert_allclose(binom.cdf(m - ranks, m, quantiles), ETA, rtol=1e-8)
    assert (np.diff(miss) <= 0).all()
    assert exact_level(m, gamma, m, ETA) == pytest.approx(max(0, 1 - (1 - ETA ** (1 / m)) / gamma))


@given(sizes, coverages, st.floats(0, 1), st.sampled_from([0.01, 0.05, 0.5]))
def test_exact_rank_is_the_smallest_that_is_guaranteed(m, gamma, tau, eta):
    rank = exact_ranks(m, gamma, [tau], eta)[0]
    if rank <= m:
        assert exact_level(m, gamma, rank, eta) >= tau - 1e-12
    if rank > 1:
        assert exact_level(m, gamma, rank - 1, eta) <= tau + 1e-12


def test_certified_curve_is_infinite_where_scenarios_are_too_few():
    upper = np.random.default_rng(0).permutation(235) + 1.0
    tau = [0.0, 0.5, 0.9, 0.97, 0.99, 1.0]
    curve = certified_curve(upper, 0.5, tau, ETA)
    assert curve[0] == 1.0
    assert curve[2] == 229.0
    assert np.isinf(curve[-2:]).all()
    ranks = exact_ranks(235, 0.5, tau, ETA)
    np.testing.assert_array_equal(curve[:4], ranks[:4])
    assert (np.isinf(curve) == (ranks == 236)).all()


@given(sizes, coverages)
def test_certified_curve_lies_above_the_asymptotic_one(m, gamma):
    upper = np.arange(1.0, m + 1)
    tau = np.linspace(0.05, 1, 20)
    assert (certified_curve(upper, gamma, tau, ETA) >= quantile_curve(upper, gamma, tau)).all()


def test_a_higher_coverage_or_failure_probability_needs_a_smaller_rank():
    tau = np.linspace(0, 1, 51)
    ranks = exact_ranks(500, 0.5, tau, ETA)
    assert (exact_ranks(500, 0.9, tau, ETA) <= ranks).all()
    assert (exact_ranks(500, 0.5, tau, 0.5) <= ranks).all()
    assert (np.diff(ranks) >= 0).all()


@pytest.mark.parametrize(
    ("m", "gamma", "alpha", "rank"),
    [
        (235, 0.5, 0.1, 225),
        (9, 0.5, 0.2, 9),
        (9, 0.5, 0.19, 10),
        (99, 0.7, 0.1, 93),
        (49, 0.7, 0.2, 43),
        (10, 0.5, 0, 11),
        (1, 0.5, 1, 1),
    ],
)
def test_marginal_rank(m, gamma, alpha, rank):
    assert marginal_rank(m, gamma, alpha) == rank


@given(sizes, coverages, st.integers(0, 40))
def test_index_map_rank_is_that_of_the_curve(m, gamma, k):
    tau = Fraction(k, 40)
    rank = index_map_rank(m, gamma, tau)
    assert quantile_curve(np.arange(1, m + 1), gamma, [tau])[0] == rank
    assert index_map_rank(m, gamma, k / 40) == rank


@given(sizes, coverages, st.data())
def test_simultaneous_bound_is_wider_than_the_pointwise_one(m, gamma, data):
    rank = data.draw(st.integers(1, m))
    assert dkw_miss(m, gamma, rank, ETA) >= exact_miss(m, gamma, ETA)[rank - 1] - 1e-12
    band = (m - rank) / m + np.sqrt(np.log(1 / ETA) / (2 * m))
    assert dkw_miss(m, gamma, rank, ETA) == pytest.approx(min(1, band / gamma))


@pytest.mark.parametrize("rank", [0, -1, 11])
def test_levels_of_ranks_that_do_not_exist_are_refused(rank):
    """Rank 0 must not wrap around to the largest order statistic, which covers most."""
    with pytest.raises((ValueError, IndexError)):
        exact_level(10, 0.5, rank, ETA)
