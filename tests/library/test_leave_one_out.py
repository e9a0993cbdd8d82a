"""Leave-one-out lower bounds: respondent by respondent, and their expectations over all samples."""

from itertools import product
from math import sqrt

import kernels
import numpy as np
import pytest
from outcomes import outcomes_of
from scipy.stats import binom, multinomial, norm

from fidelity import DISCREPANCIES, discrepancy_bounds, mean_discrepancy
from fidelity.extrema.minorants import RAMP
from fidelity.means import (
    DiscrepancyBounds,
    difference_bounds,
    mean_difference,
    mean_interval,
    person_errors,
    tail_discrepancy,
)
from fidelity.means.leave_one_out import leave_one_out
from fidelity.means.scales import scales
from fidelity.means.tail import _Excess
from fidelity.responses import Answers, Responses, Simulator

SCORES = np.array([-1.0, 0.0, 2.0])
CONVEX = [name for name, each in DISCREPANCIES.items() if not each.is_parameter]
SYMMETRIC = [name for name in CONVEX if DISCREPANCIES[name].is_symmetric]


PEOPLE = [np.array([0.2, 0.5, 0.3]), np.array([0.05, 0.05, 0.9]), np.array([0.4, 0.6, 0.0])]
STATED = [np.array([0.25, 0.25, 0.5]), np.array([0.4, 0.4, 0.2]), np.array([0.2, 0.5, 0.3])]


@pytest.mark.sampled
@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("p", PEOPLE, ids=str)
@pytest.mark.parametrize("ramp", [0.0, RAMP])
def test_the_truth_lies_between_the_expectations(name, n, p, ramp):
    measure = DISCREPANCIES[name]
    counts = outcomes_of(n, 3)
    chance = multinomial.pmf(counts, n, p)
    for q in STATED:
        stated = np.tile(q, (len(counts), 1))
        truth = float(measure.between(p[None], q[None], SCORES)[0])
        lower = chance @ leave_one_out(counts, stated, measure, SCORES, ramp=ramp)
        upper = chance @ measure.between(counts / n, stated, SCORES)
        if name in ("squared", "l2"):
            if n > 1:
                assert lower == pytest.approx(truth, abs=1e-13)
        else:
            assert lower <= truth + 1e-13
        assert upper >= truth - 1e-13


def slope(mean, q, share, answers):
    """Return ±1, smoothly between within a standard error (``share`` is of ``answers``)."""
    x = (mean - q) / np.sqrt(share * (1 - share) * answers) if 0 < share < 1 else np.inf
    return np.sign(mean - q) if abs(x) >= 1 else 1.5 * x - 0.5 * x**3


def test_total_variation_by_hand():
    """Σ_i (x_i/n) Σ_l s_l (1{l = i} - q_l)/2, s_l as the share without one answer i exceeds q_l."""
    rng = np.random.default_rng(3)
    counts = rng.multinomial(9, [0.4, 0.3, 0.2, 0.1], size=40).astype(float)
    q = rng.dirichlet(np.ones(4), 40)
    expected = []
    for x, stated in zip(counts, q, strict=True):
        total = 0.0
        for i in np.flatnonzero(x):
            others = (x - np.eye(4)[i]) / 8
            said = (np.arange(4) == i) - stated
            slopes = [
                slope(others[option], stated[option], stated[option], 9 / 8**2)
                for option in range(4)
            ]
            total += x[i] / 9 * (slopes @ said) / 2
        expected.append(total)
    found = leave_one_out(counts, q, DISCREPANCIES["tv"], None)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    assert (found < 0).any()


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 5), (6, 3)])
@pytest.mark.parametrize("p", PEOPLE, ids=str)
def test_what_draws_come_from_lies_between_the_expectations(name, n, k, p):
    measure = DISCREPANCIES[name]
    people, draws = outcomes_of(n, 3), outcomes_of(k, 3)
    i, j = (each.ravel() for each in np.indices((len(people), len(draws))))
    for q in STATED:
        chance = multinomial.pmf(people, n, p)[i] * multinomial.pmf(draws, k, q)[j]
        truth = float(measure.between(p[None], q[None], SCORES)[0])
        given = people[i], draws[j] / k, measure, SCORES, np.full(len(i), float(k))
        lower = chance @ leave_one_out(*given)
        upper = chance @ measure.between(people[i] / n, draws[j] / k, SCORES)
        if name in ("squared", "l2"):
            if min(n, k) > 1:
                assert lower == pytest.approx(truth, abs=1e-13)
        else:
            assert lower <= truth + 1e-13
        assert upper >= truth - 1e-13


