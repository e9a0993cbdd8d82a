"""Average marginal effects of a logit, by the facts of people on both sides.

Coefficients of two logits have no common scale. The average marginal effect of a column is how much
the probability changes with it: the mean of its derivative p(1 - p)·b, or, of a factor's level, of
the difference that the level makes against the base. Both sides' are means over people's facts:
over those of other persons a right simulator's would differ, as the curve bends. These facts are
taken as given, so that only coefficients are random. Around the solution a logit is a regression by
least squares, with columns √(p(1 - p))·x and residuals (y - p)/√(p(1 - p)).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.regression.covariates import Covariates, Scaled
from fidelity.regression.estimates import Slopes
from fidelity.regression.fitting import Model, fitted

MOST_STEPS, CLOSE, LARGEST = 50, 1e-10, 30.0


def average_marginal_effects(
    covariates: Covariates,
    answers: ArrayLike,
    *,
    over: Covariates | None = None,
    outcomes: Sequence[str] | None = None,
) -> Slopes:
    """Return the average marginal effects of covariates on the probability of an answer.

    Errors and degrees of freedom as :func:`linear_slopes`, of the logit as it is around its
    solution, where an answer's variance is p(1 - p).

    Args:
        covariates: of the persons.
        answers: 0 or 1, or a persona's share of draws, (n,); or of K outcomes, (n, K); NaN where
            missing.
        over: the persons over whose facts effects are averaged, with their weights: people, for
            both sides; these persons by default.
        outcomes: names of the K outcomes; those of a labelled table by default.

    Raises:
        ValueError: as :func:`linear_slopes`; if answers are not in [0, 1], or covariates tell
            without error who answers what, so that there is no solution.
        TooFewError: as there.

    Examples:
        >>> import numpy as np
        >>> from fidelity.regression import Covariates, average_marginal_effects
        >>> rng = np.random.default_rng(0)
        >>> age = rng.normal(size=1000)
        >>> agrees = rng.random(1000) < 1 / (1 + np.exp(-age))
        >>> facts = Covariates(age[:, None], names=["age"])
        >>> average_marginal_effects(facts, agrees).intervals().round(2).tolist()
        [[0.16, 0.21]]
    """
    people = covariates if over is None else over
    if people.names != covariates.names:
        raise ValueError(
            f"over must have the columns of covariates, {', '.join(covariates.names)}, not "
            f"{', '.join(people.names)}"
        )
    y = inputs.array("answers", answers)
    known = y[~np.isnan(y)]
    if known.size and not 0.0 <= known.min() <= known.max() <= 1.0:
        raise ValueError("answers must be in [0, 1] for a logit, NaN where missing")

    def fit(scaled: Scaled, weights: FloatArray, y: FloatArray) -> Model:
        x = scaled.columns
        beta = _maximum_likelihood(x, weights, y[:, 0])
        p = expit(x @ beta)
        root = np.sqrt(p * (1.0 - p))
        estimate, contrast = averages(people, scaled, beta)
        return Model(estimate[None], root[:, None] * x, (y - p[:, None]) / root[:, None], contrast)

    return fitted(covariates, answers, outcomes, fit, together=False)


def _maximum_likelihood(x: FloatArray, weights: FloatArray, y: FloatArray) -> FloatArray:
    """Return the coefficients of a logit, by Newton's method with halved steps."""

    def log_likelihood(beta: FloatArray) -> float:
        eta = x @ beta
        return float(weights @ (y * eta - np.logaddexp(0.0, eta)))

    beta = np.zeros(x.shape[1])
    value = log_likelihood(beta)
    for _ in range(MOST_STEPS):
        eta = x @ beta
        if np.abs(eta[weights > 0.0]).max() > LARGEST:
            break
        p = expit(eta)
        hessian = (x * (weights * p * (1.0 - p))[:, None]).T @ x
        step = np.linalg.solve(hessian, x.T @ (weights * (y - p)))
        while (higher := log_likelihood(beta + step)) < value - CLOSE * abs(value):
            step = step / 2.0
        beta, value = beta + step, higher
        if np.abs(step).max() < CLOSE:
            return beta
    raise ValueError(
        "covariates tell without error who answers 0 and who 1 (separation), so that a logit has "
        "no solution; leave out the rarest level, or use linear_slopes"
    )


def averages(people: Covariates, scaled: Scaled, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return average marginal effects, (J,), and how they change with coefficients, (1 + J, J)."""
    share = people.weights / people.weights.sum()
    z = scaled.of(people.values)
    p = expit(z @ beta)
    v = p * (1.0 - p)
    per_unit = beta[1:] / scaled.spread
    contrast = np.outer(z.T @ (share * v * (1.0 - 2.0 * p)), per_unit)
    contrast[1:] += np.diag(float(share @ v) / scaled.spread)
    estimate = float(share @ v) * per_unit
    terms = np.array(people.terms)
    for term in dict.fromkeys(people.terms):
        columns = np.flatnonzero(terms == term)
        levels = people.values[:, columns]
        if not (np.isin(levels, (0.0, 1.0)).all() and levels.sum(1).max() <= 1.0):
            continue
        base = people.values.copy()
        base[:, columns] = 0.0
        ends = [base]
        for column in columns:
            ends.append(base.copy())
            ends[-1][:, column] = 1.0
        averages, slopes = zip(
            *(_average(scaled.of(end), share, beta) for end in ends), strict=True
        )
        estimate[columns] = np.array(averages[1:]) - averages[0]
        contrast[:, columns] = np.stack(slopes[1:], 1) - slopes[0][:, None]
    return estimate, contrast


def _average(z: FloatArray, share: FloatArray, beta: FloatArray) -> tuple[float, FloatArray]:
    """Return the mean probability, and how it changes with the coefficients."""
    p = expit(z @ beta)
    return float(share @ p), z.T @ (share * p * (1.0 - p))
