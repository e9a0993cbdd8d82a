"""Planning: values other implementations print, closed forms, brute force, and simulation."""

import json
from math import ceil, inf

import numpy as np
import pandas as pd
import pytest
from scipy.stats import nct, t

from fidelity.error_bars import mean_error_bar, paired_error_bar
from fidelity.planning import (
    minimum_detectable_effect,
    optimal_resamples,
    power_of_test,
    scenarios_needed,
    score_variance,
    variance_components,
)

EXAMPLE = 1 / 9 + 2 / 6


@pytest.fixture(scope="module")
def printed(vectors):
    return json.loads((vectors / "se_outputs.json").read_text())


@pytest.fixture(scope="module")
def evals(vectors):
    return pd.read_csv(vectors / "evals_clustered64.csv")


def close(value):
    return pytest.approx(value, rel=1e-12, abs=0)


def test_variance_components_of_the_reference_values(evals, printed):
    """To 12 digits; the unbiased ω² is negative there, and is clipped and said to be."""
    expected = printed["variance decomposition"]
    a, b = (evals.filter(regex=f"^{model}[0-9]$").to_numpy(float) for model in "ab")
    parts = variance_components(a, b)
    assert parts.resamples == (expected["Ka"], expected["Kb"])
    assert parts.within[0] == close(expected["sigma_A^2 (mean within var ddof1)"])
    assert parts.within[1] == close(expected["sigma_B^2"])
    observed = parts.unbiased_between + score_variance(0, parts.within, parts.resamples)
    assert observed == close(expected["Var(mean_a-mean_b)"])
    assert parts.unbiased_between == pytest.approx(expected["omega^2 unbiased"], rel=1e-12)
    assert (parts.between, parts.clipped) == (0.0, True)
    assert parts.total == close(score_variance(0, parts.within, (4, 3)))
    single = paired_error_bar(evals.a, evals.b).se ** 2 * 64
    assert single == close(expected["omega^2 plug-in from binary K=1 (a-b)"])
    oracle = paired_error_bar(evals.pa, evals.pb).se ** 2 * 64
    assert oracle == close(expected["Var of next-token-prob diff (pa-pb) = oracle omega^2"])
    of_means = mean_error_bar(a.mean(1)).se
    assert of_means == close(expected["SE of mean with K resamples (CLT on per-question means) A"])
    alone = variance_components(a)
    assert alone.total == close(of_means**2 * 64)
    assert not alone.clipped


def test_power_grid_of_the_reference_values(printed):
    """To 12 digits, 24 rows."""
    key = "power grid (seed 003 formula; omega2=1/9, sigma2=1/6 = paper example)"
    assert len(printed[key]) == 24
    for row in printed[key]:
        variance = score_variance(
            row["omega2"], (row["sigmaA2"], row["sigmaB2"]), (row["KA"], row["KB"])
        )
        levels = {"alpha": row["alpha"], "power": 1 - row["beta"]}
        m = scenarios_needed(row["delta"], variance, **levels)
        assert m == pytest.approx(row["n_formula"], rel=1e-12)
        assert ceil(m) == row["n_ceil"]
        assert minimum_detectable_effect(m, variance, **levels) == pytest.approx(row["delta"])


def test_what_peers_print_for_the_papers_example(printed):
    peers = printed["power peers"]
    m = scenarios_needed(0.03, EXAMPLE)
    assert m == close(peers["n_formula delta=.03 K=1"])
    for name in (
        "abeval.sample_size(delta=.03,sd)",
        "evalsig.required_n",
        "errorbars.questions_needed(delta=.03,variance=sd^2/2,rho=0)",
    ):
        assert ceil(m) == peers[name]
    assert minimum_detectable_effect(969, EXAMPLE) == close(peers["abeval.mde(n=969)"])
    half = peers["errorbars MDE n=500 baseline .5"]
    assert minimum_detectable_effect(500, 2 * 0.25) == close(half)
    only_within = scenarios_needed(0.03, score_variance(1 / 9, (1 / 6, 1 / 6), (10, 10)))
    assert ceil(only_within) == peers["seed003 formula KA=KB=10 (only sigma2 divided)"]
    everything = peers["errorbars with samples_per_question=10 (divides ALL variance by 10)"]
    assert ceil(scenarios_needed(0.03, EXAMPLE / 10)) == everything


def test_two_sided_normal_power_is_that_of_statsmodels(printed):
    """It counts both sides (relative 1e-6); Student's t, which we don't use, needs 2 more."""
    m = printed["power peers"]["statsmodels NormalIndPower ratio=0"]
    assert power_of_test(m, 0.03, EXAMPLE) == pytest.approx(0.8, rel=1e-9)
    assert scenarios_needed(0.03, EXAMPLE) == pytest.approx(m, rel=1e-5)
    name = "statsmodels TTestPower.solve_power(effect=.03/sd,alpha=.05,power=.8)"
    m = printed["power peers"][name]
    shift = 0.03 / np.sqrt(EXAMPLE / m)
    assert nct.sf(t.ppf(0.975, m - 1), m - 1, shift) == pytest.approx(0.8, abs=1e-6)
    assert 1 < m - scenarios_needed(0.03, EXAMPLE) < 3


