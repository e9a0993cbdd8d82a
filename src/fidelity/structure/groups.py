"""Whether a simulator's answers vary enough, and whether it exaggerates differences of groups.

Dispersion is the ratio of variances, the simulator's over people's. Below 1 its answers are too
alike.

The variance between groups g with shares w_g of people, means ȳ_g and ȳ_w = Σ w_g ȳ_g is

    B = Σ w_g (ȳ_g - ȳ_w)² - Σ w_g (1 - w_g) v_g,

v_g the variance of ȳ_g from chance, s_g²/n_g. The second sum is the expectation of what chance adds
to the first, so B has no bias. Both sides have the same shares, those of people, and each group's
own variance; with the sides' own group sizes a perfect simulator's ratio would not be 1. The ratio
of both B is above 1 if the simulator exaggerates what sets groups apart (stereotyping). Where
people's B is not clear of 0 there is no ratio (Fieller's set). Beside it stands B/(B + Σ w_g s_g²),
which answers that are too alike raise, without larger differences.
"""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.structure.correlations import AnswerTable, PairMoments
from fidelity.structure.estimates import Interval, TooFewError, around, mean_square, ratio


class GroupDifferences(NamedTuple):
    """The variance between groups, of people and of a simulator, per question and in all.

    Attributes:
        people, simulator: B of each question, m intervals, in squares of the question's unit.
        ratios: the simulator's over people's.
        people_shares, simulator_shares: B/(B + within), (m,).
        ratio: in all, of the means over questions of B in units of people's variance.
    """

    people: list[Interval]
    simulator: list[Interval]
    ratios: list[Interval]
    people_shares: FloatArray
    simulator_shares: FloatArray
    ratio: Interval


def variance_ratios(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    *,
    same_persons: bool = False,
    level: float = 0.95,
) -> tuple[list[Interval], Interval]:
    """Return the variance of a simulator's answers over that of people's.

    Args:
        people, simulator: answers to the same questions, as :func:`associations`.
        same_persons: whether row i is the same person in both tables.
        level: of the intervals.

    Returns:
        One interval per question, on the scale of logarithms, NaN where people all answer alike;
        and that of the geometric mean over the questions where both sides vary.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import variance_ratios
        >>> rng = np.random.default_rng(0)
        >>> people, model = rng.normal(size=(400, 3)), 0.7 * rng.normal(size=(300, 3))
        >>> ratios, mean = variance_ratios(people, model)
        >>> [round(end, 2) for end in mean]
        [0.54, 0.48, 0.61]
    """
    level = float(inputs.number("level", level, inputs.INSIDE))
    tables = AnswerTable.of(people, "people"), AnswerTable.of(simulator, "simulator")
    tables[0].check_same_questions(tables[1])
    one, two = (_log_variances(table) for table in tables)
    values = two[0] - one[0]
    effects = two[2] - one[2] if same_persons else np.concatenate([-one[2], two[2]])
    centre = values + two[1] - one[1]
    known = np.isfinite(values) & np.isfinite(effects).all(0)
    ratios = [
        _power(value, middle, effect, level)
        if known[j]
        else Interval(float(np.exp(value)), 0.0, np.inf)
        for j, (value, middle, effect) in enumerate(zip(values, centre, effects.T, strict=True))
    ]
    if not known.any():
        return ratios, Interval(np.nan, 0.0, np.inf)
    value, middle = values[known].mean(), centre[known].mean()
    return ratios, _power(value, middle, effects[:, known].mean(1), level)


def _power(value: float, centre: float, effects: FloatArray, level: float) -> Interval:
    """Return the exponential of a logarithm's interval around its centre."""
    ends = np.exp(around(centre, effects, level)[1:]).tolist()
    return Interval(float(np.exp(value)), *ends)


