"""Bounds for a question nobody was asked: definitions in fractions, brute force, simulation."""

from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from parameters import quick
from reference import exact
from scipy.optimize import linprog
from scipy.stats import beta, binom, binomtest, cauchy, norm

import fidelity
from fidelity.baselines.from_wording import text_similarity
from fidelity.calibration.intervals import (
    cauchy_fit,
    cauchy_half_width,
    interval_coverage,
    normal_fit,
    normal_half_width,
)
from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.prediction import (
    allowed_miss,
    conformal_bound,
    gaussian_similarity,
    localised_bound,
    one_per_cluster,
    prediction_intervals,
    questions_needed,
    same_clusters_bound,
    wording_similarity,
)


def quantile(level, values, weights):
    """Return inf{t : F(t) ≥ level} of a discrete distribution."""
    return min(
        t
        for t in {*values, np.inf}
        if sum((w for u, w in zip(values, weights, strict=True) if u <= t), Fraction(0)) >= level
    )


def levels_of_all_values(upper, similarity, miss):
    """Return Guan's level for every value v that the new question's U may take, by definition."""
    n = len(upper) + 1
    weights = [[Fraction(int(h), int(sum(row))) for h in row] for row in similarity]
    known = sorted(set(upper))
    between = [(a + b) / 2 for a, b in pairwise(known)]
    found = {}
    for v in [known[0] - 1, *known, *between, known[-1] + 1]:
        values = [*upper, v]
        attainable = {
            sum((w for u, w in zip(values, row, strict=True) if u <= t), Fraction(0))
            for row in weights
            for t in values
        } - {0}
        for level in sorted(attainable):
            covered = sum(
                u <= quantile(level, values, row) for u, row in zip(values, weights, strict=True)
            )
            if covered >= (1 - miss) * n:
                found[v] = level
                break
    return found, weights[-1]


def brute_force(upper, similarity, miss):
    """Return the supremum of the values accepted, and the bound of one level for all values."""
    levels, new = levels_of_all_values(upper, similarity, miss)
    beyond = [*upper, np.inf]
    accepted = [v for v, level in levels.items() if v <= quantile(level, beyond, new)]
    ends = [np.inf] if max(levels) in accepted else [u for u in upper if u >= max(accepted)]
    return min(ends), quantile(max(levels.values()), beyond, new)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", quick(range(30), only=range(4)))
def test_localised_bound_is_its_definition_over_all_values(seed):
    generator = np.random.default_rng(seed)
    m = int(generator.integers(3, 8))
    upper = generator.integers(0, 30 if seed % 2 else 5, m).astype(float)  # ties where even
    similarity = generator.integers(0, 6, (m + 1, m + 1)) + 3 * np.eye(m + 1, dtype=int)
    if seed % 3:
        similarity = similarity + similarity.T
    for miss in (Fraction(1, m + 1), Fraction(1, 4), Fraction(2, 5), Fraction(2, 3)):
        if miss * (m + 1) < 1:
            continue
        expected, one_level = brute_force(upper.tolist(), similarity.tolist(), miss)
        found = localised_bound(upper, similarity, alpha=miss).bound
        assert found == expected
        assert found <= one_level


@pytest.mark.parametrize("constant", [1.0, 0.3, 7e-9])
def test_equal_similarities_give_split_conformal_exactly(constant):
    generator = np.random.default_rng(1)
    for m in (9, 20, 57, 333):
        for upper in (generator.random(m), generator.integers(0, 5, m) / 7):
            for alpha, gamma in ((0.1, 1.0), (0.2, 0.5), (0.37, 0.9), (1.0, 1.0)):
                if m < questions_needed(alpha=alpha, gamma=gamma):
                    continue
                similarity = np.full((m + 1, m + 1), constant)
                found = localised_bound(upper, similarity, alpha=alpha, gamma=gamma)
                assert found.bound == conformal_bound(upper, alpha=alpha, gamma=gamma)
                assert found.neighbours == pytest.approx(m)


@pytest.mark.parametrize(("m", "alpha", "gamma"), [(100, 0.1, 0.5), (19, 0.1, 0.5), (50, 0.14, 1)])
def test_split_conformal_is_an_order_statistic(m, alpha, gamma):
    upper = np.random.default_rng(4).permutation(m) / 10
    miss = Fraction(str(alpha)) * Fraction(str(gamma))
    expected = np.sort(upper)[ceil((m + 1) * (1 - miss)) - 1]
    assert conformal_bound(upper, alpha=alpha, gamma=gamma) == expected
    assert conformal_bound(upper, alpha=alpha, gamma=gamma, clusters=np.arange(m)) == expected
    assert conformal_bound(upper, alpha=alpha, gamma=gamma, weights=np.ones(m)) == expected


