"""Distances of samples of points: by other software, by loops, by enumeration."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import wasserstein_distance
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from fidelity.vectors import (
    Samples,
    bandwidths,
    directions,
    distance_limits,
    mean_distance,
    median_distance,
    sample_distances,
    squared_distances,
)


def sides(n=30, k=20, dimensions=3, shift=0.5, seed=0):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, dimensions)), rng.normal(size=(k, dimensions)) + shift
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
