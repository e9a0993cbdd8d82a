"""Planning: definitions in fractions, statsmodels' numbers, closed forms, and simulation."""

from math import inf

import numpy as np
import pytest
from reference import exact
from scipy.integrate import quad
from scipy.stats import chi, norm, t

from fidelity.planning.power import (
    clusters_needed,
    components_of_scores,
    minimum_detectable_effect,
    power_of_test,
    scenarios_needed,
    score_variance,
    variance_components,
)


def close(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def test_variance_components_are_their_definitions_in_fractions():
    """To 12 digits; the unbiased ω² is negative there, and is clipped and said to be."""
    generator = np.random.default_rng(8)
    share = generator.random((64, 1))
    a, b = ((generator.random((64, k)) < share) * 1.0 for k in (4, 3))
    rows = [[exact.fractions(row) for row in model] for model in (a, b)]
    within = [exact.mean([exact.variance(row) for row in model]) for model in rows]
    means = [[exact.mean(row) for row in model] for model in rows]
    difference = [x - y for x, y in zip(*means, strict=True)]
    parts = variance_components(a, b)
    assert parts.resamples == (4, 3)
    assert parts.within == close([float(x) for x in within])
    unbiased = exact.variance(difference) - within[0] / 4 - within[1] / 3
    assert unbiased < 0
    assert parts.unbiased_between == close(float(unbiased))
    assert (parts.between, parts.clipped) == (0.0, True)
    assert parts.total == close(score_variance(0, parts.within, (4, 3)))
    alone = variance_components(a)
    assert alone.total == close(float(exact.variance(means[0])))
    assert not alone.clipped


@pytest.mark.parametrize("effect", [0.01, 0.03, 0.05])
@pytest.mark.parametrize("resamples", [(1, 1), (1, 10), (10, 10)])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9)])
def test_scenarios_needed_are_those_of_equation_9(effect, resamples, alpha, power):
    """[EB], of the paper's ω² and σ²: z needs a few scenarios fewer than t (z²/2, for large m).

    It leaves out the wrong side, of a probability of less than a millionth here.
    """
    levels = {"alpha": alpha, "power": power}
    variance = score_variance(1 / 9, (1 / 6, 1 / 6), resamples)
    assert variance == close(1 / 9 + sum(1 / 6 / k for k in resamples))
    z = exact.normal_quantile(1 - alpha) + exact.normal_quantile(2 * power - 1)
    by_formula = float(z**2) * variance / effect**2
    m = scenarios_needed(effect, variance, **levels)
    assert m - by_formula == pytest.approx(norm.isf(alpha / 2) ** 2 / 2, abs=0.2)
    assert minimum_detectable_effect(m, variance, **levels) == pytest.approx(effect, rel=1e-6)
    normal = minimum_detectable_effect(by_formula, variance, df=inf, **levels)
    assert normal == pytest.approx(effect, rel=1e-5)


# statsmodels 0.15.0: TTestPower().solve_power(nobs=m, alpha=.05, power=.8), in standard deviations
SMALL_STUDIES = {
    3: 3.264043552819638,
    4: 2.1279493431921157,
    7: 1.2725666824633446,
    10: 0.9960019107624178,
    30: 0.5292357045238948,
    68: 0.3447100566648751,
}


@pytest.mark.parametrize("m", SMALL_STUDIES)
def test_detectable_effects_of_small_studies_are_those_of_statsmodels(m):
    assert minimum_detectable_effect(m, 1.0) == pytest.approx(SMALL_STUDIES[m], rel=2e-4)
    assert power_of_test(m, SMALL_STUDIES[m], 1.0) == pytest.approx(0.8, abs=2e-4)
    assert scenarios_needed(SMALL_STUDIES[m], 1.0) == pytest.approx(m, rel=1e-3)


