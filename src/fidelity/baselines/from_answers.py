"""Baseline simulators that guess people's answers from their answers elsewhere.

Each takes the people's counts, (m, d): one row per scenario, one column per option, and returns
one probability vector per scenario, (m, d). **A simulator never sees the scenario's own answers**:
changing them leaves that scenario's row as it was, to the last bit. A row is NaN where there are no
other answers to use, as in the first year of a series.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, IntArray
from fidelity.baselines.base import BASELINES, Asked, Baseline

NEWTON_STEPS = 50
HALVINGS = 30
CONVERGED = 1e-8


@BASELINES.add
class Uniform(Baseline):
    """Every option is equally likely."""

    name = "uniform"
    label = "uniform guess"
    describe = "Gives every option the same probability."
    from_people = False

    def state(self, asked: Asked) -> FloatArray:
        """Return equal probabilities."""
        return uniform(asked.counts)


@BASELINES.add
class Pooled(Baseline):
    """The shares of the other scenarios that are asked alike."""

    name = "pooled"
    label = "guess from other answers"
    describe = "People's answers elsewhere: to other questions of a cluster, or in other groups."

    def state(self, asked: Asked) -> FloatArray:
        """Return the shares; in a series, of the earlier ones."""
        return pooled(asked.counts, asked.alike, asked.earlier)


@BASELINES.add
class Persistence(Baseline):
    """The shares of the last time that the question was asked."""

    name = "persistence"
    label = "the last time's answers"
    describe = "People's answers the last time that the same question was asked."
    needs = ("series", "time")
    no_teacher = "no series was asked twice"

    def state(self, asked: Asked) -> FloatArray:
        """Return the shares of the previous time point."""
        assert asked.series is not None and asked.time is not None
        return persistence(asked.counts, asked.series, asked.time)


@BASELINES.add
class Demographic(Baseline):
    """A logit of people's answers on their covariates, fitted to other scenarios asked alike."""

    name = "demographic"
    label = "forecast from demographics"
    describe = (
        "A logit of people's answers elsewhere on who they are, applied to those who answered here."
    )
    needs = ("features", "by_person")

    def state(self, asked: Asked) -> FloatArray:
        """Return the probabilities of each kind of people."""
        assert asked.by_person is not None and asked.features is not None
        return demographic(asked.by_person, asked.features, asked.alike, asked.earlier)[1]


def uniform(counts: ArrayLike) -> FloatArray:
    """Give every option the same probability; of ``counts`` only the shape (m, d) is used.

    Examples:
        >>> from fidelity.baselines import uniform
        >>> uniform([[30, 70], [55, 45]])
        array([[0.5, 0.5],
               [0.5, 0.5]])
    """
    shape = _table(counts).shape
    return np.full(shape, 1.0 / shape[1])


def pooled(counts: ArrayLike, cluster: ArrayLike, time: ArrayLike | None = None) -> FloatArray:
    """Give the options' shares among all answers to the other scenarios of the same cluster.

    Args:
        counts: people's answers, (m, d), at least 0; fractional if weighted. Scenarios with more
            answers weigh more.
        cluster: label of each scenario's cluster, (m,).
        time: if given, (m,), only scenarios strictly earlier in time are pooled.

    Returns:
        Probabilities, (m, d); NaN where the cluster has no other (earlier) answers.

    Raises:
        ValueError: if the lengths differ or a count is negative or not finite.

    Examples:
        >>> from fidelity.baselines import pooled
        >>> pooled([[30, 70], [50, 50], [90, 10]], ["tax", "tax", "tax"]).round(2)
        array([[0.7, 0.3],
               [0.6, 0.4],
               [0.4, 0.6]])
    """
    counts, cluster, time = inputs.aligned(counts=counts, cluster=cluster, time=time)
    counts = _table(counts)
    when = None if time is None else _column(time, len(counts), "time")
    total = np.zeros_like(counts)
    for members in _clusters(len(counts), cluster):
        total[members] = (
            _sums_of_others(counts[members])
            if when is None
            else _sums_of_earlier(counts[members], when[members])
        )
    return _shares(total)


def _sums_of_others(counts: FloatArray) -> FloatArray:
    """Return each scenario's sum over all others: of those before it and those after it.

    Subtracting its own counts from the cluster's total would leave rounding errors.
    """
    before, after = np.zeros_like(counts), np.zeros_like(counts)
    np.cumsum(counts[:-1], axis=0, out=before[1:])
    np.cumsum(counts[:0:-1], axis=0, out=after[-2::-1])
    return before + after


def _sums_of_earlier(counts: FloatArray, when: AnyArray) -> FloatArray:
    """Return each scenario's sum over those that are strictly earlier."""
    order = np.argsort(when, kind="stable")
    sums = np.zeros((len(counts) + 1, counts.shape[1]))
    np.cumsum(counts[order], axis=0, out=sums[1:])
    return sums[np.searchsorted(when[order], when, side="left")]


