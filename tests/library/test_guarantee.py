"""Guarantees at a finite number of scenarios, against published numbers and binomial tails."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import beta, binom

from fidelity import (
    certified_curve,
    exact_curve,
    exact_level,
    marginal_level,
    marginal_rank,
    paper_level,
    quantile_curve,
)
from fidelity.bernoulli import bernoulli_kl
from fidelity.curves.guarantee import (
    MOST_RANKS,
    berk_jones_miss,
    certified_lower_curve,
    crossing_probability,
    curve_guarantee,
    dkw_miss,
    exact_miss,
    exact_ranks,
    index_map_rank,
    marginal_curve,
    paper_remainder,
    simultaneous_curve,
    weighted_certified_curve,
    weighted_marginal_curve,
    weighted_miss,
)

ETA = 0.05
sizes = st.integers(1, 300)
coverages = st.sampled_from([0.3, 0.5, 0.8, 0.95])


@pytest.mark.parametrize("m", [50, 235, 2000])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.5])
def test_paper_remainder_is_its_formula_in_30_digits(alpha, m):
    with mp.workdps(30):
        a, rows, logarithm = mp.mpf(alpha), mp.mpf(m), mp.log(2 * mp.mpf(m) / mp.mpf(ETA))
        slack = mp.sqrt(2 * a * logarithm + (logarithm**2 + 4 * logarithm) / rows)
        slack += (logarithm + 2) / mp.sqrt(rows) + mp.sqrt(mp.log(4 / mp.mpf(ETA)) / 2)
        remainder = float(slack / mp.sqrt(rows))
    assert paper_remainder(alpha, m, ETA) == pytest.approx(remainder, rel=1e-14)
    guaranteed = max(0.0, 1 - alpha - remainder)
    assert paper_level(alpha, m, ETA) == pytest.approx(guaranteed, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize(
    ("m", "paper", "exactly", "berk_jones", "dkw", "conformal"),
    [(235, 0.272, 0.088, 0.130, 0.202, 0.051), (1000, 0.144, 0.069, 0.088, 0.127, 0.052)],
)
def test_guaranteed_miss_at_the_index_of_the_paper(m, paper, exactly, berk_jones, dkw, conformal):
    rank = index_map_rank(m, 0.5, 0.95)
    assert 1 - paper_level(0.05, m, ETA) == pytest.approx(paper, abs=5e-4)
    assert exact_miss(m, 0.5, ETA)[rank - 1] == pytest.approx(exactly, abs=5e-4)
    assert berk_jones_miss(m, 0.5, ETA)[rank - 1] == pytest.approx(berk_jones, abs=5e-4)
    assert dkw_miss(m, 0.5, rank, ETA) == pytest.approx(dkw, abs=5e-4)
    marginal = Fraction(m + 1 - rank, m + 1) / Fraction(1, 2)
    assert float(marginal) == pytest.approx(conformal, abs=5e-4)
    assert marginal_level(m, 0.5, rank) == pytest.approx(1 - float(marginal), rel=1e-13)
    assert marginal_level(m, 0.5, 1) == 0
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


@pytest.mark.parametrize("rank", [0, -1, 11])
def test_levels_of_ranks_that_do_not_exist_are_refused(rank):
    """Rank 0 must not wrap around to the largest order statistic, which covers most."""
    with pytest.raises((ValueError, IndexError)):
        exact_level(10, 0.5, rank, ETA)


@pytest.mark.parametrize(
    "wrong",
    [
        {"gamma": float("nan")},
        {"gamma": 1.5},
        {"gamma": 0},
        {"eta": 0.0},
        {"tau": [2]},
        {"upper": [1.0, float("nan")]},
        {"upper": [[1.0, 2.0]]},
        {"upper": []},
    ],
)
def test_certified_curves_of_what_cannot_be_are_refused(wrong):
    given = {"upper": np.arange(1.0, 1001), "gamma": 0.5, "tau": [0.5, 0.9], "eta": ETA, **wrong}
    for curve in (certified_curve, simultaneous_curve):
        with pytest.raises(ValueError):
            curve(**given)


def crossing_in_fractions(bounds):
    """Return the crossing probability by Bolshev's recursion, over which index fails first."""
    bounds = [Fraction(float(bound)) for bound in bounds]
    safe = [Fraction(1)]
    for k in range(1, len(bounds) + 1):
        failed = sum(
            comb(k, i) * (1 - bound) ** (k - i) * safe[i] for i, bound in enumerate(bounds[:k])
        )
        safe.append(1 - failed)
    return float(1 - safe[-1])


