"""Lower bounds on discrepancies that hold in expectation, by leaving out one respondent at a time.

For p̂ with mean p and L convex in p, E L(p̂, q) ≥ L(p, q) (Jensen). So the plug-in is an upper
bound in expectation, for any dependence between respondents. From below: every affine f ≤ L(·, q)
chosen without respondent r has E f(answer of r) ≤ L(p, q). So has the mean over respondents of such
f,

    Λ = Σ_i (x_i/n) f⁽ⁱ⁾(i),   f⁽ⁱ⁾ the affine minorant that touches L(·, q) without one answer i,

with x_i of the n people who chose option i. The respondents must be independent, and q must not
depend on them. Λ must not be clipped: it can be negative, and its expectation is at most L(p, q)
only because it can.

For |x| every slope s in [-1, 1] gives a minorant s·x. The largest expectation comes from the sign
of the mean of the others' answers. But the sign jumps where their mean equals the simulator's. One
answer more or less then changes Λ by as much as the discrepancy itself can be. A smooth function of
their mean varies far less, and intervals are made from it. It reaches ±1 one standard error from 0,
the standard error of n answers from q. An example is a population like OpinionQA with a good
simulator (five options, TV, n = 200; :func:`synthetic.populations.opinionqa_like`). There the
standard deviation of the smooth Λ is .04. The jackknife takes it for .06, and that of Λ for .56;
see :mod:`fidelity.means.resampled`.

Where the others' mean equals the simulator's, the slope is 0. Rounding must not choose its sign,
since that may differ with the answer left out. A difference below 1e-9 of the scale's range is such
a tie.

A norm ‖p - q‖_K (such as ``mmd_gaussian``) is the largest ⟨f, p - q⟩ over a unit ball. Here f
points from q to the others' shares. It is shortened if they are within one standard error of q.
Half a standard error would not do, since noise alone makes a norm of about one. With
``mmd_gaussian`` on the same population the standard deviation of Λ is .034.

Suppose that q̂ are the shares of k independent draws from the simulator's q, and that L is convex
in both arguments. Then the plug-in bounds L(p, q), too. So does Λ if it leaves out one person and
one draw:

    Λ = Σ_i Σ_l (x_i/n)(y_l/k) f⁽ⁱˡ⁾(i, l).

Where L is quadratic (``squared``, ``l2``), Λ is the plug-in less its sampling variance. Then
E Λ = L(p, q), so Λ bounds it from both sides in expectation. The plug-in is too large on average by
that variance, and remains the upper bound.
"""

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.discrepancies.base import Discrepancy
from fidelity.extrema.minorants import RAMP


def leave_one_out(
    counts: FloatArray,
    q: FloatArray,
    measure: Discrepancy,
    scores: FloatArray | None,
    draws: FloatArray | None = None,
    ramp: float = RAMP,
) -> FloatArray:
    """Return Λ of each row, E Λ ≤ L(p, q); counts and q (N, d), draws (N,) -> (N,).

    ``ramp`` is the number of standard errors over which slopes of |x| turn; 0 for the sign.

    Without ``draws`` people are compared with q itself. With ``draws`` q holds the shares of so
    many draws, and Λ bounds the discrepancy of the probabilities they are drawn from. NaN for
    squared distances with one respondent or one draw. +inf where somebody chose an option that
    q calls impossible and the discrepancy is infinite there.

    Examples:
        >>> import numpy as np
        >>> from fidelity import DISCREPANCIES
        >>> from fidelity.means.leave_one_out import leave_one_out
        >>> people, model = np.array([[12.0, 5.0, 3.0]]), np.array([[0.2, 0.3, 0.5]])
        >>> leave_one_out(people, model, DISCREPANCIES["tv"], None).round(3)
        array([0.346])
    """
    if measure.is_square:
        return _unbiased(counts, q, measure.points(q.shape[1], scores), draws)
    if draws is not None:
        return measure.leave_one_out(counts, q * draws[:, None], scores, ramp)
    bound: FloatArray = (counts * measure.minorants(counts, q, scores, ramp)).sum(1) / counts.sum(1)
    impossible = measure.infinite_at_zero & (q == 0.0) & (counts > 0.0)
    return np.where(impossible.any(1), np.inf, bound)


def _unbiased(
    counts: FloatArray, q: FloatArray, points: FloatArray, draws: FloatArray | None
) -> FloatArray:
    """Return |p̂ - q|² less its sampling variance, of means of ``points``, (d, c)."""
    square = _own_square(counts, counts.sum(1), points)
    stated = q @ points
    other = (stated**2).sum(1)
    if draws is not None:
        other = _own_square(q * draws[:, None], draws, points)
    mean = counts @ points / counts.sum(1, keepdims=True)
    return square - 2.0 * (mean * stated).sum(1) + other


def _own_square(counts: FloatArray, n: FloatArray, points: FloatArray) -> FloatArray:
    """Return |mean|² without bias: the mean product of two different answers; NaN if n ≤ 1."""
    products = ((counts @ points) ** 2).sum(1) - counts @ (points**2).sum(1)
    square: FloatArray = np.full(len(n), np.nan)
    np.divide(products, n * (n - 1.0), out=square, where=n > 1.0)
    return square