def test_each_person_and_draw_is_left_out_by_hand():
    rng = np.random.default_rng(5)
    x, y = rng.multinomial(7, [0.5, 0.3, 0.2]), rng.multinomial(5, [0.2, 0.3, 0.5])
    people, draws = np.repeat(np.eye(3), x, axis=0), np.repeat(np.eye(3), y, axis=0)
    values = []
    for r, s in product(range(7), range(5)):
        mean, other = np.delete(people, r, 0).mean(0), np.delete(draws, s, 0).mean(0)
        slopes = [slope(mean[i], other[i], other[i], 1 / 7 + 1 / 5) for i in range(3)]
        values.append(slopes @ (people[r] - draws[s]) / 2)
    found = leave_one_out(
        x[None].astype(float), y[None] / 5, DISCREPANCIES["tv"], None, np.array([5.0])
    )
    assert found[0] == pytest.approx(np.mean(values), abs=1e-14)


@pytest.mark.parametrize("name", ["kl", "chi2"])
def test_draws_are_refused_where_they_bound_nothing(name):
    counts, q = np.array([[3.0, 2.0]]), np.array([[0.5, 0.5]])
    with pytest.raises(ValueError, match=f"{name} of draws does not bound"):
        leave_one_out(counts, q, DISCREPANCIES[name], None, np.array([4.0]))


@pytest.mark.parametrize("name", CONVEX)
def test_what_an_answer_says_is_a_minorant(name):
    """At every option: an affine function below the discrepancy is so at the corners of p."""
    rng = np.random.default_rng(7)
    measure = DISCREPANCIES[name]
    counts = rng.multinomial(6, [0.3, 0.3, 0.4], size=50).astype(float)
    q = rng.dirichlet(np.ones(3), 50)
    found = measure.minorants(counts, q, SCORES)
    for option in range(3):
        corner = np.tile(np.eye(3)[option], (50, 1))
        chosen = counts[:, option] > 0
        assert (found[:, option] <= measure.between(corner, q, SCORES) + 1e-12)[chosen].all()


