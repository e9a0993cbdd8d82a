"""Ranges of the shares, and of the mean, over all p within a distance V of q.

Each range is exact: both ends are attained in the set, up to rounding.
"""

from collections.abc import Callable

import numpy as np

from fidelity.arrays import BoolArray, Ends, FloatArray

BISECTIONS = 70
STEEPEST = 1e9
Between = Callable[[FloatArray, FloatArray, FloatArray | None], FloatArray]


def means_around(q: FloatArray, reach: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the range of the mean score that lies within ``reach`` of q's, (2, N)."""
    middle = q @ scores
    return np.clip([middle - reach, middle + reach], scores.min(), scores.max())


def means_by_tv(q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the range of the mean score within TV V of q, (2, N)."""
    return np.stack([-_moved(q, bound, -scores), _moved(q, bound, scores)])


def means_by_kl(q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the range of the mean score with KL(u ‖ q) ≤ V, (2, N)."""
    return np.stack([-_tilted(q, bound, -scores), _tilted(q, bound, scores)])


def _moved(q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the largest mean within TV V of q, (N,): mass V goes from the worst to the best."""
    order = np.argsort(scores)
    share, score = q[:, order], scores[order]
    before = np.cumsum(share, axis=1) - share
    taken = np.clip(bound[:, None] - before, 0.0, share)
    return share @ score + (taken * (score[-1] - score)).sum(1)


def _tilted(q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the largest mean with KL(u ‖ q) ≤ V, (N,); +inf allows all options."""
    span = np.ptp(scores)
    distance = (scores.max() - scores) / span

    def tilt(slope: FloatArray) -> tuple[FloatArray, FloatArray]:
        away = np.where(q > 0.0, distance, np.inf)
        away = away - away.min(1, keepdims=True)
        weight = q * np.exp(-slope[:, None] * away)
        mass = weight.sum(1)
        u = weight / mass[:, None]
        spent = -slope * (u * np.where(q > 0.0, away, 0.0)).sum(1) - np.log(mass)
        return u, spent

    low, high = np.full(len(q), -40.0), np.full(len(q), np.log(STEEPEST))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        outside = tilt(np.exp(middle))[1] > bound
        low, high = np.where(outside, low, middle), np.where(outside, middle, high)
    u = tilt(np.exp(high))[0]
    top = np.where(q > 0.0, scores, -np.inf).max(1)
    all_there = (q * (scores == top[:, None])).sum(1)
    largest = np.where(-np.log(all_there) <= bound, top, u @ scores)
    largest = np.where(np.isinf(bound), scores.max(), largest)
    return np.where(bound == 0.0, q @ scores, largest)


def shares_of_two(between: Between, q: FloatArray, bound: FloatArray) -> Ends:
    """Return the shares x with L((x, 1-x), (q, 1-q)) ≤ V, by bisection; ends on the outer side.

    They are the ranges of shares by an f-divergence L: merging the other options never raises it,
    and keeps it where they stay in proportion to q.
    """
    limit = bound[:, None]

    def outside(x: FloatArray) -> BoolArray:
        pairs = np.stack([x, 1.0 - x], -1), np.stack([q, 1.0 - q], -1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            distance = between(*pairs, None)
        return (distance > limit) & (x != q)

    return _outermost(outside, q, np.zeros(q.shape)), _outermost(outside, q, np.ones(q.shape))


def _outermost(
    outside: Callable[[FloatArray], BoolArray], start: FloatArray, end: FloatArray
) -> FloatArray:
    """Return how far from start towards end a value may go, by bisection."""
    inner, outer = start, end
    whole = ~outside(end)
    for _ in range(BISECTIONS):
        middle = (inner + outer) / 2.0
        beyond = outside(middle)
        inner, outer = np.where(beyond, inner, middle), np.where(beyond, middle, outer)
    return np.where(whole, end, outer)


def shares_by_squares(q: FloatArray, bound: FloatArray) -> Ends:
    """Return the ranges for Σ(u - q)² ≤ V: others rise by one amount, or fall by it down to 0."""
    d, limit = q.shape[1], bound[:, None]
    lower = np.maximum(q - np.sqrt(limit * (d - 1) / d), 0.0)
    others = np.where(np.eye(d, dtype=bool), 0.0, q[:, None, :])

    def outside(fall: FloatArray) -> BoolArray:
        taken = np.minimum(others, fall[..., None])
        return (taken**2).sum(-1) + taken.sum(-1) ** 2 > limit

    fall = _outermost(outside, np.zeros(q.shape), others.max(-1))
    return lower, np.minimum(q + np.minimum(others, fall[..., None]).sum(-1), 1.0)


def shares_by_means(low: FloatArray, high: FloatArray, scores: FloatArray) -> Ends:
    """Return the ranges of shares that a mean in [low, high] allows, (N, d) each."""
    lower, upper = np.zeros((2, len(low), len(scores)))
    for i, score in enumerate(scores):
        others = np.delete(scores, i)
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.where(score > high, (high - others.min()) / (score - others.min()), 1.0)
            below = np.where(score < low, (others.max() - low) / (others.max() - score), 1.0)
            rest_above = (others.min() - high) / (others.min() - score)
            rest_below = (low - others.max()) / (score - others.max())
        upper[:, i] = np.minimum(above, below)
        lower[:, i] = np.where(
            others.min() > high, rest_above, np.where(others.max() < low, rest_below, 0.0)
        )
    return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
