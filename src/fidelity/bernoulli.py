"""The Bernoulli KL divergence and its inverse: the Chernoff bound for one proportion."""

import numpy as np

from fidelity.arrays import FloatArray, Floats

NEWTON_STEPS = 60


def xlogy(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return x·log(y), 0 where x = 0; arrays broadcast.

    As :func:`scipy.special.xlogy`, whose import takes longer than a step of the workflow.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(x, 0.0), 0.0, x * np.log(y))


def bernoulli_kl(share: Floats, u: Floats) -> FloatArray:
    """Return KL(Bernoulli(share) ‖ Bernoulli(u)) in nats; arrays broadcast."""
    share, u = np.asarray(share, float), np.asarray(u, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = (xlogy(share, share) - xlogy(share, u)) + (
            xlogy(1 - share, 1 - share) - xlogy(1 - share, 1 - u)
        )
    return np.maximum(divergence, 0.0)


def bernoulli_kl_upper(share: FloatArray, radius: Floats) -> FloatArray:
    """Return the largest u with KL(Bernoulli(share) ‖ Bernoulli(u)) ≤ ``radius``.

    Args:
        share: observed proportions in [0, 1]; arrays broadcast.
        radius: in nats, positive.
    """
    share, rest, radius = _proportions(share, radius)
    return np.minimum(share - rest * np.expm1(-_drop(share, rest, radius)), 1.0)


def bernoulli_kl_lower(share: FloatArray, radius: Floats) -> FloatArray:
    """Return the smallest u with KL(Bernoulli(share) ‖ Bernoulli(u)) ≤ ``radius``.

    Exact in relative terms too, however small it is.
    """
    share, rest, radius = _proportions(share, radius)
    return share * np.exp(-_drop(rest, share, radius))


def log_fall(share: FloatArray, radius: FloatArray) -> FloatArray:
    """Return log(:func:`bernoulli_kl_lower` / share), which doesn't underflow."""
    share, rest, radius = _proportions(share, radius)
    return -_drop(rest, share, radius)


def _proportions(share: FloatArray, radius: Floats) -> tuple[FloatArray, FloatArray, FloatArray]:
    share, radius = np.broadcast_arrays(np.asarray(share, float), np.asarray(radius, float))
    share = np.clip(share, 0.0, 1.0)
    return share, 1.0 - share, radius


def _drop(p: FloatArray, rest: FloatArray, radius: FloatArray) -> FloatArray:
    """Return x ≥ 0 such that KL = ``radius`` where ``rest`` = 1 - p falls to rest·exp(-x).

    The divergence is convex and increasing in x. So Newton's method from the right of the root
    converges monotonically, to rounding. Where p or ``rest`` is 0, x is the radius.
    """
    inside = (p > 0.0) & (rest > 0.0)
    drop = radius.copy()
    p, rest, r = p[inside], rest[inside], radius[inside]
    x = (r - xlogy(p, p)) / rest
    by_pinsker = np.sqrt(r / 2.0) / rest
    with np.errstate(divide="ignore"):
        x = np.minimum(x, -np.log1p(-np.minimum(by_pinsker, 1.0)))
    for _ in range(NEWTON_STEPS):
        grown = -rest / p * np.expm1(-x)
        excess = rest * x - p * np.log1p(grown) - r
        step = excess / (rest * (1.0 - np.exp(-x) / (1.0 + grown)))
        shorter = x - np.maximum(step, 0.0)
        if np.all(shorter >= x * (1.0 - 1e-15)):
            break
        x = shorter
    drop[inside] = x
    return drop
