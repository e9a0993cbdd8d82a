"""Lists of scenarios: p-values against witness and binomials, lists against their definition."""

import numpy as np
import pytest
from scipy.stats import binom

from fidelity import certified_scenarios, pseudo_discrepancy, scenario_p_values
from fidelity.responses import Responses

SCORES = np.array([-1.0, 0.5, 2.0])


@pytest.mark.parametrize("name", ["tv", "w1", "absolute", "squared"])
@pytest.mark.parametrize("d", [2, 3])
def test_the_p_value_is_that_of_the_witness(name, d):
    """Δ̂ at γ = 1 - p is the tolerance: inf{1 - γ : Δ̂^γ ≤ t}."""
    rng = np.random.default_rng(2)
    counts = rng.multinomial(60, np.full(d, 1 / d), size=12)
    q = rng.dirichlet(np.full(d, 8.0), 12)
    scores = SCORES[:d]
    t = 0.35 if name != "squared" else 0.2
    p = scenario_p_values(Responses(counts, scores=scores), q, discrepancy=name, tolerance=t).within
    checked = 0
    for j in np.flatnonzero((p > 1e-8) & (p < 0.999)):
        upper = pseudo_discrepancy(
            counts[[j]], q[[j]], confidence_set="witness", discrepancy=name,
            gamma=1 - p[j], scores=scores,
        ).upper  # fmt: skip
        assert upper[0] == pytest.approx(t, abs=1e-6)
        checked += 1
    assert checked > 3


def test_total_variation_by_hand():
    x, q, t = np.array([30, 15, 5]), np.array([0.5, 0.3, 0.2]), 0.05
    subsets = [[0], [1], [2], [0, 1], [0, 2], [1, 2]]
    few = [binom.cdf(x[s].sum(), 50, min(1, t + q[s].sum())) for s in subsets]
    many = [binom.sf(x[s].sum() - 1, 50, min(1, t + q[s].sum())) for s in subsets]
    found = scenario_p_values([x], [q], discrepancy="tv", tolerance=t)
    assert found.within[0] == pytest.approx(max(few))
    assert found.beyond[0] == pytest.approx(min(1.0, 6 * min(many)))


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["tv", "w1", "absolute", "squared"])
@pytest.mark.parametrize("d", [2, 3])
def test_answers_left_out_count_as_whatever_is_worst(name, d):
    """The p-values are no smaller than those of any complete answers, and equal the worst."""
    rng = np.random.default_rng(3)
    counts = rng.multinomial(60, np.full(d, 1 / d), size=12)
    q, left = rng.dirichlet(np.full(d, 8.0), 12), rng.uniform(0.0, 0.3, 12)
    left[0], left[1] = 0.0, 1.0
    people, rest = Responses(counts, scores=SCORES[:d]), {"discrepancy": name, "tolerance": 0.2}
    found = scenario_p_values(people, q, unanswered=left, **rest)
    complete = [
        (1 - left)[:, None] * q + left[:, None] * r
        for r in [*np.eye(d), *rng.dirichlet(np.full(d, 0.5), 100)]
    ]
    tried = [scenario_p_values(people, each, **rest) for each in complete]
    within, farther = (np.max([getattr(p, which) for p in tried], 0) for which in found._fields)
    np.testing.assert_allclose(found.within, within, atol=1e-12)
    assert (found.beyond >= farther - 1e-12).all()
    assert np.allclose(found.beyond, farther, atol=1e-12) or d > 2


def test_a_tolerance_that_nothing_exceeds_is_certain():
    found = scenario_p_values([[3, 4]], [[0.5, 0.5]], discrepancy="tv", tolerance=1.0)
    assert found.within[0] == 0.0 and found.beyond[0] == 1.0


def test_lists_are_those_of_the_definition():
    p = np.random.default_rng(1).beta(0.3, 2.0, 60)
    order = np.argsort(p)
    for dependent, factor in ((False, 1.0), (True, (1 / np.arange(1, 61)).sum())):
        passed = np.sort(p) <= 0.1 * np.arange(1, 61) / 60 / factor
        many = np.flatnonzero(passed).max() + 1 if passed.any() else 0
        expected = np.zeros(60, bool)
        expected[order[:many]] = True
        found = certified_scenarios(p, 0.1, dependent=dependent)
        np.testing.assert_array_equal(found, expected)


def test_each_group_has_its_own_list():
    p = np.array([0.04, 0.04, 0.9, 0.9, 0.9, 0.9])
    assert not certified_scenarios(p).any()
    assert certified_scenarios(p, groups=[0, 0, 1, 1, 1, 1])[:2].all()


@pytest.mark.parametrize("name", ["kl", "hellinger", "variance"])
def test_discrepancies_without_functionals_are_refused(name):
    with pytest.raises(ValueError, match="discrepancy must be one of absolute, squared, tv, w1"):
        scenario_p_values([[3, 4]], [[0.5, 0.5]], discrepancy=name, tolerance=0.1)


def test_functionals_that_no_answers_can_exceed_take_nothing_from_the_level():
    """Two options, q = .1, t = .2: only "the first option's share exceeds .3" can be shown."""
    found = scenario_p_values([[30, 30]], [[0.1, 0.9]], discrepancy="tv", tolerance=0.2)
    assert found.beyond[0] == pytest.approx(binom.sf(29, 60, 0.3))
    either = scenario_p_values([[30, 30]], [[0.5, 0.5]], discrepancy="tv", tolerance=0.2)
    assert either.beyond[0] == min(1.0, 2 * binom.sf(29, 60, 0.7))
    never = scenario_p_values([[30, 30]], [[0.5, 0.5]], discrepancy="tv", tolerance=0.5)
    assert never.beyond[0] == 1.0


def test_p_values_of_farther_hold_over_all_samples_of_two_options():
    """At a share just t away, of every q: P(p ≤ α) ≤ α at every α."""
    x, t = np.arange(31.0), 0.2
    counts = np.stack([x, 30 - x], axis=1)
    for q in (0.02, 0.1, 0.2, 0.35, 0.5):
        for p in (q + t, q - t):
            if 0 <= p <= 1:
                shares = np.tile([q, 1 - q], (31, 1))
                found = scenario_p_values(counts, shares, discrepancy="tv", tolerance=t).beyond
                weight = binom.pmf(x, 30, p)
                assert all(weight[found <= level].sum() <= level + 1e-9 for level in found)
