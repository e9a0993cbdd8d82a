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
from scipy.stats import beta, binom, t

from fidelity import (
    certified_closer_share,
    certified_curve,
    exact_curve,
    exact_level,
    marginal_level,
    marginal_rank,
    paper_level,
    quantile_curve,
)
from fidelity.bernoulli import bernoulli_kl
from fidelity.curves import (
    certified_envelope_share,
    certified_level,
    envelope_closer_share,
    envelope_curve,
    envelope_level,
    exact_envelope_curve,
    lower_envelope_curve,
    simultaneous_curve,
    simultaneous_envelope_curve,
)
from fidelity.curves.clusters import (
    cluster_bootstrap,
    design_effect,
    design_effect_exact_miss,
    effective_clusters,
    effective_scenarios,
    intraclass_correlation,
    new_cluster_exact_miss,
    one_per_cluster_curve,
)
from fidelity.curves.envelope import GAMMA_GRID, envelope_miss
from fidelity.curves.guarantee import (
    MOST_RANKS,
    berk_jones_miss,
    crossing_probability,
    curve_guarantee,
    dkw_miss,
    exact_miss,
    exact_ranks,
    index_map_rank,
    marginal_curve,
    paper_remainder,
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


TAU = [0.0, 0.25, 0.5, 0.8, 0.9, 0.95, 1.0]


def chain_miss(m, pi, level, gammas):
    """Return the miss probability just above π, by the chain's transitions, one by one."""
    state = np.arange(m + 1)
    just_above = pi * (1 + 1e-12)
    alive = np.ones(1)
    for i, gamma in enumerate(gammas):
        if i == 0:
            alive = binom.pmf(state, m, just_above * gamma)
        else:
            share = just_above * (gamma - gammas[i - 1]) / (1 - just_above * gammas[i - 1])
            moved = np.zeros(m + 1)
            for a in state:
                moved[a:] += alive[a] * binom.pmf(np.arange(m + 1 - a), m - a, share)
            alive = moved
        alive[binom.cdf(state, m, just_above * gamma) < level] = 0.0
    return 1.0 - alive.sum()


@pytest.mark.parametrize(
    ("m", "gammas"),
    [(12, (0.3, 0.5, 0.9)), pytest.param(14, GAMMA_GRID, marks=pytest.mark.slow)],
)
def test_the_miss_probability_is_that_of_the_chain(m, gammas):
    level = 0.012
    found = envelope_miss(m, level, gammas)
    points = [beta.ppf(1 - level, a + 1, m - a) / gamma for gamma in gammas for a in range(m)]
    expected = [chain_miss(m, pi, level, gammas) for pi in points if pi <= 1.0]
    np.testing.assert_allclose(np.sort(found[found > 0.0]), np.sort(expected), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "level"), [(50, 0.00877), (235, 0.0079)])
def test_the_level_uses_what_is_allowed(m, level):
    found = envelope_level(m, 0.05)
    assert found == pytest.approx(level, abs=5e-5)
    assert 0.049 < envelope_miss(m, found).max() <= 0.05
    assert found > 0.05 / len(GAMMA_GRID)


def test_one_coverage_is_the_exact_curve():
    upper = np.random.default_rng(0).gamma(2.0, 0.1, 60)
    found = exact_envelope_curve(upper[:, None], TAU, 0.05, gamma=[0.5])
    np.testing.assert_array_equal(found, certified_curve(upper, 0.5, TAU, 0.05))


def test_the_envelope_is_the_lowest_upper_and_the_highest_lower_curve():
    rng = np.random.default_rng(1)
    grid = (0.3, 0.5, 0.9)
    bounds = np.sort(rng.gamma(2.0, 0.1, (40, 3)), axis=1)
    curves = [quantile_curve(bounds[:, i], [gamma] * 40, TAU) for i, gamma in enumerate(grid)]
    np.testing.assert_array_equal(envelope_curve(bounds, TAU, grid), np.min(curves, axis=0))
    lower = lower_envelope_curve(bounds[:, ::-1], TAU, grid)
    assert (lower >= 0).all() and (np.diff(lower) >= 0).all()


