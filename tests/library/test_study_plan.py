"""The planner: closed forms, limits, brute force, proven bounds, and simulated studies."""

from dataclasses import replace
from math import ceil, inf

import numpy as np
import pytest
from planned_studies import simulated_estimates
from reference import exact
from scipy.integrate import quad
from scipy.stats import chi, norm, t
from synthetic.populations import dirichlet, population_named

from fidelity import (
    Costs,
    Pilot,
    Responses,
    mean_error_bar,
    people_needed,
    pseudo_discrepancy,
)
from fidelity.planning.plan import (
    _excess,
    cheapest_of,
    planned_scenarios,
    probability_within,
    scenarios_for_width,
    study_error,
)
from fidelity.planning.power import (
    _power,
    clusters_needed,
    components_of_scores,
    minimum_detectable_effect,
    planned_test,
    scenarios_needed,
    score_variance,
    variance_components,
)
from fidelity.planning.widths import ProbablyShare
from fidelity.pseudo_discrepancies import between

COSTS = Costs(scenario=20.0, answer=1.0, draw=0.02)
PILOTS = {
    "items": ("eedi_like", "absolute", "witness"),
    "questions": ("opinionqa_like", "tv", "witness"),
    "countries": ("worldvalues_like", "absolute", "hoeffding"),
    "distributions": ("worldvalues_like", "w1", "witness"),
}


def pilot_of(name, simulator="poor", gamma="0.9", tail=1, m=300, seed=0):
    population, discrepancy, chosen = PILOTS[name]
    drawn = population_named(population).draw(np.random.default_rng(seed), m)
    q = drawn.simulators[simulator]
    return Pilot(drawn.p, q, discrepancy, chosen, gamma, tail, drawn.scores)


@pytest.mark.parametrize("discrepancy", ["absolute", "tv", "w1"])
def test_discrepancies_are_sums_of_absolute_coordinates(discrepancy):
    """Also for scores in any order."""
    generator, scores = np.random.default_rng(1), np.array([0.3, -1.0, 2.0, 0.5])
    p, q = (dirichlet(np.ones((50, 4)), generator) for _ in range(2))
    pilot = Pilot(p, q, discrepancy, "witness", "0.5", scores=scores)
    expected = between(p, q, discrepancy=discrepancy, scores=scores)
    summed = np.abs((p - q) @ pilot.coordinates.T).sum(1)
    np.testing.assert_allclose(summed, expected, atol=1e-14)
    np.testing.assert_allclose(pilot.discrepancies, expected)


def test_a_plan_is_in_the_unit_of_two_options_scores():
    near = pilot_of("items", m=20)
    one, five = (
        Pilot(near.p, near.q, "w1", "witness", "0.5", scores=scores) for scores in ([0, 1], [5, 0])
    )
    for of in (lambda pilot: pilot.excess(50), lambda pilot: pilot.deviation(50, 20)):
        np.testing.assert_allclose(of(five), 5 * of(one))


@pytest.mark.parametrize("name", PILOTS)
def test_upper_discrepancies_are_those_of_the_library(name):
    pilot = pilot_of(name, m=20)
    counts = np.random.default_rng(2).multinomial(40, pilot.p)
    expected = pseudo_discrepancy(
        counts,
        pilot.q,
        confidence_set=pilot.confidence_set,
        discrepancy=pilot.discrepancy,
        gamma=0.9,
        scores=pilot.scores,
    )
    np.testing.assert_allclose(pilot.upper(counts, pilot.q), expected.upper, atol=1e-12)


@pytest.mark.parametrize("name", PILOTS)
def test_noise_and_deviation_are_those_of_simulated_answers(name):
    """Large samples; the mean to 4 standard errors, the sd to 20 % where Δ is clear of it."""
    pilot, n, k, repeats = pilot_of(name, m=12), 1500, 800, 4000
    generator = np.random.default_rng(3)
    people = generator.multinomial(n, pilot.p, (repeats, 12)) / n
    drawn = generator.multinomial(k, pilot.q, (repeats, 12)) / k
    found = pilot.measure.between(people, drawn, pilot.checked_scores) - pilot.discrepancies
    error = 4 * found.std(0) / np.sqrt(repeats)
    assert (np.abs(found.mean(0) - pilot.noise(n, k)) < error + 2e-4).all()
    clear = pilot.discrepancies > 8 * pilot.deviation(n, k)
    assert clear.sum() >= 3
    ratio = found.std(0)[clear] / pilot.deviation(n, k)[clear]
    assert ratio.max() < 1.2
    assert np.median(ratio) == pytest.approx(1, abs=0.05)


