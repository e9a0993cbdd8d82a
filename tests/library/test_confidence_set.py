"""Confidence sets: radii, support functions, and coverage by enumeration of all outcomes."""

import json
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from fidelity import confidence_radius
from fidelity.bernoulli import bernoulli_kl
from fidelity.binomial import clopper_pearson_upper
from fidelity.confidence_set import CONFIDENCE_SETS, Sample
from fidelity.kl_ball import divergence

INTERIOR = np.linspace(0.005, 0.995, 199)


def support(name, counts, functionals, gamma):
    """Return the support function of a named set with the radius that γ gives."""
    chosen, functionals = CONFIDENCE_SETS[name], np.array(functionals, float)
    counts = np.array(counts, float)
    sample = Sample(counts, np.full(len(counts), gamma), functionals[0])
    radius = None
    if chosen.has_radius:
        radius = chosen.radius(sample.n, counts.shape[1], sample.gamma, sample.span)
    return chosen.support(sample, functionals, radius)


def two_sided_coverage(inside, n):
    """Return P(inside[outcome, p]) at each p of INTERIOR."""
    outcomes = np.arange(n + 1)[:, None]
    return (binom.pmf(outcomes, n, INTERIOR) * inside).sum(0)


@pytest.mark.parametrize("gamma", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("n", [1, 200, 10**6])
def test_radii_are_those_of_the_paper_with_the_failure_probability(n, gamma):
    delta = 1 - gamma
    half_width = 3 * np.sqrt(np.log(2 / delta) / (2 * n))
    assert confidence_radius(n, 2, gamma, "hoeffding", span=3.0) == pytest.approx(half_width)
    assert confidence_radius(n, 2, gamma, "bernoulli_kl") == pytest.approx(np.log(2 / delta) / n)
    for d in (2, 5, 12):
        expected = (d - 1) / n * np.log(2 * (d - 1) / delta)
        assert confidence_radius(n, d, gamma, "multinomial_kl_paper") == pytest.approx(expected)


def test_radius_of_five_options_at_half_coverage():
    assert confidence_radius(1, 5, 0.5, "multinomial_kl_paper") == pytest.approx(11.09, abs=0.001)


def test_radius_broadcasts_over_samples_and_coverages():
    radius = confidence_radius([10, 20], 5, [[0.5], [0.9], [0.95]], "multinomial_kl_paper")
    assert radius.shape == (3, 2)


@pytest.mark.parametrize("name", ["clopper_pearson", "witness"])
def test_sets_without_a_radius_say_which_have_one(name):
    with pytest.raises(ValueError, match=r"no radius.*hoeffding.*multinomial_kl_paper"):
        confidence_radius(10, 2, 0.5, name)


def test_unknown_set_is_named():
    with pytest.raises(ValueError, match=r"unknown confidence set 'wald'.*hoeffding"):
        confidence_radius(10, 2, 0.5, "wald")


def test_paper_radius_is_never_below_the_smallest_certified_one(vectors):
    certified = json.loads((vectors / "radii_certified.json").read_text())["x"]
    for d, by_gamma in certified.items():
        for gamma, smallest in by_gamma.items():
            paper = confidence_radius(1, int(d), float(gamma), "multinomial_kl_paper")
            assert paper >= smallest, (d, gamma)


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 3, 10, 50])
@pytest.mark.parametrize("name", ["hoeffding", "bernoulli_kl", "clopper_pearson"])
def test_two_sided_binary_sets_cover_for_every_p(name, n, gamma):
    successes = np.arange(n + 1)
    counts = np.stack([n - successes, successes], axis=1)
    bounds = support(name, counts, [[0, 1], [0, -1]], gamma)
    upper, lower = bounds[:, :1], -bounds[:, 1:]
    inside = (lower <= INTERIOR + 1e-12) & (upper >= INTERIOR - 1e-12)
    assert two_sided_coverage(inside, n).min() >= gamma


@pytest.mark.parametrize("name", ["bernoulli_kl", "hoeffding"])
def test_misprinted_radius_covers_far_too_little(name):
    """log(2/γ) instead of log(2/δ): about .77 at γ = .95, n = 200."""
    n, gamma = 200, 0.95
    share = np.arange(n + 1)[:, None] / n
    distance = bernoulli_kl(share, INTERIOR) if name == "bernoulli_kl" else abs(share - INTERIOR)
    scale = {"bernoulli_kl": lambda x: x / n, "hoeffding": lambda x: np.sqrt(x / (2 * n))}[name]
    right = confidence_radius(n, 2, gamma, name)
    assert right == pytest.approx(scale(np.log(2 / (1 - gamma))))
    assert two_sided_coverage(distance <= right, n).min() >= gamma
    misprinted = two_sided_coverage(distance <= scale(np.log(2 / gamma)), n)
    middle = np.abs(INTERIOR - 0.5) < 0.3 if name == "bernoulli_kl" else abs(INTERIOR - 0.5) < 0.1
    assert misprinted[middle].mean() == pytest.approx(0.77, abs=0.02)
    assert misprinted.min() < gamma - 0.15


