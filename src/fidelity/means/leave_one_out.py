"""Lower bounds on discrepancies that hold in expectation, by leaving out one respondent at a time.

For p̂ with mean p and L convex in p, E L(p̂, q) ≥ L(p, q) (Jensen): the plug-in is an upper bound in
expectation, whatever the dependence between respondents. From below, every affine f ≤ L(·, q) that
is chosen without respondent r has E f(answer of r) ≤ L(p, q): so does the mean over respondents of

    Λ = Σ_i (x_i/n) f⁽ⁱ⁾(i),   f⁽ⁱ⁾ the affine minorant that touches L(·, q) without one answer i,

with x_i of the n people who chose option i. It needs independent respondents, and a q that does not
depend on them. Nothing may be clipped: Λ can be negative, and its expectation is at most L(p, q)
only because it can.

Where L is quadratic in p (``squared``, ``l2``) taking the sampling variance away is unbiased, and
is lower and upper bound at once.
"""

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.discrepancies.base import Discrepancy
from fidelity.discrepancies.divergences import Divergence, SquaredEuclidean
from fidelity.discrepancies.means import Squared


def leave_one_out(
    counts: FloatArray, q: FloatArray, measure: Discrepancy, scores: FloatArray | None
) -> FloatArray:
    """Return Λ of each row: E Λ ≤ L(p, q); counts and q (N, d) -> (N,).

    NaN where ``squared`` or ``l2`` have one respondent; +inf where somebody chose an option of
    which q states 0 and the discrepancy is infinite there.
    """
    if isinstance(measure, Squared):
        assert scores is not None
        return _unbiased_square(counts, (counts * scores).sum(1), counts @ scores**2, q @ scores)
    if isinstance(measure, SquaredEuclidean):
        n = counts.sum(1)
        own = counts * (counts - 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            square = own.sum(1) / (n * (n - 1.0))
        square = np.where(n > 1.0, square, np.nan)
        unbiased: FloatArray = square - 2.0 * (counts * q).sum(1) / n + (q**2).sum(1)
        return unbiased
    if isinstance(measure, Divergence):
        return _of_terms(counts, q, measure)
    return _of_coordinates(counts, q, measure.coordinates(q.shape[1], scores))


def _unbiased_square(
    counts: FloatArray, total: FloatArray, squares: FloatArray, mean: FloatArray
) -> FloatArray:
    """Return (p̂ - q)² less its sampling variance, of mean scores."""
    n = counts.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        product = (total**2 - squares) / (n * (n - 1.0))
    product = np.where(n > 1.0, product, np.nan)
    unbiased: FloatArray = product - 2.0 * total / n * mean + mean**2
    return unbiased


def _of_coordinates(counts: FloatArray, q: FloatArray, coordinates: FloatArray) -> FloatArray:
    """Return Λ of Σ_c |A_c·(p - q)|: each term's sign is that of the others' answers."""
    n, d = counts.sum(1), counts.shape[1]
    total, stated = counts @ coordinates.T, q @ coordinates.T
    found = np.zeros(len(counts))
    for option in range(d):
        own = coordinates[:, option]
        sign = np.sign(total - own - (n - 1.0)[:, None] * stated)
        found += counts[:, option] * (sign * (own - stated)).sum(1)
    return found / n


def _of_terms(counts: FloatArray, q: FloatArray, measure: Divergence) -> FloatArray:
    """Return Λ of Σ_k ℓ(p_k, q_k), by tangents at the others' answers and one that is spread as q.

    The tangent's value at option i is ℓ'(u_i) + Σ_k ℓ(u_k) - u_k ℓ'(u_k), where only u_i knows who
    is left out.
    """
    n = counts.sum(1, keepdims=True)
    impossible = measure.infinite_at_zero & (q == 0.0)
    _, rest = _tangent((counts + q) / n, q, impossible, measure)
    own_slope, own_rest = _tangent((np.maximum(counts - 1.0, 0.0) + q) / n, q, impossible, measure)
    value = own_slope + own_rest + rest.sum(1, keepdims=True) - rest
    found: FloatArray = (counts * value).sum(1) / n[:, 0]
    return np.where((impossible & (counts > 0.0)).any(1), np.inf, found)


def _tangent(
    u: FloatArray, q: FloatArray, impossible: np.ndarray, measure: Divergence
) -> tuple[FloatArray, FloatArray]:
    """Return ℓ'(u) and ℓ(u) - u ℓ'(u), 0 for impossible options; where u = q = 0 those of u = 1."""
    u = np.where((u == 0.0) | impossible, 1.0, u)
    q = np.where(impossible, 1.0, q)
    slope = np.where(impossible, 0.0, measure.slope(u, q))
    return slope, np.where(impossible, 0.0, measure.term(u, q) - u * slope)
