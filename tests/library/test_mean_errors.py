"""Errors of one simulator's mean discrepancy, by enumeration of all samples and by simulation."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom
from test_leave_one_out import CONVEX, chances, samples

from fidelity import DISCREPANCIES, discrepancy_bounds, mean_discrepancy
from fidelity.means import DiscrepancyBounds, mean_interval, person_errors
from fidelity.responses import Answers, Responses, Simulator

ENDS = np.array([0.0, 1.0])
SCORES = np.array([-1.0, 0.0, 2.0])
DISTANCES = [name for name in CONVEX if DISCREPANCIES[name].metric_root == 1]
Z = 1.959963984540054


def of_all_samples(name, n, q, draws=None):
    """Return bounds for each number of people, 0 to n, who choose the second of two options."""
    people = np.stack([n - np.arange(n + 1), np.arange(n + 1)], 1)
    stated = np.tile([1 - q, q], (n + 1, 1))
    simulator = Simulator(stated, draws=draws)
    return discrepancy_bounds(Responses(people, scores=ENDS), simulator, discrepancy=name)


def alone(bounds, row):
    """Return the bounds of one scenario."""
    return DiscrepancyBounds(*(each[[row]] for each in bounds))


def coverage(name, n, p, q):
    """Return how often the interval of one scenario holds the truth, over all samples."""
    truth = DISCREPANCIES[name].between(np.array([[1 - p, p]]), np.array([[1 - q, q]]), ENDS)[0]
    bounds, chance = of_all_samples(name, n, q), binom.pmf(np.arange(n + 1), n, p)
    found = [mean_interval(alone(bounds, row)) for row in np.flatnonzero(chance > 1e-9)]
    holds = [each.ci_lower <= truth + 1e-12 and truth - 1e-12 <= each.ci_upper for each in found]
    return chance[chance > 1e-9] @ holds


@pytest.mark.sampled
@pytest.mark.parametrize("expected", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("name", CONVEX)
def test_the_interval_of_one_scenario_holds_where_few_answers_are_expected(name, expected):
    n = 50
    p = expected / n
    assert coverage(name, n, p, p) >= 0.93
    assert coverage(name, n, p, 3 * p) >= 0.93
    if not DISCREPANCIES[name].infinite_at_zero:
        assert coverage(name, n, p, 0.0) >= 0.93


def test_a_rare_option_that_nobody_chose_has_wilsons_limit():
    """Wilson's upper limit for none of n is z²/(n + z²): some 3.8 answers."""
    for n in (50, 400):
        found = mean_discrepancy([[n, 0]], [[1.0, 0.0]], discrepancy="tv")
        assert found.ci_upper == pytest.approx(Z**2 / (n + Z**2), rel=0.08)


def test_many_scenarios_take_the_unseen_answers_of_one_for_granted():
    """Expected answers add up over scenarios of their own people, not over those of the same."""
    people, model = [[100, 0]] * 25, [[1.0, 0.0]] * 25
    found = mean_discrepancy(people, model, discrepancy="tv")
    alike = mean_discrepancy(Responses(people, respondents=np.zeros(25)), model, discrepancy="tv")
    one = mean_discrepancy(people[:1], model[:1], discrepancy="tv")
    assert one.ci_upper > 0.03
    assert found.ci_upper == pytest.approx(one.ci_upper / 25)
    assert alike.ci_upper == pytest.approx(one.ci_upper)


def test_the_interval_tells_that_it_rests_on_few_answers():
    few, many, common = [[98, 2]], [[98, 2]] * 400, [[50, 50]]
    model = np.array([[0.9, 0.1]])
    for people, expected in ((few, True), (many, False), (common, False)):
        stated = np.tile(model, (len(people), 1))
        assert mean_discrepancy(people, stated, discrepancy="tv").few_answers is expected


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("apart", [0.0, 1.0, 3.0])
def test_the_error_of_the_lower_bound_is_its_standard_deviation(name, apart):
    """Over all samples of 60 people; q is so many standard errors away. The jackknife has 2.4."""
    n, p = 60, 0.4
    q = p + apart * sqrt(p * (1 - p) / n)
    bounds, chance = of_all_samples(name, n, q), binom.pmf(np.arange(n + 1), n, p)
    mean = chance @ bounds.smooth_lower
    deviation = np.sqrt(chance @ (bounds.smooth_lower - mean) ** 2)
    error = np.sqrt(chance @ bounds.lower_se**2)
    assert 0.85 < error / deviation < 1.25