@pytest.mark.parametrize("alpha", [0.2, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize("m", [1.5, 2, 3, 30, 10**6])
def test_power_at_no_effect_is_the_level_however_few_scenarios_or_small_the_level(m, alpha):
    assert power_of_test(m, 0.0, 1.0, alpha=alpha) == pytest.approx(alpha, rel=1e-6)


@pytest.mark.sampled
@pytest.mark.parametrize("alpha", [0.05, 1e-3])
@pytest.mark.parametrize("m", [2, 3, 5, 30, 100])
@pytest.mark.parametrize("shift", [0.5, 2.0, 6.0, 40.0])
def test_power_is_that_of_the_noncentral_t(m, alpha, shift):
    """P(|Z + shift| > t·u) averaged over u by adaptive integration."""
    df = m - 1
    critical, density = t.ppf(1 - alpha / 2, df), chi(df, scale=df**-0.5)

    def outside(u):
        return density.pdf(u) * (norm.cdf(shift - critical * u) + norm.cdf(-shift - critical * u))

    points = np.unique(np.clip([(shift + z) / critical for z in (-9, 0, 9)], 1e-9, 8.0))
    expected = quad(outside, 0, 9, points=points, limit=500, epsabs=1e-12)[0]
    assert power_of_test(m, shift / m**0.5, 1.0, alpha=alpha) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("df", "alpha", "shift"), [(2, 1e-3, 60), (1, 1e-3, 1000), (6, 0.05, 3)])
def test_power_with_an_estimated_error_is_that_of_drawn_ones(df, alpha, shift):
    generator, draws = np.random.default_rng(9), 1_000_000
    test, true = (np.sqrt(generator.chisquare(df, draws) / df) for _ in range(2))
    moved = np.abs(generator.standard_normal(draws) + shift * true)
    expected = np.mean(moved > t.ppf(1 - alpha / 2, df) * test)
    found = power_of_test(4, shift / 2, 1.0, df=df, alpha=alpha, variance_df=df)
    assert found == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clusters_needed(1e-300, 1, 5, 4), "effect, 1e-300, is too small against se"),
        (lambda: minimum_detectable_effect(1.0001, 1), "0.0001 degrees of freedom are too few"),
        (lambda: minimum_detectable_effect(1.01, 1), "0.01 degrees of freedom are too few"),
        (
            lambda: minimum_detectable_effect(5, 1, variance_df=1e-3),
            "0.001 degrees of freedom are too few",
        ),
    ],
)
def test_what_no_number_can_hold_is_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_parts_of_the_variance_that_are_rounding_are_none():
    scores = np.array([0.1, 0.7, 0.2, 0.5])
    parts = components_of_scores(scores, -6.1e-20)
    assert parts.within == (0.0,)
    assert parts.between == pytest.approx(scores.var(ddof=1))
    alike = components_of_scores(scores, scores.var(ddof=1) * (1 + 1e-15))
    assert (alike.between, alike.clipped) == (0.0, False)
    same = variance_components(np.full((7, 3), 0.1))
    assert (same.within, same.unbiased_between) == ((0.0,), 0.0)


def test_a_standard_error_that_was_estimated_needs_more():
    known = clusters_needed(0.1, 0.05, 7, 6)
    assert known == pytest.approx(scenarios_needed(0.1, 7 * 0.05**2), rel=1e-6)
    assert clusters_needed(0.1, 0.05, 7, 6, se_df=6) > 1.2 * known
    assert clusters_needed(0.1, 0.05, 7, 6, se_df=10**6) == pytest.approx(known, rel=1e-3)
    assert clusters_needed(100.0, 0.05, 7, 6) == pytest.approx(2)
    assert clusters_needed(0.1, 0.0, 7, 6) == pytest.approx(2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: variance_components(), "resamples must be those of 1"),
        (lambda: variance_components(np.ones((3, 1))), "2 scores of each"),
        (lambda: variance_components(np.ones((3, 2)), np.ones((4, 2))), "at least 2 scenarios"),
        (lambda: score_variance(0.1, (1.0,), (0,)), "K ≥ 1"),
        (lambda: scenarios_needed(0.0, 1.0), "effect must not be 0"),
        (lambda: scenarios_needed(0.1, 1.0, power=0.01), "power must exceed alpha"),
        (lambda: minimum_detectable_effect(0, 1.0), "m must be a positive"),
        (lambda: components_of_scores(np.ones((3, 2)), 0.1), "scores must be a vector of finite"),
        (lambda: score_variance(-0.1, (1.0,), (1,)), "between must be .* at least 0"),
        (lambda: power_of_test(10, 0.1, 0.0), "variance must be above 0"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
