"""Exact extrema over the KL ball {u in the simplex: KL(p̂ ‖ u) ≤ r}, for many samples at once.

Every function takes N samples as rows: ``share`` (N, d) is p̂, ``radius`` (N,) is r > 0 in nats.
Options that nobody chose (p̂_i = 0) may get mass: they cost KL(p̂ ‖ u) only the mass they take.
"""

from itertools import product

import numpy as np

from fidelity.arrays import BoolArray, FloatArray
from fidelity.bernoulli import bernoulli_kl_lower, bernoulli_kl_upper, log_fall, xlogy
from fidelity.extrema.solved import require_numbers

BISECTIONS = 80
MOST_NEWTON_STEPS = 200
PRICE_BISECTIONS = 50
LOG_OF_ZERO = -700.0
PIECES_AT_ONCE = 200_000


def linear_maximum(share: FloatArray, radius: FloatArray, functionals: FloatArray) -> FloatArray:
    """Return max ⟨f, u⟩ over the ball for each functional f.

    A functional with two values reduces to a Bernoulli ball: mass on either value stays
    proportional to p̂. For the others see :func:`linear_maximum_of_rows`.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        functionals: (F, d).

    Returns:
        (N, F).
    """
    lowest, span = functionals.min(1), np.ptp(functionals, axis=1)
    indicators = (functionals - lowest[:, None]) / np.where(span > 0.0, span, 1.0)[:, None]
    two_valued = np.isin(indicators, (0.0, 1.0)).all(1)
    result = np.empty((len(share), len(functionals)))
    inside = bernoulli_kl_upper(share @ indicators[two_valued].T, radius[:, None])
    result[:, two_valued] = lowest[two_valued] + span[two_valued] * inside
    for i in np.flatnonzero(~two_valued):
        rows = np.broadcast_to(functionals[i], share.shape)
        result[:, i] = linear_maximum_of_rows(share, radius, rows)
    return result


def linear_maximum_of_rows(share: FloatArray, radius: FloatArray, f: FloatArray) -> FloatArray:
    """Return max ⟨f_j, u⟩ over the ball of each row j; f (N, d) -> (N,).

    The dual of [QC]: u_i ∝ p̂_i/(ν - f_i), where ν = max f + ε solves
    Σ p̂ log(ν - f) + log Σ p̂/(ν - f) = r. At the boundary ε = 0 an option that nobody chose takes
    the rest of the mass.
    """
    top, span = f.max(1), np.ptp(f, axis=1)
    gap = (top[:, None] - f) / np.where(span > 0.0, span, 1.0)[:, None]
    at_zero = _tilt(share, gap, np.full(len(share), LOG_OF_ZERO))[1]
    at_boundary = ~((gap == 0.0) & (share > 0.0)).any(1) & (at_zero <= radius)
    left = np.exp((share * np.log(np.where(gap > 0.0, gap, 1.0))).sum(1) - radius)
    inside = np.flatnonzero(~at_boundary)
    share, gap = share[inside], gap[inside]
    tilted, *_ = _tilt(share, gap, _log_excess(share, radius[inside], gap))
    left[inside] = (tilted * gap).sum(1) / tilted.sum(1)
    largest: FloatArray = top - span * left
    return largest


def _log_excess(share: FloatArray, radius: FloatArray, gap: FloatArray) -> FloatArray:
    """Return log ε with KL(p̂ ‖ u) = r: Newton's method for log KL, kept inside a bracket."""
    low = np.full(len(share), LOG_OF_ZERO)
    high = np.full(len(share), -LOG_OF_ZERO / 10)
    mean = (share * gap).sum(1, keepdims=True)
    with np.errstate(divide="ignore"):
        spread = np.log((share * (gap - mean) ** 2).sum(1))
    at = np.clip((spread - np.log(2.0 * radius)) / 2.0, -30.0, high)
    result: FloatArray = at.copy()
    active = np.arange(len(share))
    for _ in range(BISECTIONS):
        _, reached, change = _tilt(share, gap, at)
        require_numbers("the largest mean over the KL ball", reached)
        outside = reached > radius
        low, high = np.where(outside, at, low), np.where(outside, high, at)
        usable = (reached > 0.0) & (change < 0.0)
        step = np.log(radius / np.where(usable, reached, radius)) * reached
        newton = at + step / np.where(usable, change, 1.0)
        bracketed = usable & (newton > low) & (newton < high)
        following = np.where(bracketed, newton, (low + high) / 2)
        result[active] = following
        going = np.abs(following - at) > 1e-15 * np.abs(at)
        if not going.any():
            break
        active, share, gap, radius = active[going], share[going], gap[going], radius[going]
        low, high, at = low[going], high[going], following[going]
    return result


