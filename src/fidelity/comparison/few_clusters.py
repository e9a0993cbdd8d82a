"""Student's t for the mean of scenarios that come in few or unequal clusters.

The mean over m scenarios in G clusters of sizes m_c = h_c·m has the cluster-robust variance CR2,
Σ_c S_c²/(1-h_c)/m², where S_c is the sum of a cluster's deviations from the mean. It is unbiased if
scenarios are independent (Bell & McCaffrey 2002; for the mean alone their (I-H)^(-1/2) is
1/sqrt(1-h_c)). The ratio of the error to its root is compared with Student's t. Its degrees of
freedom follow from the sizes of the clusters alone.

All this holds for clusters of unequal mass as well (survey weights, people per scenario): read mass
for size. The condition is that, for independent scenarios, the sum of a cluster's deviations has a
variance proportional to the cluster's mass.

Where scenarios of a cluster agree, the ratio has Student's t only if clusters' effects are normal.
Effects of two values can be the same in all large clusters by chance; then the error looks small.
So below 10 effective clusters an interval needs a warning (:data:`FEW`), and below 4 there is no
p-value (:data:`FEWEST`). :mod:`fidelity.comparison.wild_clusters` has a test for such designs.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, Counts, FloatArray

FEW, FEWEST = 10.0, 4.0
MOST_OVER_NOMINAL = 1.2
FEWEST_DEGREES = 0.3
MOST_MASSES = 64
POINTS, FINER_POINTS = 32, 9
MOST_STEPS, CLOSE = 60, 1e-14
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(100)
_SINE_SQUARED = np.sin((_NODES + 1) * np.pi / 4) ** 2


def to_12_digits(number: float) -> float:
    """Return a number of clusters as limits are compared with it: 40 where 1/Σh² is 40 - 1e-14."""
    return float(f"{number:.12g}")


def effective_clusters(sizes: ArrayLike) -> float:
    """Return (Σm_c)²/Σm_c², the number of equal clusters that would give an equally precise mean.

    It holds if the scenarios of a cluster agree, and lies between 1 and the number of clusters
    (Kish 1965). If they agree only in part, the mean is more precise than that.
    """
    sizes = np.asarray(sizes, float)
    return to_12_digits(sizes.sum() ** 2 / (sizes**2).sum())


def has_test(effective: float) -> bool:
    """Return whether so many effective clusters are enough for a test: 4 or more."""
    return effective >= FEWEST


def grouped(clusters: AnyArray) -> AnyArray | None:
    """Return the scenarios' clusters if they group them; None if all, or none, have one alone."""
    return clusters if 1 < len(np.unique(clusters)) < len(clusters) else None


def too_few(clusters: ArrayLike | None) -> bool:
    """Return whether there are fewer than 4 effective clusters, too few for a test; not if None.

    Args:
        clusters: one label per scenario, (m,).
    """
    if clusters is None:
        return False
    sizes = np.unique(inputs.labels("clusters", clusters), return_counts=True)[1]
    return not has_test(effective_clusters(sizes))


def satterthwaite_df(sizes: FloatArray, units: Counts | None = None) -> float:
    """Return the degrees of freedom of CR2 by Bell and McCaffrey, for independent scenarios.

    2E²/Var of CR2 for normal scores: 1/(Σh² + (Σa)² - Σa²) with a = h²/(1-h); G - 1 for equal
    clusters, and between 1 and G - 1.

    Args:
        sizes: scenarios in each cluster, or their mass, (G,), G ≥ 2.
        units: how many clusters have each size, (G,); 1 if None.
    """
    sizes = np.asarray(sizes, float)
    units = np.ones(len(sizes)) if units is None else units
    total = units @ sizes
    share, crossed = sizes / total, sizes / total * sizes / (total - sizes)
    return float(1 / (units @ share**2 + (units @ crossed) ** 2 - units @ crossed**2))


def size_of_test(
    sizes: FloatArray,
    critical: float,
    correlation: ArrayLike,
    units: Counts | None = None,
) -> FloatArray:
    """Return the probability that |mean - μ| exceeds a multiple of CR2's root, for normal scores.

    Exact. The event is x'Mx > 0, with x the clusters' means over their standard deviations and
    M = (1 - c²Σw)aa' + c²(ab' + ba') - diag(A), a_i = h_i σ_i, b_i = w_i σ_i, A_i = c²w_i σ_i²,
    w = h²/(1-h). M has one positive eigenvalue λ; with -α_i the others over it,
    P = (2/π) ∫ Π (1 + α_i/sin²θ)^(-1/2) dθ over (0, π/2) (Craig's formula for the normal tail,
    averaged). The product is det(xI - M)/(x^(G-1)(x - λ)) at x = λsin²θ, and by the determinant of
    a matrix of rank two and a diagonal det(xI - M) = Π(x + A_i)·(x²H² - Σa²/(x+A)·(1 - c²xW)), H =
    Σh/(x+A), W = Σw/(x+A).

    Args:
        sizes: scenarios in each cluster, or their mass, (G,), G ≥ 2.
        critical: the multiple c, positive.
        correlation: intraclass, the part of the variance that a cluster's scenarios have in
            common, in [0, 1]; any shape.
        units: how many clusters have each size, (G,); 1 if None.

    Returns:
        In the shape of ``correlation``.
    """
    sizes = np.asarray(sizes, float)
    units = np.ones(len(sizes)) if units is None else units
    sizes, member = np.unique(sizes, return_inverse=True)
    units = np.bincount(member, units)
    share = sizes / (units @ sizes)
    weight = share**2 / (1 - share)
    correlation = np.asarray(correlation, float)
    common = correlation.reshape(-1, 1)
    variance = common + (1 - common) / sizes
    alone = critical**2 * weight * variance
    first = units * share**2 * variance

    def determinant(x: FloatArray) -> FloatArray:
        """Return det(xI - M)/Π(x + A_i), (R, X), at x (R, X); it rises through 0 at λ."""
        inverse = 1 / (x[..., None] + alone[:, None])
        h, w = inverse @ (units * share), inverse @ (units * weight)
        squares = (inverse @ first[..., None])[..., 0]
        return (x * h) ** 2 - squares * (1 - critical**2 * x * w)

    positive = _root(determinant, 1 / (units / variance).sum(1), first.sum(1))[:, None]
    x = positive * _SINE_SQUARED
    exponent = np.log1p(alone[:, None] / x[..., None]) @ units
    exponent += np.log(x * determinant(x) / (x - positive))
    return (np.exp(-exponent / 2) @ _WEIGHTS / 2).reshape(correlation.shape)[()]


