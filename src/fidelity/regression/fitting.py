"""From a regression of one outcome, or of several that the same persons answered, to slopes."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.designs.replicates import degrees_of_freedom
from fidelity.regression.covariates import Covariates, Scaled, words
from fidelity.regression.estimates import Slopes
from fidelity.regression.sandwich import LEAST_SEEN, NOTHING, sandwich
from fidelity.structure.correlations import ANSWERS


class Model(NamedTuple):
    """A regression of K outcomes, as one by least squares around its solution.

    Attributes:
        estimate: J numbers that are asked for of each, (K, J).
        columns: in units where errors are alike, (n, q).
        residuals: in the same units, (n, K).
        contrast: how the numbers change with the coefficients, (q, J).
    """

    estimate: FloatArray
    columns: FloatArray
    residuals: FloatArray
    contrast: FloatArray


Fit = Callable[[Scaled, FloatArray, FloatArray], Model]


def fitted(
    covariates: Covariates,
    answers: ArrayLike,
    outcomes: Sequence[str] | None,
    fit: Fit,
    *,
    together: bool,
) -> Slopes:
    """Return the slopes that ``fit`` finds of outcomes.

    Args:
        covariates: of the persons.
        answers: of K outcomes, (n, K), or of one, (n,); NaN where missing.
        outcomes: their names; those of a labelled table by default.
        fit: of columns, weights and answers without missing ones, (n, k).
        together: whether ``fit`` takes several outcomes at once.
    """
    heads = getattr(answers, "columns", None)
    (answers,) = covariates.lineup.copy().add(columns=False, answers=answers)
    y = inputs.array("answers", answers)
    y = y[:, None] if y.ndim == 1 else y
    n, many = covariates.values.shape
    y = inputs.table("answers", y, ANSWERS, (n, "outcomes"))
    if outcomes is None:
        numbered = [""] if y.shape[1] == 1 else [str(k + 1) for k in range(y.shape[1])]
        outcomes = numbered if heads is None else list(heads)
    names = words("outcomes", outcomes, y.shape[1])
    shape = (y.shape[1], many)
    estimate, df = np.empty(shape), np.empty(shape)
    influence = np.zeros((_units(covariates), *shape))
    for rows, some in _alike(~np.isnan(y), together):
        part = y[np.ix_(rows, some)]
        estimate[some], influence[:, some], df[some] = _estimated(covariates, rows, part, fit)
    return Slopes(
        [(name, column) for name in names for column in covariates.names],
        [(name, term) for name in names for term in covariates.terms],
        estimate.ravel(),
        influence.reshape(len(influence), -1),
        df.ravel(),
        *_standardised(covariates, y),
        np.repeat((~np.isnan(y)).sum(0), many).astype(float),
    )


def _units(covariates: Covariates) -> int:
    if covariates.replicates is not None:
        return int(covariates.replicates.shape[1])
    return len(covariates.units.strata)


def _alike(answered: BoolArray, together: bool) -> Iterator[tuple[BoolArray, IntArray]]:
    """Yield the persons who answered, and which outcomes; (n, K)."""
    member = np.arange(answered.shape[1])
    if together:
        member = np.unique(answered, axis=1, return_inverse=True)[1].ravel()
    for group in range(int(member.max()) + 1):
        some = np.flatnonzero(member == group)
        yield answered[:, some[0]], some


def _estimated(
    covariates: Covariates, rows: BoolArray, y: FloatArray, fit: Fit
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return slopes (k, J), units' influences (U, k, J) and degrees of freedom (J,)."""
    scaled, weights = covariates.scaled(rows), covariates.weights[rows]
    model = fit(scaled, weights, y)
    if covariates.replicates is not None and covariates.factors is not None:
        replicates = covariates.replicates[rows]
        apart = np.stack([fit(scaled, w, y).estimate - model.estimate for w in replicates.T])
        influence = apart * np.sqrt(covariates.factors)[:, None, None]
        return model.estimate, influence, np.array(degrees_of_freedom(replicates))
    units = covariates.units._replace(of_person=covariates.units.of_person[rows])
    errors = sandwich(
        model.columns, weights, model.residuals, model.contrast, units, covariates.lonely_psu
    )
    for name, seen in zip(covariates.names, errors.seen, strict=True):
        if seen < LEAST_SEEN:
            raise ValueError(
                f"the slope of {name!r} rests on one person, or one cluster, alone, so that its "
                "error can't be told; leave the column out, or join it with another level"
            )
    return model.estimate, errors.influence, errors.df


def _standardised(covariates: Covariates, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each slope's scale, (K·J,), and the roots of terms' covariances, (K·J, K·J)."""
    covariance, terms = covariates.covariance, np.array(covariates.terms)
    values, vectors = np.linalg.eigh(np.where(terms[:, None] == terms, covariance, 0.0))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    mass = covariates.weights[:, None] * ~np.isnan(y)
    mass /= mass.sum(0)
    away = np.nan_to_num(y - np.nansum(mass * np.nan_to_num(y), axis=0))
    persons = (~np.isnan(y)).sum(0)
    spread = np.sqrt((mass * away**2).sum(0) * persons / (persons - 1.0))
    spread[spread <= NOTHING * np.nanmax(np.abs(y), axis=0)] = 0.0
    varies = spread > 0.0
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=varies)
    scale = np.outer(np.where(varies, inverse, np.inf), np.sqrt(np.diag(covariance)))
    return scale.ravel(), np.kron(np.diag(inverse), root)