def test_bounds_that_fall_as_the_coverage_rises_are_raised():
    upper = np.array([[0.3, 0.2], [0.1, 0.4], [0.2, 0.2]] * 20)
    nested = np.maximum.accumulate(upper, axis=1)
    grid = (0.5, 0.9)
    np.testing.assert_array_equal(
        exact_envelope_curve(upper, TAU, 0.05, grid), exact_envelope_curve(nested, TAU, 0.05, grid)
    )


def test_a_share_needs_no_half_of_scenarios_decided():
    """γ = ½ alone says nothing until more than half are decided; the envelope does."""
    upper = np.ones((100, 2))
    upper[:45] = -1.0
    assert envelope_closer_share(upper[:, :1], [0.5]) == 0.0
    assert envelope_closer_share(upper, (0.5, 0.99)) == pytest.approx(1 - 0.55 / 0.99)


@pytest.mark.parametrize("shared", [1, 3])
@pytest.mark.parametrize("alike", [True, False])
def test_a_certified_share_is_that_of_the_best_coverage(shared, alike):
    rng, m, grid = np.random.default_rng(4), 80, (0.3, 0.6, 0.9)
    upper = np.sort(rng.normal(-0.2, 0.2, (m, 3)), axis=1)
    level = certified_level(m, 0.1, grid, shared=shared, alike=alike)
    assert level == (0.1 / 3 if shared > 1 or not alike else envelope_level(m, 0.1, grid))
    limits = [
        certified_closer_share((upper[:, i] > 0.05).sum(), m, gamma, level, shared)
        for i, gamma in enumerate(grid)
    ]
    found = certified_envelope_share(upper, 0.1, grid, threshold=0.05, shared=shared, alike=alike)
    assert found == pytest.approx(max(limits))
    tau = [found - 1e-9, found + 1e-9]
    at_most, beyond = exact_envelope_curve(
        np.maximum(upper, 0.0), tau, 0.1, grid, shared=shared, alike=alike
    )
    assert at_most <= 0.05 < beyond


def test_nothing_certified_is_a_share_of_none():
    assert certified_envelope_share(np.ones((5, 11)), 0.05) == 0.0


def test_all_points_at_once_hold_less():
    upper = np.sort(np.random.default_rng(5).gamma(2.0, 0.1, (90, 2)), axis=1)
    grid = (0.5, 0.9)
    each = exact_envelope_curve(upper, TAU, 0.05, grid)
    together = simultaneous_envelope_curve(upper, TAU, 0.05, grid)
    expected = [simultaneous_curve(upper[:, i], grid[i], TAU, 0.025) for i in (0, 1)]
    np.testing.assert_array_equal(together, np.min(expected, axis=0))
    assert (together >= each).all() and (together[:3] > each[:3]).any()


# Shrout & Fleiss (1979), table 2: six targets rated by four judges; ICC(1,1) = .17.
RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
TARGETS = np.repeat(np.arange(6), 4)


def test_icc_of_the_textbook():
    assert intraclass_correlation(RATINGS.ravel(), TARGETS) == pytest.approx(0.17, abs=0.005)
    labels = np.array(["topic " + "fedcba"[i] for i in TARGETS])
    assert intraclass_correlation(RATINGS.ravel(), labels) == pytest.approx(
        (11.24 - 6.26) / (11.24 + 3 * 6.26), abs=1e-3
    )


def test_design_effect_of_equal_and_unequal_clusters():
    icc = intraclass_correlation(RATINGS.ravel(), TARGETS)
    assert design_effect(RATINGS.ravel(), TARGETS) == pytest.approx(1 + 3 * icc)
    values = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 4.0])
    clusters = np.array([0, 0, 0, 0, 0, 1])
    assert design_effect(values, clusters) == pytest.approx(26 / 6)
    assert effective_scenarios(values, clusters) == pytest.approx(36 / 26)


