"""Effects of conditions against a control: from answers, from means, or as stated.

Between persons, each of whom is in one arm once, the variance is s²/n of each arm, with n - 1 below
(Welch), so that standard errors are those of a regression on the arm with HC2. Where each of G
persons is in both arms once, it is that of the paired t-test. Where persons (or clusters, such as
studies) are otherwise in both arms, or in one several times, it is that of the regression clustered
by person: CR1, with G/(G - 1)·(N - 1)/(N - 2) and Student's t with G - 1 degrees of freedom.
Weighted means are linearised: Σw²(y - ȳ)²/(Σw)²·n/(n - 1).

Intervals of answers of two kinds, and of those with limits, allow for rare answers
(:mod:`fidelity.effects.arm_means`).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.effects.arm_means import ArmMeans
from fidelity.effects.estimates import Answers, Effects, Label
from fidelity.structure.estimates import TooFewError

TIE = 1e-12


def arm_effects(
    answers: ArrayLike,
    conditions: ArrayLike,
    *,
    control: str,
    outcomes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    respondents: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    bounds: ArrayLike | None = None,
) -> Effects:
    """Return the effects of all conditions on all outcomes, against the control's mean.

    Args:
        answers: y, one for each row, (N,); NaN where missing.
        conditions: of each row, (N,).
        control: the condition to compare with.
        outcomes: what each row answers, (N,); one outcome by default.
        groups: the subgroup of the person, (N,), within which effects are wanted; None for all
            persons together. :meth:`Effects.deviations` then tells for whom a condition works.
        respondents: who answered, (N,): a person, or a cluster of persons; by default somebody
            else in each row.
        weights: of the rows, at least 0, (N,).
        bounds: the least and the largest answer that is possible, (2,). Intervals allow for rare
            answers then; else they do so only of outcomes with answers of two kinds.

    Returns:
        Effects labelled (outcome, condition), or (outcome, group, condition), for conditions with
        two answers at least, as the outcome's control must have.

    Raises:
        TooFewError: if no effect can be estimated.

    Examples:
        >>> from fidelity.effects import arm_effects
        >>> arms = ["a", "a", "b", "b", "control", "control"]
        >>> effects = arm_effects([1, 0, 1, 1, 0, 0], arms, control="control")
        >>> effects.estimate.tolist(), effects.se.tolist()
        ([0.5, 1.0], [0.5, 0.0])
    """
    y = inputs.vector("answers", answers, inputs.FINITE_OR_NOTHING)
    n = len(y)
    arm = inputs.labels("conditions", conditions, n).astype(str)
    given = {"outcomes": np.full(n, "") if outcomes is None else outcomes, "groups": groups}
    of_outcome = np.stack(
        [
            inputs.labels(name, labels, n).astype(str)
            for name, labels in given.items()
            if labels is not None
        ],
        1,
    )
    who: AnyArray = (
        np.arange(n) if respondents is None else inputs.labels("respondents", respondents, n)
    )
    w = np.ones(n) if weights is None else inputs.vector("weights", weights, inputs.NOT_NEGATIVE, n)
    there = ~np.isnan(y) & (w > 0.0)
    y, arm, of_outcome, who, w = (part[there] for part in (y, arm, of_outcome, who, w))
    weighted = bool((w != w[:1]).any())
    w = w if weighted else np.ones(len(w))
    outcome_names, outcome = np.unique(of_outcome, axis=0, return_inverse=True)
    outcome = outcome.ravel()
    arm_names, place = np.unique(arm, return_inverse=True)
    unit = np.unique(who, return_inverse=True)[1]
    cell = outcome * len(arm_names) + place
    shape = (int(unit.max(initial=-1)) + 1, len(outcome_names) * len(arm_names))

    def table(values: FloatArray) -> Any:
        return sp.sparse.csc_array((values, (unit, cell)), shape)

    rows = np.bincount(cell, minlength=shape[1])
    labels, arms = _pairs(rows, outcome_names, arm_names, str(control))
    answered = Answers(table(w), table(w * y), arms, weighted)
    limits = None if bounds is None else inputs.vector("bounds", bounds, inputs.FINITE, 2)
    ends, is_binary = _ends(y, outcome, limits)
    per_arm = len(arm_names)
    of_arms = np.repeat(ends, per_arm, axis=0), np.repeat(is_binary, per_arm)
    return _effects(labels, answered, rows, table(np.ones(len(y))), (cell, y, w), of_arms)


def _ends(
    y: FloatArray, outcome: IntArray, bounds: FloatArray | None
) -> tuple[FloatArray, BoolArray]:
    """Return the ends that were seen of each outcome, (K, 2), and whether it has no others.

    Where all answers are the same, ends are the bounds; NaN without them, or with many answers.
    """
    ends, is_binary = np.full((outcome.max(initial=-1) + 1, 2), np.nan), []
    for j in range(len(ends)):
        seen = np.unique(y[outcome == j])
        ends[j] = seen[[0, -1]]
        if len(seen) == 1:
            ends[j] = np.nan if bounds is None else bounds
        is_binary.append(np.isin(seen, ends[j]).all())
        if bounds is None and not is_binary[j]:
            ends[j] = np.nan
    return ends, np.array(is_binary, bool)


def _pairs(
    rows: IntArray, outcomes: AnyArray, conditions: AnyArray, control: str
) -> tuple[list[Label], IntArray]:
    """Return labels of the effects, and the cells of their arms, (E, 2)."""
    many = len(conditions)
    base = np.flatnonzero(conditions == control)
    pairs = [
        ((*map(str, outcome), str(condition)), (j * many + c, j * many + int(base[0])))
        for j, outcome in enumerate(outcomes)
        for c, condition in enumerate(conditions)
        if len(base) and condition != control
        if min(rows[j * many + c], rows[j * many + base[0]]) > 1
    ]
    if not pairs:
        raise TooFewError(
            f"no condition has two answers to an outcome that has two in the control {control!r}"
        )
    labels, arms = zip(*pairs, strict=True)
    return list(labels), np.array(arms)


def _effects(
    labels: list[Label],
    answered: Answers,
    rows: IntArray,
    count: Any,
    answers: tuple[IntArray, FloatArray, FloatArray],
    of_arms: tuple[FloatArray, BoolArray],
) -> Effects:
    """Return effects with the influence of units; ``count`` of rows by unit and cell.

    ``of_arms`` are the ends of answers of each arm, and whether there are no others.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        weight = answered.number.sum(0)
        mean = np.nan_to_num(answered.total.sum(0) / weight)
        inverse = np.nan_to_num(1.0 / weight, posinf=0.0)
    cell, y, w = answers
    ends, is_binary = of_arms
    away = y - mean[cell]
    away[np.abs(away) <= TIE * np.abs(mean[cell])] = 0.0
    variance = np.bincount(cell, w * away**2, len(mean)) * inverse
    residual = (answered.total - answered.number * mean) * (variance > 0.0)
    influence = sp.sparse.csr_array(residual * inverse)
    arms, estimate = answered.arms, mean[answered.arms[:, 0]] - mean[answered.arms[:, 1]]
    present = sp.sparse.csc_array(count > 0).astype(float)
    units = present.sum(0)
    shared = (present.T @ present).toarray()[arms[:, 0], arms[:, 1]]
    apart = (shared == 0) & (units == rows)[arms].all(1)
    few = np.sqrt(rows / np.maximum(rows - 1.0, 1.0))
    both = units[arms].sum(1) - shared
    pairs = rows[arms].sum(1)
    is_paired = (shared == both) & (pairs == 2 * both)
    rest = np.where(is_paired, 1.0, (pairs - 1.0) / np.maximum(pairs - 2.0, 1.0))
    cr1 = np.sqrt(both / np.maximum(both - 1, 1) * rest)
    factor = np.where(apart[:, None], few[arms], cr1[:, None]) * np.array([1.0, -1.0])
    place = (arms.ravel(), np.repeat(np.arange(len(arms)), 2))
    contrast = sp.sparse.csc_array((factor.ravel(), place), (len(mean), len(arms)))
    as_wilson = (apart & is_binary[arms[:, 0]])[:, None]
    weight = np.where(as_wilson, np.sign(factor), factor).ravel()
    means = ArmMeans(
        mean,
        variance,
        _sizes(variance, answered, influence),
        ends,
        is_binary,
        influence,
        sp.sparse.csc_array((weight, place), contrast.shape),
    )
    df = np.where(apart, np.minimum(means.df, pairs - 2.0), np.maximum(both - 1.0, 1.0))
    rows_of = sp.sparse.csr_array(influence @ contrast)
    return Effects(labels, estimate, rows_of, df, answered, means=means)


