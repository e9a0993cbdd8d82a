"""Estimates of effects, with what each person does to them.

The influence of a person on an effect is what the person adds to it, in first order; so the
variance of any smooth function of all effects is the sum of squares of persons' influences on it.
Persons in a control that several interventions share, in both arms, or with several outcomes, are
thereby allowed for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.effects.arm_means import ArmMeans
from fidelity.structure.estimates import Interval, Spread, TooFewError

Label = tuple[str, ...]


class Answers(NamedTuple):
    """Answers by unit (person or cluster) and cell; U units, C cells.

    Attributes:
        number: sums of weights, sparse by column, (U, C).
        total: sums of weights times answers, the same, (U, C).
        arms: the cell of each effect's condition and that of its control, (E, 2).
        weighted: whether weights differ.
    """

    number: Any
    total: Any
    arms: IntArray
    weighted: bool


@dataclass(frozen=True, eq=False)
class Effects:
    """Estimates of E effects.

    Attributes:
        labels: of the effects, such as (outcome, condition), E.
        estimate: (E,).
        influence: of units, times what corrects for few of them, (U, E), dense or sparse; no units
            where effects are stated.
        df: degrees of freedom of the standard errors, (E,); infinite where effects are stated.
        answers: by unit and cell; None where only effects, or means, are known.
        of_persons: whether effects are a regression's whose persons the units are, so that one
            after the other can be left out.
        means: of the arms, by which intervals allow for rare answers; None where only effects, or
            means, are known.

    Examples:
        >>> from fidelity.effects import arm_effects
        >>> answers, arms = [4, 5, 3, 2, 1, 3], ["new", "new", "new", "old", "old", "old"]
        >>> effects = arm_effects(answers, arms, control="old")
        >>> effects.labels, effects.estimate.tolist(), effects.se.round(3).tolist()
        ([('', 'new')], [2.0], [0.816])
    """

    labels: list[Label]
    estimate: FloatArray
    influence: Any
    df: FloatArray
    answers: Answers | None = None
    of_persons: bool = False
    means: ArmMeans | None = None

    @property
    def is_stated(self) -> bool:
        """Whether the effects are known without error."""
        return bool(self.influence.shape[0] == 0)

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the estimates, (E, E)."""
        return dense(self.influence.T @ self.influence)

    @cached_property
    def se(self) -> FloatArray:
        """Standard errors, (E,)."""
        squares = self.influence * self.influence
        return np.sqrt(np.asarray(squares.sum(0)).reshape(-1))

    @cached_property
    def unseen(self) -> FloatArray:
        """What rare answers add to errors, as influences of arms with such answers, (R, E)."""
        if self.means is None:
            return np.zeros((0, len(self.labels)))
        rare = np.flatnonzero(self.means.unseen)
        size = np.sqrt(self.means.unseen[rare])[:, None]
        return self.means.contrast.tocsr()[rare].toarray() * size

    @cached_property
    def errors(self) -> FloatArray:
        """Covariance of the estimates with what rare answers add, (E, E)."""
        return self.covariance + self.unseen.T @ self.unseen

    @property
    def is_few(self) -> BoolArray:
        """Whether fewer than 5 answers of an arm are of the rarer one of two kinds, (E,)."""
        return np.zeros(len(self.labels), bool) if self.means is None else self.means.is_few

    @property
    def sizes(self) -> IntArray:
        """How many units answered in each effect's condition and in its control, (E, 2).

        0 where answers are not known.
        """
        if self.answers is None:
            return np.zeros((len(self.labels), 2), int)
        present = np.asarray((self.answers.number > 0.0).sum(0)).reshape(-1)
        return present[self.answers.arms]

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Return the ends of the effects' confidence intervals, (E, 2).

        They are Newcombe's where answers are of two kinds, else by Student's t; infinite where no
        variance was seen and answers have no limits.
        """
        level = inputs.number("level", level, inputs.INSIDE)
        below, above = self.distances(-sp.special.stdtrit(self.df, (1.0 - level) / 2.0))
        return np.stack([self.estimate - below, self.estimate + above], 1)

    def distances(self, critical: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how far effects are from their lower and upper limits, (E,) each.

        Args:
            critical: multiples of standard errors, (E,).
        """
        if self.is_stated:
            return np.zeros(len(self.labels)), np.zeros(len(self.labels))
        same = (critical * self.se,) * 2
        both = np.stack(same if self.means is None else self.means.distances(critical))
        below, above = np.where(both.max(0) > 0.0, both, np.inf)
        return below, above

    def on(self, weights: FloatArray) -> FloatArray:
        """Return units' influences, (U, K), on sums of effects with weights, (E, K)."""
        return self.influence @ weights

    @property
    def nothing(self) -> "Effects":
        """Effects of 0 with the same labels, stated without error."""
        many = len(self.labels)
        return Effects(self.labels, np.zeros(many), np.zeros((0, many)), np.full(many, np.inf))

    def take(self, rows: ArrayLike) -> "Effects":
        """Return the effects at ``rows``, in that order; these themselves if it is all of them."""
        rows = np.asarray(rows, int)
        if np.array_equal(rows, np.arange(len(self.labels))):
            return self
        answers = self.answers
        return Effects(
            [self.labels[row] for row in rows],
            self.estimate[rows],
            self.influence[:, rows],
            self.df[rows],
            answers if answers is None else answers._replace(arms=answers.arms[rows]),
            self.of_persons,
            self.means
            and self.means.on(sp.sparse.eye_array(len(self.labels), format="csc")[:, rows]),
        )

    def among(self, others: "Effects") -> "Effects":
        """Return the effects that ``others`` have, too, in the order of these."""
        known = set(others.labels)
        return self.take([row for row, label in enumerate(self.labels) if label in known])

    def combined(self, matrix: FloatArray, labels: list[Label]) -> "Effects":
        """Return sums of effects with weights, (K, E), as effects of their own."""
        return replace(
            self,
            labels=labels,
            estimate=matrix @ self.estimate,
            influence=self.influence @ matrix.T,
            df=np.full(len(matrix), self.df.min(initial=np.inf)),
            answers=None,
            means=self.means and self.means.on(sp.sparse.csc_array(matrix.T)),
        )

    def deviations(self, position: int) -> "Effects":
        """Return how effects differ from the mean of those whose labels are equal but at one place.

        So, with the place of the subgroup, for whom an intervention works better than for others.

        Args:
            position: of the label that may differ, such as that of the subgroup.
        """
        alike = [label[:position] + label[position + 1 :] for label in self.labels]
        same = np.array([[float(one == other) for other in alike] for one in alike])
        matrix = np.eye(len(alike)) - same / same.sum(1, keepdims=True)
        several = same.sum(1) > 1
        labels = [label for label, there in zip(self.labels, several, strict=True) if there]
        return self.combined(matrix[several], labels)


