"""The planner: closed forms, limits, brute force, proven bounds, and simulated studies."""

from dataclasses import replace
from math import ceil, inf

import numpy as np
import pytest
from planned_studies import simulated_estimates
from scipy.stats import norm
from synthetic.populations import dirichlet, population_named

from fidelity import pseudo_discrepancy
from fidelity.planning.pilot import Pilot
from fidelity.planning.plan import (
    Costs,
    _excess,
    bias_bound,
    cheapest_plan,
    iso_width,
    probability_within,
    scenarios_for_width,
    study_error,
)
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
    assert found.mean() + pilot.discrepancies.mean() - pilot.truth <= pilot.largest_noise(n, k)


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


@pytest.mark.parametrize(("gamma", "tail", "fewest"), [("0.9", 1, 4), ("0.6", "0.1", 50)])
def test_no_study_is_planned_with_hardly_any_scenarios(gamma, tail, fewest):
    """3/(γα), where fewer would do by the approximation."""
    pilot = pilot_of("items", "good", gamma, tail)
    plan = cheapest_plan(pilot, 0.9, COSTS, n=[5000], k=[inf])
    assert plan.m == fewest > scenarios_for_width(plan.error, 0.9)
    assert iso_width(pilot, 0.9, [5000], inf).tolist() == [fewest]


def test_no_other_study_is_cheaper():
    pilot, n, k, gammas = pilot_of("items"), (200, 700, 2000), (50, 400), ("0.5", "0.9", "0.97")
    plan = cheapest_plan(pilot, 0.06, COSTS, n=n, k=k, gamma=gammas)
    studies = []
    for gamma in gammas:
        for people in n:
            for draws in k:
                error = study_error(replace(pilot, gamma=gamma), people, draws)
                m = scenarios_for_width(error, 0.06)
                studies.append((m * (20 + people + 0.02 * draws), m, people, draws, gamma))
    assert (plan.cost, plan.m, plan.n, plan.k, plan.gamma) == min(studies)
    assert plan.gamma != "0.5"
    assert cheapest_plan(pilot, 1e-4, COSTS, n=n, k=k) is None


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
MORE_PROMISES = [
    ("items", "poor", 1, 0.05),
    ("items", "biased", "0.1", 0.08),
    ("questions", "good", 1, 0.05),
    ("distributions", "poor", 1, 0.05),
    ("distributions", "poor", 1, 0.3),
]
PROMISES += [pytest.param(*each, marks=pytest.mark.minutes) for each in MORE_PROMISES]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "simulator", "tail", "width"), PROMISES)
def test_plans_keep_their_promise(name, simulator, tail, width):
    """At least 90 % of 1,000 simulated studies come within the width; and few plans are wasteful.

    The studies' scenarios are not the pilot's: others of the same population.
    """
    pilot = pilot_of(name, simulator, tail=tail, m=1500)
    people, draws = (50, 100, 200, 500, 1000, 2000, 5000, 10_000), (50, 200, 1000, 5000)
    plan = cheapest_plan(
        pilot, width, COSTS, n=people, k=draws, gamma=("0.5", "0.8", "0.9", "0.95", "0.99")
    )
    others = pilot_of(name, simulator, plan.gamma, tail, m=4000, seed=1)
    generator = np.random.default_rng(7)
    found = simulated_estimates(others, plan.m, plan.n, plan.k, generator, 1000)
    reached = np.mean(np.abs(found - others.truth) <= width)
    assert 0.9 <= reached <= 0.99


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: replace(pilot_of("items", m=3), discrepancy="kl"), "absolute, tv, w1, not 'kl'"),
        (lambda: replace(pilot_of("items", m=3), gamma=1), "strictly between 0 and 1"),
        (lambda: pilot_of("items", m=1), "at least 2 scenarios"),
        (lambda: bias_bound(pilot_of("items", m=3, tail="0.5"), 5, 5), "proven for the AUC"),
        (
            lambda: iso_width(pilot_of("items", m=3), 0.0, [5], 5),
            "width must be a positive finite number",
        ),
        (
            lambda: iso_width(pilot_of("items", m=3), 0.1, [5], 5, 1.0),
            "probability must be a number strictly between",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
