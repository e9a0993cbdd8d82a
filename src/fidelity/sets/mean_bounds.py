"""Bounds for the mean and the variance of bounded outcomes, from a sample's moments alone.

γ is the coverage of a bound and δ = 1 - γ. All statements are for independent outcomes with one
distribution on [a, b]. They hold at every sample size and need no other assumption. Survey weights
give fractional effective sizes, which are taken as they are; coverage is then approximate.
"""

import numpy as np

from fidelity.arrays import FloatArray, Floats


def observed(values: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return values and counts of N samples as two (N, V) arrays of floats.

    Args:
        values: distinct values, (V,) or one row for each sample, (N, V).
        counts: how often each was seen in each sample, (N, V).

    Returns:
        Values, set to 0 where the count is 0, and counts.

    Raises:
        ValueError: if the shapes differ, a count is negative, a sample is empty or a value that
            was seen is not finite.
    """
    values, counts = np.asarray(values, float), np.asarray(counts, float)
    if counts.ndim != 2 or values.shape not in (counts.shape, counts.shape[1:]):
        raise ValueError(
            "give counts as (samples, values) and values as (values,) or in the shape of counts, "
            f"not {counts.shape} and {values.shape}"
        )
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("counts must be finite and not negative")
    if (counts.sum(1) <= 0).any():
        raise ValueError("every sample needs at least one response")
    values = np.where(counts > 0, values, 0.0)
    if not np.isfinite(values).all():
        raise ValueError("values that were seen must be finite; leave missing responses out")
    return values, counts


def moments(values: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return size, mean and variance (divisor n - 1) of each sample, each (N,).

    The variance is NaN where n ≤ 1; the bounds below give the whole range there.

    Args: as :func:`observed`; fractional counts must add up to the effective size.
    """
    values, counts = observed(values, counts)
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
    n, gamma = _checked(n, gamma)
    return span * np.sqrt(_log_one_over_delta(_each_side(gamma)) / (2.0 * n))


def empirical_bernstein_one_sided(
    variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats
) -> FloatArray:
    """Return r with μ ≤ mean + r with probability ≥ γ (and, as well, μ ≥ mean - r).

    r = sqrt(2s²·log(2/δ)/n) + 7(b-a)·log(2/δ)/(3(n-1)), with s² the sample's variance (Maurer &
    Pontil 2009, Theorem 4). The 2 in log(2/δ) pays for not knowing the true variance. +inf where n
    ≤ 1.

    Args:
        variance: sample variances (divisor n - 1), not read where n ≤ 1; arrays broadcast.
        n: sample sizes, positive.
        gamma: coverage in (0, 1) of one side.
        span: b - a, in the unit of the outcomes.
    """
    n, gamma = _checked(n, gamma)
    several = n > 1.0
    log_term = np.log(2.0) + _log_one_over_delta(gamma)
    spread = np.sqrt(2.0 * np.where(several, variance, 0.0) * log_term / n)
    range_term = 7.0 * span * log_term / (3.0 * np.where(several, n - 1.0, 1.0))
    return np.where(several, spread + range_term, np.inf)


def empirical_bernstein_radius(
    variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats
) -> FloatArray:
    """Return the two-sided radius: :func:`empirical_bernstein_one_sided` with δ/2 on each side.

    |mean - μ| is at most sqrt(2s²·log(4/δ)/n) + 7(b-a)·log(4/δ)/(3(n-1)) with probability ≥ γ.
    """
    return empirical_bernstein_one_sided(variance, n, _each_side(gamma), span)


def variance_upper(
    variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats
) -> FloatArray:
    """Return the one-sided upper bound of the true variance, at most (b-a)²/4.

    σ ≤ s + (b-a)·sqrt(2·log(1/δ)/(n-1)) with probability ≥ γ, with s² as there
    (Maurer & Pontil 2009, Theorem 10). (b-a)²/4, which no variance on [a, b] exceeds, where n ≤ 1.

    Args: as :func:`empirical_bernstein_one_sided`.
    """
    deviation, radius, largest = _deviation(variance, n, gamma, span)
    return np.minimum((deviation + radius) ** 2, largest)


def variance_lower(
    variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats
) -> FloatArray:
    """Return the one-sided lower bound of the true variance, at least 0.

    σ ≥ s - (b-a)·sqrt(2·log(1/δ)/(n-1)) with probability ≥ γ, with s² as there
    (Maurer & Pontil 2009, Theorem 10); 0 where n ≤ 1.

    Args: as :func:`empirical_bernstein_one_sided`.
    """
    deviation, radius, largest = _deviation(variance, n, gamma, span)
    smallest: FloatArray = np.maximum(deviation - radius, 0.0)
    return np.minimum(smallest**2, largest)


def variance_bounds(
    variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats
) -> tuple[FloatArray, FloatArray]:
    """Return bounds that hold together with probability ≥ γ: each side at δ/2."""
    gamma = _each_side(gamma)
    return variance_lower(variance, n, gamma, span), variance_upper(variance, n, gamma, span)


def _checked(n: Floats, gamma: Floats) -> tuple[FloatArray, FloatArray]:
    n, gamma = np.asarray(n, float), np.asarray(gamma, float)
    if not (n > 0).all():
        raise ValueError("sample sizes must be positive")
    if not ((gamma > 0) & (gamma < 1)).all():
        raise ValueError("gamma must lie strictly between 0 and 1")
    return n, gamma


def _each_side(gamma: Floats) -> FloatArray:
    """Return the coverage 1 - δ/2 of each of two sides that hold together at 1 - δ."""
    return (1.0 + np.asarray(gamma, float)) / 2.0


def _log_one_over_delta(gamma: FloatArray) -> FloatArray:
    return -np.log1p(-gamma)


def _deviation(
    variance: FloatArray, n: FloatArray, gamma: FloatArray, span: Floats
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the sample's standard deviation, its radius, and the largest possible variance."""
    n, gamma = _checked(n, gamma)
    several = n > 1.0
    with np.errstate(divide="ignore"):
        radius = span * np.sqrt(2.0 * _log_one_over_delta(gamma) / np.maximum(n - 1.0, 0.0))
    return np.sqrt(np.where(several, variance, 0.0)), radius, np.square(span) / 4.0