def degrees_of_freedom(sizes: Counts, level: float = 0.95, units: Counts | None = None) -> float:
    """Return those of :func:`satterthwaite_df`, lowered if agreeing scenarios need fewer.

    Bell and McCaffrey's degrees of freedom are made for independent scenarios. At other intraclass
    correlations a test at 5 % with them rejects up to 8 % of true hypotheses where few clusters are
    large and many small. It rejects more if one cluster has nine tenths of all scenarios. So they
    are lowered until a test at α = 1 - level rejects at most 1.2 α of normal scores at any
    correlation: 6 % at 5 %. For clusters of about equal size they are not lowered.

    The lowering depends on the level. A p-value from these degrees of freedom is below 1 - level
    exactly if the interval at that level excludes the hypothesis; compare it with no other level.

    Args:
        sizes: scenarios in each cluster, or their mass, (G,), G ≥ 2. If there are more than 64
            different sizes, neighbouring ones are averaged for the lowering.
        level: of the interval, 1 - α, in (0, 1).
        units: how many clusters have each size, (G,); 1 if None.

    Returns:
        The degrees of freedom; NaN where one cluster has nearly all scenarios, so that no valid
        interval exists.
    """
    level = inputs.number("level", level, inputs.INSIDE)
    distinct, member, many = inputs.numbered(np.asarray(sizes))
    if units is not None:
        many = np.bincount(member, np.asarray(units, float))
    distinct, many = distinct.astype(float), many.astype(float)
    return _degrees_of_freedom(tuple(distinct.tolist()), tuple(many.tolist()), level)


@lru_cache(maxsize=4096)
def _degrees_of_freedom(sizes: tuple[float, ...], units: tuple[float, ...], level: float) -> float:
    at_most = satterthwaite_df(np.array(sizes), np.array(units))
    if sizes[-1] <= sizes[0] * (1 + 1e-9):
        return at_most
    masses, many = _fewer(np.array(sizes), np.array(units))

    def excess(df: float) -> float:
        critical = float(sp.special.stdtrit(df, (1 + level) / 2))
        return largest_size(masses, critical, many) - MOST_OVER_NOMINAL * (1 - level)

    if excess(at_most) <= 0:
        return at_most
    if at_most <= FEWEST_DEGREES or excess(FEWEST_DEGREES) > 0:
        return float("nan")
    return float(sp.optimize.brentq(excess, FEWEST_DEGREES, at_most, xtol=1e-5))


def largest_size(sizes: FloatArray, critical: float, units: Counts | None = None) -> float:
    """Return the largest of :func:`size_of_test` over all correlations; arguments as there.

    The correlation enters only through a ratio: the variance in common to that of one scenario over
    the cluster's size. So the unit of sizes doesn't matter. The search is over the logarithm of
    this ratio, from values that affect no cluster to values that dominate all, and finer around the
    largest.
    """
    sizes = np.asarray(sizes, float) / np.min(sizes)
    odds = np.geomspace(0.03 / sizes.max(), 30.0, POINTS)
    coarse = size_of_test(sizes, critical, [0.0, *odds / (1 + odds), 1.0], units)
    near = int(np.clip(np.argmax(coarse) - 1, 0, POINTS - 1))
    finer = np.geomspace(odds[max(near - 1, 0)], odds[min(near + 1, POINTS - 1)], FINER_POINTS)
    return float(max(coarse.max(), size_of_test(sizes, critical, finer / (1 + finer), units).max()))


def _fewer(sizes: FloatArray, units: Counts) -> tuple[FloatArray, Counts]:
    """Return at most 64 sizes and their numbers; neighbouring sizes are replaced by their mean."""
    if len(sizes) <= MOST_MASSES:
        return sizes, units
    place = np.log(sizes / sizes[0]) / np.log(sizes[-1] / sizes[0]) * (MOST_MASSES - 1)
    member = np.unique(np.rint(place), return_inverse=True)[1]
    many = np.bincount(member, units)
    return np.bincount(member, units * sizes) / many, many


def _root(function: Any, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return where each row of a function (R, X) of x (R, X) rises through 0, (R,).

    False position (Illinois: the end that stays counts half), within ``lower`` and ``upper``, (R,).
    """
    low, high = lower * (1 - 1e-9), upper * (1 + 1e-9)
    at_low, at_high = (function(end[:, None])[:, 0] for end in (low, high))
    x = low
    for _ in range(MOST_STEPS):
        before, x = x, high - at_high * (high - low) / (at_high - at_low)
        at_x = function(x[:, None])[:, 0]
        if (np.abs(x - before) <= CLOSE * x).all():
            break
        below = at_x < 0
        at_high = np.where(below, np.where(low == before, at_high / 2, at_high), at_x)
        at_low = np.where(below, at_x, np.where(high == before, at_low / 2, at_low))
        low, high = np.where(below, x, low), np.where(below, high, x)
    return x
