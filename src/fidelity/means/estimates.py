"""A mean discrepancy, or a difference of two, of which intervals at several levels are wanted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fidelity.arrays import AnyArray, FloatArray
from fidelity.comparison.few_clusters import grouped
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.average import (
    ASKED,
    NEW,
    DiscrepancyBounds,
    DiscrepancyInterval,
    average_bounds,
    difference_bounds,
    discrepancy_bounds,
    mean_interval,
    possible,
    possible_difference,
)
from fidelity.means.persons import person_errors, replicate_errors
from fidelity.responses import Responses, Simulator, common_runs

FEWEST = 2


@dataclass(frozen=True)
class Estimate:
    """A mean discrepancy, or a difference of two, over some scenarios.

    Attributes:
        people: their responses to these scenarios.
        bounds: of each scenario.
        errors: those that people cause, (2,), where it is known who answered what.
        is_difference: whether it is one of two.
        runs: labels of scenarios, (m,), as of :class:`fidelity.Simulator`.
        betting: makes the generator for intervals that can be exact; None for none of these.
    """

    people: Responses
    bounds: DiscrepancyBounds
    errors: FloatArray | None = None
    is_difference: bool = False
    runs: AnyArray | None = None
    betting: Callable[[], np.random.Generator] | None = None

    @classmethod
    def of(
        cls, people: Responses, *simulators: Simulator, discrepancy: str | Discrepancy
    ) -> "Estimate":
        """Return the mean of one simulator, or that of one less another, side by side with people.

        Errors are those of whole persons, or of replicate weights, where they are known.
        """
        bounds_of = discrepancy_bounds if len(simulators) == 1 else difference_bounds
        bounds = bounds_of(people, *simulators, discrepancy=discrepancy)
        errors = errors_of_people(people, *simulators, discrepancy=discrepancy)
        return cls(people, bounds, errors, len(simulators) > 1, common_runs([*simulators]))

    @classmethod
    def average(cls, several: Sequence["Estimate"]) -> "Estimate":
        """Return the mean of several of the same scenarios, such as of several splits of people.

        Its error is at most the mean of their errors, for any dependence.
        """
        known = [mean.errors for mean in several if mean.errors is not None]
        errors = np.mean(known, axis=0) if known else None
        bounds = average_bounds([mean.bounds for mean in several])
        return replace(several[0], bounds=bounds, errors=errors)

    @property
    def clusters(self) -> AnyArray | None:
        """The scenarios' clusters; None where they group nothing."""
        clusters = self.people.clusters
        return None if clusters is None else grouped(clusters)

    def is_exact(self, target: str) -> bool:
        """Return whether its interval is exact: of one mean of known range, for new scenarios.

        Scenarios must be independent, and there must be a generator. Intervals of differences are
        not exact: betting is wide for scores that vary little in a wide range.
        """
        if target != NEW or self.is_difference or self.betting is None:
            return False
        is_independent = self.people.respondents is None and self.clusters is None
        return is_independent and bool(np.isfinite(self.bounds.reach).all())

    def exists(self, target: str) -> bool:
        """Return whether the target exists: there are no new scenarios of a single cluster."""
        m, clusters = len(self.bounds.lower), self.people.clusters
        several = m if clusters is None else len(np.unique(clusters))
        return target != NEW or min(m, several) >= FEWEST

    def interval(self, target: str, level: float) -> DiscrepancyInterval:
        """Return its interval, cut to what is possible.

        Args:
            target, level: as :func:`fidelity.mean_discrepancy`.

        Raises:
            ValueError: if the target does not exist.
        """
        limits = self.uncut(target, level)
        if not self.is_difference:
            return possible(limits, self.bounds)
        return possible_difference(limits, self.bounds) if target == ASKED else limits

    def uncut(self, target: str, level: float) -> DiscrepancyInterval:
        """Return its interval as it is computed."""
        if not self.exists(target):
            raise ValueError(f"the target {target} takes at least {FEWEST} clusters of scenarios")
        return mean_interval(
            self.bounds,
            target=target,
            clusters=self.clusters if target == NEW else None,
            respondents=self.people.respondents,
            level=level,
            betting=self.betting() if self.betting and self.is_exact(target) else None,
            errors=self.errors,
            runs=self.runs,
            df=self.people.df,
        )


class WorstAndAverage(NamedTuple):
    """The farthest from people of several conditions, such as prompts, and their average.

    Attributes:
        average: the interval of the mean over conditions of their mean discrepancies.
        worst: the place of the one whose interval's middle is farthest; None where an interval has
            an end that is not finite.
        lower, upper: ends of an interval that holds for the truly farthest condition.

    Examples:
        >>> from fidelity import Responses, Simulator
        >>> from fidelity.means import discrepancy_bounds, worst_and_average
        >>> people = Responses([[30, 10], [20, 20]])
        >>> models = [Simulator([[0.7, 0.3], [0.5, 0.5]]), Simulator([[0.2, 0.8], [0.5, 0.5]])]
        >>> bounds = [discrepancy_bounds(people, model, discrepancy="tv") for model in models]
        >>> worst_and_average(people, bounds, level=0.95, of_worst=0.95).worst
        1
    """

    average: DiscrepancyInterval
    worst: int | None
    lower: float
    upper: float


def worst_and_average(
    people: Responses, bounds: Sequence[DiscrepancyBounds], *, level: float, of_worst: float
) -> WorstAndAverage:
    """Return the worst of several conditions in these scenarios, and their average.

    The interval of the worst reaches from the largest lower to the largest upper end of all
    conditions' intervals. So it holds the largest of their mean discrepancies, for any condition.

    Args:
        people: their responses.
        bounds: of each condition.
        level: of the interval of the average.
        of_worst: the level of that of the worst.

    Examples:
        >>> from fidelity import Responses, Simulator
        >>> from fidelity.means import discrepancy_bounds, worst_and_average
        >>> people = Responses([[30, 10], [20, 20]])
        >>> models = [Simulator([[0.7, 0.3], [0.5, 0.5]]), Simulator([[0.2, 0.8], [0.5, 0.5]])]
        >>> bounds = [discrepancy_bounds(people, model, discrepancy="tv") for model in models]
        >>> made = worst_and_average(people, bounds, level=0.95, of_worst=0.95)
        >>> made.lower < 0.55 / 2 < made.upper
        True
    """
    limits = [Estimate(people, bound).interval(ASKED, of_worst) for bound in bounds]
    ends = [(interval.ci_lower, interval.ci_upper) for interval in limits]
    lower, upper = (float(max(end)) for end in zip(*ends, strict=True))
    average = Estimate(people, average_bounds(bounds)).interval(ASKED, level)
    worst = int(np.argmax(np.mean(ends, axis=1))) if np.isfinite(ends).all() else None
    return WorstAndAverage(average, worst, lower, upper)


def errors_of_people(
    people: Responses, *simulators: Simulator, discrepancy: str | Discrepancy
) -> FloatArray | None:
    """Return the errors of both mean bounds, (2,), that people cause; None of counts alone.

    Args:
        people: their responses.
        simulators: one, or two that are compared.
        discrepancy: its name.
    """
    if people.answers is not None:
        return person_errors(people, *simulators, discrepancy=discrepancy)
    if people.replicates is None:
        return None
    sets = people.replicates
    return replicate_errors(people, *simulators, replicates=sets, discrepancy=discrepancy)
