"""Regressions of a question on facts, fitted to people's answers and a simulator's alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from fidelity.arrays import AnyArray, FloatArray, IntArray
from fidelity.regression.comparison import RegressionComparison, compare_slopes
from fidelity.regression.covariates import Covariates
from fidelity.regression.estimates import Slopes
from fidelity.regression.formulas import common_columns
from fidelity.regression.joined import joined_slopes
from fidelity.regression.linear import linear_slopes
from fidelity.regression.logit import average_marginal_effects
from fidelity.regression.other_people import SlopesOfOthers, slopes_of_others


class Persons(NamedTuple):
    """The answers of persons, or of runs, to one question, with facts on them, n of them.

    Attributes:
        facts: a pandas table with a row a person, the columns of the formula; None where not known.
        answers: scores, (n,).
        weights: (n,), above 0.
        persons: the number of the respondent; of a run that of whose twin it is, -1 of nobody's;
            (n,).
        numbers: of the respondents, or of the runs, (n,).
        clusters: what persons were drawn by, or the persona of a run, (n,); None if each is drawn
            by itself.
        strata: that clusters were drawn in, (n,); None for one.
        lonely_psu: what a stratum with one cluster adds.

    Examples:
        >>> import numpy as np
        >>> import pandas as pd
        >>> from fidelity.regression import Persons
        >>> facts, who = pd.DataFrame({"age": [31, 52, 47]}), np.arange(3)
        >>> persons = Persons(facts, np.array([1.0, 3.0, 2.0]), np.ones(3), who, who)
        >>> persons.take(np.array([2, 0])).answers.tolist()
        [2.0, 1.0]
    """

    facts: Any
    answers: FloatArray
    weights: FloatArray
    persons: IntArray
    numbers: IntArray
    clusters: AnyArray | None = None
    strata: AnyArray | None = None
    lonely_psu: str = "refused"

    def take(self, rows: IntArray) -> "Persons":
        """Return some persons."""
        columns = {name: getattr(self, name) for name in self._fields[1:-1]}
        some = {name: column[rows] for name, column in columns.items() if column is not None}
        return self._replace(facts=self.facts.iloc[rows], **some)

    @property
    def units(self) -> AnyArray:
        """A label for each unit that persons were drawn by, in the order of influences."""
        if self.clusters is None:
            return self.numbers
        if self.strata is None:
            return np.unique(self.clusters)
        return np.unique([self.strata, self.clusters], axis=1)[1]


def twins_of(people: Persons, runs: Persons) -> tuple[Persons, Persons]:
    """Return the people who have a twin, and the mean of each one's runs, row by row.

    Args:
        people: no number more than once.
        runs: each somebody's twin.

    Examples:
        >>> import numpy as np
        >>> import pandas as pd
        >>> from fidelity.regression import Persons, twins_of
        >>> def side(answers, persons, numbers):
        ...     facts, ones = pd.DataFrame(index=range(len(answers))), np.ones(len(answers))
        ...     return Persons(facts, *map(np.array, (answers, ones, persons, numbers)))
        >>> people = side([1.0, 2.0, 5.0], [7, 8, 9], [7, 8, 9])
        >>> both = twins_of(people, side([4.0, 3.0, 1.0], [9, 7, 7], [0, 1, 2]))
        >>> [persons.answers.tolist() for persons in both]
        [[1.0, 5.0], [2.0, 4.0]]
    """
    common, rows = np.intersect1d(people.persons, runs.persons, return_indices=True)[:2]
    runs = runs.take(np.flatnonzero(np.isin(runs.persons, common)))
    first, place = np.unique(runs.persons, return_index=True, return_inverse=True)[1:]
    means = np.bincount(place, runs.answers) / np.bincount(place)
    once = runs.take(first)._replace(answers=means, numbers=common, clusters=None, strata=None)
    return people.take(rows), once


class FormulaOnBoth(NamedTuple):
    """A regression on both sides, with one design matrix; of :func:`formula_on_both`.

    Attributes:
        sides: the slopes of people, and of the simulator.
        units: a label for each unit of both.
        same_persons: whether each unit is the same person on both sides.
        warnings: what the reader should know.

    Examples:
        >>> import numpy as np
        >>> import pandas as pd
        >>> from fidelity.regression import Persons, formula_on_both
        >>> who, ages = np.arange(40), pd.DataFrame({"age": np.arange(40) % 7})
        >>> people = Persons(ages, ages["age"].to_numpy() / 2 + who % 2, np.ones(40), who, who)
        >>> runs = people._replace(persons=np.full(40, -1), answers=people.answers / 2)
        >>> [side.labels for side in formula_on_both("age", people, runs).sides]
        [[('', 'age')], [('', 'age')]]
    """

    sides: list[Slopes]
    units: list[AnyArray]
    same_persons: bool
    warnings: list[str]


def formula_on_both(
    right: str, people: Persons, runs: Persons, *, outcome: str = "", model: str = "linear"
) -> FormulaOnBoth:
    """Return a regression of people's answers, and a simulator's, on facts.

    Persons with unknown facts, or in levels that one side alone has, are left out. Twins, if each
    run is one of a person, are compared person by person.

    Args:
        right: the right side of the formula, as :func:`fidelity.regression.common_columns` has it.
        people, runs: the two sides.
        outcome: what slopes are labelled by.
        model: ``linear``, or ``logit`` with average marginal effects.

    Raises:
        ValueError: if a fact has no two levels that both sides have, or as
            :func:`fidelity.regression.linear_slopes`.

    Examples:
        >>> import numpy as np
        >>> import pandas as pd
        >>> from fidelity.regression import Persons, formula_on_both
        >>> who, ages = np.arange(40), pd.DataFrame({"age": np.arange(40) % 7})
        >>> people = Persons(ages, ages["age"].to_numpy() / 2 + who % 2, np.ones(40), who, who)
        >>> runs = people._replace(persons=np.full(40, -1), answers=people.answers / 2)
        >>> both = formula_on_both("age", people, runs)
        >>> [round(float(side.estimate[0]), 2) for side in both.sides], both.same_persons
        ([0.5, 0.25], False)
    """
    are_twins = len(runs.persons) > 0 and bool((runs.persons >= 0).all())
    if are_twins:
        people, runs = twins_of(people, runs)
    columns = common_columns(right, people.facts, runs.facts, same_persons=are_twins)
    people, runs = (
        side.take(np.flatnonzero(rows))
        for side, rows in zip((people, runs), columns.kept, strict=True)
    )
    drawn = [people, people if are_twins else runs]
    covariates = [
        Covariates(
            values,
            names=columns.names,
            terms=columns.terms,
            weights=persons.weights,
            clusters=persons.clusters,
            strata=persons.strata,
            lonely_psu=persons.lonely_psu,
        )
        for values, persons in zip((columns.people, columns.simulator), drawn, strict=True)
    ]
    fit = linear_slopes
    if model == "logit":
        fit = partial(average_marginal_effects, over=covariates[0])
    answers = people.answers, runs.answers
    slopes = [fit(*side, outcomes=[outcome]) for side in zip(covariates, answers, strict=True)]
    warnings = [*columns.left_out, *columns.means_apart(people.weights)]
    return FormulaOnBoth(slopes, [persons.units for persons in drawn], are_twins, warnings)


@dataclass(frozen=True, eq=False)
class Regressions:
    """Several regressions of people and one simulator, with one covariance.

    Attributes:
        fitted: the regressions, one at least.

    Examples:
        >>> import numpy as np
        >>> import pandas as pd
        >>> from fidelity.regression import Persons, Regressions, formula_on_both
        >>> who, ages = np.arange(40), pd.DataFrame({"age": np.arange(40) % 7})
        >>> people = Persons(ages, ages["age"].to_numpy() / 2 + who % 2, np.ones(40), who, who)
        >>> runs = people._replace(persons=np.full(40, -1), answers=people.answers / 2)
        >>> both = Regressions([formula_on_both("age", people, runs)])
        >>> both.compare().signs, both.people, both.runs
        (['same'], 40, 40)
    """

    fitted: Sequence[FormulaOnBoth]

    @cached_property
    def sides(self) -> list[Slopes]:
        """The slopes of people, and of the simulator."""
        return [
            joined_slopes(
                [both.sides[side] for both in self.fitted],
                [both.units[side] for both in self.fitted],
            )
            for side in (0, 1)
        ]

    @property
    def same_persons(self) -> bool:
        """Whether the runs are twins."""
        return all(both.same_persons for both in self.fitted)

    @property
    def people(self) -> int:
        """How many people there are in the smallest regression."""
        return int(self.sides[0].persons.min())

    @property
    def runs(self) -> int:
        """How many runs there are in the smallest regression."""
        return int(self.sides[1].persons.min())

    @property
    def warning(self) -> str | None:
        """What the reader should know, in words."""
        said = dict.fromkeys(warning for both in self.fitted for warning in both.warnings)
        return "; ".join(said) or None

    @property
    def of_others(self) -> SlopesOfOthers:
        """What as many other people as there are runs would reach."""
        return slopes_of_others(self.sides[0], self.runs)

    def compare(self, level: float = 0.95) -> RegressionComparison:
        """Return how the slopes compare, as :func:`fidelity.regression.compare_slopes`."""
        one, two = self.sides
        return compare_slopes(one, two, same_persons=self.same_persons, level=level)
