"""Intervals of a cosine: against the angle's error in the plane, and coverage with few terms."""

import numpy as np
import pytest
from scipy.stats import ncx2

from fidelity import cosines
from fidelity.cosines import cosine
from fidelity.squared_lengths import squared_length


def test_small_errors_turn_the_angle_by_their_part_across():
    """Between long vectors the angle has the errors' variance across over squared lengths."""
    one, two = np.array([100.0, 0.0, 0.0, 0.0]), 50.0 * np.array([0.6, 0.8, 0.0, 0.0])
    interval = cosine(one, two, np.diag([4.0] * 4 + [1.0] * 4))
    sd = np.sqrt(4.0 / 100.0**2 + 1.0 / 50.0**2)
    angle = np.arccos(0.6)
    assert interval.estimate == pytest.approx(0.6, abs=2e-3)
    expected = np.cos([angle + 1.96 * sd, angle - 1.96 * sd])
    np.testing.assert_allclose(interval[1:], expected, atol=3e-3)


def test_errors_in_common_turn_both_vectors_alike():
    one, two = np.array([100.0, 0.0, 0.0]), np.array([60.0, 80.0, 0.0])
    block = np.eye(3)
    apart = cosine(one, two, np.block([[block, 0 * block], [0 * block, block]]))
    together = cosine(one, two, np.block([[block, block], [block, block]]))
    assert together.upper - together.lower < 0.7 * (apart.upper - apart.lower)


@pytest.mark.slow
def test_the_estimate_is_possible_and_in_its_interval_and_the_same_each_time(monkeypatch):
    monkeypatch.setattr(cosines, "DRAWS", 800)
    rng = np.random.default_rng(0)
    for size in (3, 5):
        for _ in range(30):
            one = rng.normal(size=size) * 3
            two = rng.choice([-1, 1]) * one + rng.normal(size=size)
            covariance = np.eye(2 * size)
            interval = cosine(one, two, covariance)
            if np.isnan(interval.estimate):
                assert interval[1:] == (-1.0, 1.0)
                continue
            assert -1.0 <= interval.lower <= interval.estimate <= interval.upper <= 1.0
            assert interval.lower < interval.upper
            assert cosine(one, two, covariance) == interval


def test_vectors_not_clear_of_0_have_no_cosine():
    flat = cosine(np.full(3, 0.1), np.full(3, 9.0), np.eye(6))
    assert np.isnan(flat.estimate) and flat[1:] == (-1.0, 1.0)
    stated = np.diag([0.01] * 3 + [0.0] * 3)
    assert cosine(np.full(3, 9.0), np.full(3, 0.1), stated).lower > 0.9
    assert np.isnan(cosine(np.full(3, 9.0), np.zeros(3), stated).estimate)


@pytest.mark.slow
@pytest.mark.parametrize(("terms", "true"), [(3, 0.5), (3, 0.97), (6, 0.8), (12, 0.5), (12, 0.97)])
def test_coverage_of_few_terms(monkeypatch, terms, true):
    monkeypatch.setattr(cosines, "DRAWS", 800)
    monkeypatch.setattr(cosines, "GRID", 101)
    rng = np.random.default_rng([terms, int(100 * true)])
    covariance, covered = np.eye(2 * terms), 0
    for _ in range(400):
        along, across = np.linalg.qr(rng.normal(size=(terms, 2)))[0].T
        two = 2.5 * np.sqrt(terms) * along
        one = 2.5 * np.sqrt(terms) * (true * along + np.sqrt(1.0 - true**2) * across)
        noise = rng.normal(size=(2, terms))
        interval = cosine(one + noise[0], two + noise[1], covariance)
        covered += interval.lower <= true <= interval.upper
    assert covered / 400 >= 0.93


@pytest.mark.parametrize("length", [4.0, 40.0, 5000.0])
def test_equal_errors_give_the_exact_limits(length):
    """The one probability is in each tail of noncentral χ²; of large values nearly."""
    interval = squared_length(np.array([length, 0.0, 0.0]), np.eye(3), 0.9)
    assert interval.estimate == pytest.approx(length**2 - 3.0)
    tails = ncx2.sf(length**2, 3, interval.lower), ncx2.cdf(length**2, 3, interval.upper)
    assert tails == pytest.approx((0.05, 0.05), abs=1e-4 if length > 1000.0 else 1e-9)


def test_the_interval_is_never_empty_and_holds_the_estimate_clipped_at_0():
    rng = np.random.default_rng(0)
    for size in (1, 4, 30):
        for _ in range(100):
            interval = squared_length(0.3 * rng.normal(size=size), np.eye(size) + 0.5)
            assert 0.0 <= interval.lower <= max(interval.estimate, 0.0) < interval.upper
    nothing = squared_length(np.array([0.2]), np.zeros((1, 1)))
    assert (nothing.lower, nothing.upper) == (0.0, np.inf)  # no variance was seen


def test_few_degrees_of_freedom_and_larger_noise_widen_it():
    usual = squared_length(np.ones(3), np.eye(3))
    few = squared_length(np.ones(3), np.eye(3), df=4.0)
    assert few.estimate == usual.estimate and few.upper > 1.2 * usual.upper
    safe = squared_length(np.ones(3), 2.0 * np.eye(3), noise=3.0)
    assert safe.estimate == usual.estimate and safe.upper > usual.upper


@pytest.mark.sampled
@pytest.mark.parametrize("shared", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("terms", [1, 5, 20])
@pytest.mark.parametrize("length", [0.0, 0.5, 3.0])
def test_coverage_with_errors_in_common(shared, terms, length):
    """Truth along what errors have in common, where two moments of Q alone hold in .78 to .90."""
    rng = np.random.default_rng([int(shared), terms, int(10 * length)])
    covariance = np.eye(terms) + shared
    true = np.full(terms, length * np.sqrt((1.0 + shared) / terms))
    drawn = true + rng.multivariate_normal(np.zeros(terms), covariance, 600)
    intervals = np.array([squared_length(row, covariance)[1:] for row in drawn])
    square = true @ true
    covered = ((intervals[:, 0] <= square) & (square <= intervals[:, 1])).mean()
    assert covered >= 0.93
