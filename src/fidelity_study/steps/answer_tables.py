"""Answers by person and question, of people and of simulators' runs, from the tables of answers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.stream import stream
from fidelity.structure import AnswerTable, Sampling, answered_pairs, associations, person_weights
from fidelity.structure.correlations import Associations
from fidelity_study.reading.settings import questions_of
from fidelity_study.steps.arrays import codes, numbers
from fidelity_study.tables.ingest import BETWEEN, RESPONDENTS, RUNS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

OF_DESIGN = (
    "tables of pairs and sums of scales are left out, since their errors take persons of one PSU as"
    " independent"
)
OF_REPLICATES = "errors take persons as independent, since replicate weights do not enter them"
OF_GROUPS = "weights count within each group only"
EVERYBODY, TOGETHER = "everybody", " + "
MOST_PAIRS = 5_000


def write_from_persons_and_runs(snakemake, tables_of: Callable) -> None:
    """Write the tables of a step that needs who answered what, of people and in each run."""
    step, files = snakemake.params.step, snakemake.input
    tables = tables_of(
        scenarios=read(files.scenarios, SCENARIOS),
        respondents=read(files.respondents, RESPONDENTS),
        runs=read(files.runs, RUNS),
        step=step,
    )
    write_tables(snakemake.output, tables, step)


class Columns(NamedTuple):
    """The questions, each a column of answers by person.

    Attributes:
        names: of the questions, Q.
        scenarios: the names of the scenarios.
        of_scenario: the column of each scenario; one where a question is put to several groups.
        scores: of each scenario, value -> score.
        ends: the smallest and the largest score of each question, (Q, 2).
        topics: a label of each question; None where topics tell nothing.
        groups: the labels of groups that questions are put to; one where they are put to all.
        of_group: the number of each scenario's group.
    """

    names: list[str]
    scenarios: list[str]
    of_scenario: np.ndarray
    scores: list[dict[float, float]]
    ends: np.ndarray
    topics: np.ndarray | None
    groups: list[str]
    of_group: np.ndarray

    @classmethod
    def of(cls, table: pa.Table, step: dict) -> "Columns":
        """Take the scenarios' questions; options without scores are numbered."""
        scenarios = table["scenario"].to_pylist()
        asked = questions_of(scenarios, step["groups"])
        names = list(dict.fromkeys(asked))
        options = zip(table["value"].to_pylist(), table["score"].to_pylist(), strict=True)
        scores = [
            dict(zip(values, score or range(len(values)), strict=True)) for values, score in options
        ]
        limits = np.stack([numbers(table["lower"]), numbers(table["upper"])], 1)
        first = np.array([asked.index(name) for name in names])
        labels = np.array(table["cluster"].to_pylist())[first]
        is_told = step["clustered"] and 1 < len(set(labels.tolist())) < len(names)
        whom = [
            scenario[len(question) :].removeprefix(BETWEEN) or EVERYBODY
            for scenario, question in zip(scenarios, asked, strict=True)
        ]
        groups, of_group = np.unique(whom, return_inverse=True)
        return cls(
            names,
            scenarios,
            np.array([names.index(name) for name in asked]),
            scores,
            limits[first],
            labels if is_told else None,
            groups.tolist(),
            of_group,
        )

    def scored(self, rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        """Return the place of each answer's scenario, and its score."""
        scenario = codes(rows["scenario"], self.scenarios)
        answers = zip(scenario.tolist(), rows["value"].to_pylist(), strict=True)
        return scenario, np.array([self.scores[at][value] for at, value in answers])

    def by_person(
        self, rows: pa.Table, person: np.ndarray, size: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return scores of answers, NaN where missing, and the group that was asked, -1 there.

        Args:
            rows: the answers.
            person: the number of the person of each.
            size: how many persons there are.

        Returns:
            Both by person and question, (size, Q).
        """
        scenario, scores = self.scored(rows)
        values, whom = np.full((2, size, len(self.names)), np.nan)
        place = person, self.of_scenario[scenario]
        values[place], whom[place] = scores, self.of_group[scenario]
        return values, np.nan_to_num(whom, nan=-1.0).astype(int)

    def labels(self, whom: np.ndarray) -> np.ndarray:
        """Return the label of each person's group, or of all of them, (n,)."""
        sets, place = np.unique(whom, axis=0, return_inverse=True)
        joined = [TOGETHER.join(self.groups[at] for at in sorted({*row} - {-1})) for row in sets]
        return np.array(joined, str)[place.ravel()]


def are_in_one(whom: np.ndarray) -> bool:
    """Return whether all persons, (n, Q), are in the same group wherever there is an answer."""
    return bool(((whom == whom.max(1, keepdims=True)) | (whom < 0)).all())


class Runs(NamedTuple):
    """A simulator's answers.

    Attributes:
        table: of them; row i is the twin of person i where ``are_twins``.
        whom: the group each question was put to, by row, (k, Q).
        are_twins: whether the same persons are on both sides.
    """

    table: AnswerTable
    whom: np.ndarray
    are_twins: bool


@dataclass(frozen=True)
class People:
    """People's answers by person.

    Attributes:
        asked: the questions.
        table: with weights; persons who weigh nothing are left out.
        place: of each respondent's number in it, -1 of those left out.
        whom: the group each question was put to, by person, (n, Q).
        warning: what makes errors rough; may be empty.
        step: the settings.
    """

    asked: Columns
    table: AnswerTable
    place: np.ndarray
    whom: np.ndarray
    warning: str
    step: dict

    @classmethod
    def of(cls, scenarios: pa.Table, respondents: pa.Table, step: dict) -> "People":
        """Take the table of respondents."""
        asked = Columns.of(scenarios, step)
        persons = numbers(respondents["respondent"]).astype(int)
        scenario = codes(respondents["scenario"], asked.scenarios)
        size = int(persons.max()) + 1
        weights = person_weights(persons, scenario, numbers(respondents["weight"]), persons=size)
        there = weights > 0.0
        values, whom = asked.by_person(respondents, persons, size)
        sampling = None
        if respondents["psu"].null_count < len(respondents):
            psu, stratum = np.zeros((2, size), int)
            for labels, name in ((psu, "psu"), (stratum, "stratum")):
                labels[persons] = numbers(respondents[name]).astype(int)
            (lonely,) = respondents["lonely_psu"].unique().to_pylist()
            sampling = Sampling.of(psu[there], stratum[there], lonely)
        is_weighted = bool((weights[there] != weights[there][0]).any())
        table = AnswerTable(
            values[there], weights[there] if is_weighted else None, sampling=sampling
        )
        notes = {
            OF_GROUPS: is_weighted and len(asked.names) < len(asked.scenarios),
            OF_DESIGN: table.in_psus,
            OF_REPLICATES: scenarios["replicates"].null_count < len(scenarios),
        }
        warning = "; ".join(note for note, is_so in notes.items() if is_so)
        place = np.where(there, np.cumsum(there) - 1, -1)
        return cls(asked, table, place, whom[there], warning, step)

    @property
    def level(self) -> float:
        """The confidence of intervals."""
        return 1.0 - self.step["test"]["alpha"]

    @property
    def has_scores(self) -> bool:
        """Whether answers are numbers, or options in an order."""
        return self.step["outcome"]["kind"] != "categorical"

    @cached_property
    def associations(self) -> Associations | None:
        """The correlations of pairs that enough people answered; None where there are none."""
        pairs = answered_pairs(self.table, most=MOST_PAIRS, generator=self.generator("pairs"))
        if not (self.has_scores and len(pairs)):
            return None
        return associations(self.table, pairs=pairs)

    def generator(self, *key: str) -> np.random.Generator:
        """Return the random stream of a purpose."""
        return stream(self.step["seed"], self.step["dataset"], "structure", *key)

    def runs(self, rows: pa.Table) -> Runs:
        """Return a simulator's answers."""
        twin, run = rows["respondent"], numbers(rows["run"]).astype(int)
        if not twin.null_count:
            place = self.place[numbers(twin).astype(int)]
            pairs = np.unique(np.stack([place, run], 1), axis=0)
            if len(np.unique(pairs[:, 0])) == len(pairs) and (pairs >= 0).all():
                values, _ = self.asked.by_person(rows, place, self.table.size)
                return Runs(AnswerTable(values, sampling=self.table.sampling), self.whom, True)
        number = np.unique(run, return_inverse=True)[1]
        values, whom = self.asked.by_person(rows, number, number.max() + 1)
        return Runs(AnswerTable(values), whom, False)
