"""Errors of means where persons answer several scenarios: brute force, closed form, simulation."""

import numpy as np
import pytest
from outcomes import outcomes_of
from scipy.special import ndtr
from scipy.stats import multinomial

from fidelity import DISCREPANCIES, Responses, mean_error_bar, people_reference
from fidelity.correction import halve_people, halve_persons
from fidelity.designs import replicate_factors
from fidelity.discrepancies.sampling import deviation_of_mean
from fidelity.discrepancies.total_variation import TotalVariation
from fidelity.means import (
    average_bounds,
    difference_bounds,
    discrepancy_bounds,
    mean_interval,
    person_errors,
)
from fidelity.responses import Answers

OPTIONS = 3


def answers_of(generator, persons, scenarios, share=1.0):
    """Return who answered what: persons differ, and answer all scenarios alike."""
    leaning = generator.normal(size=(persons, 1)) + generator.normal(size=(persons, scenarios)) / 2
    chosen = np.digitize(ndtr(leaning), [0.4, 0.7])
    person, scenario = np.nonzero(generator.random(chosen.shape) < share)
    return {"person": person, "scenario": scenario, "option": chosen[person, scenario]}


def counted(told, scenarios):
    counts = np.zeros((scenarios, OPTIONS))
    np.add.at(counts, (told["scenario"], told["option"]), 1)
    return counts


def people_of(counts, told, **weight):
    return Responses(counts, answers=Answers(**told, **weight))


def means_of(counts, q, other, discrepancy):
    """Return the mean smooth lower and upper bound, of a difference if there is another one."""
    people = Responses(counts, scores=np.tile([-1.0, 0.0, 1.0], (len(counts), 1)))
    found = discrepancy_bounds(people, q, discrepancy=discrepancy)
    if other is not None:
        found = difference_bounds(people, q, other, discrepancy=discrepancy)
    return np.array([found.smooth_lower.mean(), found.smooth_upper.mean()])


@pytest.mark.sampled
@pytest.mark.parametrize("discrepancy", ["tv", "w1", "squared", "kl"])
@pytest.mark.parametrize("compared", [False, True])
def test_they_are_those_of_leaving_out_each_person_in_turn(discrepancy, compared):
    generator = np.random.default_rng(1)
    told = answers_of(generator, 30, 5)
    q, other = generator.dirichlet(np.ones(OPTIONS), (2, 5))
    if compared and discrepancy in ("tv", "w1"):  # far from kinks, which have tests of their own
        q, other = (np.tile(each, (5, 1)) for each in ([0.9, 0.08, 0.02], [0.02, 0.08, 0.9]))
    given = counted(told, 5), q, other if compared else None
    without = np.array(
        [
            means_of(
                counted({key: each[told["person"] != who] for key, each in told.items()}, 5),
                *given[1:],
                discrepancy,
            )
            for who in range(30)
        ]
    )
    brute = np.sqrt(((without - without.mean(0)) ** 2).sum(0))
    scores = np.tile([-1.0, 0.0, 1.0], (5, 1))
    people = Responses(given[0], scores=scores, answers=Answers(**told))
    found = person_errors(people, *given[1:], discrepancy=discrepancy)
    drawn_anew = not compared and discrepancy in ("tv", "w1")  # their lower bounds
    np.testing.assert_allclose(found[drawn_anew:], brute[drawn_anew:], rtol=1e-8)


def test_with_people_of_their_own_they_are_those_of_each_scenario():
    generator = np.random.default_rng(2)
    told = answers_of(generator, 40, 4)
    told["person"] = np.arange(160)
    counts, q = counted(told, 4), generator.dirichlet(np.ones(OPTIONS), 4)
    bounds = discrepancy_bounds(counts, q, discrepancy="tv")
    found = person_errors(people_of(counts, told), q, discrepancy="tv")
    own = [np.sqrt((each**2).sum()) / 4 for each in (bounds.lower_se, bounds.upper_se)]
    assert found[0] == pytest.approx(own[0], rel=0.15)  # other resamples
    assert found[1] == pytest.approx(own[1], rel=1e-9)


