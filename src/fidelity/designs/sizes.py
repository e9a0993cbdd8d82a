"""The number of independent people that a survey is worth: Korn and Graubard's effective size.

A share p with design-based variance v is as certain as that of n = p(1 - p)/v independent people.
As v itself is estimated with few degrees of freedom, Korn and Graubard (1998) shrink it by the
squared ratio of two t quantiles, and take Clopper and Pearson's limits at that size.
"""

import numpy as np
import scipy as sp

from fidelity.arrays import ArrayLike, FloatArray, Floats

SMALLEST_SHARE = 1e-9


def effective_size(
    share: ArrayLike, covariance: ArrayLike, n: float, *, if_unanimous: float | None = None
) -> float:
    """Return one effective size for all statements about a question: n over the largest effect.

    The design effect of any weighted sum of shares, such as that of several options together, is
    at most the largest of :func:`design_effects`. With two options the size is p(1 - p)/v. Options
    that nobody chose don't enter the effects, and have the same size. The size is never above n,
    though stratification may gain more, nor below 1.

    Args:
        share: of the options, (d,).
        covariance: of the estimated shares, (d, d).
        n: the number of people.
        if_unanimous: the size where everybody gives the same answer, so that no variance is known;
            n by default.

    Examples:
        >>> import numpy as np
        >>> from fidelity.designs import effective_size
        >>> p = np.array([0.5, 0.5, 0.0])
        >>> v = np.array([[0.005, -0.005, 0.0], [-0.005, 0.005, 0.0], [0.0, 0.0, 0.0]])
        >>> print(round(effective_size(p, v, 100), 6))
        50.0
    """
    effects = design_effects(share, covariance, n)
    if not len(effects):
        return float(np.clip(n if if_unanimous is None else if_unanimous, 1.0, n))
    return float(np.clip(n / max(float(effects[-1]), 1.0), 1.0, n))


def design_effects(share: ArrayLike, covariance: ArrayLike, n: float) -> FloatArray:
    """Return the generalised design effects of Rao and Scott (1981), smallest first.

    They are the eigenvalues of P⁻¹D, where D is the covariance of the estimated shares and P that
    of n independent people. The largest is the greatest inflation of the variance of any weighted
    sum of shares. With estimated D it is overestimated.

    Args:
        share: of the d options, (d,); those with share 0 are left out.
        covariance: of the estimated shares, (d, d).
        n: the number of people.

    Examples:
        >>> import numpy as np
        >>> from fidelity.designs import design_effects
        >>> p = np.array([0.5, 0.3, 0.2])
        >>> print(design_effects(p, 2 * (np.diag(p) - np.outer(p, p)) / 100, 100).round(3))
        [2. 2.]
    """
    p = np.asarray(share, float)
    some = np.flatnonzero(p > SMALLEST_SHARE)[1:]
    if not len(some):
        return np.zeros(0)
    independent = (np.diag(p[some]) - np.outer(p[some], p[some])) / n
    there = np.asarray(covariance, float)[np.ix_(some, some)]
    return sp.linalg.eigh(there, independent, eigvals_only=True)


def korn_graubard_ratio(n: Floats, df: Floats, level: Floats) -> FloatArray:
    """Return (t_{n-1}(q)/t_df(q))² at q = (1 + level)/2, which shrinks an effective size; ≤ 1.

    Args:
        n: the number of people, at least 2.
        df: degrees of freedom of the variance, at least 1; 1 is returned where it is NaN, as for
            people without a design, and where it is n - 1 or more.
        level: coverage in (0, 1).

    Examples:
        >>> from fidelity.designs import korn_graubard_ratio
        >>> print(korn_graubard_ratio(1000, 14, [0.5, 0.95]).round(3))
        [0.95  0.837]
    """
    n, df, level = np.broadcast_arrays(*(np.asarray(array, float) for array in (n, df, level)))
    known = ~np.isnan(df)
    q = (1 + level) / 2
    most = np.maximum(n - 1, 1)
    of_design = sp.special.stdtrit(np.where(known, df, 1), q)
    ratio: FloatArray = (sp.special.stdtrit(most, q) / of_design) ** 2
    return np.where(known & (df < most), np.minimum(ratio, 1.0), 1.0)