def _tilt(
    share: FloatArray, gap: FloatArray, log_excess: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return u at ν = max f + ε, unnormalised, KL(p̂ ‖ u), and the derivative of it in log ε."""
    relative = gap * np.exp(-log_excess)[:, None]
    tilted = share / (1.0 + relative)
    cut = tilted * relative
    lost, mass = cut.sum(1), tilted.sum(1)
    log_mass = np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), np.log(mass))
    change = (cut / (1.0 + relative)).sum(1) / mass - lost
    return tilted, (share * np.log1p(relative)).sum(1) + log_mass, change


def divergence(share: FloatArray, u: FloatArray) -> FloatArray:
    """Return KL(share ‖ u) of each row in nats, +inf where u lacks an option of share."""
    with np.errstate(divide="ignore"):
        total: FloatArray = (xlogy(share, share) - xlogy(share, u)).sum(-1)
        return total


def tv_minimum(share: FloatArray, radius: FloatArray, q: FloatArray) -> FloatArray:
    """Return min TV(u, q) over the ball, by water-filling.

    0 if q lies in the ball. Else the minimiser is u = clip(q, a·p̂, b·p̂) on the options that
    people chose, with the smallest a in [0, 1] that keeps KL(p̂ ‖ u) ≤ r; b follows from Σu = 1,
    and where max(q, a·p̂) leaves mass over, the other options keep it. TV is Σ(a·p̂ - q)₊.

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        q: the simulator's probabilities, (N, d).

    Returns:
        (N,).
    """
    result = np.zeros(len(share))
    far = divergence(share, q) > radius
    if far.any():
        result[far] = _tv_minimum_outside(share[far], radius[far], q[far])
    return result


def _tv_minimum_outside(share: FloatArray, radius: FloatArray, q: FloatArray) -> FloatArray:
    """Return the minimum where q lies outside the ball.

    KL(p̂ ‖ u) falls as log a rises, with slope -(1 - a/b)·Σp̂ over the options that are raised to
    a·p̂. Newton's method in log a, where a may be as small as e^-r/p̂, kept inside a bracket whose
    left end is what the ball allows the option with the smallest q/p̂ by itself.
    """
    chosen = share > 0.0
    with np.errstate(divide="ignore"):
        log_ratio = np.log(q) - np.log(np.where(chosen, share, 1.0))
    log_ratio = np.where(chosen, log_ratio, np.inf)
    order = np.argsort(log_ratio, axis=1)
    log_ratio, p = (np.take_along_axis(each, order, 1) for each in (log_ratio, share))
    q = np.where(p > 0.0, np.take_along_axis(q, order, 1), 0.0)
    low, high = np.maximum(log_ratio[:, 0], log_fall(p[:, 0], radius)), np.zeros(len(p))
    at, last = low.copy(), np.full(len(p), np.inf)
    distance, active = np.empty(len(p)), np.arange(len(p))
    for _ in range(MOST_NEWTON_STEPS):
        excess, slope, distance[active], size = _water_filled(p, q, log_ratio, radius, at)
        require_numbers("the smallest total variation over the KL ball", excess, slope)
        low, high = np.where(excess > 0.0, at, low), np.where(excess > 0.0, high, at)
        step = excess / np.where(slope < 0.0, slope, -np.inf)
        resolution = 2e-16 * np.maximum(np.abs(at), 1.0)
        going = (np.abs(step) > resolution) & (np.abs(excess) > 4e-16 * size)
        going &= high - low > resolution
        if not going.any():
            return distance
        newton = (at - step > low) & (at - step < high) & (np.abs(excess) < 0.5 * last)
        at, last = np.where(newton, at - step, (low + high) / 2.0), np.abs(excess)
        active, p, q, log_ratio, radius, low, high, at, last = (
            each[going] for each in (active, p, q, log_ratio, radius, low, high, at, last)
        )
    raise ArithmeticError(f"no smallest total variation after {MOST_NEWTON_STEPS} steps")


def _water_filled(
    p: FloatArray, q: FloatArray, log_ratio: FloatArray, radius: FloatArray, log_a: FloatArray
) -> tuple[FloatArray, ...]:
    """Return KL(p ‖ u) - r at u = max(a·p, min(q, b·p)) with Σu = 1, and its slope in log a.

    Then Σ(a·p - q)₊, and the size of what the divergence is a sum of. Options are in ascending
    order of q/p; b is infinite where nothing need be cut.
    """
    raised = log_ratio <= log_a[:, None]
    above = np.where(raised, np.exp(log_a)[:, None] * p - q, 0.0).sum(1)
    rest = np.cumsum(p[:, ::-1], 1)[:, ::-1]
    left = 1.0 - above[:, None] - (np.cumsum(q, 1) - q)
    open_ = ~raised & (p > 0.0) & (left > 0.0)
    log_b = np.log(np.where(open_, left, 1.0)) - np.log(np.where(open_, rest, 1.0))
    settled = open_ & (log_b <= log_ratio)
    first = settled.argmax(1)[:, None]
    cap = np.where(settled.any(1), np.take_along_axis(log_b, first, 1)[:, 0], np.inf)
    log_change = np.maximum(log_a[:, None], np.minimum(log_ratio, cap[:, None]))
    spent = p * np.where(p > 0.0, log_change, 0.0)
    slope = np.expm1(log_a - cap) * np.where(raised, p, 0.0).sum(1)
    return -spent.sum(1) - radius, slope, above, np.abs(spent).sum(1)


def tv_difference_maximum(
    share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Enclose max [TV(u, q1) - TV(u, q2)] over the ball, globally.

    TV(u, q1) is convex; fixing the sign of each u_i - q1_i makes the rest concave, so the maximum
    is the largest of the pieces' maxima. Only signs that the ball leaves open are tried: q1_i
    strictly inside the ball's interval for option i. In a piece, each option has a concave
    objective with one kink at q2_i, and the dual is solved in one dimension (see
    :func:`_kinked_maximum`).

    Args:
        share: p̂, (N, d).
        radius: r, (N,).
        q1, q2: two simulators' probabilities, (N, d) each.

    Returns:
        A lower and an upper bound on the maximum, (N,) each. For the minimum swap the simulators
        and the sign of the result.
    """
    n_options = share.shape[1]
    highest = bernoulli_kl_upper(share, radius[:, None])
    lowest = bernoulli_kl_lower(share, radius[:, None])
    above = np.array(list(product((False, True), repeat=n_options)))
    value, bound = np.full((2, len(share)), -np.inf)
    at_once = max(1, PIECES_AT_ONCE // len(above))
    for start in range(0, len(share), at_once):
        rows = slice(start, start + at_once)
        can_be_above = q1[rows] < highest[rows]
        can_be_below = q1[rows] > lowest[rows]
        possible = np.where(above, can_be_above[:, None], can_be_below[:, None]).all(2)
        sample, piece = np.nonzero(possible)
        sample += start
        sign = np.where(above[piece], 1.0, -1.0)
        of_piece = _kinked_maximum(
            share[sample],
            radius[sample],
            kink=q2[sample],
            before=(sign + 1) / 2,
            after=(sign - 1) / 2,
        )
        offset = (sign * (q2[sample] - q1[sample])).sum(1) / 2
        for largest, found in zip((value, bound), of_piece, strict=True):
            np.maximum.at(largest, sample, found + offset)
    return value, bound


def _kinked_maximum(
    share: FloatArray,
    radius: FloatArray,
    *,
    kink: FloatArray,
    before: FloatArray,
    after: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Enclose max Σφ_i(u_i) over the ball for concave φ_i with one kink; all arrays (N, d).

    φ_i is 0 at ``kink``, with slope ``before`` below it and ``after`` < ``before`` above it. With ν
    the price of mass, u_i = clip(kink_i, λp̂_i/(ν - after_i), λp̂_i/(ν - before_i)), the second end
    infinite once ν ≤ before_i. For fixed ν, Σ p̂ log u is piecewise linear in log λ, so λ is exact;
    the dual function is then convex in ν with slope 1 - Σu, and bisection finds its minimum. It is
    continuous where mass on options that nobody chose jumps. Any of its values is an upper bound,
    and its slopes at the ends of the last interval give the lower one.
    """
    chosen = share > 0.0
    target = (xlogy(share, share).sum(1) - radius)[:, None]
    log_kink = np.where(kink > 0.0, np.log(np.maximum(kink, 1e-300)), LOG_OF_ZERO)
    log_share = np.log(np.where(chosen, share, 1.0))
    lowest_price = after.max(1, keepdims=True)

    def at_price(log_excess: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return slope and value of the dual function at ν = lowest price + exp(log_excess)."""
        excess = np.exp(log_excess)[:, None]
        price = lowest_price + excess
        over_before = lowest_price - before + excess
        over_after = lowest_price - after + excess
        rising = chosen & (over_before > 0.0)
        over_before = np.where(rising, over_before, 1.0)
        multiplier = _multiplier(
            share,
            target,
            log_kink - log_share,
            log_kink,
            log_share,
            rising,
            over_before,
            over_after,
        )
        scaled = multiplier * share
        u = np.clip(kink, scaled / over_after, np.where(rising, scaled / over_before, np.inf))
        u = np.where(chosen, u, np.where(price < before, kink, 0.0))
        gain = np.where(u < kink, before, after) * (u - kink)
        return 1.0 - u.sum(1), (price + (gain - price * u).sum(1, keepdims=True))[:, 0]

    low, high = np.full(len(share), -60.0), np.full(len(share), 60.0)
    for _ in range(PRICE_BISECTIONS):
        middle = (low + high) / 2
        decreasing = at_price(middle)[0] < 0
        low, high = np.where(decreasing, middle, low), np.where(decreasing, high, middle)
    (fall, left), (rise, right) = at_price(low), at_price(high)
    require_numbers("the largest difference of total variations over the KL ball", left, right)
    falls, bound = fall < 0.0, np.minimum(left, right)
    width = np.exp(high) - np.where(falls, np.exp(low), 0.0)
    least = np.maximum(right - rise * width, np.where(falls, left + fall * width, -np.inf))
    return np.minimum(least, bound), bound


def _multiplier(
    share: FloatArray,
    target: FloatArray,
    log_ratio: FloatArray,
    log_kink: FloatArray,
    log_share: FloatArray,
    rising: BoolArray,
    over_before: FloatArray,
    over_after: FloatArray,
) -> FloatArray:
    """Return λ with Σ p̂ log u = target, 0 where u = kink reaches it already; (N, 1).

    u_i rises with λ up to its kink if ``rising``, rests there, and rises again; so Σ p̂ log u is
    piecewise linear in log λ, with an event wherever a u_i reaches or leaves its kink.
    """
    chosen = share > 0.0
    log_before = np.log(over_before)
    reaches = np.where(rising, log_ratio + log_before, LOG_OF_ZERO)
    leaves = np.where(chosen, log_ratio + np.log(over_after), LOG_OF_ZERO)
    event = np.concatenate([reaches, leaves], axis=1)
    change = np.concatenate([np.where(rising, -share, 0.0), share], axis=1)
    order = np.argsort(event, axis=1)
    event = np.take_along_axis(event, order, 1)
    change = np.take_along_axis(change, order, 1)
    first_slope = np.where(rising, share, 0.0).sum(1, keepdims=True)
    first_constant = np.where(
        rising, share * (log_share - log_before), np.where(chosen, share * log_kink, 0.0)
    ).sum(1, keepdims=True)
    slope = first_slope + np.cumsum(np.pad(change, ((0, 0), (1, 0))), axis=1)
    constant = first_constant - np.cumsum(np.pad(change * event, ((0, 0), (1, 0))), axis=1)
    before_target = slope[:, 1:] * event + constant[:, 1:] < target
    segment = before_target.sum(1, keepdims=True)
    slope = np.take_along_axis(slope, segment, 1)
    constant = np.take_along_axis(constant, segment, 1)
    at_kink = slope <= 1e-15
    log_multiplier = (target - constant) / np.where(at_kink, 1.0, slope)
    return np.where(at_kink, 0.0, np.exp(np.where(at_kink, 0.0, log_multiplier)))
