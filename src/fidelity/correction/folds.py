"""Folds of scenarios that are corrected together, without each other's people; and the result."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.stream import stream

FOLDS = 10


class Corrected(NamedTuple):
    """A corrected simulator, and the parameters fitted in each fold.

    Attributes:
        probabilities: (m, d), NaN where a scenario has no such option.
        fold: each scenario's fold, (m,), numbered from 0. Its row is fitted to the people of all
            other folds.
        parameters: the fitted values by name, for each fold, (folds,) or (folds, ...).

    Examples:
        >>> from fidelity.correction import stacked
        >>> people, model = [[30, 70], [40, 60]], [[0.3, 0.7], [0.4, 0.6]]
        >>> found = stacked(people, [model], clusters=["tax", "law"])
        >>> found.fold, found.parameters["weights"].shape
        (array([1, 0]), (2, 2))
    """

    probabilities: FloatArray
    fold: IntArray
    parameters: dict[str, FloatArray]


def correction_folds(m: int, clusters: ArrayLike | None = None) -> IntArray:
    """Return each scenario's fold, (m,), from 0: whole clusters, or single scenarios without any.

    If there are at most ten clusters, each is a fold. More are put into ten folds by a random
    stream that belongs to the cluster's label, so that more clusters change nobody's fold. Without
    clusters each scenario is its own, labelled 0 to m - 1.

    Raises:
        ValueError: if there are fewer than 2 clusters, or scenarios.

    Examples:
        >>> from fidelity.correction import correction_folds
        >>> correction_folds(4, ["tax", "law", "tax", "health"])
        array([2, 1, 2, 0])
    """
    m = inputs.whole("m", m, 1)
    labels = np.arange(m) if clusters is None else inputs.labels("clusters", clusters, m)
    names, member = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        what = "m" if clusters is None else "clusters"
        raise ValueError(
            f"{what} must be at least 2, as each is corrected by people's answers to the others"
        )
    if len(names) <= FOLDS:
        return member
    drawn = [int(stream("correction", str(name)).integers(FOLDS)) for name in names]
    return np.unique(drawn, return_inverse=True)[1][member]


class Answered(NamedTuple):
    """The data that a correction learns from: the arguments, checked and lined up.

    Attributes:
        counts: people's answers, (m, d), 0 where there is no such option.
        stated: each simulator's probabilities, (S, m, d), 0 likewise.
        exists: which options each scenario has, (m, d).
        fold: each scenario's, (m,).
        features: numbers that describe each scenario, (m, f).
    """

    counts: FloatArray
    stated: FloatArray
    exists: BoolArray
    fold: IntArray
    features: FloatArray

    @classmethod
    def of(
        cls,
        counts: ArrayLike,
        simulators: dict[str, Any],
        clusters: ArrayLike | None,
        features: ArrayLike | None = None,
    ) -> Self:
        """Check and line up; ``simulators`` by the names that messages give them."""
        given = {"counts": counts, **simulators, "clusters": clusters}
        lined_up = dict(zip(given, inputs.aligned(**given), strict=True))
        table = inputs.table("counts", lined_up["counts"], inputs.COUNTS, ("scenarios", "options"))
        stated = {name: inputs.probabilities(name, lined_up[name]) for name in simulators}
        for name, shares in stated.items():
            if shares.shape != table.shape:
                raise ValueError(
                    f"{name} must have the shape of counts, {table.shape}, not {shares.shape}"
                )
        exists = inputs.options_of("counts", table, stated)
        fold = correction_folds(len(table), lined_up["clusters"])
        described = np.empty((len(table), 0))
        if features is not None:
            described = inputs.table("features", features, inputs.FINITE, (len(table), "features"))
        people = np.nan_to_num(table)
        for left_out in np.unique(fold):
            if not people[fold != left_out].any():
                raise ValueError(
                    "counts must have answers in at least two clusters (scenarios, without "
                    f"clusters); without those of row {(fold == left_out).argmax()} there are none"
                )
        return cls(people, np.nan_to_num(np.stack(list(stated.values()))), exists, fold, described)

    @classmethod
    def of_several(cls, counts: ArrayLike, simulators: Sequence[ArrayLike], *more: Any) -> Self:
        """Return the answers and at least one simulator's probabilities, checked."""
        named = {f"simulators[{i}]": simulator for i, simulator in enumerate(simulators)}
        if not named:
            raise ValueError("simulators must be at least one table of probabilities, not none")
        return cls.of(counts, named, *more)

    @property
    def uniform(self) -> FloatArray:
        """Equal probabilities, (m, d)."""
        return self.exists / self.exists.sum(1, keepdims=True)

    @property
    def folds(self) -> IntArray:
        """The folds' numbers, (F,)."""
        return np.unique(self.fold)

    def pooled(self, left_out: int) -> FloatArray:
        """Return the mean shares of other scenarios with the same options, (m, d).

        They are taken over all folds but a scenario's own and ``left_out``; uniform without any.
        """
        total = self.counts.sum(1, keepdims=True)
        asked = (total[:, 0] > 0) & (self.fold != left_out)
        shares = np.divide(self.counts, total, out=np.zeros(self.counts.shape), where=total > 0)
        result = self.uniform
        _, kind = np.unique(self.exists, axis=0, return_inverse=True)
        for group in range(int(kind.max()) + 1):
            alike = kind.ravel() == group
            for fold in self.folds:
                others = alike & asked & (self.fold != fold)
                if others.any():
                    result[alike & (self.fold == fold)] = shares[others].mean(0)
        return result

    def finished(self, probabilities: FloatArray, parameters: dict[str, Any]) -> Corrected:
        """Return the result, NaN where there is no such option."""
        return Corrected(
            np.where(self.exists, probabilities, np.nan),
            self.fold,
            {name: np.array(values) for name, values in parameters.items()},
        )
