"""Answers in the cells of an experiment, and what becomes of each effect."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fidelity.arrays import AnyArray, FloatArray, IntArray
from fidelity.effects.arms import arm_effects, stated_effects
from fidelity.effects.comparison import directions
from fidelity.effects.conjoint import marginal_effects
from fidelity.effects.distances import EffectDistances, effect_distances, effect_set
from fidelity.effects.estimates import Effects, Label
from fidelity.structure.estimates import Interval, TooFewError
from fidelity.structure.weights import person_weights


class CellAnswers(NamedTuple):
    """Answers of people or a simulator in the cells of an experiment, N of them.

    Attributes:
        cell: the place of each answer's cell, (N,).
        value: (N,).
        unit: who answered: a person, a run or a cluster, (N,).
        weight: at least 0, (N,), or None.
        profile: of a conjoint, whose levels are in a row each, (N,); else None.

    Examples:
        >>> from fidelity.effects import CellAnswers
        >>> CellAnswers([0, 0, 1], [0.2, 0.4, 1.0], [7, 8, 9]).weight is None
        True
    """

    cell: IntArray
    value: FloatArray
    unit: AnyArray
    weight: FloatArray | None = None
    profile: AnyArray | None = None


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of an experiment: an outcome in a condition, of a group of people; m of them.

    Attributes:
        labels: outcome, group and condition of each cell, (m, 3), texts; of a conjoint outcome,
            attribute and level. Effects have such labels.
        control: the condition that effects are against; not of a conjoint.
        bases: of a conjoint, attribute -> the level that its others are against; else empty.
        bounds: the least and the largest answer that is possible; None where there are none.

    Examples:
        >>> import numpy as np
        >>> from fidelity.effects import CellAnswers, Cells
        >>> labels = [("buy", "old", "new"), ("buy", "young", "new"), ("buy", "old", "none")]
        >>> cells = Cells(np.array(labels, object), "none")
        >>> values = np.array([3.0, 2.0, 4.0, 1.0, 0.0])
        >>> given = CellAnswers(np.array([0, 0, 1, 2, 2]), values, np.arange(5))
        >>> effects = cells.of_everybody.effects(given)
        >>> effects.labels, effects.estimate.tolist()
        ([('buy', '', 'new')], [2.5])
        >>> cells.sizes(effects, given).tolist()
        [[3, 2]]
    """

    labels: AnyArray
    control: str = ""
    bases: Mapping[str, str] = field(default_factory=dict)
    bounds: tuple[float, float] | None = None

    @cached_property
    def of_everybody(self) -> "Cells":
        """The cells without groups; those of a conjoint have none."""
        if self.bases:
            return self
        outcome, group, condition = self.labels.T
        return replace(self, labels=np.stack([outcome, np.full(len(group), ""), condition], 1))

    def against(self, label: Label) -> Label:
        """Return the label of what an effect is against: the control, or the attribute's base."""
        return (*label[:2], self.bases[label[1]] if self.bases else self.control)

    def effects(self, given: CellAnswers) -> Effects:
        """Return the effects of answers; AMCE of a conjoint, whose whole profiles count.

        Raises:
            TooFewError: if no effect can be estimated.
        """
        if not len(given.cell):
            raise TooFewError("nobody answered in the cells of the experiment")
        if self.bases:
            return self._of_levels(given)
        outcome, group, condition = self.labels[given.cell].T
        return arm_effects(
            given.value,
            condition,
            control=self.control,
            outcomes=outcome,
            groups=group,
            respondents=given.unit,
            weights=given.weight,
            bounds=self.bounds,
        )

    def _of_levels(self, given: CellAnswers) -> Effects:
        """Return the AMCE of levels, from a row for each attribute of a profile."""
        if given.profile is None:
            raise TooFewError("answers are not known by profile")
        names, (outcome, attribute, level) = [*self.bases], self.labels[given.cell].T
        keys = np.stack([np.unique(outcome, return_inverse=True)[1], given.profile], 1)
        first, profile = np.unique(keys, axis=0, return_index=True, return_inverse=True)[1:]
        shown = np.full((len(first), len(names)), None, object)
        shown[profile.ravel(), [names.index(name) for name in attribute]] = level
        is_whole, weight = np.array([None not in row for row in shown.tolist()]), None
        if given.weight is not None:
            unit = np.unique(given.profile, return_inverse=True)[1]
            of_units = person_weights(unit, given.cell, given.weight, persons=unit.max() + 1)
            weight = of_units[unit][first]
            is_whole &= weight > 0.0
        if not is_whole.any():
            raise TooFewError("nobody saw a profile with all attributes")
        whole, levels = first[is_whole], shown[is_whole].T.astype(str)
        return marginal_effects(
            given.value[whole],
            dict(zip(names, levels, strict=True)),
            outcomes=outcome[whole].astype(str),
            respondents=given.unit[whole],
            weights=None if weight is None else weight[is_whole],
            bases=self.bases,
        )

    def of_twins(self, people: CellAnswers, twins: CellAnswers) -> tuple[Effects, Effects]:
        """Return the effects of persons who have a twin, and of the twins, the same units in each.

        Raises:
            TooFewError: if too few persons have twins, or other effects.
        """
        both = np.intersect1d(people.unit, twins.unit)
        sides = []
        for side in (people, twins):
            rows = np.isin(side.unit, both)
            some = [None if part is None else part[rows] for part in side]
            sides.append(self.effects(CellAnswers._make(some)))
        one, two = sides
        if one.influence.shape != two.influence.shape:
            raise TooFewError("persons and their twins have different effects")
        return one, two

    def stated(self, means: FloatArray, sizes: FloatArray, labels: list[Label]) -> Effects:
        """Return effects of means that are stated without error, of those labels that have them.

        Args:
            means: of each cell, (m,), NaN where none is stated.
            sizes: how much cells with the same label count, (m,); those of size 0 are left out.
            labels: of the effects.

        Raises:
            TooFewError: if none has them.
        """
        sums: dict[Label, FloatArray] = defaultdict(lambda: np.zeros(2))
        for row in np.flatnonzero(~np.isnan(means) & (sizes > 0.0)):
            sums[tuple(self.labels[row])] += [means[row] * sizes[row], sizes[row]]
        mean = {label: total / size for label, (total, size) in sums.items()}
        pairs = {label: self.against(label) for label in labels}
        known = [label for label, base in pairs.items() if label in mean and base in mean]
        if not known:
            raise TooFewError("no mean is stated in a condition and in what it is against")
        return stated_effects([mean[label] - mean[pairs[label]] for label in known], known)

    def sizes(self, effects: Effects, given: CellAnswers) -> IntArray:
        """Return how many units the arms of effects have, (E, 2); of a conjoint how many rows."""
        if not self.bases:
            return effects.sizes
        rows = np.bincount(given.cell, minlength=len(self.labels)).tolist()
        n = dict(zip(map(tuple, self.labels), rows, strict=True))
        return np.array([(n[label], n[self.against(label)]) for label in effects.labels])