@pytest.mark.parametrize("name", DISTANCES)
def test_answers_are_drawn_anew_as_all_samples_from_the_shares_observed(name):
    people = samples(9, 3)[:: 55 // 12]
    people = people[(people > 0).sum(1) > 1]
    q = np.tile([0.3, 0.3, 0.4], (len(people), 1))
    found = discrepancy_bounds(Responses(people, scores=SCORES), q, discrepancy=name).lower_se
    every = samples(9, 3)
    values = discrepancy_bounds(
        Responses(every, scores=SCORES), np.tile(q[:1], (len(every), 1)), discrepancy=name
    ).smooth_lower
    expected = []
    for row in people:
        chance = chances(every, row / 9)
        expected.append(np.sqrt(chance @ (values - chance @ values) ** 2 * 9 / 8))
    assert (np.abs(found / expected - 1) < 0.3).all()
    assert np.mean(found / expected) == pytest.approx(1.0, abs=0.05)


def test_resamples_of_a_scenario_do_not_depend_on_the_others():
    people, q = np.array([[30, 20, 50], [5, 60, 35], [20, 40, 40]]), np.full((3, 3), 1 / 3)
    found = discrepancy_bounds(people, q, discrepancy="tv").lower_se
    backwards = discrepancy_bounds(people[::-1], q, discrepancy="tv").lower_se
    np.testing.assert_array_equal(found, backwards[::-1])


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("drawn", [False, True])
def test_two_people_or_two_draws_tell_no_error(name, drawn):
    people, model = ([[40, 60]], [[0.5, 0.5]]) if drawn else ([[1, 1]], [[0.4, 0.6]])
    found = mean_discrepancy(people, Simulator(model, draws=2 if drawn else None), discrepancy=name)
    assert np.isnan([found.ci_lower, found.ci_upper]).all()
    assert np.isfinite(found.upper)


def test_errors_of_draws_add_up_in_quadrature_beside_those_of_the_same_people():
    m, people = 30, np.tile([400, 600], (30, 1))
    q = np.tile([0.3, 0.7], (m, 1))
    bounds = discrepancy_bounds(people, Simulator(q, draws=200), discrepancy="tv")
    same = mean_interval(bounds, respondents=np.zeros(m))
    of_people, of_draws = sqrt(0.6 * 0.4 * 1000) / 999, sqrt(0.7 * 0.3 * 200 / m) / 199
    expected = 0.1 + Z * np.hypot(of_people, of_draws)
    assert same.ci_upper == pytest.approx(expected, rel=1e-6)
    together = mean_interval(bounds, respondents=np.zeros(m), runs=np.zeros(m)).ci_upper
    assert together == pytest.approx(0.1 + Z * np.hypot(of_people, of_draws * sqrt(m)), rel=1e-6)
    assert mean_discrepancy(
        Responses(people, respondents=np.zeros(m)),
        Simulator(q, draws=200, runs=np.zeros(m)),
        discrepancy="tv",
    ).ci_upper == pytest.approx(together)


def test_persons_errors_add_up_draws_of_a_run():
    n, m = 30, 4
    option = np.random.default_rng(1).integers(2, size=n)
    counts = np.tile(np.bincount(option), (m, 1))
    told = {"person": np.tile(np.arange(n), m), "scenario": np.repeat(np.arange(m), n)}
    people = Responses(counts, answers=Answers(**told, option=np.tile(option, m)))
    q = np.tile([0.95, 0.05], (m, 1))
    apart, together = (
        person_errors(people, Simulator(q, draws=20, runs=runs), discrepancy="absolute")
        for runs in (None, [1] * m)
    )
    draws = 0.95 * 0.05 * 20 / 19**2
    assert together[1] ** 2 - apart[1] ** 2 == pytest.approx(draws * (1 - 1 / m), rel=1e-6)
    assert together[0] > apart[0]
