"""Extrema over the W1 ball {u on the same options: W1(u, p̂) ≤ r}, for many samples at once.

Every function takes N samples as rows: ``share`` (N, d) is p̂, ``radius`` (N,) is r > 0 in units of
the scores, ``scores`` (d,) are those of the options, in any order and with ties.
"""

import numpy as np

from fidelity.arrays import Ends, FloatArray, IntArray
from fidelity.blocks import blocks
from fidelity.extrema.absolute_differences import difference_maximum
from fidelity.extrema.kl_ball_w1 import on_distinct_scores, w1

PROGRAMS_AT_ONCE = 200
FEASIBILITY = 1e-10


def linear_maximum(
    share: FloatArray, radius: FloatArray, functionals: FloatArray, scores: FloatArray
) -> FloatArray:
    """Return max ⟨f, u⟩ over the ball for each functional f, exactly.

    Mass that moves from option i to j costs |z_i - z_j| and gains f_j - f_i. By duality the maximum
    is min over prices λ ≥ 0 of λr + Σ_i p̂_i max_j (f_j - λ|z_i - z_j|) (Mohajerin Esfahani and
    Kuhn 2018). This is convex and piecewise linear in λ, and its kinks are among the slopes of the
    concave hulls of gain against distance, so only these and 0 are tried.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        functionals: (F, d).
        scores: (d,).

    Returns:
        (N, F).
    """
    distance = np.abs(np.subtract.outer(scores, scores))
    result = np.empty((len(share), len(functionals)))
    for column, f in enumerate(functionals):
        price = np.unique(_hull_slopes(f, distance))
        worth = (f - price[:, None, None] * distance).max(2)
        result[:, column] = (np.multiply.outer(radius, price) + share @ worth.T).min(1)
    return result


def _hull_slopes(f: FloatArray, distance: FloatArray) -> FloatArray:
    """Return the positive slopes of each option's hull of gain against distance, and 0; (d, d)."""
    option = np.arange(len(f))
    reached = np.zeros(len(f))
    value = np.where(distance == 0.0, f, -np.inf).max(1)
    slopes = np.zeros(distance.shape)
    for step in range(len(f) - 1):
        farther = distance > reached[:, None]
        rise = np.where(farther, f - value[:, None], -np.inf)
        slope = rise / np.where(farther, distance - reached[:, None], 1.0)
        best = slope.argmax(1)
        slopes[:, step] = np.maximum(slope[option, best], 0.0)
        gains = slopes[:, step] > 0.0
        reached = np.where(gains, distance[option, best], reached)
        value = np.where(gains, f[best], value)
    return slopes


def w1_minimum(
    share: FloatArray, radius: FloatArray, q: FloatArray, scores: FloatArray
) -> FloatArray:
    """Return min W1(u, q) over the ball, (N,): W1(p̂, q) - r, and 0 where q lies in the ball.

    No u is nearer by the triangle inequality, and a mixture of p̂ and q is as near.
    """
    return np.maximum(w1(share, q, scores) - radius, 0.0)


def tv_minimum(share: FloatArray, radius: FloatArray, q: FloatArray, scores: FloatArray) -> Ends:
    """Enclose min TV(u, q) over the ball: 0 if q lies in it, else by a linear program.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        q: the simulator's probabilities, (N, d).
        scores: (d,).

    Returns:
        A lower bound on the minimum, and a value that is attained, (N,) each.
    """
    lower, attained = np.zeros((2, len(share)))
    far = w1(share, q, scores) > radius
    half = np.full((far.sum(), len(scores)), 0.5)
    options = np.eye(len(scores))
    value, bound, _ = _kinked_maximum(share[far], radius[far], scores, options, q[far], half, -half)
    lower[far], attained[far] = np.maximum(-bound, 0.0), -value
    return lower, attained


def tv_difference_maximum(
    share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray, scores: FloatArray
) -> Ends:
    """Enclose max [TV(u, q1) - TV(u, q2)] over the ball, globally, by branch and bound.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        q1, q2: two simulators' probabilities, (N, d) each.
        scores: (d,).

    Returns:
        A value that is attained, and an upper bound on the maximum, (N,) each. For the minimum
        swap the simulators and the sign of the result.
    """
    options = np.eye(len(scores))
    return _difference_maximum(share, radius, q1, q2, scores, options, np.full(len(scores), 0.5))


def w1_difference_maximum(
    share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray, scores: FloatArray
) -> Ends:
    """Enclose max [W1(u, q1) - W1(u, q2)] over the ball, globally, by branch and bound.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        q1, q2: two simulators' probabilities, (N, d) each.
        scores: (d,).

    Returns:
        A value that is attained, and an upper bound on the maximum, (N,) each, in units of the
        scores. For the minimum swap the simulators and the sign of the result.
    """
    gaps, share, q1, q2 = on_distinct_scores(scores, share, q1, q2)
    sums = np.tri(len(gaps), len(gaps) + 1)
    return _difference_maximum(share, radius, q1, q2, np.unique(scores), sums, gaps)


