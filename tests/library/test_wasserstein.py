"""W1 and its extrema over the KL ball, against cutting planes, other solvers and closed forms.

The oracle encloses the maximum of a concave piecewise linear function over the ball: linear
programs with supporting hyperplanes of the ball bound it from above, points of the ball from below.
"""

import warnings
from itertools import product

import numpy as np
import pytest
from enclosure import (
    awkward_simulators,
    enclosed_maximum,
    hostile_samples,
    maximum,
    minimum,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from parameters import quick
from scipy.stats import wasserstein_distance

from fidelity.extrema import kinked_program, kl_ball_w1
from fidelity.extrema.absolute_differences import difference_maximum
from fidelity.extrema.functionals import MOST_OPTIONS, sign_patterns
from fidelity.extrema.kl_ball import divergence
from fidelity.extrema.kl_ball_w1 import kinked_maximum, w1

w1_minimum = minimum(kl_ball_w1.w1_minimum)
w1_difference_maximum = maximum(kl_ball_w1.w1_difference_maximum)
LP_SLACK = 1e-9
# Of a distribution function and of its differences.
ROUNDING = 1e-15
SAMPLES = {
    "all counted": ([0.2, 0.5, 0.3], [-1.0, 0.1, 1.0]),
    "one option not chosen": ([0.6, 0.4, 0.0], [0.0, 1.0, 0.2]),
    "one option has all": ([0.0, 1.0, 0.0], [-1.0, 0.0, 2.0]),
    "four options": ([0.05, 0.45, 0.25, 0.25], [0.3, -1.0, 0.5, 1.0]),
    "two of four not chosen": ([0.0, 0.7, 0.0, 0.3], [-1.0, -0.5, 0.5, 1.0]),
}
RADII = (1e-4, 0.02, 0.3, 2.0, 11.0)


def levels(scores):
    """Return gaps and the functionals u -> U_k of options in any order."""
    order = np.argsort(scores)
    below = np.zeros((len(scores) - 1, len(scores)))
    for k in range(len(below)):
        below[k, order[: k + 1]] = 1.0
    return np.diff(scores[order]), below


def enclosed_w1_minimum(p, radius, q, scores):
    gaps, below = levels(scores)
    slopes, offsets = gaps[:, None] * below, gaps * (below @ q)
    low, high = enclosed_maximum(
        p, radius, [(-slopes, offsets), (slopes, -offsets)], lambda u: -w1(u, q, scores)
    )
    return -high, -low


def hostile(generator, n_samples, d, smallest_radius=-8.0):
    """Draw samples with radii from tiny to huge, and different scores."""
    radius = 10 ** generator.uniform(smallest_radius, np.log10(50), n_samples)
    drawn = hostile_samples(generator, radius, np.sqrt(np.minimum(radius, 1.0)), d)
    return *drawn, generator.permutation(np.cumsum(10 ** generator.uniform(-2, 0, d)))


def in_ball(generator, share, radius):
    """Return points of the ball, most at its edge, one per sample."""
    towards = generator.dirichlet(np.full(share.shape[1], 0.4), len(share))
    low, high = np.zeros((len(share), 1)), np.ones((len(share), 1))
    for _ in range(60):
        middle = (low + high) / 2
        outside = divergence(share, (1 - middle) * share + middle * towards) > radius
        low, high = (
            np.where(outside[:, None], low, middle),
            np.where(outside[:, None], middle, high),
        )
    return (1 - low) * share + low * towards


def test_w1_is_the_distance_of_scipy():
    generator = np.random.default_rng(1)
    for d in (2, 3, 7):
        scores = generator.normal(size=d)
        p, q = generator.dirichlet(np.full(d, 0.5), (2, 20))
        expected = [wasserstein_distance(scores, scores, a, b) for a, b in zip(p, q, strict=True)]
        np.testing.assert_allclose(w1(p, q, scores), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("scores", [[0.3, -1.0, 2.0, 0.5], [1.0, 0.0, 1.0, 3.0], [2.0, 2.0]])
def test_sign_patterns_reach_w1(scores):
    scores = np.array(scores)
    family = sign_patterns(scores)
    assert family.shape == (2 ** (len(scores) - 1), len(scores))
    np.testing.assert_array_equal(family.min(1), 0.0)
    steps = np.diff(family[:, np.argsort(scores)])
    np.testing.assert_allclose(np.abs(steps) - np.diff(np.sort(scores)), 0.0, atol=1e-15)
    p, q = np.random.default_rng(2).dirichlet(np.ones(len(scores)), (2, 50))
    np.testing.assert_allclose(((p - q) @ family.T).max(1), w1(p, q, scores), atol=1e-15)


def test_sign_patterns_are_kept_and_cannot_be_changed():
    family = sign_patterns(np.array([0.0, 1.0, 3.0]))
    assert sign_patterns(np.array([0.0, 1.0, 3.0])) is family
    with pytest.raises(ValueError, match="read-only"):
        family[0, 0] = 5.0


def test_too_many_sign_patterns_are_refused():
    assert sign_patterns(np.arange(MOST_OPTIONS)).shape == (2 ** (MOST_OPTIONS - 1), MOST_OPTIONS)
    with pytest.raises(ValueError, match="at most 12: 13"):
        sign_patterns(np.arange(MOST_OPTIONS + 1))


@pytest.mark.slow
@pytest.mark.parametrize("sample", quick(SAMPLES, only=[*SAMPLES][:2]))
def test_w1_minimum_lies_in_its_enclosure(sample):
    p, scores = map(np.array, SAMPLES[sample])
    for radius, (name, q) in product(RADII, awkward_simulators(p).items()):
        low, high = enclosed_w1_minimum(p, radius, q, scores)
        value = w1_minimum(p[None], np.array([radius]), q[None], scores)[0]
        assert low - LP_SLACK <= value <= high + LP_SLACK, (radius, name)


@pytest.mark.sampled
@pytest.mark.parametrize("d", [2, 3, 5, 8])
def test_no_point_of_the_ball_beats_the_extrema(d):
    generator = np.random.default_rng(d)
    share, radius, q1, q2, scores = hostile(generator, 300, d)
    smallest = w1_minimum(share, radius, q1, scores)
    largest = w1_difference_maximum(share, radius, q1, q2, scores)
    for _ in range(40):
        u = in_ball(generator, share, radius)
        assert (w1(u, q1, scores) >= smallest - 1e-12).all()
        assert (w1(u, q1, scores) - w1(u, q2, scores) <= largest + 1e-12).all()


@pytest.mark.sampled
@pytest.mark.parametrize("d", [2, 3, 5, 7])
def test_the_difference_is_the_largest_over_all_signs(d):
    """Signs of U - Q1 make W1(u, q1) linear; the largest of 2^(d-1) concave programs is right."""
    share, radius, q1, q2, scores = hostile(np.random.default_rng(d), 30, d)
    gaps, below = levels(scores)
    order = np.argsort(scores)
    first, second = q1 @ below.T, q2 @ below.T
    largest = np.full(len(share), -np.inf)
    for sign in map(np.array, product((-1.0, 1.0), repeat=d - 1)):
        slopes = [np.tile(gaps * (sign + side), (len(share), 1)) for side in (1.0, -1.0)]
        value, _, _ = kinked_maximum(share[:, order], radius, second, *slopes)
        largest = np.maximum(largest, value + ((second - first) * sign) @ gaps)
    found = w1_difference_maximum(share, radius, q1, q2, scores)
    np.testing.assert_allclose(found, largest, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("d", [2, 3, 6, 12])
def test_kinked_maximum_closes_the_gap_at_a_point_of_the_ball(d):
    generator = np.random.default_rng(d)
    share, radius, q, _, _ = hostile(generator, 1000, d)
    before, after = generator.exponential(size=(2, 1000, d - 1)) * generator.integers(
        0, 2, (2, 1000, d - 1)
    )
    kink = np.cumsum(q, 1)[:, :-1]
    value, bound, cdf = kinked_maximum(share, radius, kink, before, -after)
    assert (bound - value >= -1e-13).all()
    assert (bound - value <= 1e-12 * np.maximum(np.abs(value), (before + after).sum(1))).all()
    u = np.diff(cdf, axis=1, prepend=0.0, append=1.0)
    assert u.min() >= -ROUNDING
    assert (divergence(share, np.maximum(u, 0.0) + ROUNDING) <= radius + 1e-14).all()
    above = cdf - kink
    reached = (np.where(above > 0, -after, before) * above).sum(1)
    np.testing.assert_allclose(reached, value, rtol=1e-12, atol=1e-13)


def test_equal_scores_are_one_option():
    share, radius, q1, q2, _ = hostile(np.random.default_rng(12), 100, 5)
    tied = np.array([0.3, 1.0, 0.3, 0.0, 1.0])
    merge = (tied[:, None] == np.unique(tied)).astype(float)
    for extremum, simulators in ((w1_minimum, [q1]), (w1_difference_maximum, [q1, q2])):
        np.testing.assert_allclose(
            extremum(share, radius, *simulators, tied),
            extremum(share @ merge, radius, *(q @ merge for q in simulators), np.unique(tied)),
            atol=1e-13,
        )
        assert (extremum(share, radius, *simulators, np.full(5, 0.7)) == 0.0).all()


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 7), st.sampled_from([-8.0, 0.5]))
def test_hostile_samples_raise_no_warning_and_do_not_depend_on_each_other(seed, d, exponent):
    share, radius, q1, q2, scores = hostile(np.random.default_rng(seed), 4, d, exponent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        together = w1_difference_maximum(share, radius, q1, q2, scores)
        nearest = w1_minimum(share, radius, q1, scores)
    assert np.isfinite([together, nearest]).all()
    alone = w1_difference_maximum(share[:1], radius[:1], q1[:1], q2[:1], scores)
    np.testing.assert_allclose(alone, together[:1], rtol=1e-10, atol=1e-13)
    alone = w1_minimum(share[:1], radius[:1], q1[:1], scores)
    np.testing.assert_allclose(alone, nearest[:1], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("which", [1, 2])
def test_nan_in_the_interior_point_method_is_an_error_and_no_answer(monkeypatch, which):
    right = kinked_program._enclosure

    def spoilt(*given):
        found = list(right(*given))
        found[which] = np.nan * found[which]
        return found

    monkeypatch.setattr(kinked_program, "_enclosure", spoilt)
    share, radius, q1, q2, scores = hostile(np.random.default_rng(1), 5, 4)
    with pytest.raises(ArithmeticError, match="was not enclosed"):
        kl_ball_w1.w1_difference_maximum(share, radius, q1, q2, scores)


def test_nan_in_a_relaxation_is_an_error_and_no_answer():
    def relaxation(sample, kink, before, after):
        return np.full(len(sample), np.nan), kink

    ends = {"low": np.zeros((3, 2)), "high": np.ones((3, 2))}
    levels = {"first": np.full((3, 2), 0.3), "second": np.full((3, 2), 0.4)}
    with pytest.raises(ArithmeticError, match="NaN in 3 of 3"):
        difference_maximum(relaxation, **ends, **levels, weights=np.ones(2))