def _sizes(variance: FloatArray, answered: Answers, influence: Any) -> FloatArray:
    """Return how many independent answers would have the errors of arms' means, (C,).

    Where answers don't vary, each unit counts once, by its weight (Kish).
    """
    error = np.asarray((influence * influence).sum(0)).reshape(-1)
    square = np.asarray((answered.number * answered.number).sum(0)).reshape(-1)
    whole = np.asarray(answered.number.sum(0)).reshape(-1)
    units = whole**2 / np.where(square > 0.0, square, 1.0)
    known = error > 0.0
    return np.where(known, variance / np.where(known, error, 1.0), np.maximum(units, 1.0))


def effects_of_means(
    means: ArrayLike,
    spreads: ArrayLike,
    sizes: ArrayLike,
    conditions: ArrayLike,
    *,
    control: str,
    outcomes: ArrayLike | None = None,
) -> Effects:
    """Return effects from the mean, standard deviation and number of answers of each arm.

    Standard errors, and Welch's degrees of freedom, are those of the answers.

    Args:
        means: (A,) for A arms.
        spreads: standard deviations with n - 1 below, (A,).
        sizes: answers, 2 at least, (A,).
        conditions: of the arms, (A,).
        control: the condition to compare with.
        outcomes: of the arms, (A,); one outcome by default.

    Examples:
        >>> from fidelity.effects import effects_of_means
        >>> sides = [3.0, 2.0], [1.0, 1.0], [50, 50], ["new", "old"]
        >>> effects = effects_of_means(*sides, control="old")
        >>> effects.estimate.tolist(), effects.se.round(6).tolist()
        ([1.0], [0.2])
    """
    mean = inputs.vector("means", means, inputs.FINITE)
    spread = inputs.vector("spreads", spreads, inputs.FINITE_NOT_NEGATIVE, len(mean))
    size = inputs.vector("sizes", sizes, inputs.FINITE_POSITIVE, len(mean)).astype(int)
    if size.min() < 2:
        raise ValueError("sizes must be 2 or more in each arm")
    arm = np.repeat(np.arange(len(mean)), size)
    place = np.arange(len(arm)) - np.repeat(np.cumsum(size) - size, size)
    even = size - size % 2
    away = np.where(place < even[arm], 1.0 - 2.0 * (place % 2), 0.0)
    answers = mean[arm] + away * (spread * np.sqrt((size - 1.0) / even))[arm]
    of_arm = inputs.labels("conditions", conditions, len(mean))[arm]
    of_outcome = None if outcomes is None else inputs.labels("outcomes", outcomes, len(mean))[arm]
    effects = arm_effects(answers, of_arm, control=control, outcomes=of_outcome)
    return Effects(effects.labels, effects.estimate, effects.influence, effects.df)


def stated_effects(effects: ArrayLike, labels: Iterable[Label]) -> Effects:
    """Return effects that are stated without error.

    Args:
        effects: (E,).
        labels: of them, E, such as (outcome, condition).

    Examples:
        >>> from fidelity.effects import stated_effects
        >>> stated_effects([0.5], [("", "new")]).se.tolist()
        [0.0]
    """
    labels = [tuple(map(str, label)) for label in labels]
    values = inputs.vector("effects", effects, inputs.FINITE, len(labels))
    nothing = np.zeros((0, len(values)))
    return Effects(labels, values, nothing, np.full(len(values), np.inf))