def _difference_maximum(
    share: FloatArray,
    radius: FloatArray,
    q1: FloatArray,
    q2: FloatArray,
    scores: FloatArray,
    sums: FloatArray,
    weights: FloatArray,
) -> Ends:
    def relaxation(
        sample: IntArray, kink: FloatArray, before: FloatArray, after: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        maximum = _kinked_maximum(share[sample], radius[sample], scores, sums, kink, before, after)
        return maximum[1:]

    return difference_maximum(
        relaxation,
        low=-linear_maximum(share, radius, -sums, scores),
        high=linear_maximum(share, radius, sums, scores),
        first=q1 @ sums.T,
        second=q2 @ sums.T,
        weights=weights,
    )


def _kinked_maximum(
    share: FloatArray,
    radius: FloatArray,
    scores: FloatArray,
    sums: FloatArray,
    kink: FloatArray,
    before: FloatArray,
    after: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Enclose max Σ_k φ_k(y_k) over the ball, y = sums·u.

    φ_k is 0 at ``kink``, with slope ``before`` ≥ 0 below it and ``after`` ≤ 0 above it; (N, K)
    each. Linear programs in u, the flows up and down between neighbouring distinct scores, and
    the distances of y below and above the kink, all between 0 and 1.

    Returns:
        The value at a point of the ball (N,), an upper bound on the maximum (N,), and the point's y
        (N, K).
    """
    distinct, position = np.unique(scores, return_inverse=True)
    merge = np.eye(len(distinct))[:, position]
    gaps = np.diff(distinct)
    span = gaps.sum() or 1.0
    inflow = -np.diff(np.eye(len(gaps)), axis=0, prepend=0.0, append=0.0)
    apart = np.eye(len(sums))
    from_flow = np.zeros((len(sums), 2 * len(gaps)))
    from_distance = np.zeros((len(merge), 2 * len(sums)))
    equal = np.block([[merge, -inflow, inflow, from_distance], [sums, from_flow, apart, -apart]])
    moved = np.r_[np.zeros(len(scores)), gaps, gaps, np.zeros(2 * len(sums))] / span
    cost = np.hstack([np.zeros((len(share), len(moved) - 2 * len(sums))), before, -after])

    # Units between the mass of an option and that which moves, so that one tolerance suits both.
    unit = np.sqrt(np.minimum(radius / span, 1.0))[:, None]
    amount = np.hstack([share @ merge.T, kink]) / unit
    u, bound = np.zeros((len(share), len(scores))), np.zeros(len(share))
    for rows in blocks(len(share), 1, PROGRAMS_AT_ONCE):
        solution, least = _linear_programs(cost[rows], equal, amount[rows], moved, unit[rows])
        u[rows] = _inside(solution[:, : len(scores)], share[rows], radius[rows], scores)
        bound[rows] = -least * unit[rows, 0]
    y = u @ sums.T
    value = (np.where(y < kink, before, after) * (y - kink)).sum(1)
    return value, np.maximum(value, bound), y


def _inside(
    mass: FloatArray, share: FloatArray, radius: FloatArray, scores: FloatArray
) -> FloatArray:
    """Return points of the ball next to ``mass``, which a tolerance may have left outside; (N, d).

    They are drawn towards p̂, as it is after options with equal scores have exchanged mass, which
    costs nothing: W1(u, p̂) is proportional to how far.
    """
    mass = np.maximum(mass, 0.0)
    mass /= mass.sum(1, keepdims=True)
    tied = (scores[:, None] == scores).astype(float)
    now, before = mass @ tied, share @ tied
    exchanged = np.where(now > 0.0, mass / np.where(now > 0.0, now, 1.0) * before, share)
    excess = np.maximum(w1(mass, share, scores) / radius, 1.0)
    return exchanged + (mass - exchanged) / excess[:, None]


def _linear_programs(
    cost: FloatArray, equal: FloatArray, amount: FloatArray, moved: FloatArray, limit: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the minimisers x ≥ 0 of ⟨cost, x⟩ with equal·x = amount and ⟨moved, x⟩ ≤ limit.

    One sparse program for all samples; (N, C). And lower bounds on the minima, (N,): by weak
    duality from the multipliers found, for x ≤ 1/limit, so that no tolerance overstates them.
    """
    # Imported here because it takes longer than most steps of the workflow.
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron

    samples = eye_array(len(cost))
    best = linprog(
        cost.ravel(),
        A_eq=kron(samples, equal, format="csr"),
        b_eq=amount.ravel(),
        A_ub=kron(samples, moved[None], format="csr"),
        b_ub=limit.ravel(),
        method="highs-ds",
        options={
            "primal_feasibility_tolerance": FEASIBILITY,
            "dual_feasibility_tolerance": FEASIBILITY,
        },
    )
    if best.status:
        raise ArithmeticError(f"a linear program over the W1 ball was not solved: {best.message}")
    multiplier = best.eqlin.marginals.reshape(amount.shape)
    pull = np.minimum(best.ineqlin.marginals, 0.0)
    reduced = cost - multiplier @ equal - pull[:, None] * moved
    least = (multiplier * amount).sum(1) + pull * limit[:, 0]
    least += np.minimum(reduced, 0.0).sum(1) / limit[:, 0]
    return best.x.reshape(cost.shape), least


def shares_by_w1(q: FloatArray, bound: FloatArray, scores: FloatArray) -> Ends:
    """Return the ranges of shares within W1 V of q, (N, d) each, by linear programs."""
    reach = np.minimum(bound, np.ptp(scores))
    options = np.eye(len(scores))
    lowest, highest = (linear_maximum(q, reach, sign * options, scores) for sign in (-1.0, 1.0))
    return np.clip(-lowest, 0.0, q), np.clip(highest, q, 1.0)