def test_excess_of_hoeffding_is_its_radius():
    pilot = pilot_of("countries", m=50)
    radius = 2 * np.sqrt(np.log(2 / 0.1) / (2 * 4000))
    clear = np.abs(pilot.p @ pilot.scores) < 0.8
    np.testing.assert_allclose(pilot.excess(4000)[clear], radius)
    np.testing.assert_allclose(pilot_of("items", m=50).excess(1e12), 0, atol=1e-5)


def test_largest_fraction_of_a_mixture():
    mean, sd = np.array([0.0, 1.0, 5.0]), np.array([1.0, 0.1, 0.0])
    x = np.sort((mean + sd * np.random.default_rng(4).normal(size=(10**6, 3))).ravel())[::-1]
    kept = int(0.6 * len(x))
    tail, spread = _excess(mean, sd, 0.6)
    assert tail == pytest.approx(x[:kept].mean(), rel=2e-3)
    assert spread == pytest.approx((np.maximum(x - x[kept], 0) / 0.6).std(), rel=2e-3)


@pytest.mark.parametrize("tail", [1, "0.2"])
def test_endless_answers_leave_the_calibration(tail):
    pilot = pilot_of("items", gamma="0.8", tail=tail)
    error = study_error(pilot, 1e10, inf)
    assert error.bias == pytest.approx(error.calibration, abs=1e-4)
    ordered = np.sort(pilot.discrepancies)[::-1]
    fraction = 0.8 * float(tail)
    assert pilot.truth == pytest.approx(ordered[: round(300 * float(tail))].mean())
    kept = ordered[: round(300 * fraction)].mean()
    assert error.calibration == pytest.approx(kept - pilot.truth)
    assert 0 < error.calibration <= (1 / 0.8 - 1) * pilot.truth


def test_scenarios_and_width_are_inverse_and_smallest():
    error = study_error(pilot_of("questions"), 500, 200)
    width = 1.3 * error.bias
    m = scenarios_for_width(error, width)
    wanted = 1 - 0.8 * 0.1
    assert probability_within(error, m, width) >= wanted > probability_within(error, m - 1, width)
    one_sided = (norm.ppf(wanted) * error.scenario_sd / (width - error.bias)) ** 2
    assert m == ceil(one_sided)
    assert scenarios_for_width(error, error.bias) == inf
    unbiased = error._replace(bias=0.0)
    m = scenarios_for_width(unbiased, 0.01)
    assert m == ceil((norm.ppf((1 + wanted) / 2) * error.scenario_sd / 0.01) ** 2)


@pytest.mark.parametrize("name", PILOTS)
def test_errors_of_many_studies_are_those_of_each(name):
    """With what the set knows found once, too."""
    pilot, n, k = pilot_of(name, m=40), np.array([20, 300, 4000]), np.array([30, inf])
    excess = np.transpose([pilot.excess(each, pilot.support(each)) for each in n])
    errors = study_error(pilot, n[:, None], k, excess[:, :, None])
    m = scenarios_for_width(errors, 0.2)
    for i, j in np.ndindex(3, 2):
        each = study_error(pilot, n[i], k[j])
        assert errors.at((i, j)) == pytest.approx(each, abs=1e-12)
        assert m[i, j] == scenarios_for_width(each, 0.2)


def cheapest(pilot, width, n, k, gammas):
    """Return the cheapest study at all combinations."""
    n, k = np.array(n)[:, None], np.array(k)
    pilots = [replace(pilot, gamma=gamma) for gamma in gammas]
    plans = (cheapest_of(at, study_error(at, n, k), n, k, width, COSTS) for at in pilots)
    return min(filter(None, plans), key=lambda plan: plan.cost, default=None)