def test_power_at_no_effect_is_the_level():
    assert power_of_test(10, 0.0, 1.0, alpha=0.03) == pytest.approx(0.03)
    m = scenarios_needed(0.2, 1.5, alpha=0.01, power=0.9)
    assert power_of_test(m, -0.2, 1.5, alpha=0.01) == pytest.approx(0.9, abs=1e-6)


def test_components_are_unbiased():
    """20,000 small studies with ω² = .5 of the difference, σ² = 1 and 2; 4 standard errors."""
    generator, studies, m = np.random.default_rng(0), 4000, 12
    found = []
    for _ in range(studies):
        shared, own = generator.normal(size=(m, 1)), generator.normal(0, 0.5**0.5, (m, 1))
        a = shared + own + generator.normal(size=(m, 4))
        b = shared + generator.normal(0, 2**0.5, (m, 3))
        parts = variance_components(a, b)
        found.append([parts.unbiased_between, *parts.within, parts.clipped])
        assert parts.between == max(0, parts.unbiased_between)
    found = np.array(found)
    error = 4 * found.std(0) / np.sqrt(studies)
    np.testing.assert_array_less(np.abs(found.mean(0)[:3] - [0.5, 1, 2]), error[:3])
    assert 0.05 < found[:, 3].mean() < 0.5


def test_planned_studies_have_the_planned_power():
    """2,000 studies of the planned size: ω² = .04, σ² = .2 and .1, K = 2 and 5, 80 % power."""
    generator, studies, effect = np.random.default_rng(1), 2000, 0.05
    variance = score_variance(0.04, (0.2, 0.1), (2, 5))
    m = ceil(scenarios_needed(effect, variance))
    difference = generator.normal(effect, 0.2, (studies, m))
    difference += generator.normal(0, 0.1**0.5, (studies, m))
    difference -= generator.normal(0, 0.02**0.5, (studies, m))
    rejected = np.mean(mean_error_bar(difference).p_value <= 0.05)
    assert rejected == pytest.approx(0.8, abs=4 * np.sqrt(0.16 / studies))


@pytest.mark.parametrize("between", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("costs", [(0.1, 3.0), (1.0, 1.0), (0.0, 2.0)])
def test_no_other_number_of_resamples_is_cheaper(between, costs):
    within = (0.2, 0.15)
    best = optimal_resamples(
        between,
        within,
        cost_per_scenario=5.0,
        cost_per_draw=costs,
        variance_of_mean=1e-3,
        most=60,
    )
    k = np.arange(1, 61)
    first, second = np.meshgrid(k, k, indexing="ij")
    m = (between + within[0] / first + within[1] / second) / 1e-3
    cost = m * (5.0 + costs[0] * first + costs[1] * second)
    assert best.cost == pytest.approx(cost.min(), rel=1e-12)
    assert best.cost == pytest.approx(cost[best.resamples[0] - 1, best.resamples[1] - 1])
    one = optimal_resamples(
        between,
        within[:1],
        cost_per_scenario=5.0,
        cost_per_draw=costs[:1],
        variance_of_mean=1e-3,
        most=60,
    )
    alone = (between + within[0] / k) * (5.0 + costs[0] * k) / 1e-3
    assert one.cost == pytest.approx(alone.min(), rel=1e-12)
    assert one.scenarios == pytest.approx((between + 0.2 / one.resamples[0]) / 1e-3)


def test_the_best_number_of_resamples_is_that_of_the_formula():
    """K = sqrt(σ²c₀/(ω²c)), 20 and 10, where these are whole."""
    best = optimal_resamples(
        0.01,
        (0.4, 0.3),
        cost_per_scenario=10.0,
        cost_per_draw=(1.0, 3.0),
        variance_of_mean=1e-4,
    )
    assert best.resamples == (20, 10)
    assert best.scenarios == pytest.approx((0.01 + 0.02 + 0.03) / 1e-4)
    assert best.cost == pytest.approx(best.scenarios * 60)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: variance_components(), "one simulator or of two"),
        (lambda: variance_components(np.ones((3, 1))), "2 scores of each"),
        (lambda: variance_components(np.ones((3, 2)), np.ones((4, 2))), "at least 2 scenarios"),
        (lambda: variance_components(np.full((3, 2), inf)), "finite"),
        (lambda: score_variance(-0.1, (1.0,), (1,)), "negative"),
        (lambda: score_variance(0.1, (1.0,), (0,)), "K ≥ 1"),
        (lambda: scenarios_needed(0.0, 1.0), "effect of 0"),
        (lambda: scenarios_needed(0.1, 1.0, power=0.01), "alpha < power"),
        (lambda: minimum_detectable_effect(0, 1.0), "positive"),
        (lambda: power_of_test(10, 0.1, 0.0), "variance above 0"),
        (
            lambda: optimal_resamples(
                0.1, (1.0,), cost_per_scenario=-1, cost_per_draw=(1.0,), variance_of_mean=1
            ),
            "costs aren't negative",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