def persistence(counts: ArrayLike, series: ArrayLike, time: ArrayLike) -> FloatArray:
    """Give the options' shares at the previous time point of the same series.

    The previous time point is the last earlier one of the series, however long ago.

    Args:
        counts: people's answers, (m, d), at least 0.
        series: label of each scenario's series, such as its item or its country, (m,).
        time: when each scenario was asked, (m,).

    Returns:
        Probabilities, (m, d); NaN for the first time point of a series, and where nobody answered
        at the previous one.

    Raises:
        ValueError: if the lengths differ, a count is negative or not finite, or a series has two
            scenarios at one time point.

    Examples:
        >>> from fidelity.baselines import persistence
        >>> persistence([[30, 70], [40, 60], [45, 55]], ["trust"] * 3, [2020, 2022, 2024])
        array([[nan, nan],
               [0.3, 0.7],
               [0.4, 0.6]])
    """
    counts, series, time = inputs.aligned(counts=counts, series=series, time=time)
    counts = _table(counts)
    code = _codes(series, len(counts), "series")
    time = _column(time, len(counts), "time")
    order = np.lexsort((time, code))
    follows = code[order][1:] == code[order][:-1]
    if np.any(follows & (time[order][1:] == time[order][:-1])):
        raise ValueError("a series has two scenarios at one time point; give them their own series")
    previous = np.zeros_like(counts)
    previous[order[1:][follows]] = counts[order[:-1][follows]]
    return _shares(previous)


def demographic(
    counts: ArrayLike,
    features: ArrayLike,
    cluster: ArrayLike,
    time: ArrayLike | None = None,
    *,
    ridge: float = 1.0,
) -> tuple[FloatArray, FloatArray]:
    """Predict the answers from the respondents' covariates.

    For each scenario a multinomial logit of the answer on the covariates is trained on the other
    scenarios of its cluster (on the earlier ones, if ``time`` is given). It is applied to the
    covariates of the scenario's own respondents. So who answered is used, but not their answers.
    People with the same covariates form a pattern, and the cost depends on the number of patterns,
    not of people.

    Args:
        counts: people's answers by covariate pattern, (m, P, d), at least 0.
        features: covariates of each pattern, (P, f), without a constant.
        cluster: label of each scenario's cluster, (m,).
        time: if given, (m,), training uses only scenarios strictly earlier in time.
        ridge: see :func:`fit_logit`.

    Returns:
        Probabilities per scenario, (m, d): the mean over the scenario's respondents; and per
        scenario and pattern, (m, P, d). Both are NaN where there is nobody to train on; the first
        also where the scenario has no respondents.

    Raises:
        ValueError: if the shapes do not fit together or a count is negative or not finite.

    Examples:
        >>> import numpy as np
        >>> from fidelity.baselines import demographic
        >>> counts = np.array([[[80, 20], [30, 70]], [[75, 25], [35, 65]]])  # by question and age
        >>> age, topic = np.array([[0.0], [1.0]]), np.array(["tax", "tax"])
        >>> shares, by_age = demographic(counts, age, topic)
        >>> shares.round(2)
        array([[0.55, 0.45],
               [0.54, 0.46]])
    """
    counts = np.asarray(counts, float)
    if counts.ndim != 3:
        raise ValueError(f"counts must be (scenarios, patterns, options), got {counts.shape}")
    m, patterns, d = counts.shape
    table = _table(counts.reshape(m, patterns * d))
    by_pattern = np.full(counts.shape, np.nan)
    for members, others in _others(m, cluster, time):
        training = (others @ table[members]).reshape(-1, patterns, d)
        for scenario, answers in zip(members, training, strict=True):
            if answers.any():
                coefficients = fit_logit(answers, features, ridge=ridge)
                by_pattern[scenario] = logit_probability(coefficients, features)
    people = _shares(counts.sum(axis=2))
    return np.einsum("jp,jpd->jd", people, by_pattern), by_pattern


