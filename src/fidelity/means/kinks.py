"""What the jackknife can't see of distances, which have a kink where both shares are equal.

The difference L(p, q) - L(p, q') of two distances rises as p moves from q to q', and hardly changes
beyond them. Where people's p̂ lies beyond both, nothing changes without any one answer, although p
may lie between them, or on the other side. So the standard error of one end is at least the largest
change of the difference, to that side, that is reached if p̂ moves by t standard errors, divided by
t. It moves along several functions f of the options, each time in the way that changes the mean of
f most, given how little the shares change altogether:

- f = (q' - q)/p̂, which leads from q to q';
- each coordinate of the distance by itself: p may lie between both simulators in one of them, and
  beyond both in the others. These are the indicators of options (``tv``, kernels' discrepancies),
  or of all options up to one (``w1``).

``w1`` adds up coordinates that depend on each other much, and in each of them people may lie on
either side of both simulators. Of a single scenario, the interval holds those of all linear
functions of p that the difference may be: those whose signs the cumulative shares don't refuse at
1 in 1,000 (:func:`open_signs`). Where all signs are clear there is but one.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fidelity.arrays import FloatArray
from fidelity.means.scales import Scale, shares, variance_of_mean

TRIED = np.linspace(0.25, 3.5, 14)
SEEN = 0.5
MOST_COORDINATES = 32
CLEAR, Z = float(ndtri(1.0 - 0.001 / 2.0)), float(ndtri(0.975))
MOST_OPEN = 4096


class Kinks(NamedTuple):
    """The least standard errors of scenarios' differences, and what each answer does to them.

    Attributes:
        least: for the lower and the upper end, (2, N).
        deviations: of the jackknife for each option, if the standard error were 1, (2, N, d).
    """

    least: FloatArray
    deviations: FloatArray

    @classmethod
    def of(cls, first: Scale, second: Scale) -> "Kinks | None":
        """Return them; None where discrepancies are no distances."""
        if first.measure.metric_root != 1:
            return None
        least, deviations = np.zeros((2, len(first.rows))), np.zeros((2, *first.counts.shape))
        for f in _functions(first, second):
            changes, along = _along(f, first, second)
            more = changes > least
            least[more], deviations[more] = changes[more], along[more]
        return cls(least, deviations)


def _functions(first: Scale, second: Scale) -> Iterator[FloatArray]:
    """Yield f, (N, d). Of many coordinates those in which both simulators differ most."""
    measure, d = first.measure, first.q.shape[1]
    apart = second.q - first.q
    if measure.on == "mean":
        assert first.scores is not None
        yield np.tile(first.scores, (len(apart), 1))
        return
    yield apart / _seen(first)
    if d > 2:
        every = np.eye(d) if measure.on == "kernel" else measure.coordinates(d, first.scores)
        most = np.argsort(-np.abs(apart @ every.T).max(0), kind="stable")[:MOST_COORDINATES]
        for function in every[most]:
            yield np.tile(function, (len(apart), 1))


def _seen(scale: Scale) -> FloatArray:
    """Return people's shares, as if half a person had chosen what nobody chose, (N, d)."""
    n = scale.counts.sum(1, keepdims=True)
    return np.maximum(shares(scale.counts), SEEN / n)


def _along(f: FloatArray, first: Scale, second: Scale) -> tuple[FloatArray, FloatArray]:
    """Return the largest changes to both sides by one standard error, (2, N).

    Also the deviations for each option that have a standard error of 1, (2, N, d). Their sign tells
    in which direction the difference changes so.
    """
    n, p, now = first.counts.sum(1), _seen(first), shares(first.counts)
    f = f - ((p * f).sum(1) / p.sum(1))[:, None]
    variance = (p * f**2).sum(1)
    people = variance * n / np.maximum(n - 1.0, 1.0) ** 2
    drawn = [scale.drawn for scale in (first, second) if scale.drawn is not None]
    error = np.sqrt(people + sum(variance_of_mean(draws, f) for draws in drawn))
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.nan_to_num(p * f * (error / variance)[:, None])
        along = np.nan_to_num(-f / ((n - 1.0) * np.sqrt(people))[:, None])

    def difference(t: float) -> FloatArray:
        moved = now + t * step
        one, two = (first.measure.between(moved, side.q, side.scores) for side in (first, second))
        return one - two

    start, (least, sign) = difference(0.0), np.zeros((2, 2, len(n)))
    for t in (*TRIED, *-TRIED):
        rise = (difference(t) - start) / abs(t)
        change = np.stack([-rise, rise])
        sign = np.where(change > least, np.sign(t) * np.array([[-1.0], [1.0]]), sign)
        least = np.maximum(least, change)
    return least, sign[:, :, None] * along


def open_signs(first: Scale, second: Scale) -> tuple[float, float] | None:
    """Return the ends of the intervals of all linear functions that a difference by w1 may be.

    P, Q, Q' the distribution functions, it is Σ_k gap_k·(s_k (P_k - Q_k) - t_k (P_k - Q'_k)),
    s and t the signs of the brackets.

    Returns:
        None for other discrepancies than ``w1``, several scenarios, and too many open signs.
    """
    measure, sides = first.measure, (first, second)
    if measure.on != "score_slopes" or len(first.rows) > 1:
        return None
    steps = measure.coordinates(first.counts.shape[1], first.scores)
    apart = np.stack([((shares(side.counts) - side.q) @ steps.T)[0] for side in sides])
    errors = np.sqrt([[_of_people(side, f) + _of_draws(side, f) for f in steps] for side in sides])
    ways = [
        [
            (s, t)
            for s, t in product((1.0, -1.0), repeat=2)
            if s * one >= -CLEAR * se
            and t * other >= -CLEAR * other_se
            and (s - t) * (one - other) >= 0
        ]
        for (one, other), (se, other_se) in zip(apart.T, errors.T, strict=True)
    ]
    if np.prod([float(len(signs)) for signs in ways]) > MOST_OPEN:
        return None
    ends = []
    for pattern in product(*ways):
        s, t = np.array(pattern).T
        value = s @ apart[0] - t @ apart[1]
        of_draws = _of_draws(first, s @ steps) + _of_draws(second, t @ steps)
        reach = Z * np.sqrt(_of_people(first, (s - t) @ steps) + of_draws)
        ends.append((value - reach, value + reach))
    return min(low for low, _ in ends), max(high for _, high in ends)


def _of_people(side: Scale, f: FloatArray) -> float:
    return float(variance_of_mean(side.counts, f, side.times)[0])


def _of_draws(side: Scale, f: FloatArray) -> float:
    return 0.0 if side.drawn is None else float(variance_of_mean(side.drawn, f)[0])
