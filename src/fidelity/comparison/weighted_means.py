"""Errors of means over people who answer scenarios, where scenarios may come in clusters.

A row stands for ``counts`` people of one cluster with the same value, each of weight ``weights``.
The row's mass is the product of both. The mean Σ mass·x / Σ mass is a ratio of two sums over
clusters. Its error is that of the residuals u_g = Σ_{rows of g} mass·(x - mean) / Σ mass.

- CR2: SE² = Σ_g u_g²/(1 - s_g), s_g the cluster's share of the mass. Unbiased if clusters are
  independent and Var(u_g) is proportional to s_g (Bell & McCaffrey 2002, for a mean with weights;
  with equal masses it is CR2 of a regression on a constant).
- Student's t with Satterthwaite's degrees of freedom in that case: G - 1 with G equal clusters,
  near 1 where one cluster outweighs all others. They are lowered where agreement within clusters
  demands it, by the same exact computation as for scenarios
  (:mod:`fidelity.comparison.few_clusters`).
- The same people may answer in several clusters, which then aren't independent. ``samples``, the
  label of each row's scenario, allows for that: the largest error that people alone could cause is
  added. It is SE_people ≤ Σ_j SE_j over scenarios j, for any dependence. It counts as 0 where a
  scenario has one person, from whom no error can be estimated.

The mean is that of new clusters, with new people. The intervals are approximate. Their misses were
counted in 4,000 simulated studies each of a calibrated simulator (statements of 60 to 95 %, true
shares with SD .05 around them, clusters as unequal as 1 to 20 scenarios; see
:func:`fidelity_audit.studies.answers_in_clusters`):

- the mean of confidence minus accuracy: 4.0, 5.5 and 5.6 % with 3, 7 and 68 clusters;
- the mean Brier score: 5.7, 7.0 and 6.2 %.

Where the means of clusters are very skew the intervals miss more: up to 13 % with 3 and 11 % with 7
clusters (Brier scores of topics whose shares spread from .1 to .9). With fewer than 1.5 effective
clusters one outweighs all others, and no error is given: with clusters of 100, 2, 2 and 2
intervals missed 10 %.
"""

from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.comparison.error_bars import ErrorBar, beyond_rounding, error_bar
from fidelity.comparison.few_clusters import degrees_of_freedom, satterthwaite_df, to_12_digits

MOST_OF_PEOPLE = 0.1
FEWEST_EFFECTIVE = 1.5


class ClusterErrors(NamedTuple):
    """Means of B columns, with the parts that their errors are computed from.

    Attributes:
        estimate: the means, (B,).
        deviations: (U, B); the sum of their squares over the U clusters is the variance, CR2. NaN
            with fewer than 1.5 effective clusters.
        people: the largest error of each mean that people alone could cause, (B,).
        df: Satterthwaite's degrees of freedom; NaN with fewer than 1.5 effective clusters.
        n_clusters: clusters, or people where there are no clusters.
        effective_clusters: 1/Σ s_g², the number of equal clusters that would weigh alike.
        shares, units: each s_g, and how many clusters have it, (U,).
    """

    estimate: FloatArray
    deviations: FloatArray
    people: FloatArray
    df: float
    n_clusters: int
    effective_clusters: float
    shares: FloatArray
    units: FloatArray

    @property
    def largest_share(self) -> float:
        """The largest s_g."""
        return float(self.shares.max())

    def df_at(self, level: float) -> float:
        """Return the degrees of freedom of an interval of that level, in (0, 1).

        Those of :func:`fidelity.comparison.few_clusters.degrees_of_freedom`; NaN where ``df`` is.
        """
        if np.isnan(self.df):
            return float("nan")
        return degrees_of_freedom(self.shares, level, self.units)

    def se(self) -> FloatArray:
        """Return the standard error of each mean, (B,)."""
        return np.hypot(np.sqrt((self.deviations**2).sum(0)), self.people)

    def se_of_sum(self, signs: FloatArray) -> float:
        """Return the standard error of Σ_b sign_b·mean_b, signs (B,) in {-1, 0, 1}."""
        clusters = ((self.deviations @ signs) ** 2).sum()
        return float(np.hypot(np.sqrt(clusters), self.people @ np.abs(signs)))


