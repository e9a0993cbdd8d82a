"""Subsamples from counts."""

import numpy as np
import pytest
from scipy.stats import chi2, multinomial, multivariate_hypergeom

from fidelity import resample, subsample
from fidelity.stream import stream

COUNTS = np.array([3, 0, 2, 1])
DRAWS = 20_000


def chi_square_p_value(draws, distribution):
    """Test draws against the exact probability of every outcome that occurs."""
    outcomes, observed = np.unique(draws, axis=0, return_counts=True)
    expected = len(draws) * distribution.pmf(outcomes)
    assert expected.sum() == pytest.approx(len(draws), rel=1e-9)
    return chi2.sf(((observed - expected) ** 2 / expected).sum(), len(outcomes) - 1)


@pytest.mark.slow
def test_subsample_is_multivariate_hypergeometric():
    generator = stream("subsample")
    draws = np.array([subsample(COUNTS, 3, generator) for _ in range(DRAWS)])
    assert chi_square_p_value(draws, multivariate_hypergeom(COUNTS, 3)) > 1e-3


@pytest.mark.slow
def test_resample_is_multinomial():
    generator = stream("resample")
    draws = np.array([resample([0.6, 0.0, 0.4], 3, generator) for _ in range(DRAWS)])
    assert chi_square_p_value(draws, multinomial(3, [0.6, 0, 0.4])) > 1e-3


@pytest.mark.parametrize("size", [0, 1, 5, 6])
def test_subsample_never_takes_more_than_there_is(size):
    generator = stream("small", size)
    for _ in range(50):
        drawn = subsample(COUNTS, size, generator)
        assert drawn.sum() == size
        assert (drawn >= 0).all()
        assert (drawn <= COUNTS).all()


def test_a_full_subsample_is_everyone():
    np.testing.assert_array_equal(subsample(COUNTS, 6, stream("census")), COUNTS)


def test_weighted_shares_need_not_sum_to_one():
    generators = stream("weights"), stream("weights")
    np.testing.assert_array_equal(
        resample([0.2, 0.3, 0.5], 100, generators[0]), resample([2.0, 3, 5], 100, generators[1])
    )


def test_a_stream_fixes_the_subsample():
    first, again, other = (
        subsample(100 * COUNTS, 50, stream("a", seed)).tolist() for seed in (1, 1, 2)
    )
    assert first == again != other
