"""Intervals of normal and Cauchy predictions against their definitions and by simulation.

Tolerance 1e-12 against numbers computed in double precision, 1e-9 against quantiles.
"""

import numpy as np
import pytest
from reference import exact
from scipy.stats import beta, binom, binomtest, cauchy, norm

from fidelity.calibration.intervals import (
    cauchy_fit,
    cauchy_half_width,
    interval_coverage,
    normal_fit,
    normal_half_width,
)

LEVELS = [0.5, 0.8, 0.9, 0.95]
DISTRIBUTIONS = {"normal": norm, "cauchy": cauchy}


GENERATOR = np.random.default_rng(200)
LOC, SCALE = GENERATOR.normal(size=200).round(6), GENERATOR.uniform(0.5, 2.0, 200).round(6)
OUTCOME = (LOC + 1.2 * SCALE * GENERATOR.normal(size=200)).round(6)


@pytest.mark.parametrize("family", DISTRIBUTIONS)
def test_coverage_width_and_score_are_their_definitions_in_30_digits(family):
    measured = interval_coverage(LOC, SCALE, OUTCOME, LEVELS, family)
    half = {"normal": normal_half_width, "cauchy": cauchy_half_width}[family]
    for i, level in enumerate(LEVELS):
        assert half(level) == pytest.approx(float(exact.half_width(level, family)), rel=1e-12)
        found = exact.interval_results(LOC, SCALE, OUTCOME, level, family)
        expected = [float(value) for value in found]
        one = [measured.coverage[i], measured.width[i], measured.score[i]]
        assert one == pytest.approx(expected, rel=1e-12)
        ends = exact.clopper_pearson(round(200 * expected[0]), 200, 0.95)
        assert [measured.lower[i], measured.upper[i]] == pytest.approx(
            [float(end) for end in ends], abs=1e-12
        )


def test_interval_of_coverage_is_exact_by_enumeration():
    """For n = 20 and every true share: the interval misses with probability at most 5 %."""
    n, loc = 20, np.zeros(20)
    bounds = []
    for inside in range(n + 1):
        outcome = np.where(np.arange(n) < inside, 0.0, 100.0)
        measured = interval_coverage(loc, np.ones(n), outcome, 0.9)
        assert measured.coverage[0] == pytest.approx(inside / n)
        exact = binomtest(inside, n).proportion_ci(0.95)
        assert (measured.lower[0], measured.upper[0]) == pytest.approx(tuple(exact), abs=1e-9)
        bounds.append((measured.lower[0], measured.upper[0]))
    lower, upper = np.array(bounds).T
    for share in np.linspace(0.01, 0.99, 99):
        misses = binom.pmf(np.arange(n + 1), n, share) @ ((lower > share) | (upper < share))
        assert misses <= 0.05 + 1e-12


def test_counts_are_repeated_rows_and_weights_their_effective_number():
    generator = np.random.default_rng(2)
    loc, scale, outcome = generator.normal(size=9), generator.random(9) + 0.2, np.zeros(9)
    counts = generator.integers(1, 9, 9)
    grouped = interval_coverage(loc, scale, outcome, LEVELS, counts=counts)
    repeated = interval_coverage(*(np.repeat(x, counts) for x in (loc, scale, outcome)), LEVELS)
    for name in ("coverage", "lower", "upper", "width", "score"):
        np.testing.assert_allclose(getattr(grouped, name), getattr(repeated, name), rtol=1e-12)
    weighted = interval_coverage(loc, scale, outcome, 0.5, weights=np.arange(1.0, 10))
    effective = 45**2 / (np.arange(1, 10) ** 2).sum()
    inside = weighted.coverage[0] * effective
    assert weighted.lower[0] == pytest.approx(beta.ppf(0.025, inside, effective - inside + 1))


def test_ends_belong_to_the_interval():
    half = normal_half_width(0.8)
    assert interval_coverage([0.0], [1.0], [half], 0.8).coverage[0] == 1
    assert interval_coverage([0.0], [1.0], [np.nextafter(half, 2)], 0.8).coverage[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [0.0], [0.0], 0.5), "scale must be .* positive"),
        (([0.0], [1.0], [np.nan], 0.5), "finite"),
        (([0.0], [1.0, 2.0], [0.0], 0.5), "scale must be a vector of 1 "),
        (([0.0], [1.0], [0.0], 1.0), "strictly between 0 and 1"),
        (([0.0], [1.0], [0.0], 0.5, "laplace"), "one of normal, cauchy"),
        (([0.0], [1.0], [0.0], 0.5, "normal", [0]), "counts must be .* positive"),
        (([0.0], [1.0], [0.0], 0.5, "normal", None, [1, 2]), "weights must be a vector of 1 "),
        (([0.0], [1.0], [0.0], 0.5, "normal", None, None, ["a"]), "clusters must be at least 2"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        interval_coverage(*arguments)


def test_fits_are_those_of_the_repeated_answers():
    values, counts = np.array([3.0, 0.0, 10.0, 4.0]), np.array([5, 2, 1, 4])
    answers = np.repeat(values, counts)
    assert normal_fit(values, counts) == pytest.approx((answers.mean(), answers.std(ddof=1)))
    low, middle, high = np.quantile(answers, [0.25, 0.5, 0.75], method="averaged_inverted_cdf")
    assert cauchy_fit(values, counts) == pytest.approx((middle, (high - low) / 2))
    assert normal_fit(np.array([2.0]), np.array([1])) == (2.0, 0.0)
    assert cauchy_fit(np.array([2.0]), np.array([9])) == (2.0, 0.0)
    reached = cauchy_fit(np.array([1.0, 2.0, 4.0, 8.0]), np.full(4, 0.1))  # weights, to rounding
    assert reached == (3.0, (6.0 - 1.5) / 2)


@pytest.mark.sampled
@pytest.mark.parametrize("alike", [0.0, 0.6, 1.0])
def test_limits_for_these_scenarios_hold_where_the_same_people_answer_all(alike):
    """As if of independent people, a fifth or more miss in the last two cases."""
    generator, scenarios, people, studies = np.random.default_rng(12), 8, 60, 300
    samples, held = np.repeat(np.arange(scenarios), people), np.zeros(2)
    for _ in range(studies):
        common = generator.normal(size=people)
        own = generator.normal(size=(scenarios, people))
        outcome = (np.sqrt(alike) * common + np.sqrt(1 - alike) * own).ravel()
        rows = {"loc": np.zeros(480), "scale": np.ones(480), "outcome": outcome, "levels": 0.8}
        for i, labels in enumerate((None, samples)):
            found = interval_coverage(**rows, samples=labels)
            held[i] += found.lower[0] <= 0.8 <= found.upper[0]
    ignored, told = held / studies
    assert told >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / studies)
    assert ignored < 0.85 or alike == 0


def test_all_of_the_same_people_inside_are_worth_those_of_one_scenario():
    samples = np.repeat(np.arange(3), [10, 20, 30])
    rows = {"loc": np.zeros(60), "scale": np.ones(60), "outcome": np.zeros(60), "levels": 0.9}
    assert interval_coverage(**rows, samples=samples).lower[0] == pytest.approx(0.025 ** (1 / 10))
    assert interval_coverage(**rows).lower[0] == pytest.approx(0.025 ** (1 / 60))
