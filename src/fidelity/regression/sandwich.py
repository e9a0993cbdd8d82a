"""Sandwich covariances of regressions, unbiased under a model, with Bell-McCaffrey's df.

Residuals are smaller than errors, most so of persons on whom a slope rests. So those of each unit
(a person, or a cluster: a PSU, the draws of one persona) are multiplied by A = B^(-1/2), where B is
their covariance if errors are independent and alike (CR2, Bell & McCaffrey 2002; of single
persons without weights it is HC2, e/√(1 - h)). The variance of a slope then is a square form in
the errors whose mean is right in this model, and its degrees of freedom are 2 mean²/variance in
this model. They are few where few persons have what the slope is about, though persons are many;
they decide on the coverage, where normal limits cover .87 to .92.

With X of q columns, weights W and Q = (X'WX)⁻¹, residuals are Mε with M = I - XQX'W, and

    B = MM' = I - XQX'W - WXQX' + XQX'W²XQX',

unit by unit. So with z = A'WXQc of a unit and the sums t = X'Wz and u = QX'z over its persons, the
products of the forms' vectors are G_ab = [a = b]·z_a'z_a - t_a'u_b - u_a't_b + u_a'X'W²Xu_b; their
squares are added up by columns, never unit by unit. Weights are taken as those of a survey, which
say nothing of an answer's variance.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity.arrays import FloatArray, IntArray
from fidelity.designs.linearised import Units, deviations_in_strata

NOTHING = 1e-9
LEAST_SEEN = 0.5


class Sandwich(NamedTuple):
    """What units do to sums of coefficients, and how sure their variances are.

    Attributes:
        influence: (U, K, J), of K outcomes; sums of products are covariances.
        df: degrees of freedom, (J,).
        seen: the mean of a sum's square form over its variance in the model, (J,): 1, or less where
            the sum rests on single units, or somewhat more with strata; influences are freed of it.
    """

    influence: FloatArray
    df: FloatArray
    seen: FloatArray


def sandwich(
    x: FloatArray,
    weights: FloatArray,
    residuals: FloatArray,
    contrast: FloatArray,
    units: Units,
    lonely_psu: str = "refused",
) -> Sandwich:
    """Return influences on J sums of coefficients.

    Args:
        x: columns, the intercept among them, (n, q), of full rank.
        weights: (n,).
        residuals: of K outcomes, (n, K), in units where errors are alike.
        contrast: the sums, (q, J).
        units: of persons, and the strata of units.
        lonely_psu: as :func:`fidelity.designs.linearised_mean`.
    """
    root = np.linalg.qr(np.sqrt(weights)[:, None] * x, mode="r")
    inverse = np.linalg.inv(root)
    bread = inverse @ inverse.T
    model = _Model(x @ bread, x * weights[:, None])
    of_person, strata = units
    many, place = len(strata), np.arange(len(x))
    members = sp.sparse.csr_array((np.ones(len(x)), (of_person, place)), (many, len(x)))
    inside = np.unique(strata[of_person])
    adjusted = model.adjusted(model.weighted @ bread @ contrast, members)

    def of_units(values: FloatArray) -> FloatArray:
        sums: FloatArray = members @ values
        if strata.max(initial=0) == 0:
            return sums
        return deviations_in_strata(sums, strata, lonely_psu, inside)

    influence = np.empty((many, residuals.shape[1], contrast.shape[1]))
    df, seen = np.empty((2, contrast.shape[1]))
    variances = ((contrast.T @ bread @ model.squares @ bread) * contrast.T).sum(1)
    for j, towards in enumerate(adjusted.T):
        column = towards[:, None]
        influence[:, :, j] = of_units(column * residuals)
        sizes = members @ towards**2
        t, u = (of_units(column * part) for part in (model.weighted, model.leverage))
        mean, df[j] = _moments(sizes, t, u, model.squares, strata)
        seen[j] = mean / variances[j]
    return Sandwich(influence / np.sqrt(np.maximum(seen, LEAST_SEEN)), df, seen)


class _Model(NamedTuple):
    """What residuals are of errors that are independent and alike.

    Attributes:
        leverage: XQ, (n, q).
        weighted: WX, (n, q).
    """

    leverage: FloatArray
    weighted: FloatArray

    @property
    def squares(self) -> FloatArray:
        """X'W²X."""
        return self.weighted.T @ self.weighted

    def adjusted(self, towards: FloatArray, members: Any) -> FloatArray:
        """Return A'·towards, unit by unit, (n, J)."""
        p, wx = self.leverage, self.weighted
        crossed = p @ self.squares - wx  # so that B = I - P(WX)' + crossed·P'
        b = 1.0 - (p * wx).sum(1) + (crossed * p).sum(1)
        alone = np.divide(1.0, np.sqrt(np.maximum(b, 0.0)), out=np.zeros(len(b)), where=b > NOTHING)
        adjusted: FloatArray = towards * alone[:, None]
        for unit in np.flatnonzero(np.diff(members.indptr) > 1):
            rows = members.indices[members.indptr[unit] : members.indptr[unit + 1]]
            axes, _ = np.linalg.qr(np.hstack([p[rows], wx[rows]]))
            inner = (axes.T @ crossed[rows]) @ (p[rows].T @ axes)
            inner -= (axes.T @ p[rows]) @ (wx[rows].T @ axes)
            values, vectors = np.linalg.eigh(np.eye(len(inner)) + (inner + inner.T) / 2.0)
            axes = axes @ vectors
            some = values > NOTHING
            power = np.where(some, 1.0 / np.sqrt(np.where(some, values, 1.0)), 0.0) - 1.0
            adjusted[rows] = towards[rows] + axes @ (power[:, None] * (axes.T @ towards[rows]))
        return adjusted


def _moments(
    sizes: FloatArray, t: FloatArray, u: FloatArray, squares: FloatArray, strata: IntArray
) -> tuple[float, float]:
    """Return the mean of a square form and its degrees of freedom.

    With strata, vectors are deviations from the means of strata, √(n/(n - 1)) times as large where
    a stratum has n units. So are the parts of single units, diag(z'z).

    Args:
        sizes: z'z of units, (U,).
        t, u: of units, or their deviations in strata, (U, q).
        squares: X'W²X.
        strata: of units, (U,).
    """
    right = u @ squares - t
    crossed = (right * u).sum(1) - (t * u).sum(1)
    left, both = np.hstack([t, u]), np.hstack([-u, right])
    of_both = both.T @ left
    n = np.bincount(strata)
    times, rest = np.ones(len(n)), np.zeros(len(n))
    if len(n) > 1:
        times, rest = np.where(n > 1, n / np.maximum(n - 1.0, 1.0), 0.0), 1.0 / n
    alone, alone_squares = np.bincount(strata, sizes), np.bincount(strata, sizes**2)
    total = times**2 * ((1.0 - 2.0 * rest) * alone_squares + (rest * alone) ** 2)
    second = total.sum() + 2.0 * (times[strata] * sizes) @ crossed + (of_both * of_both.T).sum()
    mean = float((times * (1.0 - rest)) @ alone + crossed.sum())
    return mean, mean**2 / second