def weighed(told, weight, scenarios):
    """Return the weight of each answer, the weighted counts, and Kish's numbers."""
    w, counts = weight[told["person"]], np.zeros((scenarios, OPTIONS))
    np.add.at(counts, (told["scenario"], told["option"]), w)
    squares = np.bincount(told["scenario"], w**2)
    return w, counts, counts.sum(1) ** 2 / squares


def test_of_a_weighted_mean_they_are_the_errors_of_linearisation():
    generator = np.random.default_rng(11)
    told, weight = answers_of(generator, 60, 1), generator.uniform(0, 5, 60)
    w, counts, kish = weighed(told, weight, 1)
    x = np.array([-1.0, 0.0, 1.0])[told["option"]]
    mean = (w * x).sum() / w.sum()
    expected = np.sqrt((w**2 * (x - mean) ** 2).sum()) / w.sum() * kish / (kish - 1)

    def errors(times=1, **sizes):
        answers = Answers(**told, weight=times * w)
        people = Responses(times * counts, scores=[-1.0, 0.0, 1.0], answers=answers, **sizes)
        return person_errors(people, [[1.0, 0.0, 0.0]], discrepancy="absolute")

    found = errors()
    assert found[1] == pytest.approx(float(expected[0]), rel=1e-9)
    assert errors(7) == pytest.approx(found)
    fewer = errors(sizes=kish / 4)[1]
    assert fewer == pytest.approx(2 * found[1] * (kish[0] - 1) / (kish[0] - 4), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "wrong", "message"),
    [
        ("scenario", lambda x: np.roll(x, 1), "must be the answers that counts counts"),
        ("person", lambda x: x[:-1], "scenario must be a vector of 59"),
        ("person", lambda x: np.where(x == 3, np.nan, x), "none of them missing"),
        ("scenario", lambda x: x + 3, "scenario must be places in counts"),
        ("option", lambda x: x + 0.5, "option must be places in counts"),
        ("option", lambda x: x - 1, "option must be"),
    ],
)
def test_other_answers_than_those_counted_are_refused(change, wrong, message):
    told = answers_of(np.random.default_rng(5), 20, 3)
    counts = counted(told, 3)
    told[change] = wrong(told[change])
    with pytest.raises(ValueError, match=message):
        people_of(counts, told)


def test_persons_have_any_labels():
    told = answers_of(np.random.default_rng(5), 20, 3)
    counts, q = counted(told, 3), np.full((3, OPTIONS), 1 / 3)
    errors = person_errors(people_of(counts, told), q, discrepancy="l2")
    who = told["person"]
    for labels in (0.1 * who, who + 10**12, who - 50, np.char.mod("p%03d", who)):
        renamed = people_of(counts, {**told, "person": labels})
        assert person_errors(renamed, q, discrepancy="l2") == pytest.approx(errors)


@pytest.mark.parametrize("persons", [1, 2])
def test_fewer_than_three_persons_tell_no_error_and_no_interval(persons):
    """However many answers they gave, which count as independent otherwise."""
    told = {"person": np.arange(6) % persons, "scenario": np.zeros(6, int), "option": [0, 1] * 3}
    people = people_of([[3, 3]], told)
    errors = person_errors(people, [[0.9, 0.1]], discrepancy="absolute")
    assert np.isnan(errors).all()
    bounds = discrepancy_bounds(people, [[0.9, 0.1]], discrepancy="absolute")
    for target in ("asked", "new"):
        several = average_bounds([bounds]) if target == "asked" else tiled(bounds, 4)
        found = mean_interval(several, errors=errors, target=target)
        assert np.isnan([found.ci_lower, found.ci_upper]).all()
        assert found.upper == pytest.approx(0.4)


def tiled(bounds, times):
    return type(bounds)(*(np.tile(each, times) for each in bounds))


def test_an_average_of_bounds_encloses_the_average_and_errs_no_more():
    generator = np.random.default_rng(6)
    q = generator.dirichlet(np.ones(OPTIONS), 3)
    several = [
        discrepancy_bounds(generator.multinomial(50, q), q[::-1], discrepancy="tv")
        for _ in range(4)
    ]
    found = average_bounds(several)
    for name in found._fields:
        assert getattr(found, name) == pytest.approx(sum(getattr(x, name) for x in several) / 4)


