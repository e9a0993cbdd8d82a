"""Simulators' answers beside people's, one by one and two by two, by one discrepancy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means.average import DiscrepancyBounds, DiscrepancyInterval, discrepancy_bounds
from fidelity.means.estimates import Estimate, errors_of_people
from fidelity.means.together import familywise_limits
from fidelity.means.unanswered import Unanswered
from fidelity.responses import Responses, Simulator
from fidelity.stream import stream
from fidelity_study.steps.arrays import keys_of
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.draws import STATED_FORM, compared
from fidelity_study.steps.nonresponse import NONRESPONSE
from fidelity_study.steps.people import People
from fidelity_study.steps.unanswered import Answered, answered, fullest, unanswered
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import read

DRAWN, TRUE = "drawn", "true"


@dataclass(frozen=True)
class Case:
    """One simulator's answers beside people's, as one discrepancy measures them."""

    people: People
    own: Answered
    discrepancy: str
    is_smoothed: bool

    @property
    def q(self) -> np.ndarray:
        """The shares that are compared with people's, (N, d)."""
        return self.own.measured(self.is_smoothed)

    @property
    def keys(self) -> dict:
        """The columns that identify it."""
        return keys_of(self.own, self.discrepancy)

    def form(self, answers: str) -> dict:
        """Return the columns that identify a mean of it."""
        return {**self.keys, "answers": answers}

    @property
    def is_stated(self) -> bool:
        """Whether the simulator states probabilities."""
        return self.own.k == STATED_FORM

    @property
    def answers(self) -> list[str]:
        """The answers that there are bounds for: the draws, and the probabilities behind them."""
        if self.is_stated:
            return [TRUE]
        of_true = DISCREPANCIES[self.discrepancy].is_symmetric and not self.is_smoothed
        return [DRAWN, TRUE] if of_true else [DRAWN]

    @cached_property
    def responses(self) -> Responses:
        """People's answers in the scenarios that it answers."""
        return self.people.responses.only(self.own.rows)

    def simulator(self, answers: str) -> Simulator:
        """Return its shares there, those of draws if the probabilities behind them are meant."""
        left = self.own.unanswered[self.own.rows]
        return Simulator(self.q, draws=self.draws(answers), unanswered=left)

    def draws(self, answers: str) -> np.ndarray | None:
        """Return how many draws q holds the shares of; None if the draws themselves are meant."""
        return None if answers == DRAWN or self.is_stated else self.own.draws

    @cached_property
    def bounds(self) -> dict[str, DiscrepancyBounds]:
        """Each scenario's bounds, for each of the answers."""
        return {
            answers: discrepancy_bounds(
                self.responses, self.simulator(answers), discrepancy=self.discrepancy
            )
            for answers in self.answers
        }

    def estimate(self, answers: str, at: np.ndarray | None = None) -> Estimate:
        """Return its mean over some of the scenarios that it answers, or over all."""
        people, simulator, bounds = self.responses, self.simulator(answers), self.bounds[answers]
        if at is not None:
            people, simulator = people.only(at), simulator.only(at)
            bounds = DiscrepancyBounds(*(bound[at] for bound in bounds))
        errors = errors_of_people(people, simulator, discrepancy=self.discrepancy)
        return Estimate(people, bounds, errors, betting=self.betting)

    def betting(self) -> np.random.Generator:
        """Return the generator for exact intervals of its means."""
        return stream(*self.people.key, self.own.k, self.discrepancy, self.own.simulator)

    def limits(self, mean: Estimate) -> Callable[[str, float], DiscrepancyInterval]:
        """Return a mean's limits, of a target and a level, for any answers that it left out."""
        return partial(familywise_limits, mean, self.missing)

    @cached_property
    def missing(self) -> Unanswered:
        """How much the answers to unanswered questions could change, in all scenarios asked."""
        return self.own.effect(self.people.responses, self.discrepancy, self.q)


