"""Intervals of a cosine: against the angle's error in the plane, and coverage with few terms."""

import numpy as np
import pytest

from fidelity import cosines
from fidelity.cosines import cosine


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
