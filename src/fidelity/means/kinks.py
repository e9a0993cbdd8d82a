"""What the jackknife can't see of distances, which have a kink where both shares are equal.

The difference L(p, q) - L(p, q') of two distances rises as p moves from q to q', and hardly changes
beyond them. Where people's p̂ lies beyond both, nothing changes without any one answer, although p
may lie between them, or on the other side. So the standard error of one end is at least the largest
change of the difference, to that side, that is reached if p̂ moves by t standard errors towards q or
q', divided by t.
"""

from typing import NamedTuple

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.means.scales import Scale, shares, variance_of_mean

TRIED = np.linspace(0.1, 3.5, 35)


def kink_variance(scale: Scale) -> FloatArray:
    """Return the variance of |p̂ - q̂| beside its kink at 0, where it is one number; else 0; (N,).

    The jackknife can't see it at p̂ = q̂ = ½: without any one answer the distance is the same.
    """
    measure, d = scale.measure, scale.q.shape[1]
    if measure.metric_root != 1 or not measure.is_scalar(d):
        return np.zeros(len(scale.rows))
    f = scale.scores if measure.on == "mean" else np.array([0.0, scale.reach])
    assert f is not None
    of_people = variance_of_mean(scale.counts, f, scale.times)
    return of_people if scale.drawn is None else of_people + variance_of_mean(scale.drawn, f)


class Kinks(NamedTuple):
    """The least standard errors of scenarios' differences, and what each answer does to them.

    Attributes:
        least: for the lower and the upper end, (2, N).
        deviations: of the jackknife for each option, if the standard error were 1, (N, d).
    """

    least: FloatArray
    deviations: FloatArray

    @classmethod
    def of(cls, first: Scale, second: Scale) -> "Kinks | None":
        """Return them; None where discrepancies are no distances.

        p̂ moves in the direction in which the mean of a function f of the options changes most: of
        their scores if these are all that counts, or else of (q' - q)/p̂, which leads from q to q'.
        """
        measure, counts = first.measure, first.counts
        if measure.metric_root != 1:
            return None
        n = counts.sum(1)
        share = shares(counts)
        p = np.maximum(share, 0.5 / n[:, None])
        apart = second.q - first.q
        f = apart / p
        if measure.on == "mean":
            assert first.scores is not None
            f = np.sign(apart @ first.scores)[:, None] * first.scores
        f = f - (p * f).sum(1, keepdims=True) / p.sum(1, keepdims=True)
        variance = (p * f**2).sum(1)
        people = variance * n / np.maximum(n - 1.0, 1.0) ** 2
        drawn = [each.drawn for each in (first, second) if each.drawn is not None]
        total = people + sum(variance_of_mean(each, f) for each in drawn)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.nan_to_num(p * f * (np.sqrt(total) / variance)[:, None])
            deviations = -f / ((n - 1.0) * np.sqrt(people))[:, None]

        def difference(t: float) -> FloatArray:
            moved = share + t * step
            one, two = (measure.between(moved, each.q, each.scores) for each in (first, second))
            return one - two

        now, least = difference(0.0), np.zeros((2, len(n)))
        for t in TRIED:
            change = np.stack([now - difference(-t), difference(t) - now]) / t
            least = np.maximum(least, change)
        return cls(least, deviations)
