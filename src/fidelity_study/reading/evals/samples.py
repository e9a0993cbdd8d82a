"""What readers return: of a log a table of scores, of each file its samples, scored or not.

A question may be sampled several times; each time is an epoch.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from statistics import fmean
from typing import NamedTuple

from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.kept import as_cells

NO_SCORE = "no score"


class Sample(NamedTuple):
    """One answer of a model to one question.

    Attributes:
        model: its name.
        question: its id in the evaluation.
        epoch: which of several samples of the question.
        cluster: of the question; None if questions aren't grouped.
        score: a finite number; None where there is none.
        reason: why there is none; empty where there is one.
        place: where it is in its file, for messages.
        content: a text by which the same question has the same, where the file has one.
    """

    model: str
    question: str
    epoch: str
    cluster: str | None
    score: float | None
    reason: str
    place: str
    content: str = ""


@dataclass
class Run:
    """A log as a table of scores: a row for each sample, and a column for each of its scores.

    Attributes:
        kind: what wrote it.
        task: the evaluation that it is of; empty where the log doesn't say.
        model: whose answers were scored; empty where the log doesn't say.
        sheet: the table; its other columns are metadata of questions.
        columns: which column has which part of a sample, but for the score.
        scores: the columns of scores.
        better: which one of a score is better, ``higher`` or ``lower``, as far as the log says it.
        doubts: why a score's direction is not what the log, or its name, says.
        figures: what the log states of a score over all questions: the metric, by which reducer
            of samples or filter (empty if there is none), and its value.
        about: of each row its place, a text by which the same question has the same, and why
            scores that it lacks are not there.
        notes: what a user should know of it, each the end of a sentence about the file.
        unfinished: how it is less than a whole run, the end of such a sentence; empty if it isn't.
    """

    kind: str
    task: str
    model: str
    sheet: Sheet
    columns: Mapping[str, str]
    scores: Sequence[str]
    about: Sequence[tuple[str, str, Mapping[str, str]]]
    better: dict[str, str] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)
    figures: Mapping[str, Sequence[tuple[str, str, float]]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    unfinished: str = ""


def sheet_of(path: str, rows: Sequence[Mapping[str, object]]) -> Sheet:
    """Return rows as a table; only single words and numbers are kept."""
    names = dict.fromkeys(name for row in rows for name in row)
    known = {
        name: [_cell(row.get(name)) for row in rows]
        for name in names
        if any(isinstance(row.get(name), str | int | float | None) for row in rows)
    }
    columns = [*known]
    return Sheet(path, columns, 1, lambda wanted: [as_cells(known[columns[at]]) for at in wanted])


def _cell(value: object) -> str | None:
    return (str(value) or None) if isinstance(value, str | int | float) else None


@dataclass
class Log:
    """What one file has.

    Attributes:
        path: the file, as the config names it.
        kind: what it is.
        samples: in the order of the file.
        notes: what a user should know of it, each the end of a sentence about the file.
        score: what the score is called there.
        better: which score is better, ``higher`` or ``lower``; None where the file doesn't say.
        why_unknown: why it doesn't, where that is not plain.
        unfinished: how it is less than a whole run, the end of such a sentence; empty if it isn't.
        task: of a log, the evaluation that it is of.
    """

    path: str
    kind: str
    samples: list[Sample] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    score: str = "score"
    better: str | None = None
    why_unknown: str = ""
    unfinished: str = ""
    task: str = ""

    @property
    def questions(self) -> set[str]:
        """The questions that it has a sample of."""
        return {sample.question for sample in self.samples}


def is_mean(value: float, mean: float | None) -> bool:
    """Return whether a figure is the mean score, but for rounding."""
    return mean is not None and isclose(value, mean, rel_tol=1e-6, abs_tol=1e-9)


def mean_score(samples: Iterable[Sample]) -> float | None:
    """Return the mean over questions of the mean of their samples; None without any score."""
    scores: dict[str, list[float]] = {}
    for sample in samples:
        if sample.score is not None:
            scores.setdefault(sample.question, []).append(sample.score)
    return fmean(map(fmean, scores.values())) if scores else None
