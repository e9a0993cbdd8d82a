"""Differences of two simulators: expectations over all samples, limits, coverage, and draws."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, multinomial, norm
from test_ties import samples

from fidelity import DISCREPANCIES
from fidelity.means import difference_bounds, mean_difference, mean_interval
from fidelity.means.average import DiscrepancyBounds
from fidelity.responses import Responses, Simulator

SCORES = np.array([-1.0, 0.0, 2.0])
P, Q, OTHER = np.array([[0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.5, 0.25, 0.25]])
CONVEX = [name for name, each in DISCREPANCIES.items() if not each.is_parameter]
DISTANCES = [name for name in CONVEX if DISCREPANCIES[name].metric_root == 1]


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
    counts = samples(n, 3)
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
    people, draws = samples(2, 3), samples(3, 3)
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
    grid = np.vstack([samples(40, 3) / 40, q, other])
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