def cluster_errors(
    values: ArrayLike,
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    samples: ArrayLike | None = None,
) -> ClusterErrors:
    """Return the means of the columns and their errors; see the module.

    Args:
        values: (N, B), or (N,) for one column.
        counts: people per row, (N,); 1 if None.
        weights: of one person of the row, (N,); 1 if None.
        clusters: label per row, (N,); None for independent people.
        samples: label of the row's scenario, (N,), where the same people may answer several
            scenarios; None where everyone answers one.

    Raises:
        ValueError: if there are no rows, shapes don't fit, values aren't finite, or masses aren't
            positive.
    """
    values = inputs.numbers("values", np.asarray(values, float), inputs.FINITE)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or values.size == 0:
        raise ValueError(
            f"values must be (N,) or (N, B) with at least one row, not the shape {values.shape}"
        )
    n = len(values)
    counts, weights = (
        np.ones(n) if masses is None else inputs.vector(name, masses, inputs.FINITE_POSITIVE, n)
        for name, masses in (("counts", counts), ("weights", weights))
    )
    mass = counts * weights
    estimate = mass @ values / mass.sum()
    scale = np.abs(values).max(0)
    residuals = beyond_rounding(values - estimate, scale)
    if clusters is None:
        share, units = weights / mass.sum(), counts
        sums = np.sqrt(counts)[:, None] * share[:, None] * residuals
        n_clusters = int(counts.sum())
    else:
        member, sizes = inputs.numbered(inputs.labels("clusters", clusters, n))[1:]
        n_clusters = len(sizes)
        share, units = np.bincount(member, mass) / mass.sum(), np.ones(n_clusters)
        sums = _sums(residuals * mass[:, None] / mass.sum(), member, n_clusters)
        sums = beyond_rounding(sums, share[:, None] * scale)
    effective = to_12_digits(1.0 / (units @ share**2))
    few = effective < FEWEST_EFFECTIVE
    return ClusterErrors(
        estimate=estimate,
        deviations=sums * np.nan if few else sums / np.sqrt(1.0 - share)[:, None],
        people=_people_errors(values, mass, weights, samples),
        df=float("nan") if few else satterthwaite_df(share, units),
        n_clusters=n_clusters,
        effective_clusters=effective,
        shares=share,
        units=units,
    )


def weighted_mean_error_bar(
    values: ArrayLike,
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    samples: ArrayLike | None = None,
    level: float = 0.95,
) -> ErrorBar:
    """Return the mean over people with its error and interval; arguments as :func:`cluster_errors`.

    Args:
        values: (N,).
        level: of the interval.

    Returns:
        ``n`` is the number of people. The error is NaN with fewer than 1.5 effective clusters, and
        the p-value with fewer than 4. The interval is NaN where all values, or the means of all
        clusters, are equal.

    Examples:
        >>> from fidelity.comparison import weighted_mean_error_bar
        >>> bar = weighted_mean_error_bar([0.2, 0.5, 0.3], counts=[40, 25, 35], clusters=[0, 1, 2])
        >>> print(f"{bar.estimate:.3f}, standard error {bar.se:.3f}, n = {bar.n}")
        0.310, standard error 0.079, n = 100
    """
    errors = cluster_errors(values, counts, weights, clusters, samples)
    people = np.shape(values)[0] if counts is None else int(np.asarray(counts).sum())
    return error_bar(
        errors.estimate[0],
        errors.se()[0],
        n=people,
        n_clusters=errors.n_clusters,
        effective_clusters=errors.effective_clusters,
        df=errors.df_at(inputs.number("level", level, inputs.INSIDE)),
        level=level,
    )


def _people_errors(values: Any, mass: Any, weights: Any, samples: Any) -> FloatArray:
    """Return Σ_j SE_j per column, with SE_j the error of scenario j's part of the mean."""
    if samples is None:
        return np.zeros(values.shape[1])
    member, sizes = inputs.numbered(inputs.labels("samples", samples, len(values)))[1:]
    of_sample = np.bincount(member, mass)
    people = of_sample**2 / np.bincount(member, mass * weights)
    mean = _sums(mass[:, None] * values, member, len(sizes)) / of_sample[:, None]
    residuals = beyond_rounding(values - mean[member], np.abs(values).max(0))
    squares = _sums(mass[:, None] * residuals**2, member, len(sizes))
    spread = np.sqrt(squares / of_sample[:, None])
    several = people > 1.0 + 1e-9
    error = of_sample[several] / np.sqrt(people[several] - 1.0)
    return error @ spread[several] / mass.sum()


def _sums(values: FloatArray, member: IntArray, groups: int) -> FloatArray:
    """Return the sums of the rows of each group, (groups, B)."""
    return np.stack([np.bincount(member, column, minlength=groups) for column in values.T], axis=1)