def test_design_effect_where_there_is_nothing_to_estimate_it_from():
    """Every scenario by itself: 1. No variation: the worst, as if clusters were one scenario."""
    assert design_effect(np.arange(5.0), np.arange(5)) == 1
    assert design_effect(np.zeros(20), np.repeat(np.arange(5), 4)) == 4
    assert effective_scenarios(np.zeros(20), np.repeat(np.arange(5), 4)) == 5


def test_scenarios_are_never_worth_more_than_their_number():
    alike, clusters = np.tile([0.0, 1.0, 2.0, 3.0], 5), np.repeat(np.arange(5), 4)
    assert design_effect(alike, clusters) == pytest.approx(0, abs=1e-12)
    assert effective_scenarios(alike, clusters) == 20


@pytest.mark.parametrize("rank", [120, 180, 235, 240])
def test_corrected_bound_of_clusters_that_do_not_matter(rank):
    """The exact bound, but for the quantiles of t with 11 degrees of freedom and rounding."""
    upper = np.tile(np.arange(20.0), 12) + np.repeat(np.arange(12), 20) / 100
    clusters = np.repeat(np.arange(12), 20)
    miss = design_effect_exact_miss(upper, clusters, 0.9, rank, ETA)
    few = (t.ppf(0.95, 239) / t.ppf(0.95, 11)) ** 2
    if rank == 240:
        m = np.floor(12 * few)
    else:
        m = np.floor(240 * few)
        assert design_effect((upper > np.sort(upper)[rank - 1]) * 1.0, clusters) < 1
    beyond = (240 - rank) / 240 * m
    assert miss == pytest.approx(min(1, beta.ppf(0.95, beyond + 1, m - beyond) / 0.9))
    assert miss >= exact_miss(240, 0.9, ETA)[rank - 1]


def test_corrected_bound_of_independent_scenarios_is_the_exact_one():
    upper = np.random.default_rng(0).random(100)
    miss = design_effect_exact_miss(upper, np.arange(100), 0.5, 90, ETA)
    assert miss == pytest.approx(exact_miss(100, 0.5, ETA)[89])


def test_effective_clusters_of_equal_ones_and_of_one_that_dominates():
    assert effective_clusters(np.repeat(["a", "b", "c"], 96)) == pytest.approx(3)
    assert effective_clusters(np.arange(7)) == pytest.approx(7)
    dominated = np.repeat(np.arange(11), [100] + [10] * 10)
    assert effective_clusters(dominated) == pytest.approx(200**2 / (100**2 + 10 * 10**2))


@pytest.mark.parametrize(
    ("sizes", "rank", "largest_share"),
    [
        ([30, 30, 30, 30], 114, 6 / 120),
        ([10, 20, 90], 115, (5 / 10) / 3),
        ([10, 20, 90], 95, (1 + 15 / 20) / 3),
        ([10, 20, 90], 120, 0.0),
    ],
)
def test_bound_for_a_new_cluster_takes_the_worst_place_of_what_lies_beyond(
    sizes, rank, largest_share
):
    """The mean of the clusters' shares, largest over all ways to place m - rank scenarios."""
    beyond = sum(sizes) - rank
    placed = [
        (a, b, beyond - a - b)
        for a in range(sizes[0] + 1)
        for b in range(sizes[1] + 1)
        if 0 <= beyond - a - b <= sum(sizes[2:])
    ]
    if len(sizes) == 3:
        assert largest_share == pytest.approx(
            max(sum(x / n for x, n in zip(each, sizes, strict=True)) / 3 for each in placed)
        )

    def divergence(u):
        s = largest_share
        return (s * np.log(s / u) if s else 0.0) + (1 - s) * np.log((1 - s) / (1 - u))

    budget = np.log(1 / ETA) / len(sizes)
    root = brentq(lambda u: divergence(u) - budget, largest_share + 1e-12, 1 - 1e-12)
    clusters = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    found = new_cluster_exact_miss(clusters, 0.9, rank, ETA)
    assert found == pytest.approx(min(1, root / 0.9), rel=1e-9)