ENDS = np.array([0.0, 1.0])
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
    people = outcomes_of(9, 3)[:: 55 // 12]
    people = people[(people > 0).sum(1) > 1]
    q = np.tile([0.3, 0.3, 0.4], (len(people), 1))
    found = discrepancy_bounds(Responses(people, scores=SCORES), q, discrepancy=name).lower_se
    every = outcomes_of(9, 3)
    values = discrepancy_bounds(
        Responses(every, scores=SCORES), np.tile(q[:1], (len(every), 1)), discrepancy=name
    ).smooth_lower
    expected = []
    for row in people:
        chance = multinomial.pmf(every, 9, row / 9)
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


LINEAR = np.linspace(-1.0, 1.0, 4)
TIED = [LINEAR, np.arange(4) / 7, np.arange(3) / 3, 0.1 * np.arange(3), np.array([0.0, 0.1, 1.0])]
ROUNDING = 1e-12


def simulators(d):
    """Return shares that people's can equal, (3, d): equal ones, thirds or sevenths, and tenths."""
    parts = np.arange(1.0, d + 1.0)
    return np.stack(
        [np.full(d, 1 / d), parts / parts.sum(), [0.1, 0.2, *[0.7 / (d - 2)] * (d - 2)]]
    )


def excess(counts, chance, q, measure, scores, draws=None, ramp=RAMP):
    """Return by how much E Λ exceeds the true 0 of a simulator that is right."""
    with np.errstate(all="ignore"):
        found = leave_one_out(counts, q, measure, scores, draws, ramp)
    return (chance * np.where(chance > 0.0, found, 0.0)).sum()


@pytest.mark.sampled
@pytest.mark.parametrize("ramp", [0.0, RAMP])
@pytest.mark.parametrize("name", CONVEX)
def test_a_tie_does_not_lift_the_lower_bound_of_a_simulator_that_is_right(name, ramp):
    for scores, n in product(TIED, (2, 3, 5, 11)):
        counts = outcomes_of(n, len(scores))
        for p in (*simulators(len(scores)), np.eye(len(scores))[1]):
            chance = multinomial.pmf(counts, n, p)
            q = np.tile(p, (len(counts), 1))
            found = excess(counts, chance, q, DISCREPANCIES[name], scores, ramp=ramp)
            assert found <= ROUNDING, (scores, n, p)


@pytest.mark.sampled
@pytest.mark.parametrize("ramp", [0.0, RAMP])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_tie_with_other_draws_does_not_lift_the_lower_bound(name, ramp):
    for scores, (n, k) in product(TIED[2:], ((2, 2), (3, 3), (4, 2), (5, 4))):
        people, draws = outcomes_of(n, 3), outcomes_of(k, 3)
        i, j = (each.ravel() for each in np.indices((len(people), len(draws))))
        many = np.full(len(i), float(k))
        for p in simulators(3):
            chance = multinomial.pmf(people[i], n, p) * multinomial.pmf(draws[j], k, p)
            of = people[i], chance, draws[j] / k, DISCREPANCIES[name], scores, many
            assert excess(*of, ramp=ramp) <= ROUNDING, (scores, n, k, p)


def test_numbers_that_nobody_gave_and_other_rows_change_no_bound():
    generator, scores = np.random.default_rng(5), np.linspace(0.0, 9.0, 400)
    counts, drawn = (generator.multinomial(30, [1 / 400] * 400, 3).astype(float) for _ in range(2))
    measure = DISCREPANCIES["absolute"]
    together = measure.leave_one_out(counts, drawn, scores)
    for row, bound in enumerate(together):
        some = (counts[row] + drawn[row] > 0) | np.isin(scores, [0.0, 9.0])
        alone = measure.leave_one_out(counts[[row]][:, some], drawn[[row]][:, some], scores[some])
        assert alone == pytest.approx(bound, rel=1e-12)


def test_large_scores_do_not_hide_or_make_ties():
    """Moving all scores by a million changes nothing: neither at ties nor beside them."""
    counts, q = outcomes_of(7, 3), np.tile([2 / 7, 3 / 7, 2 / 7], (36, 1))
    for name in ("absolute", "w1"):
        near, far = (
            leave_one_out(counts, q, DISCREPANCIES[name], np.arange(3.0) + start, ramp=0.0)
            for start in (0.0, 1e6)
        )
        np.testing.assert_allclose(far, near, atol=1e-9)


@pytest.mark.parametrize("scores", [0.1 * np.arange(3), np.arange(3) / 3])
def test_a_tie_at_the_threshold_does_not_lift_a_tail(scores):
    """Everybody of the simulator gives one answer: no ramp softens where the tail begins."""
    for name, n in product(("absolute", "tv", "w1", "mmd_gaussian"), (2, 3, 4)):
        counts, measure = outcomes_of(n, 3), DISCREPANCIES[name]
        q, p = np.tile(np.eye(3)[1], (len(counts), 1)), np.full((1, 3), 1 / 3)
        truth, chance = measure.between(p, q[:1], scores)[0], multinomial.pmf(counts, n, p[0])
        [scale] = scales(Responses(counts, scores=scores), Simulator(q), name)
        excess_of = _Excess.of(scale)
        for s in np.unique(measure.between(counts / n, q, scores)):
            assert chance @ excess_of.lower(s, counts) <= max(truth - s, 0.0) + ROUNDING


P, Q, OTHER = np.array([[0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.5, 0.25, 0.25]])


def held(bounds, studies, truth, **how):
    """Return the share of studies whose interval holds, given all studies' scenarios in a row."""
    split = np.stack(bounds).reshape(len(bounds), studies, -1)
    found = [mean_interval(DiscrepancyBounds(*split[:, study]), **how) for study in range(studies)]
    return np.mean([each.ci_lower - 1e-12 <= truth <= each.ci_upper + 1e-12 for each in found])


def enough(share, studies):
    """Tell whether a share of studies is not below 93 % by more than three standard errors."""
    return share >= 0.93 - 3.0 * np.sqrt(0.93 * 0.07 / studies)


@pytest.mark.sampled
@pytest.mark.parametrize("m", [1, 10])
@pytest.mark.parametrize("n", [200, 1000])
def test_a_kink_of_one_coordinate_is_seen_where_the_other_is_beyond_both(n, m):
    """W1 of gaps .01 and .99: the simulators differ most in the small one. The truth is 0."""
    p, apart, scores = np.array([0.2, 0.2, 0.6]), np.array([0.05, -0.04, -0.01]), [0.0, 0.01, 1.0]
    counts = np.random.default_rng(1).multinomial(n, p, 200).repeat(m, axis=0)
    both = ([p + side * apart] * len(counts) for side in (1, -1))
    bounds = difference_bounds(Responses(counts, scores=scores), *both, discrepancy="w1")
    assert enough(held(bounds, 200, 0.0, respondents=np.zeros(m)), 200)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["tv", "w1", "mmd_gaussian", "mmd_laplace"])
