"""Concave programs over the KL ball in the distribution function, each term with one kink.

The problem is max Σ_k φ_k(U_k) over {u in the simplex: KL(p̂ ‖ u) ≤ r}, U_k = u_1 + ... + u_k. The
extrema of the Wasserstein-1 distance lead to it. A primal-dual interior-point method solves many at
once, and encloses each maximum between the value of a point of the ball and a value of the dual.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fidelity.arrays import AnyArray, FloatArray, Floats

PROGRAMS_AT_ONCE = 20_000
MOST_STEPS = 80
STEP_SHARE = 0.99
RELATIVE_GAP = 1e-13
ABSOLUTE_GAP = 1e-15


class _Program(NamedTuple):
    """Programs max Σ_k φ_k(U_k) over the KL ball, one per column.

    Attributes:
        share: p̂, (d, N).
        radius: r, (N,).
        kink: kink of φ, less p̂'s distribution function, (d-1, N).
        before, after: slopes of φ below and above its kink, (d-1, N).
    """

    share: FloatArray
    radius: FloatArray
    kink: FloatArray
    before: FloatArray
    after: FloatArray


class _Iterate(NamedTuple):
    """The state of the interior-point method, one program per column.

    Attributes:
        primal: kink - U as a difference of two parts, u, and the slack of KL(p̂ ‖ u) ≤ r;
            (3d-1, N), positive.
        dual: what goes with each: the distances of a slope t of φ from ``before`` and ``after``,
            the multipliers of u ≥ 0 where p̂ = 0, and that of the slack; (3d-1, N). Where ``dual``
            can be positive, its product with ``primal`` is 0 at the optimum.
        moved: u - p̂, (d, N), which would cancel if it were computed from u.
    """

    primal: FloatArray
    dual: FloatArray
    moved: FloatArray


def kinked_maximum(
    share: FloatArray,
    radius: FloatArray,
    kink: FloatArray,
    before: FloatArray,
    after: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return max Σ_k φ_k(U_k) over the KL ball, U_k = u_1 + ... + u_k, for concave φ_k.

    φ_k is 0 at ``kink``, with slope ``before`` below it and ``after`` ≤ ``before`` above it. The
    dual is the minimum of x_d - e^-r·Π x_i^p̂_i - Σ t_k·kink_k over x ≥ 0 whose differences
    t_k = x_{k+1} - x_k lie between ``after`` and ``before``.

    Args:
        share: p̂, (N, d).
        radius: r, (N,), positive, in nats.
        kink, before, after: (N, d-1).

    Returns:
        The value at a point of the ball (N,), an upper bound on the maximum (N,), and the
        point's U (N, d-1). They agree to 1e-13 relative unless rounding ends the iteration sooner.
    """
    blocks = [
        _kinked_maximum(*(array[start : start + PROGRAMS_AT_ONCE] for array in arrays))
        for arrays in [(share, radius, kink, before, after)]
        for start in range(0, len(share), PROGRAMS_AT_ONCE)
    ]
    value, bound, cdf = zip(*blocks, strict=True)
    return np.concatenate(value), np.concatenate(bound), np.concatenate(cdf)