def _log_variances(table: AnswerTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the logarithm of each variance, less its bias, (Q,) each, and effects, (U, Q)."""
    itself = np.repeat(np.arange(table.values.shape[1])[:, None], 2, 1)
    moments = PairMoments(table, itself)
    effects = np.empty(table.values.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for rows, (g, a, b) in moments.by_person():
            effects[rows] = -np.log((1.0 + g) * (1.0 - g * a * b / moments.covariance))
        return np.log(moments.covariance), effects.sum(0), table.of_units(effects)


class _Between(NamedTuple):
    """Of each question: B, what chance adds to it, the variance within, and what persons do to B.

    Attributes:
        values, noise, within: (m,).
        effects: (U, m).
    """

    values: FloatArray
    noise: FloatArray
    within: FloatArray
    effects: FloatArray

    def intervals(self, level: float) -> list[Interval]:
        """Return B of each question."""
        columns = zip(self.values, self.effects.T, self.noise, strict=True)
        return [
            Interval(np.nan, -np.inf, np.inf)
            if np.isnan(value)
            else mean_square(float(value), effects, noise, level)
            for value, effects, noise in columns
        ]

    @classmethod
    def of(cls, table: AnswerTable, member: IntArray, shares: FloatArray) -> "_Between":
        """Compute them with shares, (G, m); NaN where a group has fewer than two answers."""
        x, there = np.nan_to_num(table.values), ~np.isnan(table.values)
        inside = (member[:, None] == np.arange(len(shares))).astype(float)
        mass = table.weights[:, None] * there
        total = inside.T @ mass
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = inside.T @ (mass * x) / total
            apart = np.where(there, x - mean[member], 0.0)
            weight = mass / total[member]
            kish = 1.0 / (inside.T @ weight**2)
            within = inside.T @ (weight * apart**2) * kish / (kish - 1.0)
            chance = inside.T @ (weight * apart) ** 2 * kish / (kish - 1.0)
            within, chance = (
                np.where(kish > 1.5, variance, np.nan) for variance in (within, chance)
            )
            middle = (shares * mean).sum(0)
            noise = (shares * (1.0 - shares) * chance).sum(0)
            if table.sampling is not None:
                change = np.nan_to_num(weight * apart)
                noise = sum(
                    share * (table.of_units((at - shares[member]) * change) ** 2).sum(0)
                    for at, share in zip(inside.T[:, :, None], shares, strict=True)
                )
            slope = 2.0 * shares * (mean - middle) * np.sqrt(kish / (kish - 1.0))
            values = (shares * (mean - middle) ** 2).sum(0) - noise
            effects = slope[member] * weight * apart
        effects = table.of_units(np.nan_to_num(effects))
        return cls(values, noise, (shares * within).sum(0), effects)


def group_differences(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    people_groups: ArrayLike,
    simulator_groups: ArrayLike,
    *,
    same_persons: bool = False,
    level: float = 0.95,
) -> GroupDifferences:
    """Return how far groups lie apart among people and in a simulator's answers.

    Groups are given, respondents in them random. Questions that a group has fewer than two answers
    to, on either side, have no result.

    Args:
        people, simulator: answers to the same questions, as :func:`associations`.
        people_groups, simulator_groups: one label per respondent; the same labels on both sides.
        same_persons: whether row i is the same person in both tables.
        level: of the intervals.

    Raises:
        TooFewError: if a side lacks a group, or there is only one.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import group_differences
        >>> rng = np.random.default_rng(0)
        >>> group = np.arange(600) % 3
        >>> people = 0.5 * group[:, None] + rng.normal(size=(600, 4))
        >>> model = 1.0 * group[:, None] + rng.normal(size=(600, 4))  # differences are doubled
        >>> found = group_differences(people, model, group, group)
        >>> [round(end, 1) for end in found.ratio]
        [4.4, 3.6, 5.7]
    """
    level = float(inputs.number("level", level, inputs.INSIDE))
    tables = AnswerTable.of(people, "people"), AnswerTable.of(simulator, "simulator")
    tables[0].check_same_questions(tables[1])
    labels = [
        inputs.labels("people_groups", people_groups, tables[0].size),
        inputs.labels("simulator_groups", simulator_groups, tables[1].size),
    ]
    names = [np.unique(label) for label in labels]
    if len(names[0]) < 2 or not np.array_equal(names[0], names[1]):
        raise TooFewError(
            "people_groups and simulator_groups must have the same two groups or more"
        )
    members = [np.searchsorted(names[0], label) for label in labels]
    mass = (members[0] == np.arange(len(names[0]))[:, None]) * tables[0].weights
    shares = mass @ (~np.isnan(tables[0].values)).astype(float)
    shares /= np.maximum(shares.sum(0), np.finfo(float).tiny)
    one, two = (_Between.of(*side, shares) for side in zip(tables, members, strict=True))
    values = np.stack([two.values, one.values])
    if same_persons:
        effects = np.stack([two.effects, one.effects], 2)
    else:
        none = [np.zeros_like(side.effects) for side in (one, two)]
        both = [np.stack([none[0], one.effects], 2), np.stack([two.effects, none[1]], 2)]
        effects = np.concatenate(both)
    known = np.isfinite(values).all(0) & (one.values + one.within > 0.0)
    unit = np.divide(1.0, one.values + one.within, out=np.zeros(len(known)), where=known)
    unit /= max(known.sum(), 1)
    ratios = [
        ratio(values[:, j], effects[:, j], level, noise=float(two.noise[j]))
        if known[j]
        else Interval(np.nan, -np.inf, np.inf)
        for j in range(len(known))
    ]
    noise = float(np.nan_to_num(two.noise) @ unit)
    return GroupDifferences(
        one.intervals(level),
        two.intervals(level),
        ratios,
        one.values / (one.values + one.within),
        two.values / (two.values + two.within),
        ratio(
            np.nan_to_num(values) @ unit, np.tensordot(effects, unit, (1, 0)), level, noise=noise
        ),
    )
