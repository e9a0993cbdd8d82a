"""Intervals of a squared length: against noncentral χ², and coverage near 0 by simulation."""

import numpy as np
import pytest
from scipy.stats import ncx2

from fidelity.squared_lengths import squared_length


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