def test_bounds_of_clusters_and_of_weights_are_quantiles_in_fractions():
    generator = np.random.default_rng(5)
    for _ in range(30):
        groups = int(generator.integers(9, 20))
        sizes = generator.integers(1, 6, groups)
        clusters, upper = np.repeat(np.arange(groups), sizes), generator.random(sizes.sum())
        shares = [Fraction(1, int((groups + 1) * sizes[c])) for c in clusters]
        expected = quantile(1 - Fraction(1, 10), upper.tolist(), shares)
        assert conformal_bound(upper, alpha=0.1, clusters=clusters) == expected
        weights = generator.integers(1, 9, len(upper))
        total = int(weights.sum()) + 3
        shares = [Fraction(int(w), total) for w in weights]
        expected = quantile(1 - Fraction(1, 10), upper.tolist(), shares)
        found = conformal_bound(upper, alpha=0.1, weights=weights, new_weight=3)
        assert found == expected


def test_a_new_question_of_small_weight_needs_few_others_and_one_of_large_weight_has_no_bound():
    found = conformal_bound([1.0, 2.0, 3.0], alpha=0.1, weights=[5, 5, 5], new_weight=[1, 100])
    assert found.tolist() == [3.0, np.inf]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: conformal_bound(np.ones(18), alpha=0.1, gamma=0.5), "at least 19 questions"),
        (lambda: conformal_bound(np.ones(18), alpha=0.1, gamma=0.5), "alpha of at least 0.106"),
        (
            lambda: conformal_bound(np.ones(40), alpha=0.1, clusters=np.arange(40) // 5),
            "at least 9 clusters for alpha 0.1 and gamma 1, not of 8",
        ),
        (
            lambda: conformal_bound(
                np.ones(40), alpha=0.1, clusters=np.arange(40), weights=np.ones(40)
            ),
            "not be given together",
        ),
        (lambda: localised_bound(np.ones(8), np.ones((9, 9)), alpha=0.1), "at least 9 questions"),
        (lambda: localised_bound(np.ones(9), np.ones((9, 9)), alpha=0.1), r"\(10, 10\)"),
        (
            lambda: localised_bound(np.ones(9), 1 - np.eye(10), alpha=0.1),
            "similarity must be above 0",
        ),
        (lambda: conformal_bound(np.ones(40), alpha=0.0), "alpha must be"),
        (lambda: prediction_intervals([0.5, 0.5], 0.1, discrepancy="mmd_delta"), "one of absolute"),
        (
            lambda: prediction_intervals([0.2, 0.3, 0.5], 0.1, discrepancy="w1"),
            "w1 needs scores",
        ),
        (
            lambda: prediction_intervals([0.5, 0.5], 0.1, discrepancy="js", scores=[0, 1]),
            "scores must not be given for js",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_number_of_questions_needed_is_the_smallest():
    for alpha, gamma in ((0.1, 1.0), (0.1, 0.5), (0.14, 0.9), (0.05, 0.3)):
        needed = questions_needed(alpha=alpha, gamma=gamma)
        assert np.isfinite(conformal_bound(np.ones(needed), alpha=alpha, gamma=gamma))
        assert fidelity.marginal_rank(needed - 1, gamma, alpha) == needed


def test_similarities_are_their_definitions():
    generator = np.random.default_rng(6)
    x = np.column_stack([generator.normal(size=(12, 2)) * [1, 50], np.ones(12)])
    scaled = x[:, :2] / x[:, :2].std(0)
    apart = np.array([[np.hypot(*(a - b)) for b in scaled] for a in scaled])
    h = np.median([apart[i, j] for i in range(12) for j in range(i)])
    np.testing.assert_allclose(gaussian_similarity(x), np.exp(-0.5 * (apart / h) ** 2), rtol=1e-9)
    assert (gaussian_similarity(np.ones((4, 2))) == 1).all()
    texts = ["Should taxes rise?", "Should we ban cars?", "Should taxes on fuel rise?"]
    cosine = text_similarity(texts)
    found = wording_similarity(texts, bandwidth=0.8)
    np.testing.assert_allclose(found, np.exp(-(2 - 2 * cosine) / (2 * 0.64)), rtol=1e-9)


def test_one_per_cluster_draws_every_row_equally_often():
    generator = np.random.default_rng(7)
    clusters = np.array(["a"] * 3 + ["b"] * 2)
    drawn = np.array([one_per_cluster(clusters, generator) for _ in range(3000)])
    assert (clusters[drawn] == ["a", "b"]).all()
    np.testing.assert_allclose(np.bincount(drawn[:, 0]) / 3000, 1 / 3, atol=0.04)
    np.testing.assert_allclose(np.bincount(drawn[:, 1])[3:] / 3000, 1 / 2, atol=0.04)


STEPS = 300
GRID = np.array([[i, j, STEPS - i - j] for i in range(STEPS + 1) for j in range(STEPS + 1 - i)])
GRID = GRID / STEPS
SCORES = np.array([-1.0, 0.4, 1.0])


@pytest.mark.sampled
@pytest.mark.parametrize("discrepancy", discrepancies_with("has_option_ranges"))
@pytest.mark.parametrize("bound", [0.004, 0.05, 0.3])
def test_intervals_hold_every_distribution_of_the_set_and_no_more(discrepancy, bound):
    scores = SCORES if DISCREPANCIES[discrepancy].has_mean_range else None
    for q in ([0.2, 0.3, 0.5], [0.02, 0.9, 0.08], [0.7, 0.0, 0.3]):
        q = np.array(q)
        inside = fidelity.in_scenario_set(
            GRID, np.tile(q, (len(GRID), 1)), bound, discrepancy, scores
        )
        u = GRID[inside]
        found = prediction_intervals(q, bound, discrepancy=discrepancy, scores=scores)
        assert (u >= found.lower - 1e-9).all()
        assert (u <= found.upper + 1e-9).all()
        assert (found.lower <= q).all()
        assert (found.upper >= q).all()
        near = 0.045 if discrepancy in ("chi2", "kl", "squared", "absolute", "w1") else 0.02
        np.testing.assert_allclose(found.lower, u.min(0), atol=near)
        np.testing.assert_allclose(found.upper, u.max(0), atol=near)
        if scores is not None:
            mean = u @ scores
            assert (mean >= found.mean_lower - 1e-9).all()
            assert (mean <= found.mean_upper + 1e-9).all()
            assert mean.min() == pytest.approx(found.mean_lower, abs=near)
            assert mean.max() == pytest.approx(found.mean_upper, abs=near)


def test_intervals_of_w1_and_tv_are_those_of_linear_programs():
    generator, scores = np.random.default_rng(22), np.array([0.0, 0.5, 2.0, 3.0])
    cost = {"w1": np.abs(scores - scores[:, None]), "tv": 1.0 - np.eye(4)}
    moves = np.concatenate([np.kron(np.eye(4), np.ones(4)), [np.ones(16)]])
    for name, bound in (("w1", 0.3), ("tv", 0.15), ("w1", 1.2), ("tv", 0.5)):
        q = generator.dirichlet(np.ones(4))
        found = prediction_intervals(q, bound, discrepancy=name, scores=scores)
        ends = [*zip(np.eye(4), found.lower, found.upper, strict=True)]
        for f, low, high in [*ends, (scores, found.mean_lower, found.mean_upper)]:
            program = {"A_ub": cost[name].reshape(1, -1), "b_ub": [bound]}
            program |= {"A_eq": moves, "b_eq": np.append(q, 1.0)}
            least, most = (linprog(sign * np.tile(f, 4), **program).fun for sign in (1, -1))
            assert (least, -most) == pytest.approx((low, high), abs=1e-7)


@pytest.mark.parametrize("discrepancy", discrepancies_with("has_option_ranges"))
def test_no_bound_allows_everything_and_bound_zero_nothing_else(discrepancy):
    q = np.array([[0.2, 0.3, 0.5], [0.4, 0.6, np.nan]])
    scores = [0.0, 1.0, 2.0] if DISCREPANCIES[discrepancy].has_mean_range else None
    everything = prediction_intervals(q, np.inf, discrepancy=discrepancy, scores=scores)
    np.testing.assert_allclose(everything.lower, np.where(np.isnan(q), np.nan, 0), atol=1e-12)
    np.testing.assert_allclose(everything.upper, np.where(np.isnan(q), np.nan, 1), atol=1e-12)
    nothing = prediction_intervals(q, 0.0, discrepancy=discrepancy, scores=scores)
    if discrepancy not in ("absolute", "squared"):
        np.testing.assert_allclose(nothing.lower, q, atol=1e-9)
        np.testing.assert_allclose(nothing.upper, q, atol=1e-9)
    if scores is not None:
        np.testing.assert_allclose(everything.mean_upper, [2, 1])
        np.testing.assert_allclose(nothing.mean_lower, [1.3, 0.6])
        np.testing.assert_allclose(nothing.mean_upper, [1.3, 0.6])


@pytest.mark.parametrize("sizes", [[9], [4, 4, 4], [20, 3, 1], [1, 1, 30]])
@pytest.mark.parametrize("miss", [Fraction(1, 20), Fraction(1, 5), Fraction(1, 2)])
def test_bound_of_the_same_clusters_is_the_quantile_of_its_definition(sizes, miss):
    generator = np.random.default_rng(sum(sizes))
    m = sum(sizes)
    clusters = np.repeat([f"c{i}" for i in range(len(sizes))], sizes)
    upper = generator.integers(0, 12, m) / 10.0
    weights = [Fraction(n, m) / (n + 1) for n in sizes for _ in range(n)]
    values = [*upper, *[np.inf] * len(sizes)]
    weights += [Fraction(n, m) / (n + 1) for n in sizes]
    expected = quantile(1 - miss, values, weights)
    order = generator.permutation(m)
    found = same_clusters_bound(upper[order], clusters[order], alpha=miss)
    assert found == expected
    assert same_clusters_bound(upper, clusters, alpha=2 * miss, gamma=0.5) == expected


def test_what_remains_of_alpha_is_exact():
    assert allowed_miss(alpha=0.1, gamma=0.95) == Fraction(95, 1000)
    assert allowed_miss(alpha=0.1, gamma=0.95, same_people=True) == Fraction(1, 20)
    assert allowed_miss(alpha=0.1, gamma=0.9, same_people=True) == 0


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
def test_mistakes_of_intervals_are_named(arguments, message):
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
