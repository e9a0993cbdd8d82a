"""Discrepancies L(p, q) between what people answer and what a simulator answers.

Each is g(max_f ⟨f, p - q⟩) over a family of linear functionals f, with g increasing on [0, ∞):
``absolute`` and ``squared`` over {s, -s} with s the scores, ``tv`` over the indicators of option
subsets. What a confidence set says of p enters through its bounds on those functionals.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache

import numpy as np

from fidelity.kl_ball import tv_difference_maximum, tv_minimum

MOST_OPTIONS = 12


@dataclass(frozen=True)
class Bounds:
    """What a confidence set says of p, for N samples.

    Attributes:
        share: p̂, (N, d).
        support: upper bounds on the discrepancy's functionals, (N, F).
        lower, upper: ends of the two-sided interval of the mean score, (N,); NaN for ``tv``.
        radius: radius of the KL ball that holds p, (N,), in nats; NaN for means.
    """

    share: np.ndarray
    support: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    radius: np.ndarray

    def take(self, rows: np.ndarray) -> "Bounds":
        """Return the bounds of the samples at ``rows``, in that order."""
        return Bounds(**{name: array[rows] for name, array in vars(self).items()})


class Discrepancy(ABC):
    """One way to measure how far q is from p; 0 if and only if the compared parameters agree."""

    name: str
    on: str
    needs_scores: bool

    def sets_for_pairs(self, sets: list[str]) -> list[str]:
        """Return those of the confidence sets whose pairwise bounds differ."""
        return sets

    def checked_scores(self, scores: np.ndarray | None, d: int) -> np.ndarray | None:
        """Return the options' scores, (d,), (0, 1) if none are given for two; None if unneeded."""
        if not self.needs_scores:
            return None
        if scores is None:
            if d != 2:
                raise ValueError(f"{self.name} compares means: give the scores of the {d} options")
            return np.array([0.0, 1.0])
        scores = np.asarray(scores, float)
        if scores.shape != (d,) or not np.isfinite(scores).all() or np.ptp(scores) == 0:
            raise ValueError(f"scores must be {d} finite numbers that are not all equal")
        return scores

    @abstractmethod
    def functionals(self, d: int, scores: np.ndarray | None) -> np.ndarray:
        """Return the family of linear functionals, (F, d)."""

    @abstractmethod
    def between(self, p: np.ndarray, q: np.ndarray, scores: np.ndarray | None) -> np.ndarray:
        """Return L(p, q) of each row; p, q (N, d) -> (N,)."""

    @abstractmethod
    def extrema(
        self, bounds: Bounds, q: np.ndarray, scores: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (inf, sup) of L(u, q) over u that the bounds allow; q (N, d) -> (N,) each."""

    @abstractmethod
    def pairwise_extrema(
        self, bounds: Bounds, q1: np.ndarray, q2: np.ndarray, scores: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (inf, sup) of L(u, q1) - L(u, q2); q1, q2 (N, d) -> (N,) each."""


class Mean(Discrepancy):
    """A power of the distance of the mean scores."""

    on = "mean"
    needs_scores = True

    def __init__(self, name: str, power: int):
        """Name the discrepancy |p - q|^power."""
        self.name = name
        self.power = power

    def functionals(self, d, scores):
        """Return (s, -s)."""
        return np.stack([scores, -scores])

    def between(self, p, q, scores):
        """Return |⟨s, p⟩ - ⟨s, q⟩|^power."""
        return np.abs((p - q) @ scores) ** self.power

    def extrema(self, bounds, q, scores):
        """The distance from q to the far end, and to the interval (0 inside it)."""
        mean = q @ scores
        farthest = np.maximum(bounds.support[:, 0] - mean, bounds.support[:, 1] + mean)
        nearest = np.maximum(bounds.lower - mean, mean - bounds.upper)
        return (
            np.maximum(nearest, 0.0) ** self.power,
            np.maximum(farthest, 0.0) ** self.power,
        )

    def pairwise_extrema(self, bounds, q1, q2, scores):
        """L(u, q1) - L(u, q2) is monotone in u: it rises with u where q1 < q2."""
        first, second = q1 @ scores, q2 @ scores
        top, bottom = bounds.support[:, 0], -bounds.support[:, 1]

        def difference(u):
            return np.abs(u - first) ** self.power - np.abs(u - second) ** self.power

        rises = first <= second
        return (
            difference(np.where(rises, bottom, top)),
            difference(np.where(rises, top, bottom)),
        )


class TotalVariation(Discrepancy):
    """TV(p, q) = ½‖p - q‖₁ = max over option subsets A of p(A) - q(A)."""

    name = "tv"
    on = "option_subsets"
    needs_scores = False

    def sets_for_pairs(self, sets):
        """Leave out ``witness``, which bounds pairs by another set's ball, if that is there."""
        balls = [name for name in sets if name != "witness"]
        return balls or sets

    def functionals(self, d, scores):
        """Return the indicators of the 2^d - 2 proper non-empty option subsets."""
        return option_subsets(d)

    def between(self, p, q, scores):
        """Return ½Σ|p - q|."""
        return 0.5 * np.abs(p - q).sum(-1)

    def extrema(self, bounds, q, scores):
        """Water-filling for the inf; for the sup the largest excess over the subsets."""
        excess = bounds.support - q @ option_subsets(q.shape[1]).T
        return (
            tv_minimum(bounds.share, bounds.radius, q),
            np.maximum(excess.max(1), 0.0),
        )

    def pairwise_extrema(self, bounds, q1, q2, scores):
        """Both over the KL ball; see :func:`fidelity.kl_ball.tv_difference_maximum`."""
        return (
            -tv_difference_maximum(bounds.share, bounds.radius, q2, q1),
            tv_difference_maximum(bounds.share, bounds.radius, q1, q2),
        )


@cache
def option_subsets(d: int) -> np.ndarray:
    """Return the indicators of the proper non-empty subsets of d options, (2^d - 2, d).

    Row i is the subset whose bits are those of i + 1, option 0 the lowest.
    """
    if d > MOST_OPTIONS:
        raise ValueError(f"tv enumerates option subsets, so d must be at most {MOST_OPTIONS}: {d}")
    masks = np.arange(1, 2**d - 1)
    return ((masks[:, None] >> np.arange(d)) & 1).astype(float)


DISCREPANCIES: dict[str, Discrepancy] = {
    each.name: each for each in (Mean("absolute", 1), Mean("squared", 2), TotalVariation())
}


def discrepancy_named(name: str) -> Discrepancy:
    """Return a discrepancy; ValueError lists the names there are."""
    if name not in DISCREPANCIES:
        raise ValueError(f"unknown discrepancy {name!r}; there are: {', '.join(DISCREPANCIES)}")
    return DISCREPANCIES[name]
