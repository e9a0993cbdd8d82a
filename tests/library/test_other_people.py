"""How far other people would be: enumeration, simulation, leaving out persons, and coverage."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest

from fidelity import DISCREPANCIES, Responses, mean_error_bar, people_reference
from fidelity.designs import replicate_factors
from fidelity.discrepancies.sampling import deviation_of_mean
from fidelity.discrepancies.total_variation import TotalVariation
from fidelity.responses import Answers

CONVEX = [name for name, measure in DISCREPANCIES.items() if not measure.is_parameter]
SCORES = {2: [0.0, 1.0], 3: [-1.0, 0.3, 1.0], 4: [0.0, 0.5, 0.25, 0.25]}
Z = 1.959963984540054


def enumerated(measure, p, n, scores, smoothed=False):
    """Return E L(p, p̂) as the sum over all counts of n answers."""
    total = 0.0
    for counts in product(range(n + 1), repeat=len(p)):
        if sum(counts) != n:
            continue
        ways = factorial(n) / prod(map(factorial, counts))
        c = np.array([counts], float)
        share = (c + 0.5) / (n + len(p) / 2) if smoothed else c / n
        total += ways * prod(p ** np.array(counts)) * measure.between(p[None], share, scores)[0]
    return total


@pytest.mark.parametrize("smoothed", [False, True])
@pytest.mark.parametrize("d", SCORES)
@pytest.mark.parametrize("name", CONVEX)
def test_expectations_are_those_of_all_possible_counts(name, d, smoothed):
    measure, scores = DISCREPANCIES[name], np.array(SCORES[d])
    p = np.random.default_rng(d).dirichlet(np.ones(d))
    for n in (1, 2, 7):
        if measure.infinite_at_zero and not smoothed:
            assert measure.expected(p[None], np.array([float(n)]), scores) == [np.inf]
            continue
        found = measure.expected(p[None], np.array([float(n)]), scores, smoothed)
        np.testing.assert_allclose(
            found, enumerated(measure, p, n, scores, smoothed), rtol=1e-9, atol=1e-15
        )


def test_distances_of_means_of_any_numbers_are_those_of_simulated_people():
    generator = np.random.default_rng(2)
    values, p = generator.lognormal(3.0, 1.5, 60), generator.dirichlet(np.ones(60))
    (alone,) = deviation_of_mean(values, p[None], np.ones(1))
    assert alone == pytest.approx(p @ np.abs(values - p @ values), rel=1e-3)
    apart = np.abs(generator.multinomial(40, p, 20_000) @ values / 40 - p @ values)
    (found,) = deviation_of_mean(values, p[None], np.array([40.0]))
    assert abs(found - apart.mean()) < 4 * apart.std() / np.sqrt(20_000)


def test_a_discrepancy_without_a_closed_form_is_computed_from_samples():
    class Other(TotalVariation):
        is_planned = False

    p = np.array([[0.5, 0.3, 0.2, 0.0]])
    few, many = np.array([10.0]), np.array([80.0])
    known = DISCREPANCIES["tv"].expected
    assert Other().expected(p, few, None) == pytest.approx(known(p, few, None), rel=1e-12)
    assert Other().expected(p, many, None) == pytest.approx(known(p, many, None), rel=0.05)
    counts = [[50, 30, 20]] * 4
    found = people_reference(counts, 80, discrepancy=Other())
    same = people_reference(counts, 80, discrepancy="tv")
    np.testing.assert_allclose(found.se / found.plugin, same.se / same.plugin, rtol=0.02)


def persons(generator, many, scenarios, share):
    """Return answers of persons who lean to one side, some of them missing; and their counts."""
    lean = generator.normal(size=(many, 1)) + generator.normal(size=(many, scenarios))
    person, scenario = np.nonzero(generator.random(lean.shape) < share)
    option = np.digitize(lean[person, scenario], [-1.0, 0.8])
    counts = np.zeros((scenarios, 3))
    np.add.at(counts, (scenario, option), 1.0)
    return person, scenario, option, counts


@pytest.mark.parametrize("share", [1.0, 0.7])
def test_errors_are_those_of_leaving_out_whole_persons(share):
    person, scenario, option, counts = persons(np.random.default_rng(5), 60, 5, share)
    scores = np.array([-1.0, 0.0, 1.0])

    def plugin(table):
        return people_reference(
            Responses(table, scores=scores), 50, discrepancy="squared"
        ).plugin.mean()

    without = []
    for who in range(60):
        table = counts.copy()
        np.subtract.at(table, (scenario[person == who], option[person == who]), 1.0)
        without.append(plugin(table))
    brute = np.sqrt(np.square(np.array(without) - np.mean(without)).sum())
    people = Responses(counts, scores=scores, answers=Answers(person, scenario, option))
    found = people_reference(people, 50, discrepancy="squared")
    assert (found.ci_upper - found.mean) / Z == pytest.approx(brute, rel=1e-2)


def test_people_of_a_design_are_worth_fewer():
    counts = [[120, 50, 30], [46, 29, 25]]
    plain = people_reference(counts, 50, discrepancy="tv")
    halved = people_reference(counts, 100, discrepancy="tv", design_effects=[2.0, 2.0])
    np.testing.assert_allclose(halved.distances, plain.distances, rtol=1e-12)
    between = people_reference(counts, 101, discrepancy="tv", design_effects=2.0)
    more = people_reference(counts, 51, discrepancy="tv")
    middle = (plain.plugin + more.plugin) / 2
    np.testing.assert_allclose(between.plugin, middle, rtol=1e-12)
    lost = people_reference(counts, 1, discrepancy="tv", design_effects=[1.0, 1.5])
    assert np.isfinite(lost.distances[0]) and np.isnan([lost.distances[1], lost.mean]).all()


def test_replicate_weights_and_psus_of_single_persons_give_the_errors_of_persons():
    chosen = np.repeat([0, 1, 2], [25, 10, 5])
    counts = np.bincount(chosen).astype(float)[None]
    left_out = counts[0][:, None] - np.eye(3)[:, chosen]  # every person left out in turn
    factors = replicate_factors("jk1", 40)
    plain = people_reference(counts, 50, discrepancy="tv")
    by_weights = people_reference(
        Responses(counts, sizes=[40.0]),
        50,
        discrepancy="tv",
        replicates=left_out[None],
        factors=factors,
    )
    answers = Answers(np.arange(40), np.zeros(40, int), chosen, psu=np.arange(40))
    by_psus = people_reference(Responses(counts, answers=answers), 50, discrepancy="tv", df=39)
    half = (plain.ci_upper - plain.ci_lower) / 2
    assert (by_weights.ci_upper - by_weights.ci_lower) / 2 == pytest.approx(half, rel=0.03)
    assert (by_psus.ci_upper - by_psus.ci_lower) / 2 == pytest.approx(half * 2.0227 / Z, rel=0.03)


def test_weights_that_depend_on_the_answers_count_by_their_squares():
    people = {"counts": [[30.0, 70.0]], "sizes": [80.0]}
    alike = people_reference(Responses(**people), 50, discrepancy="tv")
    heavy = Responses(**people, squares=[[90.0, 80.0]])
    assert people_reference(heavy, 50, discrepancy="tv").se > 1.1 * alike.se


def test_options_that_a_scenario_lacks_change_nothing():
    nan = np.nan
    both = people_reference([[12, 5, 3], [40, 60, nan]], 50, discrepancy="tv")
    alone = people_reference([[40, 60]], 50, discrepancy="tv")
    assert both.distances[1] == pytest.approx(alone.distances[0], rel=1e-12)
    assert both.mean == pytest.approx(both.distances.mean(), rel=1e-12)


def test_a_mean_over_new_scenarios_has_the_error_between_clusters():
    counts = np.random.default_rng(7).multinomial(400, np.full(4, 0.25), 12)
    clusters = np.repeat(range(4), 3)
    people = Responses(counts, clusters=clusters)
    found = people_reference(people, 150, discrepancy="tv", target="new", level=0.9)
    bar = mean_error_bar(found.distances, clusters, level=0.9)
    assert found[:3] == pytest.approx([bar.estimate, bar.lower, bar.upper], rel=1e-9)


def test_what_cannot_be_said_is_not_a_number_or_refused():
    one = people_reference([[1, 0], [30, 70]], 50, discrepancy="tv")
    assert np.isnan([one.mean, one.ci_lower, one.distances[0]]).all()
    two = people_reference([[1, 1], [30, 70]], 50, discrepancy="tv")
    assert np.isfinite(two.mean) and np.isnan([two.ci_lower, two.se[0]]).all()
    unlikely = people_reference([[5, 5]], 50, discrepancy="kl", smoothed=False)
    assert unlikely[:3] == (np.inf, np.inf, np.inf)
    few = people_reference([[5, 5]], 50, discrepancy="kl")
    assert np.isfinite(few.mean) and np.isnan(few[1:3]).all()  # the mean is 3 % too high
    assert np.isfinite(people_reference([[25, 25]], 50, discrepancy="kl")[:3]).all()
    with pytest.raises(ValueError, match="not convex"):
        people_reference(Responses([[5, 5]], scores=[0, 1]), 50, discrepancy="median")
    with pytest.raises(ValueError, match="sample_size"):
        people_reference([[5, 5]], 0, discrepancy="tv")


def test_everybody_of_one_mind_may_have_missed_others():
    found = people_reference([[40, 0, 0]], 50, discrepancy="tv")
    assert found[:2] == (0.0, 0.0)
    truth = DISCREPANCIES["tv"].expected(np.array([[0.95, 0.05, 0.0]]), np.array([50.0]), None)
    assert truth[0] < found.ci_upper < 0.1


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "p"), [("tv", (0.5, 0.5)), ("tv", (0.4, 0.3, 0.3)), ("w1", (0.5, 0.5))]
)
@pytest.mark.parametrize("n", [20, 100, 1000])
def test_the_distance_of_one_question_with_answers_as_varied_as_can_be(name, p, n):
    measure, scores = DISCREPANCIES[name], np.linspace(0.0, 1.0, len(p))
    truth = enumerated(measure, np.array(p), 50, scores)
    counts = np.random.default_rng(n).multinomial(n, p, 200)
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    held = 0
    for row, many in zip(kinds, times, strict=True):
        found = people_reference(Responses([row], scores=scores), 50, discrepancy=name)
        held += many * (found.ci_lower <= truth <= found.ci_upper)
    assert held / 200 + 2.0 * np.sqrt(0.05 * 0.95 / 200) >= 0.95
