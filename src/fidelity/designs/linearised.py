"""Variance of weighted means by Taylor linearisation, from totals of primary sampling units.

A weighted mean Σ w y / Σ w of the people of a domain is a ratio of two totals. To first order its
error is the total of the scores z = w (y - mean) / Σ w, which are 0 outside the domain. Primary
sampling units (PSUs) are taken as drawn with replacement within strata. So the variance is that
between the PSU totals of z in each stratum, n_h/(n_h - 1) Σ (z_hi - z̄_h)², added up over strata
(Woodruff 1971; Lumley 2004). Stages below the first need not be known. PSUs without anybody of the
domain count with a total of 0, as in R's survey, because the size of a domain is random.
"""

from typing import NamedTuple

import numpy as np

from fidelity.arrays import ArrayLike, FloatArray, IntArray

NOTHING = 1e-9  # of all weight is left without a PSU: by rounding
LONELY = ("refused", "certainty", "average", "adjust")


class DesignMean(NamedTuple):
    """Weighted means, and their covariance under the survey's design.

    Attributes:
        estimate: the means, (d,), in the unit of the values; shares for indicators.
        covariance: of the estimates, (d, d).
        df: degrees of freedom of the variances, at least 1.

    Examples:
        >>> from fidelity.designs import linearised_mean
        >>> found = linearised_mean([[1], [0], [1], [1]])
        >>> print(found.estimate[0], found.df)
        0.75 3.0
    """

    estimate: FloatArray
    covariance: FloatArray
    df: float


class Units(NamedTuple):
    """The number of each person's PSU, (N,), and of each PSU's stratum, (P,)."""

    of_person: IntArray
    strata: IntArray


def linearised_mean(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    strata: ArrayLike | None = None,
    psu: ArrayLike | None = None,
    domain: ArrayLike | None = None,
    lonely_psu: str = "refused",
) -> DesignMean:
    """Return weighted means of a domain with their linearised covariance.

    As ``svymean`` of a subset design in R's survey, without finite population corrections. Degrees
    of freedom are PSUs minus strata, counting only those with people of the domain (``degf`` of the
    subset); they are rather too few than too many. PSUs must be drawn independently within strata.
    The variance is unbiased for the linearised mean, and consistent as PSUs become many.

    Args:
        values: a row a person, (N, d), such as indicators of d options.
        weights: (N,), none negative; None for equal ones.
        strata: a label each, (N,); None for one stratum.
        psu: a label each, (N,), which may be used again in another stratum; None where each person
            is a PSU.
        domain: whether each person belongs to the group asked about, (N,); None for all.
        lonely_psu: the contribution of a stratum with a single PSU. ``certainty``: nothing.
            ``average``: the mean of the other strata that have people of the domain (NaN where
            there are none). ``adjust``: the square of its distance from the mean of all.

    Raises:
        ValueError: if a stratum has a single PSU and ``lonely_psu`` is ``refused``, there are
            fewer than two PSUs, or nobody in the domain has a weight.

    Examples:
        >>> from fidelity.designs import linearised_mean
        >>> agrees = [[1], [1], [0], [1], [0], [0], [1], [0]]
        >>> found = linearised_mean(agrees, psu=[1, 1, 2, 2, 3, 3, 4, 4])
        >>> print(found.estimate, found.covariance.round(4), found.df)
        [0.5] [[0.0417]] 3.0
    """
    table = np.atleast_2d(np.asarray(values, float).T).T
    people = len(table)
    inside = np.ones(people, bool) if domain is None else np.asarray(domain, bool)
    mass = np.where(inside, 1.0 if weights is None else np.asarray(weights, float), 0.0)
    unit, of_unit = units_of(psu, strata, people)
    size = len(of_unit)
    sizes = np.bincount(unit, mass, size).astype(float)
    columns = np.where(inside[:, np.newaxis], table, 0.0).T
    totals = np.stack(
        [np.bincount(unit, mass * column, size).astype(float) for column in columns], axis=1
    )
    return mean_of_totals(totals, sizes, of_unit, lonely_psu)