def measured(people: Effects, simulator: Effects) -> tuple[Effects, Effects]:
    """Return the effects that both sides have, in the order of people's, whose errors are known.

    Raises:
        ValueError: if there are none, or people's have no errors.
    """
    if people.is_stated:
        raise ValueError(
            "people's effects have no errors, so that nothing is certain of them; "
            "use compare_points, or give their answers, or means with spreads and sizes"
        )
    return paired(people, simulator)


def paired(people: Effects, simulator: Effects) -> tuple[Effects, Effects]:
    """Return the effects that both sides have, in the order of people's.

    Raises:
        TooFewError: if there are none.
    """
    people = people.among(simulator)
    place = {label: row for row, label in enumerate(simulator.labels)}
    if not people.labels:
        raise TooFewError("people and simulator must have effects with the same labels")
    return people, simulator.take([place[label] for label in people.labels])


def influences_on(
    sides: Iterable[Effects], weights: Iterable[FloatArray], *, same_units: bool = False
) -> FloatArray:
    """Return influences on sums over all sides' effects with weights, (E, K) a side.

    They are the units', in (U, K), added up where units are the same ones on all sides, and those
    of arms with rare answers.
    """
    pairs = list(zip(sides, weights, strict=True))
    units = [side.on(weight) for side, weight in pairs]
    unseen = [side.unseen @ weight for side, weight in pairs]
    return np.concatenate([sum(units), *unseen] if same_units else [*units, *unseen])


def sum_interval(
    parts: Sequence[tuple[Effects, FloatArray]], level: float, *, same_units: bool = False
) -> Interval:
    """Return a sum of effects of one or two sides with weights, and its interval.

    Where answers of all arms are known, it is of their means, each control's once
    (:class:`~fidelity.effects.arm_means.ArmMeans`).

    Args:
        parts: effects, with weights (E,).
        level: of the interval.
        same_units: whether unit i is the same person on both sides.
    """
    estimate = float(sum(side.estimate @ weight for side, weight in parts))
    drawn = [(side, weight[:, None]) for side, weight in parts if not side.is_stated]
    spread = Spread.of(influences_on(*zip(*drawn, strict=True), same_units=same_units)[:, 0], level)
    below = above = spread.reach
    means = [side.means.on(weight) for side, weight in drawn if side.means is not None]
    if len(means) == len(drawn):
        both = means[0] if len(means) == 1 else means[0].beside(means[1], same_units=same_units)
        of_binary = min(float(side.df.min()) for side, _ in drawn)
        df = of_binary if both.is_binary.all() else spread.df
        critical = -sp.special.stdtrit(df, (1.0 - level) / 2.0)
        below, above = (float(part[0]) for part in both.distances(np.array([critical])))
    if not (max(below, above) > 0.0 or same_units):  # no variance was seen
        below = above = np.inf
    return Interval(estimate, estimate - below, estimate + above)


def dense(table: Any) -> FloatArray:
    """Return a sparse or dense table as a dense one."""
    return table.toarray() if sp.sparse.issparse(table) else table