@pytest.mark.parametrize(("gamma", "tail", "fewest"), [("0.9", 1, 4), ("0.6", "0.1", 50)])
def test_no_study_is_planned_with_hardly_any_scenarios(gamma, tail, fewest):
    """3/(γα), where fewer would do by the approximation."""
    pilot = pilot_of("items", "good", gamma, tail)
    plan = cheapest(pilot, 0.9, [5000], [inf], [gamma])
    assert plan.m == fewest > scenarios_for_width(plan.error, 0.9)
    assert planned_scenarios(pilot, plan.error, 0.9) == fewest


def test_no_other_study_is_cheaper():
    pilot, n, k, gammas = pilot_of("items"), (200, 700, 2000), (50, 400), ("0.5", "0.9", "0.97")
    plan = cheapest(pilot, 0.06, n, k, gammas)
    studies = []
    for gamma in gammas:
        for people in n:
            for draws in k:
                error = study_error(replace(pilot, gamma=gamma), people, draws)
                m = scenarios_for_width(error, 0.06)
                studies.append((m * (20 + people + 0.02 * draws), m, people, draws, gamma))
    assert (plan.cost, plan.m, plan.n, plan.k, plan.gamma) == min(studies)
    assert plan.gamma != "0.5"
    assert cheapest(pilot, 1e-4, n, k, gammas) is None


def test_scenarios_on_which_all_agree_have_no_noise():
    p, q = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 1.0]])
    pilot = Pilot(p, q, "absolute", "witness", "0.5")
    assert pilot.noise(10, 10).tolist() == [0.0, 0.0]
    assert pilot.excess(10).tolist() == pytest.approx([0.0, 1 - 0.5 ** (1 / 10)])


PROMISES = [
    ("items", "good", 1, 0.03),
    ("questions", "poor", 1, 0.04),
    ("countries", "poor", 1, 0.08),
    ("distributions", "biased", "0.2", 0.1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "simulator", "tail", "width"), PROMISES)
def test_plans_keep_their_promise(name, simulator, tail, width):
    """At least 90 % of 1,000 simulated studies come within the width; and few plans are wasteful.

    The studies' scenarios are not the pilot's: others of the same population.
    """
    pilot = pilot_of(name, simulator, tail=tail, m=1500)
    people, draws = (50, 100, 200, 500, 1000, 2000, 5000, 10_000), (50, 200, 1000, 5000)
    plan = cheapest(pilot, width, people, draws, ("0.5", "0.8", "0.9", "0.95", "0.99"))
    others = pilot_of(name, simulator, plan.gamma, tail, m=4000, seed=1)
    generator = np.random.default_rng(7)
    found = simulated_estimates(others, plan.m, plan.n, plan.k, generator, 1000)
    reached = np.mean(np.abs(found - others.truth) <= width)
    assert 0.9 <= reached <= 0.99


