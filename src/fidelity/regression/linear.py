"""Slopes by weighted least squares."""

from collections.abc import Sequence

import numpy as np

from fidelity.arrays import ArrayLike, FloatArray
from fidelity.regression.covariates import Covariates, Scaled
from fidelity.regression.estimates import Slopes
from fidelity.regression.fitting import Model, fitted


def linear_slopes(
    covariates: Covariates, answers: ArrayLike, *, outcomes: Sequence[str] | None = None
) -> Slopes:
    """Return the slopes of answers on covariates by least squares, weighted by survey weights.

    Errors are CR2, of single persons HC2, with Bell and McCaffrey's degrees of freedom
    (:mod:`fidelity.regression.sandwich`); with strata those of the clusters' deviations from
    their stratum's mean; with replicate weights those of the slopes by each set. Persons who left
    an outcome out don't count for it, and are taken to be like the others. ``y ~ arm`` without
    weights has Welch's error, that of :func:`fidelity.effects.arm_effects`.

    Args:
        covariates: of the persons.
        answers: y, (n,); or of K outcomes, (n, K); NaN where missing.
        outcomes: names of the K outcomes; those of a labelled table by default.

    Raises:
        ValueError: if a column tells nothing beside the others, or a slope rests on one person, or
            one cluster, alone.
        TooFewError: if fewer than J + 2 persons answered, J the columns.

    Examples:
        >>> import numpy as np
        >>> from fidelity.regression import Covariates, linear_slopes
        >>> rng = np.random.default_rng(0)
        >>> age, woman = rng.normal(size=400), rng.integers(0, 2, 400)
        >>> answers = 0.5 * age - 0.3 * woman + rng.normal(size=400)
        >>> facts = Covariates(np.stack([age, woman], 1), names=["age", "woman"])
        >>> linear_slopes(facts, answers).intervals().round(2).tolist()
        [[0.43, 0.6], [-0.58, -0.21]]
    """
    return fitted(covariates, answers, outcomes, _least_squares, together=True)


def _least_squares(scaled: Scaled, weights: FloatArray, y: FloatArray) -> Model:
    x, root = scaled.columns, np.sqrt(weights)[:, None]
    beta = np.linalg.lstsq(root * x, root * y, rcond=None)[0]
    contrast = np.eye(x.shape[1])[:, 1:] / scaled.spread
    return Model(beta.T @ contrast, x, y - x @ beta, contrast)
