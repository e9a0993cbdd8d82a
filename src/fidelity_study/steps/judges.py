"""People to whom corrections are fitted, and those who judge them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity.correction.halves import halve_people, halve_persons
from fidelity.responses import Answers, Responses
from fidelity.stream import stream
from fidelity_study.steps import persons
from fidelity_study.steps.arrays import Scenarios, human, may_answer_several, numbers
from fidelity_study.steps.unanswered import padded

PERSONS, EACH, NOBODY = "persons", "each question's people", "nobody"
FEWEST = 2


@dataclass(frozen=True)
class Judges:
    """People to whom corrections are fitted, and people who judge these, in each direction.

    Attributes:
        split: the units that were split: whole persons, each scenario's people, or nobody.
        teaching: counts that corrections are fitted to, (m, d) each.
        judging: counts that judge them.
        answers: for each answer that judges: the person, the scenario and the option; None where
            that is not known.
    """

    split: str
    teaching: list[np.ndarray]
    judging: list[np.ndarray]
    answers: Sequence[Answers | None]

    @classmethod
    def of(
        cls, described: pa.Table, outcomes: pa.Table, respondents: pa.Table, step: dict
    ) -> "Judges":
        """Split all people, as far as it is known who gave which answer.

        Args:
            described: the scenarios.
            outcomes: all answers.
            respondents: who answered what; no rows where that is not known.
            step: the settings that the step depends on.
        """
        scenarios = Scenarios.from_table(described)
        counts = padded([count.tolist() for count in scenarios.counts(human(outcomes), "count")])
        key = step["seed"], step["dataset"], "halves"
        worth = numbers(described["n_effective"]) / np.nansum(counts, axis=1)
        split, halves = NOBODY, [counts]
        answers: list[Answers] = []
        are_weighted = any(described["weighted"].to_pylist())
        if len(respondents) and not are_weighted:
            every = persons.answers_of(respondents, scenarios)
            half = halve_persons(every.person, stream(*key))
            parts = [persons.only(every, half == which) for which in range(2)]
            split, halves = PERSONS, [persons.counted(part, ~np.isnan(counts)) for part in parts]
            answers = parts[::-1]
        elif not (are_weighted or may_answer_several(described)):
            split = EACH
            halves = [*halve_people(counts, [stream(*key, name) for name in scenarios.names])]
        halves = [half * worth[:, None] for half in halves]
        return cls(split, halves, halves[::-1], answers or [None] * len(halves))

    @property
    def everybody(self) -> np.ndarray:
        """All people's counts, (m, d)."""
        return np.sum(self.teaching, axis=0)

    def responses(self, people: Responses, half: int, rows: np.ndarray) -> Responses:
        """Return those who judge in one direction, in some scenarios; weights are not known.

        Args:
            people: everybody.
            half: the direction.
            rows: positions of the scenarios.
        """
        counts, answers, known = self.judging[half][rows], self.answers[half], people.only(rows)
        if answers is not None:
            answers = persons.in_unit(persons.at(answers, rows), counts)
        return Responses(
            counts,
            sizes=np.nansum(counts, axis=1),
            scores=known.scores,
            limits=known.limits,
            clusters=known.clusters,
            respondents=known.respondents,
            answers=answers,
        )

    @property
    def known(self) -> np.ndarray:
        """Positions of the scenarios that enough people judge, in each direction."""
        many = [np.nansum(counts, axis=1) >= FEWEST for counts in self.judging]
        return np.flatnonzero(np.all(many, axis=0))