def test_halves_have_each_persons_answers_together():
    person = np.random.default_rng(7).integers(0, 41, 500)
    half = halve_persons(person, np.random.default_rng(8))
    of_each = [set(half[person == who]) for who in np.unique(person)]
    assert all(len(each) == 1 for each in of_each)
    assert sum(each == {0} for each in of_each) == len(of_each) // 2
    assert not np.array_equal(half, halve_persons(person, np.random.default_rng(9)))


def test_half_of_each_scenarios_people_are_drawn_at_random():
    counts = np.array([[40.0, 10.0, np.nan], [7.0, 0.0, 6.0]])
    drawn = [halve_people(counts, np.random.default_rng(seed)) for seed in range(2000)]
    np.testing.assert_array_equal(np.sum(drawn, axis=1), np.tile(counts, (2000, 1, 1)))
    assert (np.nansum(drawn, axis=3) == [[25, 6], [25, 7]]).all()
    mean, variance = np.mean(drawn, axis=0)[0, 0, 0], np.var(drawn, axis=0)[0, 0, 0]
    assert mean == pytest.approx(20, abs=0.15)
    hypergeometric = 25 * 0.8 * 0.2 * 25 / 49
    assert variance == pytest.approx(hypergeometric, rel=0.12)


def test_counts_of_weighted_people_cannot_be_halved():
    with pytest.raises(ValueError, match="whole"):
        halve_people([[1.5, 2.0]], np.random.default_rng(0))


@pytest.mark.slow
def test_a_difference_holds_where_people_lie_beyond_both():
    """In half of the samples; without any one answer the difference is then the same."""
    rng, n, m, held, studies = np.random.default_rng(8), 200, 6, np.zeros(2), 200
    se = 0.5 / np.sqrt(n)
    q, other = (np.tile([0.5 - side * se, 0.5 + side * se], (m, 1)) for side in (-0.5, 0.5))
    person, scenario = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    for _ in range(studies):
        common, own = rng.normal(size=(n, 1)), rng.normal(size=(n, m))
        agree = np.sqrt(0.9) * common + np.sqrt(0.1) * own < 0.0
        counts = np.stack([(~agree).sum(0), agree.sum(0)], 1)
        bounds = difference_bounds(counts, q, other, discrepancy="tv")
        told = {"person": person, "scenario": scenario, "option": agree.ravel().astype(int)}
        errors = person_errors(people_of(counts, told), q, other, discrepancy="tv")
        both = mean_interval(bounds, errors=errors), mean_interval(bounds, respondents=np.zeros(m))
        held += [found.ci_lower <= 0.0 <= found.ci_upper for found in both]
    assert (held / studies >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / studies)).all()


CONVEX = [name for name, measure in DISCREPANCIES.items() if not measure.is_parameter]
SCORES = {2: [0.0, 1.0], 3: [-1.0, 0.3, 1.0], 4: [0.0, 0.5, 0.25, 0.25]}
Z = 1.959963984540054


def enumerated(measure, p, n, scores, smoothed=False):
    """Return E L(p, p̂) as the sum over all counts of n answers."""
    counts = outcomes_of(n, len(p))
    share = (counts + 0.5) / (n + len(p) / 2) if smoothed else counts / n
    far = measure.between(np.tile(p, (len(counts), 1)), share, scores)
    return multinomial.pmf(counts, n, p) @ far


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
    share = counts[0][:, None] / 40
    apart = (left_out / 39 - share) * np.sqrt(replicate_factors("jk1", 40))
    plain = people_reference(counts, 50, discrepancy="tv")
    by_weights = people_reference(
        Responses(counts, sizes=[40.0], replicates=(share + apart)[None]), 50, discrepancy="tv"
    )
    answers = Answers(np.arange(40), np.zeros(40, int), chosen, psu=np.arange(40))
    by_psus = people_reference(Responses(counts, answers=answers, df=39), 50, discrepancy="tv")
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