def _kinked_maximum(
    share: FloatArray, radius: FloatArray, kink: FloatArray, before: FloatArray, after: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    cdf = np.cumsum(share, 1)[:, :-1]
    program = _Program(share.T, radius, (kink - cdf).T, before.T, after.T)
    size = np.maximum(np.abs(before), np.abs(after)).sum(1)
    value = np.where(size > 0.0, -np.inf, 0.0)
    bound = -value
    shift = np.zeros_like(cdf)
    iterate = _start(program)
    rows = np.arange(len(share))
    for _ in range(MOST_STEPS):
        here, reached, limit = _enclosure(program, iterate)
        higher = reached > value[rows]
        shift[rows[higher]] = here[:, higher].T
        value[rows] = np.fmax(value[rows], reached)
        bound[rows] = np.fmin(bound[rows], limit)
        margin = RELATIVE_GAP * np.abs(value[rows]) + ABSOLUTE_GAP * size[rows]
        going = (bound[rows] - value[rows] > margin) & np.isfinite(reached) & np.isfinite(limit)
        if not going.any():
            break
        rows = rows[going]
        program = _Program(*(array[..., going] for array in program))
        iterate = _step(program, _Iterate(*(array[..., going] for array in iterate)))
    if not (np.isfinite(value) & np.isfinite(bound)).all():
        raise ArithmeticError("a concave program over the KL ball was not enclosed")
    return value, bound, cdf + shift


def _start(program: _Program) -> _Iterate:
    """Start at p̂, with some mass for the options that nobody chose, and at the middle slopes."""
    empty = program.share == 0.0
    given = np.where(empty.any(0), -np.expm1(-program.radius) / 2.0, 0.0)
    moved = np.where(empty, given / np.maximum(empty.sum(0), 1), -given * program.share)
    mass = program.share + moved
    slack = _slack(program, mass, moved)
    distance = program.kink - np.cumsum(moved, 0)[:-1]
    width = np.sqrt(-np.expm1(-program.radius))
    middle = (program.before - program.after) / 2.0
    size = np.maximum(np.abs(program.before), np.abs(program.after)).sum(0)
    gap = np.where(size > 0.0, size, 1.0) * width
    return _Iterate(
        primal=_stack(
            np.maximum(distance, 0.0) + width, np.maximum(-distance, 0.0) + width, mass, slack
        ),
        dual=_stack(middle, middle, np.where(empty, gap / mass, 0.0), gap / slack),
        moved=moved,
    )


def _stack(below: AnyArray, above: AnyArray, options: AnyArray, slack: AnyArray) -> FloatArray:
    return np.concatenate([below, above, options, slack[None]])


def _parts(stacked: FloatArray, d: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    return stacked[: d - 1], stacked[d - 1 : 2 * d - 2], stacked[2 * d - 2 : -1], stacked[-1]


def _slack(program: _Program, mass: FloatArray, moved: FloatArray) -> FloatArray:
    """Return r - KL(p̂ ‖ u), to rounding of r also where u is next to p̂."""
    chosen = program.share > 0.0
    share = np.where(chosen, program.share, 1.0)
    change = moved / share
    near = np.abs(change) < 0.5
    logarithm = np.where(
        near, np.log1p(np.where(near, change, 0.0)), np.log(np.where(near, 1.0, mass / share))
    )
    spent: FloatArray = np.where(chosen, share * (logarithm - change), -moved).sum(0)
    return program.radius + spent


def _slopes(program: _Program, iterate: _Iterate) -> FloatArray:
    from_before, from_after, _, _ = _parts(iterate.dual, len(program.share))
    return np.where(
        from_after < from_before, program.after + from_after, program.before - from_before
    )


def _prices(program: _Program, iterate: _Iterate) -> FloatArray:
    """Return what one more unit of mass on each option is worth; x of the dual at the optimum."""
    mass = _parts(iterate.primal, len(program.share))[2]
    _, _, reserve, multiplier = _parts(iterate.dual, len(program.share))
    return multiplier * (program.share / mass) + reserve


def _enclosure(program: _Program, iterate: _Iterate) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return U - P̂ at a point of the ball, its value, and the dual's value at the slopes t.

    The point is u, drawn towards p̂ if it lies outside: the divergence is convex.
    """
    mass = _parts(iterate.primal, len(program.share))[2]
    excess = np.maximum(-_slack(program, mass, iterate.moved), 0.0)
    shift = program.radius / (program.radius + excess) * np.cumsum(iterate.moved, 0)[:-1]
    distance = program.kink - shift
    value = -(np.where(distance > 0.0, program.before, program.after) * distance).sum(0)

    slopes = _slopes(program, iterate)
    climb = np.cumsum(np.pad(slopes, ((1, 0), (0, 0))), axis=0)
    level = (mass * (_prices(program, iterate) - climb)).sum(0)
    x = climb + np.maximum(level, -climb.min(0))
    mean = (program.share * x).sum(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        change = (x - mean) / mean
        spread = np.where(program.share > 0.0, program.share * (np.log1p(change) - change), 0.0)
        support = np.where(mean > 0.0, -mean * np.expm1(spread.sum(0) - program.radius), 0.0)
    return shift, value, support - (slopes * program.kink).sum(0)


def _step(program: _Program, iterate: _Iterate) -> _Iterate:
    """Take one step of Mehrotra's predictor and corrector towards products of 0.

    The corrector has the second-order terms of the products, of the prices and of the divergence,
    as far as the predictor could go.
    """
    d = len(program.share)
    mass = _parts(iterate.primal, d)[2]
    multiplier = iterate.dual[-1]
    newton = _newton(program, iterate)
    kinked = program.before > program.after
    free = _stack(kinked, kinked, program.share == 0.0, np.ones(len(multiplier), bool))
    products = iterate.primal * iterate.dual

    to_primal, to_dual = newton(-products, 0.0, 0.0)
    length = _longest(iterate, to_primal, to_dual)
    left = ((iterate.primal + length * to_primal) * (iterate.dual + length * to_dual)).sum(0)
    total = products.sum(0)
    centre = np.clip((left / total) ** 3, 1e-6, 1.0) * total / free.sum(0)

    change = _parts(to_primal, d)[2] / mass
    bend = program.share / mass * change * (multiplier * change - to_dual[-1])
    sag = (program.share * change**2).sum(0) / 2.0
    trust = length**2
    to_primal, to_dual = newton(
        centre * free - products - trust * to_primal * to_dual, trust * bend, trust * sag
    )
    length = np.minimum(1.0, STEP_SHARE * _longest(iterate, to_primal, to_dual))
    return _Iterate(
        primal=iterate.primal + length * to_primal,
        dual=iterate.dual + length * to_dual,
        moved=iterate.moved + length * _parts(to_primal, d)[2],
    )


_Direction = Callable[[FloatArray, Floats, Floats], tuple[FloatArray, FloatArray]]


def _newton(program: _Program, iterate: _Iterate) -> _Direction:
    """Return the solver of the optimality conditions, linear around the iterate.

    They are: the products change by given amounts, the slopes are the prices' differences, kink - U
    stays what its two parts say, and the slack is that of the divergence. The solver takes the
    products' changes and second-order terms of prices and slack, and returns the changes of
    ``primal`` and ``dual``.
    """
    d = len(program.share)
    above, below, mass, slack = _parts(iterate.primal, d)
    from_before, from_after, reserve, multiplier = _parts(iterate.dual, d)
    kinked = program.before > program.after
    with np.errstate(divide="ignore"):
        per_before = np.where(kinked, 1.0 / from_before, 0.0)
        per_after = np.where(kinked, 1.0 / from_after, 0.0)
        give = np.where(kinked, 1.0 / (above * per_before + below * per_after), 0.0)
    prices = _prices(program, iterate)
    pull = program.share / mass
    steepness = np.diff(pull, axis=0)
    slope_gap = _slopes(program, iterate) - np.diff(prices, axis=0)
    slack_gap = _slack(program, mass, iterate.moved) - slack
    solve = _chain(give, prices / mass)
    by_multiplier = solve(steepness)
    resistance = slack + multiplier * (steepness * by_multiplier).sum(0)

    def direction(products: FloatArray, bend: Floats, sag: Floats) -> tuple[FloatArray, FloatArray]:
        at_before, at_after, at_empty, at_slack = _parts(products, d)
        play = at_before * per_before - at_after * per_after
        fixed = solve(slope_gap - give * play - np.diff(at_empty / mass + bend, axis=0))
        missing = slack_gap - sag
        to_multiplier = (
            at_slack + multiplier * ((steepness * fixed).sum(0) - missing)
        ) / resistance
        to_cdf = fixed - to_multiplier * by_multiplier
        to_mass = np.diff(to_cdf, axis=0, prepend=0.0, append=0.0)
        to_slope = -give * (to_cdf + play)
        return _stack(
            (at_before + above * to_slope) * per_before,
            (at_after - below * to_slope) * per_after,
            to_mass,
            (pull * to_mass).sum(0) + missing,
        ), _stack(-to_slope, to_slope, (at_empty - reserve * to_mass) / mass, to_multiplier)

    return direction


def _chain(give: FloatArray, stiffness: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Return the solver of (diag(give) + Dᵀ·diag(stiffness)·D) v = right, with v (d-1, N).

    D takes the d differences of v with 0 before and after. Elimination in the form in which
    nothing cancels, however stiff a link is.
    """
    pivots = []
    held = stiffness[0]
    for slack, link in zip(give, stiffness[1:], strict=True):
        pivots.append(slack + held + link)
        held = link * ((slack + held) / pivots[-1])

    def solve(right: FloatArray) -> FloatArray:
        v = right.copy()
        for k in range(1, len(v)):
            v[k] += stiffness[k] / pivots[k - 1] * v[k - 1]
        v[-1] /= pivots[-1]
        for k in reversed(range(len(v) - 1)):
            v[k] = (v[k] + stiffness[k + 1] * v[k + 1]) / pivots[k]
        return v

    return solve


def _longest(iterate: _Iterate, to_primal: FloatArray, to_dual: FloatArray) -> FloatArray:
    """Return the longest step, at most 1, after which nothing is negative."""
    length = np.ones(to_primal.shape[1])
    for now, change in ((iterate.primal, to_primal), (iterate.dual, to_dual)):
        shrinks = change < 0.0
        reach = np.where(shrinks, now, np.inf) / np.where(shrinks, -change, 1.0)
        length = np.minimum(length, reach.min(0))
    return length
