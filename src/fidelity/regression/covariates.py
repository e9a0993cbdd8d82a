"""Facts about persons that answers are regressed on, and how the persons were drawn."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray
from fidelity.designs.linearised import LONELY, Units, units_of
from fidelity.structure.estimates import TooFewError

RANK = 1e-8


class Scaled(NamedTuple):
    """Columns in units of their spreads around their means, with the intercept first, (n, 1 + J).

    Slopes are computed on them, since rounding then matters least.
    """

    columns: FloatArray
    centre: FloatArray
    spread: FloatArray

    def of(self, columns: FloatArray) -> FloatArray:
        """Return other columns in the same units."""
        scaled = (columns - self.centre) / self.spread
        return np.hstack([np.ones((len(scaled), 1)), scaled])


class Covariates:
    """A design matrix without its intercept, and how its rows were drawn.

    Args:
        values: a row a person, or a draw of a persona, (n, J), finite. The intercept is added.
        names: of the columns, J; those of a labelled table by default.
        terms: of the columns, J, the same for those of one variable, such as the levels of a factor
            but its base, which count once together; each column its own by default.
        weights: of the rows, (n,), above 0; None if all count alike.
        clusters: what the rows were drawn by, (n,): PSUs, or personas that were asked several
            times. None where each row is drawn by itself.
        strata: that clusters were drawn in, (n,); None for one.
        lonely_psu: what to do with strata of a single cluster, as
            :func:`fidelity.designs.linearised_mean`.
        replicates: replicate weights, (n, R), in place of clusters and strata.
        factors: of the replicates' squares, (R,), of :func:`fidelity.designs.replicate_factors`.

    Attributes:
        values: as given, (n, J).
        names, terms: of the columns, J.
        weights: with mean 1, (n,).
        units: of the rows, and the strata of units.
        replicates, factors: as given.

    Raises:
        ValueError: on malformed arguments, and if a column tells nothing that others don't: it is
            constant, or a sum of others.
        TooFewError: if there are fewer than J + 2 rows.

    Examples:
        >>> from fidelity.regression import Covariates
        >>> age, woman = [31, 52, 47, 68, 25, 39], [1, 0, 0, 1, 1, 0]
        >>> facts = Covariates(list(zip(age, woman)), names=["age", "woman"])
        >>> facts.names, facts.covariance.round(2).tolist()
        (['age', 'woman'], [[240.67, -1.4], [-1.4, 0.3]])
    """

    def __init__(
        self,
        values: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        terms: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        lonely_psu: str = "refused",
        replicates: ArrayLike | None = None,
        factors: ArrayLike | None = None,
    ):
        """Check the arguments."""
        heads = getattr(values, "columns", None)
        self.lineup = inputs.Lineup()
        values, weights, clusters, strata, replicates = self.lineup.add(
            columns=False,
            values=values,
            weights=weights,
            clusters=clusters,
            strata=strata,
            replicates=replicates,
        )
        self.values = inputs.table("values", values, inputs.FINITE, ("persons", "covariates"))
        n, many = self.values.shape
        usual = [f"x{j + 1}" for j in range(many)] if heads is None else list(heads)
        self.names = words("names", usual if names is None else names, many)
        self.terms = words("terms", self.names if terms is None else terms, many)
        weights = 1.0 if weights is None else weights
        given = inputs.each("weights", weights, inputs.FINITE_POSITIVE, n)
        self.weights: FloatArray = given / given.mean()
        self.lonely_psu = inputs.one_of("lonely_psu", lonely_psu, LONELY)
        self.units: Units = units_of(
            inputs.optional_labels("clusters", clusters, n),
            inputs.optional_labels("strata", strata, n),
            n,
        )
        if (replicates is None) != (factors is None):
            raise ValueError("replicates and factors must be given together")
        self.replicates = self.factors = None
        if replicates is not None:
            if clusters is not None or strata is not None:
                raise ValueError("replicates must be given in place of clusters and strata")
            of_rows = (n, "replicates")
            self.replicates = inputs.table(
                "replicates", replicates, inputs.FINITE_NOT_NEGATIVE, of_rows
            )
            many = self.replicates.shape[1]
            self.factors = inputs.vector("factors", factors, inputs.FINITE_NOT_NEGATIVE, many)
        self.scaled(np.ones(n, bool))

    @property
    def covariance(self) -> FloatArray:
        """Of the columns, weighted, (J, J)."""
        away = self.values - self.weights @ self.values / len(self.values)
        return (away * self.weights[:, None]).T @ away / (len(away) - 1.0)

    def scaled(self, rows: BoolArray) -> Scaled:
        """Return the columns of some rows.

        Raises:
            ValueError: if one tells nothing beside the others.
            TooFewError: if there are fewer than J + 2 rows.
        """
        columns, weights = self.values[rows], self.weights[rows]
        n, many = columns.shape
        if n < many + 2:
            raise TooFewError(f"{many} slopes need {many + 2} persons or more, not {n}")
        centre = weights @ columns / weights.sum()
        spread = np.sqrt(weights @ (columns - centre) ** 2 / weights.sum())
        size = np.abs(columns).max(0)
        for name, constant in zip(self.names, spread <= RANK * size, strict=True):
            if constant:
                raise ValueError(f"the column {name!r} is constant, so that it has no slope")
        scaled = Scaled(columns, centre, spread)
        scaled = scaled._replace(columns=scaled.of(columns))
        beside = np.abs(np.diag(np.linalg.qr(scaled.columns, mode="r"))) / np.sqrt(n)
        if beside.min() < RANK:
            name = self.names[max(int(beside.argmin()) - 1, 0)]
            raise ValueError(
                f"the column {name!r} is a sum of the columns before it, so that slopes can't be "
                "told apart; leave it out"
            )
        return scaled


def words(name: str, values: Sequence[str], many: int) -> list[str]:
    """Return so many words."""
    listed = [str(value) for value in values]
    if len(listed) != many:
        raise ValueError(f"{name} must be {many} words, one for each column, not {len(listed)}")
    return listed
