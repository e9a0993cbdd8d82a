"""Proper scores of stated probabilities over people: Brier's, its parts, and the log score.

Rows are as in :mod:`fidelity.calibration.cases`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.blocks import by_blocks
from fidelity.calibration.cases import checked_cases, lined_up, masses
from fidelity.calibration.reliability import bins_of, edges_by


def brier_scores(probability: ArrayLike, truth: ArrayLike) -> FloatArray:
    """Return Σ_k (p_k - 1{k is true})² of each row, over all K classes (Brier 1950); (N,).

    Arguments, errors and warning as :func:`brier_score`.
    """
    return by_blocks(_brier, *checked_cases(probability, truth))


def _brier(probability: FloatArray, truth: IntArray) -> FloatArray:
    apart = probability.T.copy()  # sums along short rows take longer than sums of long ones
    apart[truth, np.arange(len(truth))] -= 1.0
    apart *= apart
    return apart.sum(0)


def brier_score(probability: ArrayLike, truth: ArrayLike) -> float:
    """Return how far stated probabilities are from people's answers: 0 is best, 2 worst.

    The mean over people of :func:`brier_scores`.

    For two options it is twice what most packages call the Brier score, the mean of (p - y)².

    Args:
        probability: stated, (N, K).
        truth: index of the true option, (N,). For rows of many people take the mean of
            :func:`brier_scores` by their numbers.

    Raises:
        ValueError: if shapes don't fit or values are out of range.

    Warns:
        UnnormalisedProbabilities: if rows don't sum to one; they are scored as they are.

    Examples:
        >>> from fidelity import brier_score
        >>> stated = [[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]
        >>> print(round(brier_score(stated, [0, 1, 1]), 3))
        0.513
    """
    return _mean(brier_scores, probability, truth)


def log_scores(probability: ArrayLike, truth: ArrayLike) -> FloatArray:
    """Return -log p of the true option, in nats (Good 1952); +inf where its stated p is 0; (N,).

    Arguments, errors and warning as :func:`brier_score`.
    """
    with np.errstate(divide="ignore"):
        return by_blocks(_surprise, *checked_cases(probability, truth))


def _surprise(probability: FloatArray, truth: IntArray) -> FloatArray:
    score: FloatArray = np.log(probability[np.arange(len(truth)), truth])
    return np.negative(score, out=score)


def log_score(probability: ArrayLike, truth: ArrayLike) -> float:
    """Return how surprising people's answers are to a simulator: 0 is best.

    The mean over people of :func:`log_scores`, the negative log-likelihood per person.

    +inf if anybody chose an option with stated probability 0.

    Args:
        probability: stated, (N, K).
        truth: index of the true option, (N,).

    Raises:
        ValueError: if shapes don't fit or values are out of range.

    Examples:
        >>> from fidelity import log_score
        >>> stated = [[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]
        >>> print(round(log_score(stated, [0, 1, 1]), 3))
        0.826
    """
    return _mean(log_scores, probability, truth)


def _mean(scores_of: Callable[..., FloatArray], probability: Any, truth: Any) -> float:
    scores = scores_of(*inputs.aligned(probability=probability, truth=truth))
    return float(scores.sum() / len(scores))


class BrierDecomposition(NamedTuple):
    """The parts of a Brier score: see :func:`brier_decomposition`.

    ``reliability`` is the distance of statements from what happens (0 is best). ``resolution`` is
    the distance of what happens in a bin from what happens on average (more is better).
    ``uncertainty`` is the score of stating the average for everyone. Two parts are hidden by bins:
    ``within_variance``, the variance of the statements in a bin, and ``within_covariance``, twice
    their covariance with what happens.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float

    @property
    def brier(self) -> float:
        """The Brier score, to rounding."""
        kept = self.reliability - self.resolution + self.uncertainty
        return kept + self.within_variance - self.within_covariance


def brier_decomposition(
    probability: ArrayLike,
    truth: ArrayLike,
    bins: int,
    rule: str = "equal_width",
    closed: str = "right",
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> BrierDecomposition:
    """Return what makes a Brier score large or small: five parts that sum to it exactly.

    They are those of :func:`brier_score`.

    For each option k, with y its indicator and bins b of p as in :func:`classwise_reliability`
    (share w_b, means p_b and y_b; y_k the mean of all), Murphy (1973) completed by the terms within
    bins of Stephenson, Coelho & Jolliffe (2008, eq. 3), summed over options:

    Σ_b w_b (p_b - y_b)² - Σ_b w_b (y_b - y_k)² + y_k(1 - y_k) + mean (p - p_b)²
    - 2·mean (p - p_b)(y - y_b).

    Noise makes reliability and resolution larger, the more so the more bins there are.

    Args:
        probability: stated, (N, K).
        truth: index of the true option, (N,).
        bins: B of each option.
        rule: ``equal_width``, or ``equal_mass``, where every option has its own edges.
        closed: ``right`` or ``left``: the bin of a probability that lies on an edge.
        counts: people per row, (N,).
        weights: of one person of the row, (N,).

    Raises:
        ValueError: if shapes don't fit, values are out of range, or there is no such rule.

    Warns:
        UnnormalisedProbabilities: if rows don't sum to one; they are taken as they are.

    Examples:
        >>> from fidelity import brier_decomposition
        >>> stated = [[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]
        >>> truth, counts = [0, 1, 1], [60, 40, 50]  # 60 people chose option 0, and so on
        >>> parts = brier_decomposition(stated, truth, bins=5, counts=counts)
        >>> print(round(parts.reliability, 3), round(parts.resolution, 3))
        0.127 0.16
    """
    probability, truth, counts, weights = lined_up(
        counts, weights, probability=probability, truth=truth
    )[:4]
    probability, truth = checked_cases(probability, truth)
    mass = masses(len(truth), counts, weights)
    mass = mass / mass.sum()
    parts = np.zeros(5)
    for option, stated in enumerate(probability.T):
        chosen = (truth == option).astype(float)
        edges = edges_by(stated, bins, rule, closed, counts, weights)
        member = np.unique(bins_of(stated, edges, closed)[1], return_inverse=True)[1]
        share = np.bincount(member, mass)
        said, came = (np.bincount(member, mass * event) / share for event in (stated, chosen))
        average = mass @ chosen
        apart = stated - said[member]
        parts += (
            share @ (said - came) ** 2,
            share @ (came - average) ** 2,
            average * (1.0 - average),
            mass @ apart**2,
            2.0 * (mass @ (apart * chosen)),  # the deviations have mean 0 in each bin
        )
    return BrierDecomposition(*parts.tolist())
