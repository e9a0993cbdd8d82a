"""Wasserstein-1 distance of distributions on scores, and its extrema over the KL ball.

On scores z_1 < ... < z_m with gaps g_k = z_{k+1} - z_k, W1(p, q) = Σ_k g_k |P_k - Q_k| with P and
Q the distribution functions. Options with equal scores are one point; what the ball
{u in the simplex: KL(p̂ ‖ u) ≤ r} allows of their summed mass is the ball of the summed shares.

Every extremum is the largest of some concave programs in the distribution function, see
:mod:`fidelity.extrema.kinked_program`.
"""

import numpy as np

from fidelity.arrays import Ends, FloatArray, IntArray
from fidelity.bernoulli import bernoulli_kl_lower, bernoulli_kl_upper
from fidelity.extrema.absolute_differences import difference_maximum
from fidelity.extrema.kinked_program import kinked_maximum
from fidelity.extrema.kl_ball import divergence


def w1(p: FloatArray, q: FloatArray, scores: FloatArray) -> FloatArray:
    """Return W1(p, q) of each row in units of the scores; p, q (..., d), scores (d,)."""
    order = np.argsort(scores)
    return np.abs(np.cumsum((p - q)[..., order], -1)[..., :-1]) @ np.diff(scores[order])


def w1_minimum(share: FloatArray, radius: FloatArray, q: FloatArray, scores: FloatArray) -> Ends:
    """Enclose min W1(u, q) over the KL ball: 0 if q lies in it, else by a convex program.

    By duality it is the maximum of e^-r·Π x_i^p̂_i - ⟨q, x⟩ over 1-Lipschitz functions x ≥ 0 of
    the score; the value of such a function never overstates the minimum.

    Args:
        share: p̂, (N, d).
        radius: r, (N,), positive, in nats.
        q: the simulator's probabilities, (N, d).
        scores: of the options, (d,), in any order and with ties.

    Returns:
        A lower bound on the minimum, and a value that is attained, (N,) each, in units of the
        scores.
    """
    gaps, share, q = on_distinct_scores(scores, share, q)
    lower, attained = np.zeros((2, len(share)))
    far = divergence(share, q) > radius
    if len(gaps) and far.any():
        slope = np.tile(gaps, (int(far.sum()), 1))
        kink = np.cumsum(q[far], 1)[:, :-1]
        value, bound, _ = kinked_maximum(share[far], radius[far], kink, slope, -slope)
        lower[far], attained[far] = np.maximum(-bound, 0.0), -value
    return lower, attained


def w1_difference_maximum(
    share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray, scores: FloatArray
) -> Ends:
    """Enclose max [W1(u, q1) - W1(u, q2)] over the KL ball, globally.

    By branch and bound over the levels of the distribution function; see
    :func:`difference_maximum`.

    Args:
        share: p̂, (N, d).
        radius: r, (N,), positive, in nats.
        q1, q2: two simulators' probabilities, (N, d) each.
        scores: of the options, (d,), in any order and with ties.

    Returns:
        A value that is attained, and an upper bound on the maximum, (N,) each, in units of the
        scores. For the minimum swap the simulators and the sign of the result.
    """
    gaps, share, q1, q2 = on_distinct_scores(scores, share, q1, q2)
    cdf, first, second = (np.cumsum(p, 1)[:, :-1] for p in (share, q1, q2))

    def relaxation(
        sample: IntArray, kink: FloatArray, before: FloatArray, after: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        return kinked_maximum(share[sample], radius[sample], kink, before, after)[1:]

    return difference_maximum(
        relaxation,
        low=bernoulli_kl_lower(cdf, radius[:, None]),
        high=bernoulli_kl_upper(cdf, radius[:, None]),
        first=first,
        second=second,
        weights=gaps,
    )


def on_distinct_scores(scores: FloatArray, *distributions: FloatArray) -> tuple[FloatArray, ...]:
    """Return the gaps (m-1,) of the m distinct scores, and the distributions on them, (N, m)."""
    distinct, position = np.unique(scores, return_inverse=True)
    merge = np.eye(len(distinct))[position]
    return np.diff(distinct), *(p @ merge for p in distributions)
