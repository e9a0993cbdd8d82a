"""A dataset of a finished run, and the questions that two runs put to the same people."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import among, codes
from fidelity_study.steps.cases import Case, beside
from fidelity_study.steps.people import People
from fidelity_study.steps.unanswered import fullest

SAME = {
    "kind": "the kind of outcome",
    "question": "the wording",
    "option": "the options",
    "value": "the values of the options",
    "score": "the scores of the options",
    "lower": "the smallest possible answer",
    "upper": "the largest possible answer",
    "cluster": "the cluster",
    "people": "which questions have people in common",
    "respondents_repeat": "whether people answer several questions",
}


@dataclass(frozen=True)
class Version:
    """A dataset of one run, with the tables behind its mean discrepancies.

    Attributes:
        name: of the run, for messages.
        step: the settings that the step depended on.
        discrepancies: in the order of the config, those that are convex.
        scenarios, human, respondents, simulated, nonresponse: the tables that it read.
    """

    name: str
    step: dict
    discrepancies: list[str]
    scenarios: pa.Table
    human: pa.Table
    respondents: pa.Table
    simulated: pa.Table
    nonresponse: pa.Table

    @property
    def names(self) -> list[str]:
        """The questions, in the order of the table."""
        return self.scenarios["scenario"].to_pylist()

    @property
    def people(self) -> People:
        """People's answers."""
        return People.of(self.scenarios, self.human, self.step, self.respondents)

    def on(self, names: list[str]) -> "Version":
        """Return the same with these questions only, in this order."""
        kept = {
            name: table.filter(among(table["scenario"], names))
            for name, table in vars(self).items()
            if isinstance(table, pa.Table)
        }
        order = np.argsort(codes(kept["scenarios"]["scenario"], names))
        return replace(self, **kept | {"scenarios": kept["scenarios"].take(order)})

    def case(self, people: People, simulator: str, discrepancy: str) -> Case | None:
        """Return a simulator's best answers: stated probabilities, else the most draws."""
        for best in fullest(beside(people, self.simulated, self.nonresponse)):
            if best.simulator == simulator:
                is_smoothed = best.is_smoothed(discrepancy, self.step["smoothed"])
                return Case(people, best, discrepancy, is_smoothed)
        return None


def same_questions(old: Version, new: Version) -> list[str]:
    """Return the questions of both runs, in the order of the old one.

    Raises:
        DataError: if there are none, or if a question or people's answers to it differ.
    """
    there = set(new.names)
    names = [name for name in old.names if name in there]
    dataset = old.step["dataset"]
    if not names:
        raise DataError(
            f"{dataset}: {old.name} and {new.name} have no question in common; compare runs on the"
            " same questions"
        )
    one, two = old.on(names), new.on(names)
    for column, what in SAME.items():
        for name, was, now in zip(
            names, one.scenarios[column].to_pylist(), two.scenarios[column].to_pylist(), strict=True
        ):
            if was != now:
                raise DataError(
                    f"{dataset}, {name}: {what} differs: {was!r} in {old.name}, {now!r} in"
                    f" {new.name}; give a changed question another name, and run the study again"
                )
    counts = (run.people.responses.counts for run in (one, two))
    for name, was, is_now in zip(names, *counts, strict=True):
        if not np.allclose(was, is_now, equal_nan=True):
            raise DataError(
                f"{dataset}, {name}: people's answers differ: {np.nansum(was):g} in {old.name},"
                f" {np.nansum(is_now):g} in {new.name}, or other ones; run both with the same"
                " people, grid.n, seed and weights"
            )
    return names
