"""How far simulators, as they are and corrected, are from people where people were asked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.levels import rational
from fidelity.sets.gamma import Coverage
from fidelity_study.steps.arrays import Scenarios, codes, first_replicate, keys_of, numbers, only
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.judges import Judges
from fidelity_study.steps.new_corrections import (
    Bounding,
    corrected_answers,
    people_apart,
    wanted_corrections,
)
from fidelity_study.steps.new_questions import Answering, UnusableError, answering
from fidelity_study.steps.pseudo_discrepancy import pseudo_discrepancies
from fidelity_study.steps.samples import families

KEPT = ["scenario", "cluster", "question", "value"]


@dataclass(frozen=True)
class Study:
    """The questions of a dataset, asked and new, with all that predictions use.

    Attributes:
        described: the questions that people were asked, as ingest has them.
        people: samples of people, at one n.
        outcomes: all answers.
        simulated: samples of simulators' answers.
        questions: the new ones.
        given: ``outcomes`` and ``stated`` of the new ones, of every simulator that predicts.
        features: columns of the user's files.
        respondents: who answered what; no rows where that is not known.
        step: the settings that the step depends on.
    """

    described: pa.Table
    people: pa.Table
    outcomes: pa.Table
    simulated: pa.Table
    questions: pa.Table
    given: tuple[pa.Table, pa.Table]
    features: pa.Table
    respondents: pa.Table
    step: dict

    @property
    def key(self) -> tuple:
        """The key of the dataset's random streams."""
        return self.step["seed"], self.step["dataset"]

    @property
    def all_questions(self) -> pa.Table:
        """Those asked, then the new ones."""
        return pa.concat_tables([self.described.select(KEPT), self.questions.select(KEPT)])

    @property
    def weights(self) -> np.ndarray | None:
        """The density ratio of all questions; None if the config names none."""
        name = self.step["predict"]["weights"]
        if name is None:
            return None
        cells = only(self.features, feature=name)
        order = np.argsort(codes(cells["scenario"], self.all_questions["scenario"].to_pylist()))
        return numbers(cells["number"])[order]


@dataclass(frozen=True)
class Measured:
    """How far one simulator is from people by one discrepancy, where people were asked.

    Attributes:
        answering: its answers to new questions.
        discrepancy, confidence_set: their names.
        rows: the positions of the questions asked that it answered, (m,).
        lower, plugin, upper: of the sample of people, (m,).
        oracle: of the answers of all who bound it, (m,).
        people: their number, (m,).
        method: how it was corrected and in which way results are approximate; None if it was not.
    """

    answering: Answering
    discrepancy: str
    confidence_set: str
    rows: np.ndarray
    lower: np.ndarray
    plugin: np.ndarray
    upper: np.ndarray
    oracle: np.ndarray
    people: np.ndarray
    method: str | None

    @property
    def named(self) -> dict:
        """The columns that identify the simulator and discrepancy of a row."""
        return keys_of(self.answering, self.discrepancy)


def measured(study: Study) -> tuple[list[Measured], list[dict]]:
    """Return each simulator's measurements, and why some can predict nothing (``HELD_OUT``)."""
    simulated, new = first_replicate(study.simulated), Scenarios.from_table(study.questions)
    rows = {name: only(simulated, simulator=name) for name in study.step["simulators"]}
    answers, refused = _usable(
        {
            name: partial(answering, name, asked, new, study.given, study.key)
            for name, asked in rows.items()
        }
    )
    if not answers:
        return [], refused
    asked = pa.concat_tables(only(rows[name], k=one.k) for name, one in answers.items())
    everybody = Bounding.everybody(study.described, study.outcomes, study.people)
    uncorrected = _bounded(study, asked, list(answers.values()), everybody, None)
    corrected, failed = _corrected(study, asked, answers, everybody)
    return uncorrected + corrected, refused + failed


def _usable(makers: dict[str, Callable[[], Any]]) -> tuple[dict[str, Any], list[dict]]:
    """Return what simulators' answers are made into, by name, and why some can't be."""
    made, refused = {}, []
    for name, make in makers.items():
        try:
            made[name] = make()
        except UnusableError as error:
            refused.append({"simulator": name, "reason": str(error)})
    return made, refused


def _corrected(
    study: Study, asked: pa.Table, given: dict[str, Answering], everybody: Bounding
) -> tuple[list[Measured], list[dict]]:
    """Return each corrected simulator's measurements, and why some can predict nothing."""
    names, questions = study.described["scenario"].to_pylist(), study.all_questions
    width = max(map(len, questions["value"].to_pylist()))
    corrections = wanted_corrections(asked, names, width, study.step["correct"])
    if not corrections:
        return [], []
    judges = Judges.of(study.described, study.outcomes, study.respondents, study.step)
    try:
        teaching, bounding, method = people_apart(study.described, judges, everybody)
    except UnusableError as error:
        return [], [{"simulator": one.name, "reason": str(error)} for one in corrections]
    corrected, refused = _usable(
        {
            one.name: partial(corrected_answers, one, teaching, given, study.described, questions)
            for one in corrections
        }
    )
    if not corrected:
        return [], refused
    stated = pa.concat_tables(answers.asked for answers in corrected.values())
    new = [answers.new for answers in corrected.values()]
    return _bounded(study, stated, new, bounding, method), refused


def _bounded(
    study: Study,
    asked: pa.Table,
    answers: list[Answering],
    people: Bounding,
    method: str | None,
) -> list[Measured]:
    """Return the distances of simulators from people who bound them, by each discrepancy."""
    scenarios, predict = Scenarios.from_table(study.described), study.step["predict"]
    coverage = Coverage(fixed=rational(predict["gamma"]))
    known = known_bounds(study.described, people.sample, [coverage], predict["pairs"], study.key)
    allowed = families(scenarios, known, asked, predict["pairs"])
    table = pseudo_discrepancies(allowed, people.counts, study.step["smoothed"])
    table = table.take(np.argsort(codes(table["scenario"], scenarios.names), kind="stable"))
    all_measured = []
    for one, discrepancy in product(answers, predict["pairs"]):
        cells = only(table, simulator=one.simulator, discrepancy=discrepancy)
        rows, confidence_set = codes(cells["scenario"], scenarios.names), cells["confidence_set"]
        columns = {name: numbers(cells[name]) for name in ("lower", "plugin", "upper", "oracle")}
        facts = {"people": people.many[rows], "method": method, **columns}
        all_measured.append(Measured(one, discrepancy, confidence_set[0].as_py(), rows, **facts))
    return all_measured
