"""The envelope over γ: its level by the Markov chain, its misses by simulation, curves by hand."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from fidelity import certified_closer_share
from fidelity.curves import (
    certified_curve,
    certified_envelope_share,
    certified_level,
    envelope_closer_share,
    envelope_curve,
    envelope_level,
    exact_envelope_curve,
    lower_envelope_curve,
    quantile_curve,
    simultaneous_curve,
    simultaneous_envelope_curve,
)
from fidelity.curves.envelope import GAMMA_GRID, envelope_miss

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


@pytest.mark.parametrize("gamma", [(0.5, 0.3), (0.5, 0.5), (0.0, 0.5), (0.5, 1.0)])
def test_a_grid_that_is_none_is_refused(gamma):
    with pytest.raises(ValueError, match="gamma"):
        envelope_curve(np.ones((3, 2)), TAU, gamma)
