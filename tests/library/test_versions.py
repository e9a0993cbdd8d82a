"""Two versions of a simulator: bounds against their parts, lists against simulated studies."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from fidelity import certified_scenarios, difference_bounds, mean_difference
from fidelity.comparison import compare_versions
from fidelity.comparison.versions import farther_p
from fidelity.discrepancies import DISCREPANCIES
from fidelity.responses import Responses

SCORES = np.array([-1.0, 0.0, 2.0])


def study(m=20, n=100, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([3.0, 2.0, 2.0], m)
    old = np.array([rng.dirichlet(60 * row + 0.1) for row in p])
    new = np.array([rng.dirichlet(15 * row + 0.1) for row in p])
    return rng.multinomial(n, p), old, new, p


def test_the_mean_is_that_of_the_difference():
    counts, old, new, _ = study()
    clusters = np.arange(20) // 4
    found = compare_versions(
        Responses(counts, clusters=clusters), old, new, discrepancy="tv", target="new", level=0.9
    )
    expected = mean_difference(
        Responses(counts, clusters=clusters), new, old, discrepancy="tv", target="new", level=0.9
    )
    assert found.mean == expected
    bounds = difference_bounds(counts, new, old, discrepancy="tv")
    assert (found.lower == bounds.lower).all()
    assert (found.upper == bounds.upper).all()


def test_versions_changed_around_change_sides():
    counts, old, new, _ = study(m=80)
    there = compare_versions(counts, old, new, discrepancy="tv", margin=0.005)
    back = compare_versions(counts, new, old, discrepancy="tv", margin=0.005)
    assert there.mean.ci_lower == pytest.approx(-back.mean.ci_upper)
    assert there.lower == pytest.approx(-back.upper)
    assert (there.got_worse == back.got_better).all()
    assert there.worse_p == pytest.approx(back.better_p)
    assert (there.verdict, back.verdict) == ("worse", "better")
    assert there.is_worse
    assert not back.is_worse


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.0, "worse"), (0.1, "undecided"), (0.5, "within the margin")]
)
def test_the_verdict_is_where_the_interval_lies(margin, verdict):
    counts, old, new, _ = study()
    found = compare_versions(counts, old, new, discrepancy="tv", margin=margin)
    assert 0.0 < found.mean.ci_lower < 0.1 < found.mean.ci_upper < 0.5
    assert found.verdict == verdict


@pytest.mark.parametrize("name", ["chi2", "hellinger", "js", "mmd_gaussian"])
def test_no_list_is_made_without_a_test(name):
    counts, old, new, _ = study()
    found = compare_versions(Responses(counts, scores=SCORES), old, new, discrepancy=name)
    assert (found.worse_p == 1.0).all()
    assert (found.better_p == 1.0).all()


def test_a_version_that_rules_out_an_option_is_on_no_list_of_kl():
    found = compare_versions([[30, 20]], [[0.5, 0.5]], [[1.0, 0.0]], discrepancy="kl")
    assert found.worse_p[0] == found.better_p[0] == 1.0


def test_lists_are_benjamini_and_hochbergs_or_yekutielis():
    counts, old, new, _ = study(m=60, n=400)
    found = compare_versions(counts, old, new, discrepancy="tv")
    assert (found.got_worse == certified_scenarios(found.worse_p)).all()
    assert found.got_worse.any()
    shared = compare_versions(
        Responses(counts, respondents=np.zeros(60)), old, new, discrepancy="tv"
    )
    assert (shared.got_worse == certified_scenarios(found.worse_p, dependent=True)).all()
    assert shared.got_worse.sum() < found.got_worse.sum()


def test_two_options_are_a_binomial_test():
    """One f separates both versions, and has the whole level."""
    old, new = np.array([0.5, 0.5]), np.array([0.2, 0.8])
    functionals = DISCREPANCIES["tv"].functionals(2, None)
    found = farther_p(np.array([[30.0, 20.0]]), new[None], old[None], functionals, 0.0)
    # |p - .2| ≤ |p - .5| where p ≤ .35
    assert found[0] == pytest.approx(binom.sf(29, 50, 0.35))


def outcomes(n):
    """Return all samples of n people with three options."""
    return np.array([(x, y, n - x - y) for x, y in product(range(n + 1), repeat=2) if x + y <= n])


@pytest.mark.parametrize("name", ["tv", "w1", "absolute"])
def test_p_values_are_valid_over_all_samples(name):
    """At p just as far from both, and at the edge of a margin: P(p ≤ α) ≤ α at every α."""
    rng, samples = np.random.default_rng(1), outcomes(12)
    measure = DISCREPANCIES[name]
    functionals = measure.functionals(3, measure.checked_scores(SCORES, 3))
    checked = 0
    for _ in range(12):
        p, old, new = rng.dirichlet([2.0, 2.0, 2.0], 3)
        far = [measure.between(p[None], q[None], SCORES)[0] for q in (new, old)]
        margin = max(0.0, far[0] - far[1])
        if margin == 0.0:
            new, old, margin = old, new, far[1] - far[0]
        repeat = [np.tile(q, (len(samples), 1)) for q in (new, old)]
        found = farther_p(samples.astype(float), *repeat, functionals, margin)
        weight = multinomial.pmf(samples, 12, p)
        order = np.argsort(found)
        below = weight[order].cumsum()
        last = np.append(np.diff(found[order]) > 1e-12, True)
        assert (below[last] <= found[order][last] + 1e-9).all()
        checked += 1
    assert checked == 12


@pytest.mark.parametrize("name", ["w1", "absolute"])
def test_p_values_are_in_the_unit_of_two_options_scores(name):
    rng = np.random.default_rng(5)
    counts = rng.multinomial(80, [0.4, 0.6], 30)
    old, new = rng.dirichlet([4.0, 4.0], (2, 30))
    one, ten = (
        compare_versions(
            Responses(counts, scores=scores), old, new, discrepancy=name, margin=margin
        )
        for scores, margin in (([0, 1], 0.05), ([10, 0], 0.5))
    )
    np.testing.assert_allclose(ten.worse_p, one.worse_p)
    np.testing.assert_allclose(ten.better_p, one.better_p)
    assert (one.worse_p < 0.05).any()


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_worse_is_said_seldom_of_versions_that_are_as_far(margin):
    """250 studies of 60 scenarios in which the mean change is the margin, on average 0."""
    rng, said = np.random.default_rng(4), 0
    for _ in range(250):
        p = rng.dirichlet([3.0, 2.0, 2.0], 60)
        old, new = (np.array([rng.dirichlet(20 * row + 0.1) for row in p]) for _ in "12")
        found = compare_versions(
            rng.multinomial(100, p), old, new, discrepancy="tv", target="new", margin=margin
        )
        said += found.is_worse
    assert binom.sf(said - 1, 250, 0.03) > 1e-3
    assert margin == 0.0 or said < 5


def test_an_error_names_the_version():
    counts, old, new, _ = study()
    with pytest.raises(ValueError, match="new must be a table"):
        compare_versions(counts, old, new[:3], discrepancy="tv")
    with pytest.raises(ValueError, match="old must be a table"):
        compare_versions(counts, old[:3], new, discrepancy="tv")
