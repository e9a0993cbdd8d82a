"""Clopper-Pearson bounds for one proportion."""

import numpy as np
from scipy.special import betaincinv


def clopper_pearson_upper(count: np.ndarray, n: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """Return the one-sided upper Clopper-Pearson bound at coverage ``gamma``.

    The bound is the ``gamma`` quantile of Beta(count + 1, n - count), and 1 where count = n. Its
    coverage is at least ``gamma`` for every p and n (Clopper & Pearson 1934). Fractional counts,
    as effective counts of survey weights give them, are taken as they are; coverage is then
    approximate.

    Args:
        count: successes, 0 ≤ count ≤ n; arrays broadcast.
        n: sample sizes, positive.
        gamma: coverage in (0, 1).
    """
    count, n, gamma = np.broadcast_arrays(
        np.asarray(count, float), np.asarray(n, float), np.asarray(gamma, float)
    )
    failures = np.maximum(n - count, 0.0)
    all_succeed = failures <= 1e-9 * n
    bound = betaincinv(count + 1.0, np.where(all_succeed, 1.0, failures), gamma)
    return np.where(all_succeed, 1.0, bound)


def clopper_pearson_lower(count: np.ndarray, n: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """Return the one-sided lower bound: the mirror image of :func:`clopper_pearson_upper`."""
    count, n = np.asarray(count, float), np.asarray(n, float)
    return 1.0 - clopper_pearson_upper(n - count, n, gamma)
