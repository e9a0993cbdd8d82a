"""The variance of scores that draws make: every outcome of few draws, and simulation."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest

from fidelity.comparison.draw_variance import disjoint_sets, variance_of_squared_distance


def outcomes(k, q):
    """Return every count of k draws, and its multinomial probability."""
    counts = [each for each in product(range(k + 1), repeat=len(q)) if sum(each) == k]
    chances = [
        factorial(k) * prod(share**n / factorial(n) for share, n in zip(q, each, strict=True))
        for each in counts
    ]
    return np.array(counts), np.array(chances)


@pytest.mark.parametrize(("k", "d"), [(4, 2), (5, 3), (7, 3), (6, 4)])
def test_the_variance_of_squared_distances_is_unbiased_over_all_outcomes(k, d):
    generator = np.random.default_rng(k)
    q, p, score = generator.dirichlet(np.ones(d)), generator.dirichlet(np.ones(d)), np.arange(d)
    counts, chance = outcomes(k, q)
    distance = score - p @ score
    for squared, gram in (
        ((counts @ distance / k) ** 2, np.outer(distance, distance)),
        (((counts / k - p) ** 2).sum(1), (np.eye(d) - p) @ (np.eye(d) - p).T),
    ):
        truth = chance @ squared**2 - (chance @ squared) ** 2
        found = variance_of_squared_distance(counts, np.broadcast_to(gram, (len(counts), d, d)))
        assert chance @ found == pytest.approx(truth, rel=1e-10)


def test_answers_that_are_all_the_same_have_no_variance_of_either_sign():
    """What is left by rounding was printed as a negative variance."""
    generator, options = np.random.default_rng(1), np.arange(5)
    for k in (4, 8, 25, 100):
        p = generator.dirichlet(np.ones(5), 50)
        distance = options - (p @ options)[:, None]
        gram = distance[:, :, None] * distance[:, None]
        counts = k * np.eye(5)[generator.integers(0, 5, 50)]
        assert (variance_of_squared_distance(counts, gram) == 0).all()


def test_sets_share_no_answers_and_are_as_large_as_the_first():
    counts, first = np.array([40, 7, 60]), np.array([9, 2, 9])
    sets = disjoint_sets(counts, first, 20, np.random.default_rng(0))
    assert sets.shape == (5, 3)
    assert (sets[0] == first).all()
    assert (sets.sum(1) == 20).all()
    assert (sets.sum(0) <= counts).all()
    assert len(disjoint_sets(counts, first, 3, np.random.default_rng(0))) == 3
    assert len(disjoint_sets(counts, counts, 9, np.random.default_rng(0))) == 1


def test_refusals():
    with pytest.raises(ValueError, match="at least 4 draws"):
        variance_of_squared_distance(np.array([[2, 1]]), np.ones((1, 2, 2)))
    with pytest.raises(ValueError, match="not among all"):
        disjoint_sets(np.array([3, 1]), np.array([1, 2]), 5, np.random.default_rng(0))
