"""The Bernoulli KL divergence and its inverse: the Chernoff bound for one proportion."""

import numpy as np

NEWTON_STEPS = 60


def xlogy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return x·log(y), 0 where x = 0; arrays broadcast.

    As :func:`scipy.special.xlogy`, whose import takes longer than a step of the workflow.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(x, 0.0), 0.0, x * np.log(y))


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
    method from the right of the root converges monotonically, to rounding.

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
