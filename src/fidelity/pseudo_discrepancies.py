"""Pseudo-discrepancies: the largest and smallest discrepancy that a confidence set allows.

upper Δ̂_j = sup_{u ∈ C_j} L(u, q̂_j) and lower Δ⁻_j = inf_{u ∈ C_j} L(u, q̂_j), globally optimal
([QC], section 3). With coverage γ, P(Δ̂_j ≥ Δ_j) ≥ γ and P(Δ⁻_j ≤ Δ_j) ≥ γ for the true
discrepancy Δ_j = L(p_j, q̂_j), given that q̂_j does not depend on the human sample.
"""

import numpy as np

from fidelity.confidence_set import Generators, confidence_bounds
from fidelity.discrepancy import Extrema
from fidelity.extremum import extrema, pairwise_extrema


def pseudo_discrepancy(
    counts: np.ndarray,
    q: np.ndarray,
    *,
    confidence_set: str,
    discrepancy: str,
    gamma: float | np.ndarray | None = None,
    radius: float | np.ndarray | None = None,
    scores: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    generator: Generators | None = None,
) -> Extrema:
    """Return the lower and upper pseudo-discrepancy of each scenario ([QC], section 3).

    Args:
        counts: human responses per option, (m, d); fractional for effective counts. For binary
            outcomes d = 2, failures first. For ``bounded`` and ``real`` outcomes the options are
            the distinct values.
        q: the simulator's shares or stated probabilities, (m, d).
        confidence_set: one of :data:`fidelity.confidence_set.CONFIDENCE_SETS`.
        discrepancy: one of :data:`fidelity.discrepancies.DISCREPANCIES`.
        gamma: coverage in (0, 1), one or one per scenario.
        radius: overrides the radius that γ gives, one or one per scenario: in nats for KL balls,
            in the unit of the scores for ``hoeffding`` and W1 balls.
        scores: the options' scores, (d,); (0, 1) if d = 2 and none are given.
        limits: (a, b), the range that ``bounded`` outcomes can have.
        generator: for sets that draw (``betting``, ``bootstrap``): one, or one per scenario.

    Returns:
        (lower, upper, gap), each (m,), on the safe side of the true extrema: lower no larger, upper
        no smaller, up to rounding. ``gap`` is how far they may at most be from them: 0 where closed
        forms give them, else the distance to values that are attained in the set. +inf where the
        simulator states 0 for an option that people chose (``kl`` and ``chi2``; upper also where
        they may choose it). For ``witness`` the
        upper discrepancy needs no set (see :class:`fidelity.confidence_set.Witness`); the lower
        one uses a two-sided interval for means, and the ball of ``multinomial_kl`` for vectors.

    Raises:
        ValueError: on unknown names, a pair that makes no sense, or malformed arrays.
    """
    bounds = confidence_bounds(
        counts,
        confidence_set=confidence_set,
        discrepancy=discrepancy,
        gamma=gamma,
        radius=radius,
        scores=scores,
        limits=limits,
        generator=generator,
    )
    return extrema(bounds, q, discrepancy=discrepancy, scores=scores)


def pairwise_pseudo_discrepancy(
    counts: np.ndarray, q1: np.ndarray, q2: np.ndarray, *, discrepancy: str, scores=None, **set_
) -> Extrema:
    """Return inf and sup over the set of L(u, q1) - L(u, q2), per scenario ([QC], section 6).

    The sup δ̂_j is at least the true difference with probability γ: where δ̂_j ≤ 0, simulator 1 is
    at least as close as simulator 2. Arguments as :func:`pseudo_discrepancy`; for means the
    ``witness`` is one-sided here too, since the direction is known, for vectors it uses the ball
    of ``multinomial_kl``.

    Returns:
        (lower, upper, gap), each (m,), as :func:`pseudo_discrepancy`. Where simulator 1 states 0
        for an option, ``kl`` and ``chi2`` have upper +inf, and lower +inf too if people chose that
        option: then it is farther whatever they answer; where simulator 2 does, -inf likewise.
        NaN, all three, where both state a 0: if people may choose both options, that is infinity
        less infinity, and nothing is known of the difference.
    """
    bounds = confidence_bounds(counts, discrepancy=discrepancy, scores=scores, **set_)
    return pairwise_extrema(bounds, q1, q2, discrepancy=discrepancy, scores=scores)
