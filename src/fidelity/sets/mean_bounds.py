"""Bounds for the mean and the variance of bounded outcomes, from a sample's moments alone.

γ is the coverage of a bound and δ = 1 - γ. All statements are for independent outcomes with one
distribution on [a, b]. They hold at every sample size and need no other assumption. Survey weights
give fractional effective sizes, which are taken as they are; coverage is then approximate.
"""

import numpy as np

from fidelity.arrays import Ends, FloatArray, Floats


def moments(values: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return size, mean and variance (divisor n - 1) of each sample, each (N,).

    The variance is NaN where n ≤ 1; the bounds below give the whole range there.

    Args:
        values: distinct values, (V,) or one row for each sample, (N, V).
        counts: how often each was seen in each sample, (N, V); fractional ones must add up to
            the effective size.
    """
    n = counts.sum(1)
    mean = (values * counts).sum(1) / n
    squares = (counts * (values - mean[:, None]) ** 2).sum(1)
    return n, mean, np.divide(squares, n - 1.0, out=np.full(n.shape, np.nan), where=n > 1.0)


def hoeffding_radius(n: Floats, gamma: Floats, span: Floats) -> FloatArray:
    """Return r = (b-a)·sqrt(log(2/δ)/(2n)): |mean - μ| is at most r with probability ≥ γ.

    Hoeffding 1963, Theorem 2, for each of the two sides at δ/2.

    Args:
        n: sample sizes, positive; arrays broadcast.
        gamma: coverage in (0, 1) of both sides together.
        span: b - a, in the unit of the outcomes.
    """
    return span * np.sqrt(_log_2_over_delta(gamma) / (2.0 * n))


def empirical_bernstein_radius(
    variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats
) -> FloatArray:
    """Return r: |mean - μ| is at most r with probability ≥ γ, δ/2 on each side.

    r = sqrt(2s²·log(4/δ)/n) + 7(b-a)·log(4/δ)/(3(n-1)), with s² the sample's variance (Maurer &
    Pontil 2009, Theorem 4). A 2 in log(4/δ) pays for the two sides, another for not knowing the
    true variance. +inf where n ≤ 1.

    Args:
        variance: sample variances (divisor n - 1), not read where n ≤ 1; arrays broadcast.
        n: sample sizes, positive.
        gamma: coverage in (0, 1) of both sides together.
        span: b - a, in the unit of the outcomes.
    """
    several = n > 1.0
    log_term = np.log(2.0) + _log_2_over_delta(gamma)
    spread = np.sqrt(2.0 * np.where(several, variance, 0.0) * log_term / n)
    range_term = 7.0 * span * log_term / (3.0 * np.where(several, n - 1.0, 1.0))
    return np.where(several, spread + range_term, np.inf)


def variance_bounds(variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats) -> Ends:
    """Return bounds of the true variance that hold together with probability ≥ γ.

    |σ - s| ≤ (b-a)·sqrt(2·log(2/δ)/(n-1)), δ/2 on each side, with s² as there (Maurer & Pontil
    2009, Theorem 10). At most (b-a)²/4, which no variance on [a, b] exceeds; (0, that) for n ≤ 1.

    Args: as :func:`empirical_bernstein_radius`.
    """
    deviation = np.sqrt(np.where(n > 1.0, variance, 0.0))
    with np.errstate(divide="ignore"):
        radius = span * np.sqrt(2.0 * _log_2_over_delta(gamma) / np.maximum(n - 1.0, 0.0))
    ends = np.maximum(deviation - radius, 0.0), deviation + radius
    lower, upper = (np.minimum(end**2, np.square(span) / 4.0) for end in ends)
    return lower, upper


def _log_2_over_delta(gamma: Floats) -> FloatArray:
    """Return log(1/(δ/2)), of each of two sides that hold together at 1 - δ."""
    return -np.log1p(-(1.0 + np.asarray(gamma, float)) / 2.0)