REFUSED = [
    (lambda: replace(pilot_of("items", m=3), discrepancy="kl"), "absolute, tv, w1, not 'kl'"),
    (lambda: replace(pilot_of("items", m=3), gamma=1), "strictly between 0 and 1"),
    (lambda: pilot_of("items", m=1), "at least 2 scenarios"),
    (lambda: clusters_needed(1e-300, 1, 5, 4), "effect, 1e-300, is too small against se"),
    (lambda: minimum_detectable_effect(1.0001, 1), "0.0001 degrees of freedom are too few"),
    (lambda: minimum_detectable_effect(1.01, 1), "0.01 degrees of freedom are too few"),
    (
        lambda: minimum_detectable_effect(5, 1, variance_df=1e-3),
        "0.001 degrees of freedom are too few",
    ),
    (lambda: variance_components(), "resamples must be those of 1"),
    (lambda: variance_components(np.ones((3, 1))), "2 scores of each"),
    (lambda: variance_components(np.ones((3, 2)), np.ones((4, 2))), "at least 2 scenarios"),
    (lambda: score_variance(0.1, (1.0,), (0,)), "K ≥ 1"),
    (lambda: scenarios_needed(0.0, 1.0), "effect must not be 0"),
    (lambda: scenarios_needed(0.1, 1.0, power=0.01), "power must exceed alpha"),
    (lambda: minimum_detectable_effect(0, 1.0), "m must be a positive"),
    (lambda: components_of_scores(np.ones((3, 2)), 0.1), "scores must be a vector of finite"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
    assert scenarios_needed(SMALL_STUDIES[m], 1.0) == pytest.approx(m, rel=1e-3)


def test_a_study_is_planned_with_the_larger_of_two_errors():
    rng = np.random.default_rng(5)
    scores, clusters = rng.normal(size=40) + 0.5 * np.arange(40) // 4, np.arange(40) // 4
    for groups, least in ((None, 0.0), (clusters, 0.0), (clusters, 4 * scores.var(ddof=1) * 10)):
        bar = mean_error_bar(scores, groups)
        by_hand = [(float(bar.se), float(bar.df)), ((least / 40) ** 0.5, 39.0)][: 2 if least else 1]
        plan = planned_test(bar, effect=-0.3, is_clustered=groups is not None, least_variance=least)
        shown = [
            minimum_detectable_effect(40, 40 * se**2, df=float(bar.df), variance_df=df)
            for se, df in by_hand
        ]
        needed = [
            scenarios_needed(0.3, 40 * se**2, variance_df=df)
            if groups is None
            else clusters_needed(0.3, se, 10, float(bar.df), se_df=df)
            for se, df in by_hand
        ]
        assert plan == (max(shown), ceil(max(needed)))
    assert np.isnan(planned_test(mean_error_bar(scores)).needed)
    assert np.isnan(planned_test(mean_error_bar(np.ones(9)), effect=1.0)).all()
    with pytest.raises(ValueError, match="effect"):
        planned_test(mean_error_bar(scores), effect=0.0)


@pytest.mark.parametrize("alpha", [0.2, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize("m", [1.5, 2, 3, 30, 10**6])
def test_power_at_no_effect_is_the_level_however_few_scenarios_or_small_the_level(m, alpha):
    assert _power(0.0, m - 1, alpha, inf) == pytest.approx(alpha, rel=1e-6)


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
    assert _power(shift, df, alpha, inf) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("df", "alpha", "shift"), [(2, 1e-3, 60), (1, 1e-3, 1000), (6, 0.05, 3)])
def test_power_with_an_estimated_error_is_that_of_drawn_ones(df, alpha, shift):
    generator, draws = np.random.default_rng(9), 1_000_000
    test, true = (np.sqrt(generator.chisquare(df, draws) / df) for _ in range(2))
    moved = np.abs(generator.standard_normal(draws) + shift * true)
    expected = np.mean(moved > t.ppf(1 - alpha / 2, df) * test)
    assert _power(shift, df, alpha, df) == pytest.approx(expected, abs=0.002)


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


PEOPLE, MODEL = [[12, 5, 3], [9, 6, 5]], [[0.3, 0.3, 0.4], [0.6, 0.3, 0.1]]
SCALE = [0.0, 50.0, 100.0]


def needed(width, discrepancy="absolute", **known):
    people = Responses(PEOPLE, **known)
    generator = np.random.default_rng(0)
    return people_needed(people, MODEL, width, discrepancy=discrepancy, generator=generator)


def test_percentages_of_a_share_are_refused():
    for width in (5.0, 1.01):
        with pytest.raises(ValueError, match=r"width must be at most 1, the largest tv"):
            needed(width, "tv")
    assert needed(1.0, "tv") == 1.0
    with pytest.raises(ValueError, match="width must be at most 100, the largest absolute"):
        needed(101.0, scores=SCALE)


@pytest.mark.parametrize("scale", [{"scores": SCALE}, {"scores": SCALE, "limits": (0.0, 100.0)}])
def test_a_share_of_a_scale_of_a_hundred_is_asked_about(scale):
    with pytest.warns(ProbablyShare, match="if it is meant as a share of that, give 5$"):
        few = needed(0.05, **scale)
    assert few is None, "no pilot comes so near"
    assert needed(5.0, **scale) == pytest.approx(needed(0.05, scores=[0.0, 0.5, 1.0]))


def test_scales_that_are_short_or_have_no_end_are_taken_as_told():
    assert needed(0.05, scores=[1.0, 3.0, 5.0]) is not None
    assert needed(1e-6, "tv") is None
    assert needed(500.0, "kl") == 1.0
    assert needed(0.15, scores=SCALE, limits=(-np.inf, np.inf)) is None