class EffectPair(NamedTuple):
    """An effect among people, and a simulator's.

    Attributes:
        label: of the effect.
        people, effect: people's and the simulator's, with intervals.
        set: ends of Hoeffding's set of people's effect; NaN where it does not hold.
        distance: of both.
        agrees: whether both estimates have the same sign.
        people_certain: whether people's sign is certain.
        direction: ``same``, ``opposite`` or ``open`` (:func:`fidelity.effects.directions`).

    Examples:
        >>> from fidelity.effects import arm_effects, effect_pairs, stated_effects
        >>> arms = ["new"] * 50 + ["old"] * 50
        >>> people = arm_effects([1] * 40 + [0] * 60, arms, control="old")
        >>> model = stated_effects([0.5], people.labels)
        >>> (pair,) = effect_pairs(people, model, bounds=(0.0, 1.0))
        >>> pair.direction, round(pair.set.lower, 3), round(pair.distance.upper, 3)
        ('same', 0.528, 0.3)
    """

    label: Label
    people: Interval
    effect: Interval
    set: Interval
    distance: EffectDistances
    agrees: bool
    people_certain: bool
    direction: str


def effect_pairs(
    people: Effects,
    simulator: Effects,
    *,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
) -> Iterator[EffectPair]:
    """Yield what is known of each effect, of E on both sides.

    Args:
        people, simulator: their effects, with the same labels in one order.
        bounds: the least and the largest answer that is possible, for Hoeffding's set.
        level: of intervals and sets; 1 less the share of wrong entries of lists of directions.

    Examples:
        >>> from fidelity.effects import effect_pairs, effects_of_means, stated_effects
        >>> sides = [3.0, 2.0], [1.0, 1.0], [50, 50], ["new", "old"]
        >>> people = effects_of_means(*sides, control="old")
        >>> (pair,) = effect_pairs(people, stated_effects([0.5], people.labels))
        >>> [round(end, 3) for end in pair.people], pair.agrees
        ([1.0, 0.603, 1.397], True)
    """
    signs = directions(people, simulator, level=1.0 - level)
    distances = effect_distances(people, simulator, level=level)
    sets = np.full((len(people.labels), 2), np.nan)
    if bounds is not None:
        with suppress(ValueError):  # it does not hold of these persons
            sets = effect_set(people, bounds=bounds, level=level)
    both = (np.column_stack([s.estimate, s.intervals(level)]) for s in (people, simulator))
    verdicts = signs.agree, signs.people, np.array(signs.verdicts)
    columns = [part.tolist() for part in (*both, sets, np.stack(distances, 1), *verdicts)]
    for label, one, two, ends, apart, *sign in zip(people.labels, *columns, strict=True):
        parts = Interval(*one), Interval(*two), Interval(np.nan, *ends), EffectDistances(*apart)
        yield EffectPair(label, *parts, *sign)