def mean_of_totals(
    totals: FloatArray, sizes: FloatArray, strata: IntArray, lonely_psu: str = "refused"
) -> DesignMean:
    """Return the result of :func:`linearised_mean` from totals of all P PSUs of the design.

    Args:
        totals: of weight times value in the domain, (P, d).
        sizes: of weights there, (P,); 0 for PSUs without anybody of the domain.
        strata: a number each, (P,).
        lonely_psu: as in :func:`linearised_mean`, with the same errors.
    """
    if len(sizes) < 2:
        raise ValueError("a design needs at least two PSUs")
    whole = sizes.sum()
    if not whole > 0:
        raise ValueError("nobody in the domain has a weight above 0")
    estimate = totals.sum(axis=0) / whole
    scores = (totals - sizes[:, np.newaxis] * estimate) / whole
    there = sizes > 0
    of_domain = np.unique(strata[there])
    df = int(there.sum()) - len(of_domain)
    covariance = covariance_of_total(scores, strata, lonely_psu, of_domain)
    return DesignMean(estimate, covariance, float(max(df, 1)))


def mean_without_psus(
    totals: FloatArray, sizes: FloatArray, strata: IntArray, lonely_psu: str = "refused"
) -> FloatArray:
    """Return the jackknife covariance of means, (d, d), each PSU left out of its stratum in turn.

    The others of the stratum take over its weight (JKn). A linearised variance vanishes where one
    PSU holds nearly all of the weight, since the mean then is that PSU's own; leaving it out shows
    what the mean rests on. Where all PSUs of a stratum weigh the same both are equal.

    Args:
        totals, sizes, strata, lonely_psu: as :func:`mean_of_totals`.
    """
    whole, estimate = sizes.sum(), totals.sum(axis=0) / sizes.sum()
    units = np.bincount(strata)[strata]
    others = np.where(units > 1, units - 1, 1)

    def without_one(column: FloatArray) -> FloatArray:
        mean = np.bincount(strata, column)[strata] / units
        return column.sum() - (column - mean) * units / others

    left = np.stack([without_one(column) for column in totals.T], axis=1)
    mass = without_one(sizes)
    mass = np.where(mass > NOTHING * whole, mass, np.nan)[:, np.newaxis]
    scores = (estimate - left / mass) * ((units - 1) / units)[:, np.newaxis]
    return covariance_of_total(scores, strata, lonely_psu, np.unique(strata[sizes > 0]))


def units_of(psu: ArrayLike | None, strata: ArrayLike | None, people: int) -> Units:
    """Return the PSUs of people with these labels; see :func:`linearised_mean`."""
    stratum = _codes(np.zeros(people) if strata is None else strata)
    unit = _codes(np.arange(people) if psu is None else psu)
    first, of_person = np.unique(
        stratum * (int(unit.max(initial=0)) + 1) + unit, return_index=True, return_inverse=True
    )[1:]
    return Units(of_person, stratum[first])


def covariance_of_total(
    scores: FloatArray, strata: IntArray, lonely_psu: str, of_domain: IntArray
) -> FloatArray:
    """Return the covariance of the total of PSU scores, (d, d).

    Strata without anybody of the domain certainly add 0. So ``average`` neither includes them in
    its mean nor gives them the mean.

    Args:
        scores: a row a PSU of the design, (P, d); 0 for those without anybody of the domain.
        strata: a number each, (P,).
        lonely_psu: as in :func:`linearised_mean`, with the same errors.
        of_domain: the strata where somebody of the domain is.
    """
    spread = deviations_in_strata(scores, strata, lonely_psu, of_domain)
    return spread.T @ spread


def deviations_in_strata(
    scores: FloatArray, strata: IntArray, lonely_psu: str, of_domain: IntArray
) -> FloatArray:
    """Return what of PSU scores is left of the means of strata, (P, d).

    So scaled that the sums of products are those of :func:`covariance_of_total`, with the same
    arguments.
    """
    units = np.bincount(strata)
    sums = np.stack([np.bincount(strata, column) for column in scores.T], axis=1)
    n = units[strata][:, np.newaxis]
    alone = n == 1
    if alone.any() and lonely_psu not in LONELY[1:]:
        raise ValueError("a stratum has a single PSU; choose its contribution by lonely_psu")
    spread = (scores - sums[strata] / n) * np.sqrt(n / np.where(alone, 1, n - 1))
    if lonely_psu == "adjust":
        spread = np.where(alone, scores, spread)
    if lonely_psu == "average":
        known = int((units[of_domain] > 1).sum())
        spread = spread * (np.sqrt(len(of_domain) / known) if known else np.nan)
    return spread


def _codes(labels: ArrayLike) -> IntArray:
    return np.unique(np.asarray(labels), return_inverse=True)[1]
