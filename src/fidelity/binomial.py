"""Confidence bounds for one proportion: Clopper-Pearson and the inverted Bernoulli KL."""

import numpy as np
from scipy.special import betaincinv, xlogy

NEWTON_STEPS = 60


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


def bernoulli_kl(share: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return KL(Bernoulli(share) ‖ Bernoulli(u)) in nats; arrays broadcast."""
    share, u = np.asarray(share, float), np.asarray(u, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = (xlogy(share, share) - xlogy(share, u)) + (
            xlogy(1 - share, 1 - share) - xlogy(1 - share, 1 - u)
        )
    return np.maximum(divergence, 0.0)


def bernoulli_kl_upper(share: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Return the largest u with KL(Bernoulli(share) ‖ Bernoulli(u)) ≤ ``radius``.

    With 1 - u = (1 - share)·exp(-x) the divergence is convex and increasing in x ≥ 0, so Newton's
    method from the right of the root converges monotonically. Exact to rounding, relative to
    1 - u as well as to u - share.

    Args:
        share: observed proportions in [0, 1]; arrays broadcast.
        radius: in nats, positive.
    """
    share, radius = np.broadcast_arrays(np.asarray(share, float), np.asarray(radius, float))
    share = np.clip(share, 0.0, 1.0)
    inside = (share > 0.0) & (share < 1.0)
    p, r = share[inside], radius[inside]
    x = (r - xlogy(p, p)) / (1.0 - p)
    by_pinsker = np.sqrt(r / 2.0) / (1.0 - p)
    with np.errstate(divide="ignore"):
        x = np.minimum(x, -np.log1p(-np.minimum(by_pinsker, 1.0)))
    for _ in range(NEWTON_STEPS):
        grown = -(1.0 - p) / p * np.expm1(-x)
        excess = (1.0 - p) * x - p * np.log1p(grown) - r
        step = excess / ((1.0 - p) * (1.0 - np.exp(-x) / (1.0 + grown)))
        shorter = x - np.maximum(step, 0.0)
        if np.all(shorter >= x * (1.0 - 1e-15)):
            break
        x = shorter
    upper = np.where(share >= 1.0, 1.0, -np.expm1(-radius))
    upper[inside] = p - (1.0 - p) * np.expm1(-x)
    return upper


def bernoulli_kl_lower(share: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Return the smallest u with KL(Bernoulli(share) ‖ Bernoulli(u)) ≤ ``radius``."""
    return 1.0 - bernoulli_kl_upper(1.0 - np.asarray(share, float), radius)
