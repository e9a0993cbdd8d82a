"""The audit: proven bounds pass it, wrong formulas don't, and it measures what is known otherwise.

The audit's own tests decide, at one in a thousand for each cell and all cells together.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from synthetic.populations import POPULATIONS, population_named

from fidelity import lower_quantile_curve
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful
from fidelity.sets.gamma import parse_coverage
from fidelity_audit import coverage as audit
from fidelity_audit.coverage import (
    KNOWN_WRONG,
    SIGNIFICANCE,
    STATEMENTS,
    TAU,
    WrongSet,
    area_under_lower_curve,
    curve_coverage,
    measured,
    set_coverage,
)

pytestmark = pytest.mark.slow
GAMMAS = (0.5, 0.9)
SMALL = ("few_answers", "worst_proportion", "near_vertex", "rare_options", "two_points")
PROVEN = [name for name, each in CONFIDENCE_SETS.items() if each.guarantee == "proven"]
CASES = [
    (population, chosen, discrepancy)
    for population in SMALL
    for chosen in PROVEN
    for discrepancy in DISCREPANCIES
    if meaningful(chosen, discrepancy, POPULATIONS[population].kind)
]
TIED = (0.95, 0.3)
PARAMETERS = ("variance", "median")


def draw(name, m, seed=0):
    return population_named(name).draw(np.random.default_rng(seed), m=m)


def size_of(population, chosen, discrepancy):
    """Return scenarios, replicates and coverages; fewer where a bound is costly.

    Branch and bound, a thousand option subsets, and sequences of answers are.
    """
    if "betting" in chosen:
        return 20, 4 if (population, discrepancy) == ("near_vertex", "w1") else 12, GAMMAS
    if population in ("near_vertex", "rare_options"):
        if DISCREPANCIES[discrepancy].on == "options":
            return 5, 4, GAMMAS[:1]
        return 20, 20, GAMMAS
    return 20, 60, GAMMAS


@pytest.mark.parametrize(("population", "chosen", "discrepancy"), CASES)
def test_every_proven_bound_holds_on_the_adversarial_populations(population, chosen, discrepancy):
    m, replicates, gammas = size_of(population, chosen, discrepancy)
    drawn = draw(population, m)
    for gamma in gammas:
        generator = np.random.default_rng(1)
        found = set_coverage(drawn, chosen, discrepancy, gamma, replicates, generator)
        assert [(entry.simulator, entry.bound) for entry in found] == [
            (name, bound) for name in ("exact", "first", "last") for bound in ("upper", "lower")
        ]
        assert min(entry.coverage.p_value for entry in found) >= SIGNIFICANCE / len(CASES) / 2


@pytest.mark.parametrize("discrepancy", [L for L in DISCREPANCIES if L not in PARAMETERS])
def test_no_bound_is_larger_than_the_discrepancy_can_be(discrepancy):
    """Which coverage does not show: a convex discrepancy is largest where all answer the same."""
    drawn = draw("near_vertex", 40, seed=5)
    chosen = "multinomial_kl" if meaningful("multinomial_kl", discrepancy, "ordinal") else "witness"
    found = set_coverage(drawn, chosen, discrepancy, 0.5, 5, np.random.default_rng(1))
    for entry in found:
        q, measure = drawn.simulators[entry.simulator], DISCREPANCIES[discrepancy]
        largest = [measure.between(np.eye(5)[i], q, drawn.scores).max() for i in range(5)]
        truth = measure.between(drawn.p, q, drawn.scores).mean()
        assert np.isnan(entry.ratio) or entry.ratio * truth <= max(largest) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("population", "chosen", "discrepancy"),
    [
        ("few_answers", "clopper_pearson", "tv"),
        ("worst_proportion", "clopper_pearson", "squared"),
        ("worst_proportion", "bernoulli_kl", "kl"),
        ("near_vertex", "witness", "absolute"),
        ("two_points", "empirical_bernstein", "absolute"),
        ("opinionqa_like", "multinomial_kl", "kl"),
        ("opinionqa_like", "witness", "tv"),
        ("opinionqa_like", "witness", "mmd_delta"),
        ("near_vertex", "witness", "mmd_gaussian"),
    ],
)
def test_bounds_on_differences_of_simulators_hold(population, chosen, discrepancy):
    for gamma in GAMMAS:
        drawn = draw(population, 15)
        replicates, generator = 20 if drawn.p.shape[1] == 2 else 3, np.random.default_rng(1)
        found = set_coverage(
            drawn, chosen, discrepancy, gamma, replicates, generator, in_pairs=True
        )
        assert len(found) == len(drawn.simulators) * (len(drawn.simulators) - 1)
        assert all(entry.coverage.holds and entry.other for entry in found)


@pytest.mark.parametrize("name", KNOWN_WRONG)
def test_formulas_known_to_be_wrong_are_caught(name):
    found = KNOWN_WRONG[name].coverage(200, np.random.default_rng(2))
    worst = min(found, key=lambda entry: entry.coverage.p_value).coverage
    assert worst.p_value < 1e-9
    assert worst.worst_high < worst.worst_nominal


@pytest.mark.parametrize(
    "name", [name for name, each in KNOWN_WRONG.items() if isinstance(each, WrongSet)]
)
def test_the_right_radius_passes_where_the_wrong_one_fails(name):
    wrong = KNOWN_WRONG[name]
    right = type(wrong.confidence_set).__base__.name
    found = set_coverage(
        draw(wrong.population, 200),
        right,
        wrong.discrepancy,
        wrong.gamma,
        200,
        np.random.default_rng(2),
    )
    assert all(entry.coverage.holds for entry in found)


@pytest.mark.parametrize("gamma", [0.5, parse_coverage({"schedule": "1/3"})])
def test_the_size_of_the_chunks_changes_nothing(gamma, monkeypatch):
    def run():
        return set_coverage(
            draw("opinionqa_like", 12), "witness", "tv", gamma, 10, np.random.default_rng(6)
        )

    whole = run()
    monkeypatch.setattr(audit, "CELLS_AT_ONCE", 1000)
    for entry, again in zip(whole, run(), strict=True):
        assert again.coverage == entry.coverage
        assert again.ratio == pytest.approx(entry.ratio, rel=1e-12)
    population = draw("opinionqa_like", 12)
    nominal = (parse_coverage(gamma) if gamma == 0.5 else gamma).at(population.n)
    assert whole[0].coverage.nominal == pytest.approx(nominal.mean())


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.9, (0.3, 0.95), TIED], ids=str)
@pytest.mark.parametrize("name", [name for name in STATEMENTS if name != "paper"])
def test_guarantees_hold_in_the_worst_case(name, gamma):
    found = curve_coverage(name, 60, gamma, 400, np.random.default_rng(7))
    assert len(found) == (1 if name == "simultaneous" else len(TAU))
    assert min(entry.coverage.p_value for entry in found) >= SIGNIFICANCE / 30


def test_the_guarantee_of_the_paper_never_fails_and_is_about_one_half():
    found = curve_coverage("paper", 2000, 0.5, 100, np.random.default_rng(8))
    assert max(entry.claimed for entry in found) > 0.8
    assert all(entry.coverage.average == 1 for entry in found)
    with pytest.raises(ValueError, match="gamma = 1/2"):
        curve_coverage("paper", 60, 0.9, 2, np.random.default_rng(8))


def test_the_index_map_is_right_as_the_number_of_scenarios_grows():
    """Its worst case is its usual case here: the curve covers τ, neither less nor more."""
    for gamma in (0.3, 0.9, TIED):
        found = curve_coverage("asymptotic", 20_000, gamma, 10, np.random.default_rng(9))
        for entry in found:
            assert entry.covered == pytest.approx(entry.tau, abs=0.01)
            assert entry.claimed == pytest.approx(entry.tau, abs=2e-4)


def test_unknown_names_are_refused():
    generator = np.random.default_rng(0)
    with pytest.raises(ValueError, match="simultaneous"):
        curve_coverage("dkw", 60, 0.5, 2, generator)
    with pytest.raises(ValueError, match="does not bound"):
        set_coverage(draw("opinionqa_like", 5), "clopper_pearson", "tv", 0.5, 2, generator)


def test_measured_agrees_with_the_binomial_distribution():
    held = np.array([[True, True, False], [True, False, False], [True, True, False]])
    found = measured(held, np.array([0.5, 0.6, 0.9]))
    assert found.average == pytest.approx(5 / 9)
    assert (found.worst_cell, found.worst, found.worst_nominal) == (2, 0.0, 0.9)
    assert found.standard_error == pytest.approx(np.sqrt(2 / 9 / 3) / 3)
    worst = binom.cdf(0, 3, 0.9)
    together = binom.cdf(5, 9, 2 / 3)
    assert found.p_value == pytest.approx(2 * min(3 * worst, together))
    assert found.worst_low == 0.0
    assert binom.cdf(0, 3, found.worst_high) == pytest.approx(0.005 / 3)
    assert measured(np.ones((5, 2), bool), 0.99).p_value == 1.0


@given(
    nominal=st.lists(st.floats(0.05, 0.95), min_size=1, max_size=6),
    replicates=st.integers(1, 5),
)
def test_all_cells_together_are_never_called_too_low_too_often(nominal, replicates):
    """Binomials of different promises, summed: P(p-value ≤ a) ≤ a, all sums enumerated."""
    mass = np.ones(1)
    for promise in nominal:
        mass = np.convolve(mass, binom.pmf(np.arange(replicates + 1), replicates, promise))
    trials = replicates * len(nominal)
    p_values = audit._at_most(np.arange(trials + 1), trials, np.mean(nominal))
    for level in (0.001, 0.01, 0.05):
        assert mass[p_values <= level].sum() <= level + 1e-12


def test_small_breaches_are_found_in_one_cell_and_in_all():
    generator = np.random.default_rng(12)
    everywhere = generator.random((100, 50)) < 0.85
    one = generator.random((100, 50)) < np.where(np.arange(50) == 7, 0.6, 0.99)
    assert not measured(everywhere, 0.9).holds
    assert measured(everywhere, 0.85).holds
    found = measured(one, 0.9)
    assert not found.holds
    assert found.worst_cell == 7


@given(
    lower=st.lists(st.floats(0, 3), min_size=1, max_size=8),
    data=st.data(),
)
def test_area_under_the_lower_curve_is_its_integral(lower, data):
    gamma = data.draw(st.lists(st.floats(0.05, 1), min_size=len(lower), max_size=len(lower)))
    steps = np.cumsum(1 / np.array(gamma)[np.argsort(lower)]) / len(lower)
    edges = np.unique(np.concatenate([[0, 1], steps[steps < 1]]))
    middle = (edges[1:] + edges[:-1]) / 2
    wide = np.diff(edges) > 1e-9
    curve = lower_quantile_curve(lower, np.array(gamma), middle[wide])
    expected = curve @ np.diff(edges)[wide]
    assert area_under_lower_curve(lower, np.array(gamma)) == pytest.approx(expected, abs=1e-7)


def test_area_under_the_lower_curve_of_infinite_bounds():
    assert area_under_lower_curve(np.array([1.0, np.inf]), 0.5) == 1.0
    assert area_under_lower_curve(np.array([1.0, np.inf]), 0.9) == np.inf