@pytest.mark.parametrize("m", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("level", [1e-7, 0.01, 0.3])
def test_crossing_probability_equals_an_exact_recursion(m, level):
    index = np.arange(1, m + 1)
    bounds = beta.ppf(1 - level, index, m - index + 1)
    crossed = crossing_probability(m, index, bounds)
    assert crossed == pytest.approx(crossing_in_fractions(bounds), rel=1e-9)


@pytest.mark.parametrize("m", [1, 100, 2000])
@pytest.mark.parametrize("slope", [1.01, 1.5, 20.0, 1e6])
def test_crossing_probability_of_a_straight_line_through_the_corner(m, slope):
    """The empirical distribution function crosses λt with probability 1/λ (Daniels 1945)."""
    index = np.arange(1, m + 1)
    bounds = 1 - (m - index + 1) / (m * slope)
    assert crossing_probability(m, index, bounds) == pytest.approx(1 / slope, rel=1e-8)


@pytest.mark.sampled
@pytest.mark.parametrize("m", [1, 2, 20, 235, 2000])
@pytest.mark.parametrize("eta", [1e-6, 0.05, 0.9])
def test_berk_jones_band_is_broken_with_probability_eta(m, eta):
    bounds = berk_jones_miss(m, 1, eta)[::-1]
    crossed = crossing_probability(m, np.arange(1, m + 1), bounds)
    assert eta * (1 - 2e-6) <= crossed <= eta * (1 + 1e-7)


@pytest.mark.slow
def test_berk_jones_band_of_many_scenarios_uses_fewer_ranks():
    """Just above the limit the band costs next to nothing more than that of all ranks."""
    m = MOST_RANKS + 1
    of_all, of_some = (berk_jones_miss(size, 0.5, ETA) for size in (MOST_RANKS, m))
    ranks = np.array([1600, 2400, 2850, 2990, 3000])
    np.testing.assert_allclose(of_some[ranks], of_all[ranks - 1], rtol=0.02)
    bounds = berk_jones_miss(m, 1, ETA)[::-1]
    crossed = crossing_probability(m, np.arange(1, m + 1), bounds)
    assert crossed == pytest.approx(ETA, rel=2e-6)


@pytest.mark.parametrize(("m", "eta"), [(0, 0.05), (10, 0), (10, 1), (10, 1e-9)])
def test_bands_that_do_not_exist_are_refused(m, eta):
    with pytest.raises(ValueError, match="must be a"):
        berk_jones_miss(m, 0.5, eta)


@given(st.integers(1, 60), coverages)
def test_the_surer_a_curve_the_higher_it_lies(m, gamma):
    """Marginal, pointwise, simultaneous: each says more than the one before; at 0 none says any."""
    upper = np.arange(1.0, m + 1)
    tau = [Fraction(k, 20) for k in range(1, 21)]
    marginal = marginal_curve(upper, gamma, tau)
    pointwise = certified_curve(upper, gamma, tau, ETA)
    simultaneous = simultaneous_curve(upper, gamma, tau, ETA)
    assert (quantile_curve(upper, gamma, tau) <= marginal).all()
    assert (marginal <= pointwise).all()
    assert (pointwise <= simultaneous).all()
    assert np.isinf(simultaneous[-1])


@given(sizes, coverages, st.integers(0, 40))
def test_marginal_curve_is_that_of_the_marginal_rank(m, gamma, k):
    tau = Fraction(k, 40)
    value = marginal_curve(np.arange(1.0, m + 1), gamma, [tau])[0]
    rank = marginal_rank(m, gamma, 1 - tau)
    assert value == (rank if rank <= m else np.inf)


@given(st.integers(1, 200), coverages, st.integers(0, 19))
def test_certified_lower_curve_is_the_largest_rank_that_is_guaranteed(m, gamma, k):
    """The largest r at which the quantile of Beta(r, m-r+1) is at most γτ."""
    lower = np.random.default_rng(m).permutation(m) + 1.0
    value = certified_lower_curve(lower, gamma, [k / 20], ETA)[0]
    ranks = np.arange(1, m + 1)
    fine = ranks[beta.ppf(1 - ETA, ranks, m - ranks + 1) <= gamma * k / 20]
    assert value == (fine[-1] if len(fine) else -np.inf)


def test_weighted_bound_is_the_end_of_a_chernoff_interval():
    """γ × bound is the u above γS with KL(γS ‖ u) = log(1/η)/m; here γ = .4."""
    upper = np.arange(100.0)
    gamma_j = np.tile([0.4, 0.8], 50)
    threshold = np.array([-1.0, 49.0, 89.5, 97.0])
    mean = np.array([1.875, 0.9375, 0.1875, 0.0375])
    bound = weighted_miss(upper, gamma_j, 0.4, threshold, ETA)
    np.testing.assert_array_equal(bound[:2], 1)
    assert (bound[2:] > mean[2:]).all()
    divergence = bernoulli_kl(0.4 * mean[2:], 0.4 * bound[2:])
    np.testing.assert_allclose(divergence, -np.log(ETA) / 100)
    nothing_beyond = weighted_miss(upper, gamma_j, 0.4, np.array([99.0, np.inf]), ETA)
    np.testing.assert_allclose(nothing_beyond, (1 - ETA**0.01) / 0.4)


@given(sizes, coverages)
def test_weighted_curves_of_one_coverage(m, gamma):
    """The marginal one agrees rank by rank, the certified one is Chernoff's: a little higher."""
    upper = np.random.default_rng(m).integers(0, 50, m).astype(float)
    tau = [Fraction(k, 20) for k in range(21)]
    marginal = weighted_marginal_curve(upper, np.full(m, gamma), gamma, tau)
    np.testing.assert_array_equal(marginal[1:], marginal_curve(upper, gamma, tau[1:]))
    weighted = weighted_certified_curve(upper, np.full(m, gamma), gamma, tau, ETA)
    assert (weighted >= certified_curve(upper, gamma, tau, ETA)).all()


def test_weighted_certified_curve_is_where_the_bound_reaches_what_is_allowed():
    generator = np.random.default_rng(3)
    upper = generator.integers(0, 30, 235).astype(float)
    gamma_j = generator.choice([0.5, 0.7, 0.95], 235)
    tau = np.linspace(0.09, 0.99, 19)
    curve = weighted_certified_curve(upper, gamma_j, 0.5, tau, ETA)
    finite = np.isfinite(curve)
    assert finite[:10].all()
    assert not finite[-1]
    at, before = (
        weighted_miss(upper, gamma_j, 0.5, curve[finite] - step, ETA) for step in (0.0, 0.5)
    )
    assert (at <= 1 - tau[finite] + 1e-12).all()
    assert (before > 1 - tau[finite]).all()


def test_coverages_below_the_smallest_are_refused():
    with pytest.raises(ValueError, match="gamma must be the smallest"):
        weighted_miss(np.arange(3.0), np.array([0.5, 0.4, 0.9]), 0.5, np.zeros(1), ETA)


@pytest.mark.parametrize(("m", "shared", "rank"), [(288, 3, 274), (212, 7, 202), (40, 2, 40)])
def test_exact_bound_of_shared_people_is_the_chernoff_bound_of_fewer_scenarios(m, shared, rank):
    share, budget = (m - rank) / m, shared * np.log(20) / m

    def excess(u):
        return rel_entr(share, u) + rel_entr(1 - share, 1 - u) - budget

    root = brentq(excess, share + 1e-12, 1 - 1e-12)
    assert exact_miss(m, 0.9, 0.05, shared)[rank - 1] == pytest.approx(min(1, root / 0.9))
    assert exact_level(m, 0.9, rank, 0.05, shared) < exact_level(m, 0.9, rank, 0.05)


def test_the_same_people_everywhere_make_nothing_certain():
    upper = np.arange(50.0)
    assert exact_level(50, 0.5, 48, 0.05, 50) == 0.0
    assert np.isinf(exact_curve(upper, np.full(50, 0.5), 0.5, [0.5, 0.9], 0.05, 50)).all()
    differ = np.linspace(0.5, 0.9, 50)
    guarantee, level = curve_guarantee(upper, differ, 0.5, 0.9, 0.05, 2)
    assert guarantee is None
    assert np.isnan(level)
