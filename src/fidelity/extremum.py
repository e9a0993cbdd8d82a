"""Discrepancies of given answers, and their extrema over what a confidence set allows."""

import numpy as np

from fidelity import inputs
from fidelity.discrepancies.base import Bounds, Extrema
from fidelity.discrepancies.registry import discrepancy_named
from fidelity.extrema.solved import require_numbers


def between(
    p: np.ndarray, q: np.ndarray, *, discrepancy: str, scores: np.ndarray | None = None
) -> np.ndarray:
    """Return the discrepancy L(p, q) of each row: the plug-in for p = p̂, the oracle for full p."""
    measure = discrepancy_named(discrepancy)
    return measure.between(p, q, measure.checked_scores(scores, np.shape(p)[-1]))


def extrema(
    bounds: Bounds, q: np.ndarray, *, discrepancy: str, scores: np.ndarray | None = None
) -> Extrema:
    """Return the extrema for simulators ``q`` (m, d) from bounds already computed."""
    measure = discrepancy_named(discrepancy)
    q = inputs.probabilities("q", q, bounds.share.shape)
    found = measure.extrema(bounds, q, measure.checked_scores(scores, q.shape[1]))
    require_numbers(f"extrema of {discrepancy}", *found)
    return found


def pairwise_extrema(
    bounds: Bounds,
    q1: np.ndarray,
    q2: np.ndarray,
    *,
    discrepancy: str,
    scores: np.ndarray | None = None,
) -> Extrema:
    """Return the extrema of L(u, q1) - L(u, q2) from bounds already computed.

    NaN, all three, where the difference is undefined: see :mod:`fidelity.pseudo_discrepancies`.
    """
    measure = discrepancy_named(discrepancy)
    q1 = inputs.probabilities("q1", q1, bounds.share.shape)
    q2 = inputs.probabilities("q2", q2, bounds.share.shape)
    scores = measure.checked_scores(scores, q1.shape[1])
    found = measure.pairwise_extrema(bounds, q1, q2, scores)
    undefined = np.isnan(found).all(0)
    require_numbers(f"pairwise extrema of {discrepancy}", np.where(undefined, 0.0, found).T)
    return found
