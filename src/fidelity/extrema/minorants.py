"""Affine minorants of discrepancies: what each answer says of L(p, q), at most.

They are chosen without the answer itself, so that their mean over answers has an expectation of at
most L(p, q); see :mod:`fidelity.means.leave_one_out`. Each function is for discrepancies of one
form: a square of means, Σ_c |A_c·(p - q)|, the norm of a kernel, a sum over options. ``counts`` are
people's answers and ``drawn`` a simulator's, (N, d) each; ``ramp`` is the number of standard errors
over which slopes of |x| turn, 0 for the sign.
"""

from collections.abc import Iterable
from functools import reduce

import numpy as np

from fidelity.arrays import BoolArray, FloatArray
from fidelity.blocks import blocks
from fidelity.extrema.separable import Terms

RAMP = 1.0
DRAWN_TO = 2.0
PAIRS_AT_ONCE = 2**16
TIE, TIE_OF_NORMS = 1e-9, 1e-7


def of_square(counts: FloatArray, q: FloatArray, scores: FloatArray) -> FloatArray:
    """Return (u - q)(2s - u - q), the tangent of (· - q)² at the others' mean u; 0 of nobody."""
    others = counts.sum(1, keepdims=True) - 1.0
    stated = (q @ scores)[:, None]
    u = (counts @ scores)[:, None] - scores
    u = np.divide(u, others, out=np.broadcast_to(stated, u.shape).copy(), where=others > 0.0)
    return (u - stated) * (2.0 * scores - u - stated)


def of_coordinates(
    counts: FloatArray, q: FloatArray, coordinates: FloatArray, ramp: float
) -> FloatArray:
    """Return f⁽ⁱ⁾(i) of Σ_c |A_c·(p - q)|, whose slopes follow from the others' answers."""
    n = counts.sum(1, keepdims=True)
    coordinates, spread = _from_zero(coordinates)
    total, stated = counts @ coordinates.T, q @ coordinates.T
    width = ramp * _deviation(stated, q @ coordinates.T**2) * np.sqrt(n)

    def said(value: FloatArray, c: slice) -> FloatArray:
        """Return what an answer says of which the coordinates ``c`` are ``value``."""
        others = total[:, c] - value - (n - 1.0) * stated[:, c]
        return _slope(others, width[:, c], n * spread[c]) * (value - stated[:, c])

    if _two_valued(coordinates):
        low, high, is_high = _values(coordinates)
        every = slice(None)
        return said(high, every) @ is_high + said(low, every) @ (1.0 - is_high)
    return _sum(said(row, slice(c, c + 1)) for c, row in enumerate(coordinates))


def _two_valued(coordinates: FloatArray) -> bool:
    """Tell whether each coordinate has but two values, as indicators have."""
    ends = coordinates.min(1, keepdims=True), coordinates.max(1, keepdims=True)
    return bool(((coordinates == ends[0]) | (coordinates == ends[1])).all())