@dataclass(frozen=True)
class Both:
    """Two simulators on the scenarios that both answer.

    Attributes:
        one, two: their cases.
        rows: positions of these scenarios among all, (N,).
        i, j: their places in the answers of each, (N,).
    """

    one: Case
    two: Case
    rows: np.ndarray
    i: np.ndarray
    j: np.ndarray

    @classmethod
    def of(cls, one: Case, two: Case) -> "Both":
        """Line two simulators up."""
        return cls(one, two, *np.intersect1d(one.own.rows, two.own.rows, return_indices=True))

    def is_compared_at(self, k: str) -> bool:
        """Return whether they share scenarios, and one has k draws; or both state, if k says so."""
        return len(self.rows) > 0 and k in (self.one.own.k, self.two.own.k)

    @property
    def drawing(self) -> Case:
        """The one that gives draws, if only one does; else the first."""
        return self.two if self.one.is_stated else self.one

    @property
    def answers(self) -> str:
        """What is compared: the models, or only their answers if no bounds on models are known."""
        return TRUE if TRUE in self.one.answers and TRUE in self.two.answers else DRAWN

    @property
    def is_about_models(self) -> bool:
        """Whether a difference is one of the models, not of the answers they happened to give."""
        return self.answers == TRUE or not self.draw

    @property
    def draw(self) -> bool:
        """Whether one of them draws."""
        return not (self.one.is_stated and self.two.is_stated)

    @cached_property
    def as_given(self) -> Estimate:
        """The difference of the answers as they are."""
        return self.estimate(DRAWN)

    def estimate(self, answers: str, at: np.ndarray | None = None) -> Estimate:
        """Return the mean difference over some places in ``rows``, or over all."""
        people, simulators = self.responses, self.simulators(answers)
        if at is not None:
            people, simulators = people.only(at), [side.only(at) for side in simulators]
        return Estimate.of(people, *simulators, discrepancy=self.one.discrepancy)

    def simulators(self, answers: str) -> list[Simulator]:
        """Return both simulators' shares in the scenarios that both answer."""
        one, two = self.one.simulator(answers), self.two.simulator(answers)
        return [one.only(self.i), two.only(self.j)]

    @cached_property
    def responses(self) -> Responses:
        """People's answers in the scenarios that both answer."""
        return self.one.people.responses.only(self.rows)


def cases(people: People, answered: list[Answered], step: dict) -> Iterator[Case]:
    """Yield each simulator with each discrepancy that is convex."""
    for discrepancy in step["pairs"]:
        if not DISCREPANCIES[discrepancy].is_parameter:
            for simulator in answered:
                is_smoothed = simulator.is_smoothed(discrepancy, step["smoothed"])
                yield Case(people, simulator, discrepancy, is_smoothed)


def shown(cases: list[Case]) -> list[Case]:
    """Return the cases of each simulator's best answers: stated, else the most draws."""
    form = {best.simulator: best.k for best in fullest(case.own for case in cases)}
    return [case for case in cases if case.own.k == form[case.own.simulator]]


def together(cases: list[Case]) -> Iterator[tuple[str, list[Case]]]:
    """Yield the cases that are compared at each number of draws by each discrepancy.

    Those that state probabilities are there at each number, as :func:`compared` says.
    """
    by_discrepancy: dict[str, dict[str, dict[str, Case]]] = {}
    for case in cases:
        by_simulator = by_discrepancy.setdefault(case.discrepancy, {})
        by_simulator.setdefault(case.own.simulator, {})[case.own.k] = case
    for forms in by_discrepancy.values():
        for k, taking_part in compared(forms):
            yield k, [*taking_part.values()]


def people_and_simulators(files, step: dict) -> tuple[People, list[Answered]]:
    """Return what people and simulators answered, from a step's input files.

    Persons are known, and questions left unanswered count, where the files say so.
    """
    known, lost = files.get("respondents"), files.get("nonresponse")
    people = People.of(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        step,
        read(known, RESPONDENTS) if known else None,
    )
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    return people, beside(people, simulated, read(lost, NONRESPONSE) if lost else None)


def cases_of(files, step: dict) -> list[Case]:
    """Return all cases of a step's input files."""
    return list(cases(*people_and_simulators(files, step), step))


def beside(
    people: People, simulated: pa.Table, nonresponse: pa.Table | None = None
) -> list[Answered]:
    """Return what simulators answered at each number of draws, and what they left unanswered."""
    lost = None if nonresponse is None else unanswered(nonresponse, people.names)
    return answered(simulated, people.names, people.responses.counts.shape[1], lost)