def test_few_clusters_say_nothing_of_a_new_one():
    assert new_cluster_exact_miss(np.repeat(np.arange(3), 96), 0.5, 274, ETA) == 1.0
    many = new_cluster_exact_miss(np.repeat(np.arange(100), 3), 0.5, 285, ETA)
    assert exact_miss(300, 0.5, ETA)[284] < many < 0.3


def test_one_per_cluster_takes_one_from_each_cluster():
    """Values that tell their cluster: whichever is drawn, the curve is that of the clusters."""
    clusters = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    tau = [0.1, 0.5, 0.8, 0.9]
    curve = one_per_cluster_curve(
        clusters.astype(float), clusters, 0.7, tau, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(curve, marginal_curve(np.arange(12.0), 0.7, tau))
    assert curve[2] == marginal_rank(12, 0.7, 0.2) - 1
    assert np.isinf(curve[3])


@pytest.mark.slow
def test_one_per_cluster_draws_every_scenario_of_a_cluster_equally_often():
    generator = np.random.default_rng(1)
    upper = np.array([0.0, 1.0, 2.0, 3.0, np.inf])
    clusters = np.array(["a", "a", "a", "a", "b"])
    drawn = [one_per_cluster_curve(upper, clusters, 1, [1 / 3], generator)[0] for _ in range(4000)]
    share = np.bincount(np.array(drawn, int), minlength=4) / 4000
    np.testing.assert_allclose(share, 0.25, atol=4 * np.sqrt(0.25 * 0.75 / 4000))


def test_bootstrap_weights_are_those_of_whole_clusters():
    clusters = np.array(["b", "a", "b", "c", "a", "b"])
    weights = cluster_bootstrap(lambda w: w, clusters, np.random.default_rng(0), 500)
    assert weights.shape == (6, 500)
    for label in "abc":
        of_label = weights[clusters == label]
        assert (of_label == of_label[:1]).all()
    drawn = weights[[1, 0, 3]]
    assert (drawn.sum(0) == 3).all()
    np.testing.assert_allclose(drawn.mean(1), 1, atol=4 * np.sqrt(2 / 3 / 500))


TEN, HALVES, PAIRS = np.arange(10.0), np.repeat([0, 1], 5), np.array([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        # rank 0 must not wrap around to the largest order statistic, which covers most
        *(
            (lambda rank=rank: exact_level(10, 0.5, rank, ETA), "rank must be")
            for rank in (0, -1, 11)
        ),
        *(
            (lambda of=of: berk_jones_miss(of[0], 0.5, of[1]), "must be a")
            for of in ((0, 0.05), (10, 0), (10, 1), (10, 1e-9))
        ),
        (
            lambda: weighted_certified_curve(np.arange(3.0), [0.5, 0.4, 0.9], 0.5, [0.5], ETA),
            "gamma must be the smallest",
        ),
        *(
            (lambda gamma=gamma: envelope_curve(np.ones((3, 2)), TAU, gamma), "gamma")
            for gamma in ((0.5, 0.3), (0.5, 0.5), (0.0, 0.5), (0.5, 1.0))
        ),
        (lambda: intraclass_correlation(np.arange(4.0), np.zeros(4)), "must be at least 2"),
        (lambda: intraclass_correlation(np.arange(4.0), np.arange(4)), "must be at least 2"),
        (lambda: intraclass_correlation(np.arange(4.0), PAIRS[1:]), "a vector of 4 labels"),
        (lambda: intraclass_correlation([0, 1, np.inf, 2], PAIRS), "finite numbers"),
        (lambda: intraclass_correlation(np.zeros(0), np.zeros(0)), "values must be a vector"),
        *(
            (lambda of=of: design_effect_exact_miss(TEN, HALVES, 0.5, *of), "must be a")
            for of in ((0, 0.05), (11, 0.05), (5, 0.5), (5, 0))
        ),
        (lambda: design_effect_exact_miss(TEN, np.zeros(10), 0.5, 5, ETA), "must be at least 2"),
        (lambda: new_cluster_exact_miss(np.arange(4), 0.5, 5, ETA), "rank must be"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
