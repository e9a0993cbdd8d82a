"""Distances of samples of points: by other software, by loops, by enumeration."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind, wasserstein_distance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from fidelity.vectors import (
    Samples,
    bandwidths,
    directions,
    distance_limits,
    mean_distance,
    mean_share,
    median_distance,
    sample_distances,
    split_test,
    squared_distances,
    telling_features,
)
from fidelity.vectors.telling import _scores, _with_squares
from fidelity_audit.vectors import (
    Cell,
    bandwidth_of,
    coverage,
    curve_coverage,
    limit_coverage,
    populations,
    telling_coverage,
    truths,
)


def points_of_sides(n=60, k=40, shift=0.8, dimensions=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, dimensions)), rng.normal(size=(k, dimensions)) + shift, rng


def sides(n=30, k=20, dimensions=3):
    x, y, _ = points_of_sides(n, k, 0.5, dimensions)
    x[1], y[0], y[1] = x[0], x[2], x[2]  # answers repeat
    return x, y


def off_diagonal(kernel):
    return kernel[~np.eye(len(kernel), dtype=bool)].mean()


@pytest.mark.parametrize("dimensions", [1, 2, 50])
def test_kernel_distances_by_scikit_learn(dimensions):
    x, y = sides(dimensions=dimensions)
    of = {
        "mmd": lambda a, b: rbf_kernel(a, b, gamma=1 / (2 * 1.7**2)),
        "energy": lambda a, b: -np.array([[np.linalg.norm(p - q) for q in b] for p in a]),
    }
    for measure, kernel in of.items():
        own, cross, other = kernel(x, x), kernel(x, y).mean(), kernel(y, y)
        for estimand, draws in (("model", off_diagonal(other)), ("answers", other.mean())):
            found = sample_distances(Samples(x, y, 1.7), measures=[measure], estimand=estimand)[
                measure
            ]
            true = off_diagonal(own) - 2 * cross + draws
            assert found.lower == found.upper == pytest.approx(true, abs=1e-9)


def test_squared_distances_of_near_points_keep_their_digits():
    x = np.array([[1e3, 1.0], [1e3 + 1e-7, 1.0], [-5.0, 2.0]])
    true = ((x[:, None] - x) ** 2).sum(2)
    assert squared_distances(x, x) == pytest.approx(true, rel=1e-10, abs=0)
    assert (np.diag(squared_distances(x, x)) == 0).all()
    y = sides(dimensions=40)[0]
    assert np.sqrt(squared_distances(y, y)) == pytest.approx(euclidean_distances(y), abs=1e-7)


@pytest.mark.parametrize("estimand", ["model", "answers"])
def test_sliced_bounds_by_loops(estimand):
    x, y = sides(n=6, k=5)
    line = directions(3)
    plug_in = np.mean([wasserstein_distance(x @ u, y @ u) for u in line])
    total = 0.0
    left_out = range(len(y)) if estimand == "model" else [None]
    for u, i, left in product(line, range(len(x)), left_out):
        a, b = x @ u, y @ u
        others = np.delete(a, i)
        draws = b if left is None else np.delete(b, left)
        at = np.sort(np.concatenate([a, b]))
        middle = (at[1:] + at[:-1]) / 2
        f, g = (np.array([(part <= t).mean() for t in middle]) for part in (others, draws))
        sign = np.where(np.abs(f - g) < 1e-9, 0, np.sign(f - g))
        there = np.array([(b <= t).mean() for t in middle]) if left is None else b[left] <= middle
        total += np.diff(at) @ (sign * ((a[i] <= middle) * 1.0 - there))
    found = sample_distances(Samples(x, y), measures=["sliced_w1"], estimand=estimand)["sliced_w1"]
    assert found.upper == pytest.approx(plug_in, abs=1e-9)
    assert found.lower == pytest.approx(total / (len(line) * len(x) * len(left_out)), abs=1e-9)


@pytest.mark.parametrize("estimand", ["model", "answers"])
@pytest.mark.parametrize("measure", ["mmd", "energy", "sliced_w1"])
def test_effects_are_those_of_leaving_out(measure, estimand):
    x, y = sides(n=7, k=6)

    def bounds(a, b):
        found = sample_distances(Samples(a, b, 1.2), measures=[measure], estimand=estimand)
        return np.array(found[measure][:2])

    found = sample_distances(Samples(x, y, 1.2), measures=[measure], estimand=estimand)[measure]
    people = np.array([bounds(np.delete(x, i, 0), y) for i in range(7)])
    true = np.sqrt(6 / 7) * (people - people.mean(0))
    assert found.of_people == pytest.approx(true, abs=1e-9)
    if estimand == "model":
        draws = np.array([bounds(x, np.delete(y, i, 0)) for i in range(6)])
        assert found.of_draws == pytest.approx(np.sqrt(5 / 6) * (draws - draws.mean(0)), abs=1e-9)
    else:
        assert not found.of_draws.any()


def test_two_points_have_known_bounds_in_expectation():
    # P = Q = two points with probability ½ each: E(lower) ≤ 0 ≤ E(upper), by enumeration.
    points = np.array([[0.0], [1.0]])
    every = []
    for people, draws in product(product([0, 1], repeat=3), repeat=2):
        samples = Samples(points[list(people)], points[list(draws)], 1.0)
        every.append([d[:2] for d in sample_distances(samples).values()])
    mmd, energy, sliced = np.mean(every, axis=0)
    assert [*mmd, *energy] == pytest.approx([0, 0, 0, 0], abs=1e-12)
    assert sliced[0] <= 1e-12 < sliced[1]


def test_same_persons_in_several_questions_are_left_out_at_once():
    x, y = sides(n=12, k=9)
    one = sample_distances(Samples(x, y), measures=["energy"])["energy"]
    names = [np.arange(12), np.arange(12)], [np.arange(9), np.arange(9)]
    same = mean_distance([one, one], respondents=names[0], runs=names[1])
    assert same[:4] == pytest.approx(one[:4])
    others = mean_distance([one, one])
    assert others.ci_upper - others.upper < 0.8 * (one.ci_upper - one.upper)
    with pytest.raises(ValueError, match="one label per answer"):
        mean_distance([one, one], respondents=[np.arange(12), np.arange(11)])


def test_bandwidths_are_of_other_questions():
    rng = np.random.default_rng(0)
    medians = [median_distance(np.array([[0.0], [far]]), generator=rng) for far in (1.0, 2.0, 4.0)]
    assert bandwidths(medians) == pytest.approx([3.0, 2.5, 1.5])
    assert bandwidths(medians[:1]) == pytest.approx([1.0])
    with pytest.raises(ValueError, match="half of the distances"):
        median_distance(np.array([[0.0]] * 8 + [[1.0]]), generator=rng)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"people": [[0.0, np.nan]] * 3}, "people"),
        ({"simulator": [[0.0]] * 3}, "2 dimensions"),
        ({"people": [[0.0, 1.0]] * 2}, "at least 3"),
        ({"bandwidth": 0.0}, "bandwidth"),
        ({"radius": 0.5}, "radius must be at least 1"),
    ],
)
def test_refusals(arguments, message):
    table = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
    with pytest.raises(ValueError, match=message):
        sample_distances(
            Samples(**({"people": table, "simulator": table, "bandwidth": 1.0} | arguments))
        )


def test_limits_by_their_formulas():
    x, y = sides()
    radius, gamma = 6.0, np.array([0.5, 0.9])
    deviation = np.sqrt(np.log(1 / (1 - gamma)) / (2 * len(x)))
    kernel = {
        "mmd": lambda a, b: rbf_kernel(a, b, gamma=0.5),
        "energy": lambda a, b: -euclidean_distances(a, b),
    }
    reach = {"mmd": (1.0, np.sqrt(2.0)), "energy": (np.sqrt(6.0), 2 * np.sqrt(6.0))}
    samples = Samples(x, y, 1.0, radius)
    for measure, of in kernel.items():
        root = np.sqrt(of(x, x).mean() - 2 * of(x, y).mean() + of(y, y).mean())
        lower, upper = distance_limits(samples, gamma, measure=measure)
        mean, span = reach[measure]
        assert upper == pytest.approx((root + span * deviation) ** 2, abs=1e-6)
        below = np.maximum(root - mean / np.sqrt(30) - span * deviation, 0) ** 2
        assert lower == pytest.approx(below, abs=1e-6)
    line = directions(3)
    rng = np.random.default_rng(0)
    apart = rng.normal(size=(1000, 3))
    apart *= 2 * radius / np.linalg.norm(apart, axis=1, keepdims=True)
    lower, upper = distance_limits(samples, gamma, measure="sliced_w1")
    plug_in = sample_distances(samples, measures=["sliced_w1"])["sliced_w1"].upper
    widest = np.abs(apart @ line.T).mean(1).max()
    assert (upper >= plug_in + widest * deviation).all()
    assert (lower < plug_in).all()
    with pytest.raises(ValueError, match="radius"):
        distance_limits(Samples(x, y), gamma, measure="energy")


def test_without_a_bandwidth_there_is_no_mmd():
    samples = Samples(*sides())
    assert list(sample_distances(samples)) == ["energy", "sliced_w1"]
    with pytest.raises(ValueError, match="bandwidth must be given"):
        sample_distances(samples, measures=["mmd"])
    with pytest.raises(ValueError, match="bandwidth must be given"):
        distance_limits(samples, [0.5])


def test_scores_by_scikit_learn():
    x, y, rng = points_of_sides()
    both = np.concatenate([x, y])
    scaled = (both - both.mean(0)) / both.std(0)
    model = LogisticRegression(C=1 / 3, class_weight="balanced", tol=1e-10)
    model.fit(scaled, np.repeat([1, 0], [60, 40]))
    new = rng.normal(size=(5, 3))
    expected = model.decision_function((new - both.mean(0)) / both.std(0))
    assert _scores(x, y, new) == pytest.approx(expected, abs=1e-3)


def test_split_judges_equally_many_of_both_sides_and_learns_from_others():
    x, y, _ = points_of_sides()
    masks = np.arange(60) < 25, np.arange(40) < 15
    test = split_test(x, y, tested=masks)
    assert test.judged_people.tolist() == test.judged_draws.tolist() == list(range(15))
    right = np.concatenate([test.right_people, test.right_draws])
    assert test.share == right.mean()
    scores = _scores(x[25:], y[15:], np.concatenate([x[:15], y[:15]]))
    assert (right == ((scores > 0) == (np.arange(30) < 15))).all()
    table = [[(scores[:15] > 0).sum(), (scores[:15] <= 0).sum()]]
    table.append([(scores[15:] > 0).sum(), (scores[15:] <= 0).sum()])
    assert test.p_value == pytest.approx(fisher_exact(table, "greater").pvalue)
    assert test.total_variation == pytest.approx(max(2 * test.lower - 1, 0))


def test_answers_without_difference_have_no_opinion():
    same = np.ones((8, 2))
    test = split_test(same, same, generator=np.random.default_rng(0))
    assert test.share == 0.5
    assert (test.lower, test.upper, test.total_variation) == (0.0, 1.0, 0.0)


def test_clear_difference_is_told():
    x, y, rng = points_of_sides(shift=9.0)
    test = split_test(x, y, generator=rng)
    assert test.share == test.upper == 1.0
    assert test.lower > 0.85
    together = mean_share([test, test])
    assert together.lower > 0.95


def test_mean_share_counts_persons_once():
    x, y, rng = points_of_sides(shift=0.5)
    test = split_test(x, y, generator=rng)
    labels = [np.arange(60)] * 2, [np.arange(40)] * 2
    once = mean_share([test, test], respondents=labels[0], runs=labels[1])
    apart = mean_share([test, test])
    assert once.estimate == apart.estimate == pytest.approx(test.share)
    assert once.upper - once.lower > 1.3 * (apart.upper - apart.lower)
    assert mean_share([test]) == test[:3]


def test_telling_features_by_welch():
    x, y, _ = points_of_sides()
    expected = ttest_ind(x, y, equal_var=False).statistic
    assert telling_features(x, y) == pytest.approx(expected)
    constant = telling_features([[1, 0], [1, 0]], [[0, 0], [0, 0]])
    assert constant[0] == np.inf
    assert np.isnan(constant[1])


def test_what_cannot_be_told_apart_is_refused():
    x, y, rng = points_of_sides()
    with pytest.raises(ValueError, match="at least 2 answers"):
        split_test(x[:3], y, generator=rng)
    with pytest.raises(TypeError, match="generator"):
        split_test(x, y)
    with pytest.raises(ValueError, match="at least one"):
        mean_share([])


def test_a_mean_share_is_a_share():
    rng = np.random.default_rng(0)
    tests = [split_test(*rng.normal(size=(2, 4, 2)), generator=rng) for _ in range(2)]
    tests = [
        test._replace(right_people=np.ones(2), right_draws=np.array([1.0, right]), share=share)
        for test, right, share in zip(tests, (0.0, 1.0), (0.75, 1.0), strict=True)
    ]
    share, lower, upper = mean_share(tests)
    assert 0.0 <= lower < share < upper == 1.0


def test_columns_of_rounding_errors_count_for_nothing():
    x, y, rng = points_of_sides()
    noisy = [np.column_stack([side, 1e-15 * rng.normal(size=len(side))]) for side in (x, y)]
    empty = [np.column_stack([side, np.zeros(len(side))]) for side in (x, y)]
    shares = [split_test(*both, generator=np.random.default_rng(0)) for both in (noisy, empty)]
    assert shares[0].right_people.tolist() == shares[1].right_people.tolist()
    assert shares[0].share == shares[1].share


def test_squares_tell_a_difference_of_spread_and_keep_the_size():
    rng = np.random.default_rng(3)
    wide = 3.0 * rng.normal(size=(100, 4))
    people = rng.normal(size=(100, 4))
    seed = np.random.default_rng
    assert split_test(people, wide, generator=seed(0)).lower < 0.5
    assert split_test(people, wide, generator=seed(0), squares=True).lower > 0.7
    p_values = [
        split_test(*rng.normal(size=(2, 16, 2)), generator=rng, squares=True).p_value
        for _ in range(100)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 2.3 * np.sqrt(0.05 * 0.95 / 100)


def test_squares_are_those_of_features_standardised_by_what_is_learned():
    x, y, rng = points_of_sides()
    new = rng.normal(size=(5, 3))
    both = np.concatenate([x, y])
    scaled = [(part - both.mean(0)) / both.std(0) for part in (x, y, new)]
    for part, expected in zip(_with_squares(x, y, new), scaled, strict=True):
        assert part == pytest.approx(np.column_stack([expected, expected**2]))


def test_truths_by_large_samples():
    cell = Cell(3, 10, 10, "moved", "apart")
    p, q = populations(cell)
    rng = np.random.default_rng(0)
    x, y, z, u = (side.draw(200_000, rng) for side in (p, q, p, q))
    true = truths(cell, bandwidth_of(cell))
    far = [np.linalg.norm(a - b, axis=1) for a, b in ((x, z), (x, y), (y, u))]
    assert true["energy"] == pytest.approx(
        2 * far[1].mean() - far[0].mean() - far[2].mean(), abs=0.02
    )
    kernel = [np.exp(-(d**2) / (2 * bandwidth_of(cell) ** 2)).mean() for d in far]
    assert true["mmd"] == pytest.approx(kernel[0] - 2 * kernel[1] + kernel[2], abs=0.004)


@pytest.mark.slow
@pytest.mark.parametrize("cell", [Cell(2, 20, 50, "moved"), Cell(50, 40, 20, "moved", questions=4)])
def test_intervals_hold(cell):
    for name, of in coverage(cell, 60).items():
        assert of.above + of.below <= 0.05 + 2.3 * np.sqrt(0.05 * 0.95 / 60), name
        assert of.lower <= of.true + 0.02
        assert of.upper >= of.true - 0.02


@pytest.mark.slow
def test_limits_and_curves_hold():
    for held in limit_coverage(20, 20, 2, 40).values():
        assert (held >= [[0.5], [0.9]]).all()
    for below in curve_coverage(20, 3, 20, 10).values():
        assert (below >= [0.5, 0.9]).all()


@pytest.mark.slow
def test_interval_of_the_classifier_holds():
    held, told = telling_coverage(30, 20, 2, 0.0, 40)
    assert held >= 0.95 - 2.3 * np.sqrt(0.05 * 0.95 / 40)
    assert told <= 0.05 + 2.3 * np.sqrt(0.05 * 0.95 / 40)