def test_kl_and_hoeffding_sets_cover_much_more_than_half_at_half():
    coverage = {"bernoulli_kl": [], "hoeffding": []}
    for n in (20, 50, 200):
        share = np.arange(n + 1)[:, None] / n
        kl_radius = confidence_radius(n, 2, 0.5, "bernoulli_kl")
        half_width = confidence_radius(n, 2, 0.5, "hoeffding")
        inside = bernoulli_kl(share, INTERIOR) <= kl_radius
        coverage["bernoulli_kl"].append(two_sided_coverage(inside, n))
        coverage["hoeffding"].append(two_sided_coverage(abs(share - INTERIOR) <= half_width, n))
    assert np.mean(coverage["bernoulli_kl"]) == pytest.approx(0.90, abs=0.01)
    assert np.min(coverage["bernoulli_kl"]) >= 0.70
    assert np.mean(coverage["hoeffding"]) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("gamma", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("n", "d"), [(1, 3), (3, 3), (12, 3), (6, 4)])
def test_multinomial_ball_covers_for_every_p_of_a_grid(n, d, gamma):
    counts = np.array([c for c in product(range(n + 1), repeat=d) if sum(c) == n])
    lattice = [g for g in product(range(13), repeat=d) if sum(g) == 12]
    p = np.maximum(np.array(lattice) / 12, 1e-4)
    p /= p.sum(1, keepdims=True)
    log_count = gammaln(n + 1) - gammaln(counts + 1).sum(1)
    probability = np.exp(log_count + xlogy(counts, p[:, None]).sum(2))
    radius = confidence_radius(n, d, gamma, "multinomial_kl_paper")
    inside = divergence(counts[None] / n, p[:, None]) <= radius
    assert probability.sum(1) == pytest.approx(1.0)
    assert (probability * inside).sum(1).min() >= gamma


def test_hoeffding_support_is_clipped_to_the_scores():
    bounds = support("hoeffding", [[0, 5], [30, 70]], [[-1, 1], [1, -1]], 0.5)
    half_width = 2 * np.sqrt(np.log(4) / 200)
    np.testing.assert_allclose(
        bounds, [[1, -1 + 2 * np.sqrt(np.log(4) / 10)], [0.4 + half_width, -0.4 + half_width]]
    )


@pytest.mark.parametrize("name", ["clopper_pearson", "witness"])
@pytest.mark.parametrize("scores", [[0, 1], [1, 0], [-1, 3], [2, -2]])
def test_binary_support_follows_the_larger_score(name, scores):
    counts = np.array([[0, 4], [3, 9], [5, 0]])
    level = 0.8 if name == "witness" else 0.9
    larger = int(np.argmax(scores))
    bound = clopper_pearson_upper(counts[:, larger], counts.sum(1), level)
    expected = min(scores) + (max(scores) - min(scores)) * bound
    np.testing.assert_allclose(support(name, counts, [scores], 0.8)[:, 0], expected, rtol=1e-14)


@pytest.mark.parametrize("name", ["clopper_pearson", "witness"])
def test_binary_support_of_a_constant_is_the_constant(name):
    bounds = support(name, [[3, 9], [0, 2]], [[0.7, 0.7]], 0.8)
    np.testing.assert_allclose(bounds, 0.7)


def test_witness_bounds_the_mean_of_scores_by_one_sided_chernoff():
    counts, scores, gamma = np.array([3.0, 5.0, 2.0, 0.0]), np.array([-1.0, 0.2, 0.4, 2.0]), 0.8
    unit = (counts @ scores / 10 + 1) / 3
    radius = np.log(1 / (1 - gamma)) / 10
    root = brentq(lambda u: bernoulli_kl(unit, u) - radius, unit, 1 - 1e-12, xtol=1e-15)
    bound = support("witness", counts[None], scores[None], gamma)[0, 0]
    assert bound == pytest.approx(-1 + 3 * root, rel=1e-12)


def test_witness_is_one_sided_and_two_sided_at_half_the_failure():
    assert CONFIDENCE_SETS["witness"].two_sided(0.8) == pytest.approx(0.9)
    for name in set(CONFIDENCE_SETS) - {"witness", "witness_betting"}:
        assert CONFIDENCE_SETS[name].two_sided(0.8) == 0.8


def test_witness_price_does_not_grow_with_the_number_of_options():
    """One option against the rest: the bound is the same however the rest is divided."""
    few = support("witness", [[30, 70]], [[1, 0]], 0.5)
    many = support("witness", [[30, 20, 20, 10, 10, 10]], [[1, 0, 0, 0, 0, 0]], 0.5)
    assert few == many
    ball = support("multinomial_kl_paper", [[30, 20, 20, 10, 10, 10]], [[1, 0, 0, 0, 0, 0]], 0.5)
    assert ball[0, 0] - 0.3 > 5 * (many[0, 0] - 0.3)
