"""Variance of weighted means from replicate weights.

Publishers of a survey often give, in place of strata and PSUs, R further weights of each person.
Each set of weights is as if a part of the sample had been drawn again. The variance is
scale · Σ_r rscale_r (mean_r - mean)², where mean_r is the mean by the weights of replicate r
(Wolter 2007). Squares are taken around the mean by the full weights, as most agencies do
(``mse=TRUE`` in R's survey). R's default takes them around the mean of the replicates; where all
factors are equal, that sum is never larger.
"""

import numpy as np

from fidelity.arrays import ArrayLike, FloatArray
from fidelity.designs.linearised import DesignMean

METHODS = ("jk1", "jkn", "brr", "fay", "bootstrap")
RANK_TOLERANCE = 1e-5


def replicate_mean(
    values: ArrayLike,
    weights: ArrayLike | None,
    replicate_weights: ArrayLike,
    *,
    method: str,
    fay: float | None = None,
    scale: float | None = None,
    rscales: ArrayLike | None = None,
    domain: ArrayLike | None = None,
) -> DesignMean:
    """Return weighted means of a domain with their covariance from replicate weights.

    As ``svymean`` of a ``svrepdesign`` in R's survey with ``mse=TRUE`` and combined weights: a
    replicate weight is a whole weight, not a factor of the full one. As there, degrees of freedom
    are the rank of the domain's replicate weights, minus 1.

    Args:
        values: a row a person, (N, d), such as indicators of d options.
        weights: (N,), none negative; None for equal ones.
        replicate_weights: (N, R), none negative.
        method: how the replicate weights were made; see :func:`replicate_factors`.
        fay: Fay's coefficient, for ``fay``.
        scale: the factor of all squares, where it isn't the usual one.
        rscales: the factor of each replicate, (R,) or one for all; ``jkn`` needs them.
        domain: whether each person belongs to the group asked about, (N,); None for all.

    Raises:
        ValueError: if the method lacks what it needs, or a set of weights is 0 in the domain.

    Examples:
        >>> from fidelity.designs import replicate_mean
        >>> left_out = [[0.0, 1.5, 1.5], [1.5, 0.0, 1.5], [1.5, 1.5, 0.0]]
        >>> found = replicate_mean([[1], [0], [0]], None, left_out, method="jk1")
        >>> print(found.estimate.round(4), found.covariance.round(4), found.df)
        [0.3333] [[0.1111]] 2.0
    """
    table = np.atleast_2d(np.asarray(values, float).T).T
    inside = np.ones(len(table), bool) if domain is None else np.asarray(domain, bool)
    table, replicates = table[inside], np.asarray(replicate_weights, float)[inside]
    mass = np.ones(len(table)) if weights is None else np.asarray(weights, float)[inside]
    of_all = np.column_stack([mass, replicates])
    sizes = of_all.sum(axis=0)
    factors = replicate_factors(method, replicates.shape[1], fay=fay, scale=scale, rscales=rscales)
    estimate, covariance = mean_of_replicates(table.T @ of_all, sizes, factors)
    return DesignMean(estimate, covariance, degrees_of_freedom(replicates))


def replicate_factors(
    method: str,
    replicates: int,
    *,
    fay: float | None = None,
    scale: float | None = None,
    rscales: ArrayLike | None = None,
) -> FloatArray:
    """Return the factor of each replicate's square, (R,).

    ``brr`` 1/R; ``fay`` 1/(R (1 - fay)²); ``jk1`` (R - 1)/R; ``bootstrap`` 1/(R - 1); ``jkn`` its
    ``rscales``. A ``scale`` stands in for these, and ``rscales`` multiply them.

    1/(R - 1) is for a bootstrap that draws n_h - 1 of the n_h PSUs of a stratum and rescales the
    weights (Rao and Wu 1988). One that draws n_h (Canty and Davison 1999) needs the ``scale``
    (n/(n - 1))/(R - 1), n the harmonic mean of the n_h, as ``as.svrepdesign(type = "bootstrap")``
    of R's survey has it. Without it variances are too small by (n - 1)/n.

    Args:
        method: ``brr``, ``fay``, ``jk1``, ``jkn`` or ``bootstrap``.
        replicates: R.
        fay: Fay's coefficient, for ``fay``.
        scale: the factor of all squares, where it isn't the usual one.
        rscales: the factor of each replicate, (R,) or one for all; ``jkn`` needs them.

    Raises:
        ValueError: if the method lacks what it needs, or is unknown.

    Examples:
        >>> from fidelity.designs import replicate_factors
        >>> replicate_factors("brr", 4)
        array([0.25, 0.25, 0.25, 0.25])
        >>> replicate_factors("bootstrap", 5, scale=2 / 4, rscales=[1, 1, 1, 1, 2])
        array([0.5, 0.5, 0.5, 0.5, 1. ])
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if replicates < 2:
        raise ValueError("two or more replicate weights are needed")
    if method == "fay" and (fay is None or not 0 <= fay < 1):
        raise ValueError("method fay needs its coefficient, fay, at least 0 and below 1")
    if method == "jkn" and rscales is None:
        raise ValueError("method jkn needs rscales, (n_h - 1)/n_h for each replicate")
    usual = {
        "jk1": (replicates - 1) / replicates,
        "jkn": 1.0,
        "brr": 1 / replicates,
        "fay": 1 / (replicates * (1 - (fay or 0.0)) ** 2),
        "bootstrap": 1 / (replicates - 1),
    }
    factors = np.asarray(1.0 if rscales is None else rscales, float)
    if factors.size not in (1, replicates):
        raise ValueError(f"there are {factors.size} rscales for {replicates} replicate weights")
    return np.broadcast_to(factors * (usual[method] if scale is None else scale), (replicates,))


def mean_of_replicates(
    totals: FloatArray, sizes: FloatArray, factors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return means and their covariance.

    Args:
        totals: of weight times value, by the full weights and each replicate's, (d, 1 + R).
        sizes: of the weights, (1 + R,).
        factors: of each replicate's square, (R,).
    """
    if not (sizes > 0).all():
        raise ValueError("a set of weights is 0 for everybody in the domain")
    means = totals / sizes
    apart = (means[:, 1:] - means[:, :1]) * np.sqrt(factors)
    return means[:, 0], apart @ apart.T


def degrees_of_freedom(replicates: FloatArray) -> float:
    """Return the rank of the replicate weights (N, R), minus 1; at least 1."""
    triangle = np.linalg.qr(replicates, mode="r")
    singular = np.linalg.svd(triangle, compute_uv=False)
    rank = int((singular > RANK_TOLERANCE * singular[0]).sum())
    return float(max(rank - 1, 1))
