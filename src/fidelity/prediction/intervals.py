"""The range of every option's share, and of the mean, over {u : L(u, q) ≤ V}.

If V bounds a question's discrepancy with probability 1-α, people's shares lie in this set with that
probability. So all ranges made from the set hold at once. Each range is exact: both ends are
attained in the set, up to rounding.

- ``tv``: any share moves by V; the mean moves furthest as mass V goes from one end of the scale to
  the other.
- f-divergences (``is_f_divergence``): merging the other options never raises L, and keeps it where
  they stay in proportion to q. So a share's range is that of two options.
- ``l2``: the other options change by one common amount, or down to 0.
- ``w1``: linear programs over the ball (:func:`fidelity.extrema.w1_ball.linear_maximum`); the mean
  moves by V.
- ``absolute``, ``squared``: the mean has an interval, and a share's range follows from it.
- ``kl`` of a mean: the tilted distributions u ∝ q·exp(λ·score) attain its extremes.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import BoolArray, FloatArray
from fidelity.discrepancies import DISCREPANCIES
from fidelity.extrema.w1_ball import linear_maximum

BISECTIONS = 70
OF_MEANS = ("absolute", "squared")
WITH_MEAN = (*OF_MEANS, "kl", "tv", "w1")
OTHERS = (*OF_MEANS, "l2", "tv", "w1")
STEEPEST = 1e9


class PredictionIntervals(NamedTuple):
    """Ranges of people's possible answers, over {u : L(u, q) ≤ V}.

    Attributes:
        lower, upper: of each option's share, in the shape of q; NaN where there is no such option.
        mean_lower, mean_upper: of people's mean score, one per question; NaN without scores.

    Examples:
        >>> from fidelity.prediction import prediction_intervals
        >>> found = prediction_intervals([0.2, 0.3, 0.5], 0.1, discrepancy="tv", scores=[1, 2, 3])
        >>> print(round(float(found.mean_lower), 2), round(float(found.mean_upper), 2))
        2.1 2.5
    """

    lower: FloatArray
    upper: FloatArray
    mean_lower: FloatArray
    mean_upper: FloatArray


def with_ranges() -> tuple[str, ...]:
    """Return the names of the discrepancies whose bounds turn into ranges of shares."""
    return tuple(
        name for name, each in DISCREPANCIES.items() if each.is_f_divergence or name in OTHERS
    )


def prediction_intervals(
    q: ArrayLike,
    bound: ArrayLike,
    *,
    discrepancy: str,
    scores: ArrayLike | None = None,
) -> PredictionIntervals:
    """Return the range of each option's share, and of the mean, over {u : L(u, q) ≤ V}.

    With V from :func:`fidelity.prediction.conformal_bound` or
    :func:`fidelity.prediction.localised_bound` people's true shares lie in all ranges of a question
    at once with probability 1-α. That is a statement about the population's shares; those of a
    sample of people vary around them.

    Args:
        q: the simulator's probabilities, (d,) or (m, d); NaN where a question lacks an option.
        bound: V, one or (m,); +inf allows everything.
        discrepancy: the one that V bounds: ``absolute``, ``squared``, ``tv``, ``w1``, ``l2`` or an
            f-divergence, one whose ``is_f_divergence`` is true.
        scores: the options' scores, (d,) or (m, d), for ``absolute``, ``squared`` and ``w1`` (two
            options have 0 and 1 if none are given) and for the mean.

    Raises:
        ValueError: if the discrepancy is none of these, needs scores, or, with scores, has no known
            range of the mean, as ``l2`` and the f-divergences except ``kl``.

    Examples:
        >>> from fidelity.prediction import prediction_intervals
        >>> found = prediction_intervals([0.2, 0.3, 0.5], 0.1, discrepancy="tv")
        >>> found.lower.round(2), found.upper.round(2)
        (array([0.1, 0.2, 0.4]), array([0.3, 0.4, 0.6]))
    """
    q, bound, scores = inputs.aligned(q=q, bound=bound, scores=scores, across=("q", "scores"))
    q = inputs.probabilities("q", q)
    inputs.one_of("discrepancy", discrepancy, with_ranges())
    table = np.atleast_2d(q)
    m, shape = len(table), q.shape[:-1]
    bound = inputs.each("bound", bound, inputs.NOT_NEGATIVE, m)
    exists = inputs.options_of("q", table, {})
    scores = inputs.scores_of(scores, table.shape)
    if scores is not None and discrepancy not in WITH_MEAN:
        raise ValueError(
            f"scores must not be given for {discrepancy}: the range of a mean is known for "
            f"{', '.join(WITH_MEAN)} only"
        )
    lower, upper = np.full((2, *table.shape), np.nan)
    mean = np.full((2, m), np.nan)
    for rows, there, own in inputs.scales(exists, scores):
        cells = np.ix_(rows, there)
        share = table[cells] / table[cells].sum(1, keepdims=True)
        own = DISCREPANCIES[discrepancy].checked_scores(own, len(there))
        wanted = own if scores is not None or discrepancy in OF_MEANS else None
        lower[cells], upper[cells] = _of_options(discrepancy, share, bound[rows], own)
        if wanted is not None:
            mean[:, rows] = _of_mean(discrepancy, share, bound[rows], wanted)
    return PredictionIntervals(
        lower.reshape(q.shape), upper.reshape(q.shape), *mean.reshape(2, *shape)
    )


def _of_options(
    name: str, q: FloatArray, bound: FloatArray, scores: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the ranges of shares, (N, d) each."""
    limit = bound[:, None]
    if name == "tv":
        return np.maximum(q - limit, 0.0), np.minimum(q + limit, 1.0)
    if name == "l2":
        return _of_squares(q, limit)
    if DISCREPANCIES[name].is_f_divergence:
        return _of_two(name, q, limit)
    assert scores is not None
    if name == "w1":
        reach = np.minimum(bound, np.ptp(scores))
        options = np.eye(len(scores))
        lowest, highest = (linear_maximum(q, reach, sign * options, scores) for sign in (-1.0, 1.0))
        return np.clip(-lowest, 0.0, q), np.clip(highest, q, 1.0)
    low, high = _of_mean(name, q, bound, scores)
    return _within_means(low, high, scores)