def _values(coordinates: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the smaller and the larger value of each coordinate, (c,), and where it is larger."""
    low, high = coordinates.min(1), coordinates.max(1)
    return low, high, (coordinates == high[:, None]).astype(float)


def _from_zero(coordinates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return coordinates less their smallest values, (c, d), and their ranges, (c,).

    A constant does not change A·(p - q), but rounding of large numbers may.
    """
    moved = coordinates - coordinates.min(1, keepdims=True)
    return moved, moved.max(1)


def _slope(
    excess: FloatArray, width: FloatArray, spread: FloatArray, tie: float = TIE
) -> FloatArray:
    """Return a slope of |x| at ``excess``: its sign, within ``width`` of 0 smoothly between.

    0 where ``excess`` is 0 up to rounding, less than ``tie`` times the range of its values.
    """
    excess = np.where(np.abs(excess) < tie * spread, 0.0, excess)
    within = np.clip(excess, -width, width)
    x = np.divide(within, width, out=np.sign(excess), where=width > 0.0)
    return x * (1.5 - 0.5 * x**2)


def _deviation(mean: FloatArray, square: FloatArray) -> FloatArray:
    """Return the standard deviation of one answer, given the means of answers and squares."""
    return np.sqrt(np.maximum(square - mean**2, 0.0))


def of_coordinates_and_draws(
    counts: FloatArray, drawn: FloatArray, coordinates: FloatArray, ramp: float
) -> FloatArray:
    """Return Λ of Σ_c |A_c·(p - q)| of draws, (N,), by slopes that follow from other answers.

    Coordinates of many values are taken a few rows at a time, and only options that are chosen.
    """
    is_two_valued = _two_valued(coordinates)
    parts = [*blocks(len(counts), counts.shape[1] ** 2, PAIRS_AT_ONCE)]
    if not is_two_valued and parts[1:]:
        few = ((counts[part], drawn[part]) for part in parts)
        return np.concatenate([of_coordinates_and_draws(*some, coordinates, ramp) for some in few])
    n, k = counts.sum(1)[:, None, None], drawn.sum(1)[:, None, None]
    apart, several = np.sqrt(1.0 / n + 1.0 / k), (n > 1.0) & (k > 1.0)
    coordinates, spread = _from_zero(coordinates)
    people, draws = np.maximum(n - 1.0, 1.0), np.maximum(k - 1.0, 1.0)

    def said(value: FloatArray, drew: FloatArray, sums: list[FloatArray]) -> FloatArray:
        """Return what an answer and a draw say, given sums over all; they broadcast."""
        total, stated, square, spread = sums
        other = (stated - drew) / draws
        width = ramp * _deviation(other, (square - drew**2) / draws) * apart
        slope = _slope((total - value) / people - other, width, spread)
        return np.where(several, slope, 0.0) * (value - drew)

    of_all = counts @ coordinates.T, drawn @ coordinates.T, drawn @ coordinates.T**2
    sums = [total[:, :, None] for total in (*of_all, spread[None])]
    if is_two_valued:
        low, high, is_high = _values(coordinates)
        of_people, of_draws = (
            np.stack([x @ (1.0 - is_high).T, x @ is_high.T]) for x in (counts, drawn)
        )
        values = np.stack([low, high])[:, None, :, None]
        terms = [
            of_people[a] * of_draws[b] * said(values[a], values[b], sums)[:, :, 0]
            for a in (0, 1)
            for b in (0, 1)
        ]
        products = _sum(terms).sum(1)
    else:
        i, j = counts.any(0), drawn.any(0)
        products = _sum(
            np.einsum(
                "ni,nj,nij->n",
                counts[:, i],
                drawn[:, j],
                said(row[i, None], row[j], [total[:, c : c + 1] for total in sums]),
            )
            for c, row in enumerate(coordinates)
        )
    return products / (n * k)[:, 0, 0]


def _sum(terms: Iterable[FloatArray]) -> FloatArray:
    """Return the sum of arrays of one shape."""
    return reduce(np.add, terms)


def of_kernel(counts: FloatArray, q: FloatArray, kernel: FloatArray, ramp: float) -> FloatArray:
    """Return f⁽ⁱ⁾(i) - ⟨f⁽ⁱ⁾, q⟩ with f⁽ⁱ⁾ along Kw, w = (n - 1)(the others' shares - q)."""
    n, diagonal, stated = counts.sum(1, keepdims=True), kernel.diagonal(), q @ kernel
    with_all = counts - (n - 1.0) * q
    towards = with_all @ kernel
    square = (with_all * towards).sum(1, keepdims=True) - 2.0 * towards + diagonal
    said = towards - (q * towards).sum(1, keepdims=True) - diagonal + stated
    variance = q @ diagonal[:, None] - (q * stated).sum(1, keepdims=True)
    return said * _slope_over_norm(square, variance * n, n * np.sqrt(diagonal.max()), ramp)


def of_kernel_and_draws(
    counts: FloatArray, drawn: FloatArray, kernel: FloatArray, ramp: float
) -> FloatArray:
    """Return Λ of ‖p - q‖_K of draws, (N, d), with f⁽ⁱˡ⁾ along K(the others' less other draws')."""
    diagonal = kernel.diagonal()
    n, k = (answers.sum(1)[:, None, None] for answers in (counts, drawn))
    person, draw = 1.0 / np.maximum(n - 1.0, 1.0), 1.0 / np.maximum(k - 1.0, 1.0)
    with_all = counts * person[:, 0] - drawn * draw[:, 0]
    towards = with_all @ kernel
    of_person, of_draw = towards[:, :, None], towards[:, None]
    square = (with_all * towards).sum(1)[:, None, None] - 2.0 * person * draw * kernel
    square = square + person * (person * diagonal[:, None] - 2.0 * of_person)
    square += draw * (draw * diagonal + 2.0 * of_draw)
    said = of_person - of_draw - person * (diagonal[:, None] - kernel) - draw * (diagonal - kernel)
    other = (drawn[:, None] - np.eye(len(diagonal))) * draw
    variance = other @ diagonal - ((other @ kernel) * other).sum(2)
    variance = variance[:, None] * (1.0 / n + 1.0 / k)
    slope = _slope_over_norm(square, variance, np.sqrt(diagonal.max()), ramp)
    pairs = counts[:, :, None] * drawn[:, None] * np.where((n > 1.0) & (k > 1.0), slope, 0.0)
    return (pairs * said).sum((1, 2)) / (n * k)[:, 0, 0]


def _slope_over_norm(
    square: FloatArray, variance: FloatArray, spread: FloatArray, ramp: float
) -> FloatArray:
    """Return the length of f over ‖w‖, given ‖w‖², w's variance and largest norm; 0 where w is 0.

    The tie is wider, since ‖w‖² is a difference of terms as large as the square of ``spread``.
    """
    norm = np.sqrt(np.maximum(square, 0.0))
    width = ramp * np.sqrt(np.maximum(variance, 0.0))
    slope = _slope(norm, width, spread, TIE_OF_NORMS)
    return np.divide(slope, norm, out=np.zeros_like(norm), where=slope != 0.0)


def of_terms(counts: FloatArray, q: FloatArray, terms: Terms, infinite_at_zero: bool) -> FloatArray:
    """Return f⁽ⁱ⁾(i) of Σ_k ℓ(p_k, q_k): the tangent at the others' answers, drawn towards q.

    Its value at option i is ℓ'(u_i) + Σ_k ℓ(u_k) - u_k ℓ'(u_k), where only u_i depends on who is
    left out. Without drawing towards q, u_i of rare options would be so near 0 that their slopes
    would dominate Λ.
    """
    n = counts.sum(1, keepdims=True)
    impossible = infinite_at_zero & (q == 0.0)
    _, rest = _tangent(_drawn_to(q, counts, n), q, impossible, terms)
    others = _drawn_to(q, np.maximum(counts - 1.0, 0.0), n)
    own_slope, own_rest = _tangent(others, q, impossible, terms)
    return own_slope + own_rest + rest.sum(1, keepdims=True) - rest


def _drawn_to(q: FloatArray, counts: FloatArray, n: FloatArray) -> FloatArray:
    """Return shares with 2√n further answers added, spread as q."""
    more = DRAWN_TO * np.sqrt(n)
    return (counts + more * q) / (n - 1.0 + more)


def of_terms_and_draws(counts: FloatArray, drawn: FloatArray, terms: Terms) -> FloatArray:
    """Return Λ of Σ_k ℓ(p_k, q_k) of draws, (N, d), by tangents at the others, drawn to each other.

    ℓ is homogeneous and symmetric: the tangent at (u, v) is 0 at 0, and has the value ℓ'(u_i, v_i)
    + ℓ'(v_l, u_l) for an answer i and a draw l.
    """
    n, k = counts.sum(1, keepdims=True), drawn.sum(1, keepdims=True)

    def slopes(person: float, draw: float) -> tuple[FloatArray, FloatArray]:
        """Return both slopes without so many answers and draws of each option."""
        answers, others = np.maximum(counts - person, 0.0), np.maximum(drawn - draw, 0.0)
        middle = (answers / n + others / k) / 2.0
        u, v = _drawn_to(middle, answers, n), _drawn_to(middle, others, k)
        u, v = np.where(middle > 0.0, u, 1.0), np.where(middle > 0.0, v, 1.0)
        return terms.slope(u, v), terms.slope(v, u)

    of_people, of_draws, (both, alike) = slopes(1.0, 0.0)[0], slopes(0.0, 1.0)[1], slopes(1.0, 1.0)
    share, drawn_share = counts / n, drawn / k
    apart = share * of_people + drawn_share * of_draws
    together = share * drawn_share * (both + alike - of_people - of_draws)
    return (apart + together).sum(1)


def _tangent(
    u: FloatArray, q: FloatArray, impossible: BoolArray, terms: Terms
) -> tuple[FloatArray, FloatArray]:
    """Return ℓ'(u) and ℓ(u) - u ℓ'(u), 0 for impossible options; where u = q = 0 those of u = 1."""
    u = np.where((u == 0.0) | impossible, 1.0, u)
    q = np.where(impossible, 1.0, q)
    slope = np.where(impossible, 0.0, terms.slope(u, q))
    return slope, np.where(impossible, 0.0, terms.term(u, q) - u * slope)