def fit_logit(counts: ArrayLike, features: ArrayLike, *, ridge: float = 1.0) -> FloatArray:
    """Fit a multinomial logit by Newton's method; with two options it is logistic regression.

    It maximises Σ counts·log(probability) - ridge/2·Σ coefficients². The first option is the
    reference. The ridge weighs about as much as that many people. It keeps the fit finite, and
    matters only for covariates that hardly anyone has and options that hardly anyone chose.

    Args:
        counts: answers by covariate pattern, (P, d), at least 0.
        features: covariates of each pattern, (P, f), without a constant.
        ridge: positive.

    Returns:
        Coefficients, (d - 1, 1 + f), the constant first.

    Raises:
        ValueError: if the shapes do not fit together, ``ridge`` is not positive, or the fit does
            not converge.

    Examples:
        >>> import numpy as np
        >>> from fidelity.baselines import fit_logit
        >>> counts, old = np.array([[80, 20], [30, 70]]), np.array([[0.0], [1.0]])
        >>> fit_logit(counts, old).round(2)  # the constant, and what being old adds
        array([[-1.2 ,  1.96]])
    """
    counts, design = _table(counts), _design(features)
    if len(counts) != len(design):
        raise ValueError(f"counts have {len(counts)} patterns, features {len(design)}")
    if not ridge > 0:
        raise ValueError(f"ridge must be positive, got {ridge}")
    asked = counts.any(axis=1)
    counts, design = counts[asked], design[asked]
    coefficients = np.zeros((counts.shape[1] - 1, design.shape[1]))
    people = counts.sum(axis=1, keepdims=True)

    def penalised_loss(coefficients: FloatArray) -> tuple[float, FloatArray]:
        log_probability = _log_probability(coefficients, design)
        loss = ridge / 2 * np.sum(coefficients**2) - np.sum(counts * log_probability)
        return loss, np.exp(log_probability)

    def newton_step(coefficients: FloatArray, probability: FloatArray) -> FloatArray:
        residual = (counts - people * probability)[:, 1:]
        gradient = residual.T @ design - ridge * coefficients
        free, f = coefficients.shape
        hessian = np.empty((free, f, free, f))
        for a in range(free):
            for b in range(a + 1):
                of_b = float(a == b) - probability[:, b + 1]
                weight = people[:, 0] * probability[:, a + 1] * of_b
                hessian[a, :, b] = hessian[b, :, a] = design.T @ (weight[:, None] * design)
        hessian = hessian.reshape(free * f, free * f) + ridge * np.eye(free * f)
        return np.linalg.solve(hessian, gradient.ravel()).reshape(free, f)

    loss, probability = penalised_loss(coefficients)
    for _ in range(NEWTON_STEPS):
        step = newton_step(coefficients, probability)
        for _ in range(HALVINGS):
            trial = coefficients + step
            trial_loss, trial_probability = penalised_loss(trial)
            if trial_loss <= loss + 1e-12 * abs(loss):
                break
            step /= 2
        coefficients, loss, probability = trial, trial_loss, trial_probability
        if np.max(np.abs(step), initial=0.0) < CONVERGED:
            return coefficients
    raise ValueError("the multinomial logit did not converge; scale the features or raise ridge")


def logit_probability(coefficients: FloatArray, features: ArrayLike) -> FloatArray:
    """Return option probabilities, (P, d), of a :func:`fit_logit` model for (P, f) features.

    Examples:
        >>> import numpy as np
        >>> from fidelity.baselines import fit_logit, logit_probability
        >>> counts, old = np.array([[80, 20], [30, 70]]), np.array([[0.0], [1.0]])
        >>> logit_probability(fit_logit(counts, old), old).round(2)
        array([[0.77, 0.23],
               [0.32, 0.68]])
    """
    return np.exp(_log_probability(coefficients, _design(features)))


def _log_probability(coefficients: FloatArray, design: FloatArray) -> FloatArray:
    logit = np.zeros((len(design), len(coefficients) + 1))
    logit[:, 1:] = design @ coefficients.T
    logit -= logit.max(axis=1, keepdims=True)
    logit -= np.log(np.exp(logit).sum(axis=1, keepdims=True))
    return logit


def _others(m: int, cluster: Any, time: Any) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield each cluster's scenarios, (c,), and which of them each may learn from, (c, c) of 0/1.

    Multiplying by the zeros leaves a scenario out exactly. Subtracting it from the cluster's total
    would leave rounding errors.
    """
    when = None if time is None else _column(time, m, "time")
    for members in _clusters(m, cluster):
        if when is None:
            yield members, 1.0 - np.eye(len(members))
        else:
            yield members, (when[members][:, None] > when[members]).astype(float)


def _clusters(m: int, cluster: Any) -> Iterator[IntArray]:
    """Yield each cluster's scenarios, (c,)."""
    code = _codes(cluster, m, "cluster")
    order = np.argsort(code, kind="stable")
    if m:
        yield from np.split(order, np.flatnonzero(np.diff(code[order])) + 1)


def _shares(counts: FloatArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0)


def _table(counts: Any) -> FloatArray:
    counts = inputs.array("counts", counts)
    if counts.ndim != 2:
        raise ValueError(f"counts must be (scenarios, options), got shape {counts.shape}")
    return inputs.numbers("counts", counts, inputs.FINITE_NOT_NEGATIVE)


def _design(features: ArrayLike) -> FloatArray:
    features = np.asarray(features, float)
    if features.ndim != 2:
        raise ValueError(f"features must be (patterns, covariates), got shape {features.shape}")
    return np.column_stack([np.ones(len(features)), features])


def _column(values: Any, m: int, name: str) -> AnyArray:
    return inputs.labels(name, values, m) if m else np.asarray(values)


def _codes(labels: Any, m: int, name: str) -> IntArray:
    return np.unique(_column(labels, m, name), return_inverse=True)[1]