def test_a_difference_of_one_scenario_holds_where_one_simulator_is_right(name):
    """Five options, some rare: p lies at the kinks of all coordinates at once."""
    rng, scores = np.random.default_rng(2), np.array([0.0, 0.01, 0.1, 0.5, 1.0])
    for p in ([0.3, 0.25, 0.2, 0.15, 0.1], [0.93, 0.03, 0.02, 0.015, 0.005]):
        p = np.array(p)
        other = p * np.exp([0.3, -0.5, 0.6, -0.4, 0.5])
        other /= other.sum()
        truth = -float(DISCREPANCIES[name].between(p[None], other[None], scores)[0])
        counts = rng.multinomial(100, p, 200)
        people = Responses(counts, scores=scores)
        bounds = difference_bounds(people, [p] * 200, [other] * 200, discrepancy=name)
        assert enough(held(bounds, 200, truth), 200)


@pytest.mark.parametrize("name", ["squared", "l2", "kl"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_linear_difference_is_right_on_average_and_has_no_gap(name, n):
    counts = outcomes_of(n, 3)
    rows = np.ones((len(counts), 1))
    found = difference_bounds(
        Responses(counts, scores=SCORES), rows * Q, rows * OTHER, discrepancy=name
    )
    far, near = (DISCREPANCIES[name].between(P[None], each[None], SCORES) for each in (Q, OTHER))
    for bound in (found.lower, found.upper, found.smooth_lower, found.smooth_upper):
        assert multinomial.pmf(counts, n, P) @ bound == pytest.approx((far - near)[0], abs=1e-13)
    np.testing.assert_array_equal(found.lower, found.upper)


@pytest.mark.parametrize("name", ["squared", "l2"])
def test_a_linear_difference_of_draws_is_right_about_the_models_on_average(name):
    people, draws = outcomes_of(2, 3), outcomes_of(3, 3)
    i, j, k = (each.ravel() for each in np.indices((len(people), len(draws), len(draws))))
    chance = multinomial.pmf(people[i], 2, P)
    for each, model in ((draws[j], Q), (draws[k], OTHER)):
        chance = chance * multinomial.pmf(each, 3, model)
    both = (Simulator(draws[each] / 3, draws=3) for each in (j, k))
    found = difference_bounds(Responses(people[i], scores=SCORES), *both, discrepancy=name)
    far, near = (DISCREPANCIES[name].between(P[None], each[None], SCORES) for each in (Q, OTHER))
    assert chance @ found.lower == pytest.approx((far - near)[0], abs=1e-13)
    np.testing.assert_array_equal(found.lower, found.upper)


@pytest.mark.parametrize("name", ["squared", "l2", "kl"])
def test_the_error_of_a_linear_difference_is_that_of_a_mean(name):
    """One number for each option: its standard deviation over answers, over the root of n - 1."""
    counts, scores = np.array([[50.0, 30.0, 40.0]]), SCORES
    found = mean_difference(Responses(counts, scores=scores), [Q], [OTHER], discrepancy=name)
    value = {
        "squared": 2.0 * (OTHER - Q) @ scores * scores,
        "l2": 2.0 * (OTHER - Q),
        "kl": np.log(OTHER / Q),
    }[name]
    each = np.repeat(value, counts[0].astype(int))
    half = norm.ppf(0.975) * each.std() * np.sqrt(120) / 119
    assert found.ci_upper - found.upper == pytest.approx(half, rel=1e-9)
    assert found.lower - found.ci_lower == pytest.approx(half, rel=1e-9)


@pytest.mark.sampled
@pytest.mark.parametrize("rare", [0.02, 0.06])
@pytest.mark.parametrize("name", ["squared", "l2", "kl", "chi2"])
def test_a_difference_holds_where_few_are_expected_to_choose_an_option(name, rare):
    """One scenario of 30 people: in half of the samples nobody chose it. Sums over all samples."""
    p, q, other = ([1 - share, share] for share in (rare, 2 * rare, rare / 3))
    x = np.arange(31)
    far, near = (
        DISCREPANCIES[name].between(np.array([p]), np.array([each]), np.array([0.0, 1.0]))[0]
        for each in (q, other)
    )
    found = [mean_difference([[30 - each, each]], [q], [other], discrepancy=name) for each in x]
    holds = [each.ci_lower <= far - near <= each.ci_upper for each in found]
    assert binom.pmf(x, 30, rare) @ holds >= 0.93


@pytest.mark.sampled
@pytest.mark.parametrize("name", CONVEX)
def test_no_interval_of_a_difference_reaches_beyond_what_is_possible(name):
    """Limits by brute force: the difference at many p, and at both simulators."""
    rng = np.random.default_rng(4)
    measure = DISCREPANCIES[name]
    q, other = rng.dirichlet(np.ones(3), (2, 3))
    grid = np.vstack([outcomes_of(40, 3) / 40, q, other])
    low, high = 0.0, 0.0
    for one, two in zip(q, other, strict=True):
        differences = measure.between(grid, one, SCORES) - measure.between(grid, two, SCORES)
        low, high = low + differences.min() / 3, high + differences.max() / 3
    for counts in ([[1, 1, 2]] * 3, [[4, 0, 0]] * 3, [[0, 0, 4]] * 3):
        found = mean_difference(Responses(counts, scores=SCORES), q, other, discrepancy=name)
        if name in (*DISTANCES, "squared", "l2", "kl"):
            assert low - 1e-12 <= found.ci_lower <= found.ci_upper <= high + 1e-12
        bounds = difference_bounds(Responses(counts, scores=SCORES), q, other, discrepancy=name)
        assert bounds.lowest.mean() <= low + 1e-12
        assert bounds.highest.mean() >= high - 1e-12


@pytest.mark.parametrize("name", ["tv", "l2"])
def test_two_people_or_draws_tell_no_error_of_a_difference(name):
    for n, k in ((2, 50), (50, 2)):
        found = difference_bounds(
            [[n - 1, 1]],
            Simulator([[0.5, 0.5]], draws=k),
            Simulator([[0.0, 1.0]], draws=k),
            discrepancy=name,
        )
        errors = (found.lower_se, found.upper_se) if n == 2 else (found.lower_draws_se,)
        assert np.isnan(errors).all()
        assert np.isfinite(found.lower_se).all() == (n > 2)


@pytest.mark.parametrize("name", ["hellinger", "js"])
def test_a_squared_metric_differs_by_twice_the_root_of_how_far_and_how_far_at_most(name):
    measure, generator = DISCREPANCIES[name], np.random.default_rng(3)
    p, q = generator.dirichlet(np.full(3, 0.3), (2, 500))
    near = 0.99 * q + 0.01 / 3
    lower, upper = measure.difference_range(q, near, None)
    at_most = measure.between(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), None)
    bound = np.minimum(2 * np.sqrt(measure.between(q, near, None) * at_most), at_most)
    assert upper == pytest.approx(bound) and lower == pytest.approx(-bound)
    assert (abs(measure.between(p, q, None) - measure.between(p, near, None)) <= upper).all()


def test_a_question_s_difference_by_steps_holds_that_of_all_signs_that_are_open():
    # people of whom both simulators are three standard errors away, on either side
    p, scores, tilt = (
        np.array([8, 6, 3, 2, 1]) / 20,
        np.linspace(-1, 1, 5),
        np.array([2, 1, 0, -1, -2]),
    )
    one, other = (p + sign * tilt * 3 / np.sqrt(1000) / 8 for sign in (1, -1))
    steps = np.tril(np.ones((5, 5)))[:4] / 2
    for counts in np.random.default_rng(0).multinomial(1000, p, 8):
        found = mean_difference(
            Responses([counts], scores=scores), one[None], other[None], discrepancy="w1"
        )
        share = counts / 1000
        se = np.sqrt((steps**2 @ share - (steps @ share) ** 2) / 999)
        open_ = [
            [sign for sign in (1, -1) if abs(z) < norm.isf(0.0005) or sign == np.sign(z)]
            for q in (one, other)
            for z in steps @ (share - q) / se
        ]
        least, most = found.ci_upper, found.ci_lower
        for signs in product(*open_):
            s, t = np.reshape(signs, (2, 4))
            if (s > t).any():  # above the first and below the other, which is lower
                continue
            f = (s - t) @ steps
            value = f @ share - s @ steps @ one + t @ steps @ other
            reach = norm.isf(0.025) * np.sqrt((f**2 @ share - (f @ share) ** 2) / 999)
            least, most = min(least, value - reach), max(most, value + reach)
        furthest = np.abs(steps @ (one - other)).sum()
        assert found.ci_lower <= max(least, -furthest) + 1e-9
        assert found.ci_upper >= min(most, furthest) - 1e-9


def test_a_step_that_nobody_crosses_leaves_the_difference_by_steps_defined():
    # nobody is beyond the third option, on any side: a distance of 0 without an error
    people = Responses([[30, 50, 20, 0, 0]], scores=np.linspace(-1, 1, 5))
    one, other = np.array([[0.2, 0.5, 0.3, 0, 0]]), np.array([[0.4, 0.5, 0.1, 0, 0]])
    found = mean_difference(people, one, other, discrepancy="w1")
    assert found.ci_lower < 0 < found.ci_upper


SUMS = ["absolute", "tv", "w1"]
MMD = [name for name in DISCREPANCIES if DISCREPANCIES[name].on == "kernel"]


def cvar(values, alpha):
    """Return the mean of the largest values that are a share alpha of all, brute force over s."""
    values = np.asarray(values)
    return min(s + np.maximum(values - s, 0.0).mean() / alpha for s in values)


@pytest.mark.parametrize("name", CONVEX)
def test_the_upper_bound_is_that_of_the_plugins(name):
    rng = np.random.default_rng(4)
    measure, alpha, n = DISCREPANCIES[name], 0.25, 6
    q = rng.dirichlet(np.full(3, 5.0), 12)
    counts = rng.multinomial(n, [0.3, 0.3, 0.4], size=12)
    found = tail_discrepancy(Responses(counts, scores=SCORES), q, discrepancy=name, alpha=alpha)
    plugin = measure.between(counts / n, q, SCORES)
    assert found.upper == pytest.approx(cvar(plugin, alpha), abs=1e-12)

    assert not found.lower > found.upper


def points_of(name):
    """Return points whose variance is that of one answer, (d, c)."""
    if name in SUMS:
        return DISCREPANCIES[name].coordinates(3, SCORES).T
    return kernels.points_of(name)


@pytest.mark.parametrize("name", SUMS + MMD)
def test_the_lower_bound_by_hand(name):
    rng = np.random.default_rng(4)
    measure, alpha, n = DISCREPANCIES[name], 0.25, 6
    q = rng.dirichlet(np.full(3, 5.0), 12)
    counts = rng.multinomial(n, [0.3, 0.3, 0.4], size=12)
    said = measure.minorants(counts.astype(float), q, SCORES)
    points = points_of(name)

    top = measure.between(counts / n, q, SCORES).max()
    s = np.linspace(0.0, top, 2001)
    total = 0.0
    for j, x in enumerate(counts):
        variance = q[j] @ ((points - q[j] @ points) ** 2).sum(1)
        for i in np.flatnonzero(x):
            left = (x - np.eye(3)[i])[None] / (n - 1)
            far = (measure.between(left, q[[j]], SCORES)[0] - s) / np.sqrt(variance / n)
            far = np.clip(far, -1.0, 1.0)
            total += x[i] * (0.5 + 0.75 * far - 0.25 * far**3) * (said[j, i] - s) / n
    bound = s + total / (12 * alpha)

    found = tail_discrepancy(Responses(counts, scores=SCORES), q, discrepancy=name, alpha=alpha)
    assert found.lower == pytest.approx(bound.min(), abs=1e-5)


@pytest.mark.parametrize("name", sorted(set(CONVEX) - {*SUMS, *MMD}))
def test_others_have_no_lower_bound(name):
    counts, q = [[3, 4, 5], [6, 4, 2]], [[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]]
    found = tail_discrepancy(Responses(counts, scores=SCORES), q, discrepancy=name, alpha=0.5)
    assert np.isnan([found.lower, found.ci_lower]).all()
    assert found.ci_upper > found.upper > 0.0


def test_the_whole_is_the_mean():
    rng = np.random.default_rng(9)
    q = rng.dirichlet(np.ones(4), 30)
    counts = rng.multinomial(40, [0.1, 0.2, 0.3, 0.4], size=30)
    tail = tail_discrepancy(counts, q, discrepancy="tv", alpha=1.0)
    mean = mean_discrepancy(counts, q, discrepancy="tv")
    assert tail.upper == pytest.approx(mean.upper)
    assert tail.ci_upper == pytest.approx(mean.ci_upper, rel=0.01)
    assert tail.lower <= mean.lower + 1e-12


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_people_give_no_interval(n):
    found = tail_discrepancy([[n, 0]] * 5, [[0.4, 0.6]] * 5, discrepancy="tv", alpha=0.1)
    assert np.isnan([found.ci_lower, found.ci_upper]).all()
    assert found.upper == pytest.approx(0.6)