def _of_mean(name: str, q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the range of the mean score, (2, N)."""
    if name == "kl":
        return np.stack([-_tilted(q, bound, -scores), _tilted(q, bound, scores)])
    if name == "tv":
        return np.stack([-_moved(q, bound, -scores), _moved(q, bound, scores)])
    reach = np.sqrt(bound) if name == "squared" else bound
    middle = q @ scores
    return np.clip([middle - reach, middle + reach], scores.min(), scores.max())


def _moved(q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the largest mean within TV V of q, (N,): mass V goes from the worst to the best."""
    order = np.argsort(scores)
    share, score = q[:, order], scores[order]
    before = np.cumsum(share, axis=1) - share
    taken = np.clip(bound[:, None] - before, 0.0, share)
    largest: FloatArray = share @ score + (taken * (score[-1] - score)).sum(1)
    return largest


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


def _of_two(name: str, q: FloatArray, limit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the shares x with L((x, 1-x), (q, 1-q)) ≤ V, by bisection; ends on the outer side."""
    between = DISCREPANCIES[name].between

    def outside(x: FloatArray) -> BoolArray:
        pairs = np.stack([x, 1.0 - x], -1), np.stack([q, 1.0 - q], -1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            distance = between(*pairs, None)
        beyond: BoolArray = (distance > limit) & (x != q)
        return beyond

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


def _of_squares(q: FloatArray, limit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ranges for Σ(u - q)² ≤ V: others rise by one amount, or fall by it down to 0."""
    d = q.shape[1]
    lower = np.maximum(q - np.sqrt(limit * (d - 1) / d), 0.0)
    others = np.where(np.eye(d, dtype=bool), 0.0, q[:, None, :])

    def outside(fall: FloatArray) -> BoolArray:
        taken = np.minimum(others, fall[..., None])
        beyond: BoolArray = (taken**2).sum(-1) + taken.sum(-1) ** 2 > limit
        return beyond

    fall = _outermost(outside, np.zeros(q.shape), others.max(-1))
    return lower, np.minimum(q + np.minimum(others, fall[..., None]).sum(-1), 1.0)


def _within_means(
    low: FloatArray, high: FloatArray, scores: FloatArray
) -> tuple[FloatArray, FloatArray]:
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
