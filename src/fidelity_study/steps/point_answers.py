"""Answers that are points, by question and source, and who gave them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.stream import stream
from fidelity.vectors import (
    Embedding,
    PointComparison,
    Samples,
    bandwidths,
    compare_points,
    embedded_texts,
    median_distance,
)
from fidelity_study.reading.settings import TEXT
from fidelity_study.reading.tabular.vectors import vectors_of
from fidelity_study.steps.arrays import codes, numbers
from fidelity_study.tables.ingest import HUMAN

FEWEST = 4


class Side(NamedTuple):
    """Answers of one source to one question.

    Attributes:
        place: of each answer among the question's different ones, (n,).
        unit: the number of the person, or of the run, (n,).
    """

    place: np.ndarray
    unit: np.ndarray


@dataclass(frozen=True)
class Question:
    """A question, the answers of all sources, and where they lie.

    Attributes:
        name: of the scenario.
        answers: the different ones.
        sides: source -> its answers.
        embedding: of the different answers.
    """

    name: str
    answers: Sequence[str]
    sides: dict[str, Side]
    embedding: Embedding

    def points(self, source: str) -> np.ndarray:
        """Return a source's answers as points, (n, D)."""
        return self.embedding.points[self.sides[source].place].astype(float)

    def has(self, source: str) -> bool:
        """Whether a source has enough answers."""
        return source in self.sides and len(self.sides[source].place) >= FEWEST


def questions_of(
    scenarios: pa.Table, outcomes: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> list[Question]:
    """Return the questions, with the answers of all sources."""
    names, answers = (scenarios[name].to_pylist() for name in ("scenario", "option"))
    is_text = step["outcome"]["kind"] == TEXT
    embedded = map(embedded_texts, answers) if is_text else _of_vectors(answers, step)
    sides = _sides(scenarios, outcomes, respondents, runs)
    return [Question(*cells) for cells in zip(names, answers, sides, embedded, strict=True)]


def _sides(
    scenarios: pa.Table, outcomes: pa.Table, respondents: pa.Table, runs: pa.Table
) -> list[dict[str, Side]]:
    """Return the sources' answers to each scenario; each its own unit where units are unknown."""
    names = scenarios["scenario"].to_pylist()
    sides: list[dict[str, Side]] = [{} for _ in names]
    values = [np.array(listed) for listed in scenarios["value"].to_pylist()]
    for table, unit in ((respondents, "respondent"), (runs, "run"), (outcomes, None)):
        of_people = "source" not in table.column_names
        sources = [HUMAN] * len(table) if of_people else table["source"].to_pylist()
        source, scenario = np.array(sources), codes(table["scenario"], names)
        value, number = numbers(table["value"]), numbers(table[unit or "count"]).astype(int)
        for at, name in sorted({*zip(scenario.tolist(), sources, strict=True)}):
            if name in sides[at]:
                continue
            here = (scenario == at) & (source == name)
            place, units = np.searchsorted(values[at], value[here]), number[here]
            if unit is None:
                place = np.repeat(place, units)
                units = 10_000_000 * (at + 1) + np.arange(len(place))
            sides[at][name] = Side(place, units)
    return sides


def _of_vectors(answers: Sequence[Sequence[str]], step: dict) -> Iterator[Embedding]:
    """Yield the vectors of each question's answers, which are names of rows."""
    for names, vectors in vectors_of(answers, step["options"]):
        yield Embedding(vectors, vectors, names, step["outcome"].get("radius"))


def widths_of(questions: list[Question], step: dict) -> dict[str, float]:
    """Return the kernel's bandwidth of each question; none where answers are too alike."""
    sources = [HUMAN, *step["simulators"]]
    medians: dict[str, float] = {}
    for question in questions:
        there = [question.points(name) for name in sources if question.has(name)]
        generator = stream(step["seed"], step["dataset"], question.name, "bandwidth")
        with suppress(ValueError):
            pooled = np.concatenate([np.zeros((0, question.embedding.points.shape[1])), *there])
            medians[question.name] = median_distance(pooled, generator=generator)
    widths = bandwidths(list(medians.values())) if medians else ()
    return dict(zip(medians, map(float, widths), strict=True))


@dataclass(frozen=True)
class Compared:
    """A simulator beside people.

    Attributes:
        questions: all.
        name: of the simulator.
        widths: the kernel's bandwidth of questions.
        step: the settings.
    """

    questions: list[Question]
    name: str
    widths: dict[str, float]
    step: dict

    @cached_property
    def compared(self) -> list[Question]:
        """The questions with enough answers on both sides."""
        return [one for one in self.questions if one.has(HUMAN) and one.has(self.name)]

    @property
    def alpha(self) -> float:
        """How often intervals may miss."""
        return self.step["test"]["alpha"]

    def how(self, at: Iterable[int]) -> dict:
        """Return who answered some of the questions compared, and the intervals' level."""
        sides = [self.compared[place].sides for place in at]
        return {
            "respondents": [side[HUMAN].unit for side in sides],
            "runs": [side[self.name].unit for side in sides],
            "level": 1.0 - self.alpha,
        }

    @cached_property
    def beside(self) -> list[PointComparison]:
        """Both sides of each question compared."""
        return [
            compare_points(
                Samples(
                    question.points(HUMAN),
                    question.points(self.name),
                    self.widths.get(question.name),
                    question.embedding.radius,
                ),
                level=1.0 - self.alpha,
            )
            for question in self.compared
        ]
