"""Corrected simulators' answers to new questions, and which people may bound them.

A correction of a question is fitted to people's answers to questions of other folds. Questions
asked and new are in the same folds, so that both are corrected alike.

- **The folds.** A correction is fitted to the same questions that its bound comes from. A new
  question contributes nothing to the corrections of those asked, while each of these contributes a
  little to the others. So bounds of a corrected simulator are approximate, and nearly exact if
  there are many questions.
- **The people.** If the same persons taught a correction and bounded it, it would seem nearer to
  them than to others. Where each question has people of its own, all of them teach and bound.
  Where it is known who answered what, one half of the persons teaches, and the other bounds. Given
  the first half, a corrected simulator's probabilities are fixed, as for any simulator. Elsewhere
  nothing is predicted.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.comparison.few_clusters import grouped
from fidelity.correction.folds import correction_folds
from fidelity_study.steps.arrays import (
    Scenarios,
    first_replicate,
    human,
    may_answer_several,
    numbers,
)
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.correct import Correction, Questions, corrections, features, for_new
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.judges import FEWEST, PERSONS, Judges
from fidelity_study.steps.new_questions import Answering, UnusableError
from fidelity_study.steps.unanswered import answered

APPROXIMATE = "approximate, as they are fitted to other folds of the questions that bound them"
EVERYBODY = f"{APPROXIMATE}; each question has people of its own, who teach and bound"
HALVES = f"{APPROXIMATE}; one half of the persons teaches, the other bounds"
WHO = (
    "cannot be corrected here: the same people may have answered several questions, and those who"
    " teach a correction may not bound it; use a file with a row a person, or a column respondent,"
    " or say respondents_repeat: false if each question has people of its own"
)

FEW = (
    "cannot be made: its simulators answer too little in common; ask people and simulators about"
    " questions of two clusters or more, and simulators about the same new ones"
)


@dataclass(frozen=True)
class Bounding:
    """The people whose answers bound how far simulators are, where people were asked.

    Attributes:
        sample: their answers, a row for each question that they answered.
        counts: counts of all of them, by question; NaN where they are too few.
        many: the number of people in each question, (m,).
    """

    sample: pa.Table
    counts: list[np.ndarray]
    many: np.ndarray

    @classmethod
    def everybody(cls, described: pa.Table, outcomes: pa.Table, sample: pa.Table) -> "Bounding":
        """Return all people, of whom there is a sample."""
        counts = Scenarios.from_table(described).counts(human(outcomes), "count")
        return cls(first_replicate(sample), counts, numbers(described["n_human"]))

    @classmethod
    def half(cls, described: pa.Table, counts: np.ndarray) -> "Bounding":
        """Return the people with these counts, (m, d)."""
        sizes = [len(values) for values in described["value"].to_pylist()]
        many = np.nansum(counts, axis=1)
        known = np.where(many[:, np.newaxis] >= FEWEST, counts, np.nan)
        lists = [row[:size] for row, size in zip(known, sizes, strict=True)]
        rows = [
            {"scenario": name, "replicate": 0, "n_j": float(n), "count": count}
            for name, n, count in zip(described["scenario"].to_pylist(), many, lists, strict=True)
            if n >= FEWEST
        ]
        return cls(pa.Table.from_pylist(rows, HUMAN_SAMPLE), lists, many)


def people_apart(
    described: pa.Table, judges: Judges, everybody: Bounding
) -> tuple[np.ndarray, Bounding, str]:
    """Return the counts that teach corrections, (m, d); who bounds these; and a name for the split.

    Raises:
        UnusableError: if it is not known who answered what, and some may have answered several.
    """
    if not may_answer_several(described):
        return judges.everybody, everybody, EVERYBODY
    if judges.split != PERSONS:
        raise UnusableError(WHO)
    return judges.teaching[0], Bounding.half(described, judges.judging[0]), HALVES


def wanted_corrections(
    simulated: pa.Table, names: list[str], width: int, kinds: list[str]
) -> list[Correction]:
    """Return the corrections of simulators under test that answered new questions, too.

    Args:
        simulated: their answers to the questions asked, each in the form of those to new ones.
        names: of the questions asked.
        width: the most options of a question, asked or new.
        kinds: which corrections.
    """
    tested = [one for one in answered(simulated, names, width) if one.simulator not in BASELINES]
    return list(corrections(tested, kinds)) if tested else []


@dataclass(frozen=True)
class CorrectedAnswers:
    """A corrected simulator's probabilities.

    Attributes:
        asked: for the questions asked, a table like that of simulators' samples.
        new: for the new ones.
    """

    asked: pa.Table
    new: Answering


def corrected_answers(
    correction: Correction,
    teaching: np.ndarray,
    given: dict[str, Answering],
    described: pa.Table,
    questions: pa.Table,
) -> CorrectedAnswers:
    """Return a correction's probabilities for the questions asked and for the new ones.

    Args:
        correction: the correction.
        teaching: the answers that it is fitted to, (m, d).
        given: simulators' answers to new questions, by their names.
        described: the questions asked, m.
        questions: these, then the new ones.

    Raises:
        UnusableError: if no new question is answered by all simulators that it is made of, or too
            few of those asked.
    """
    answering = [given[simulator.simulator] for simulator in correction.simulators]
    m = len(described)
    new = sorted(set.intersection(*(set(answers.shares) for answers in answering)))
    rows = np.append(correction.rows, [m + j for j in new]).astype(int)
    known, counts = _known(described, questions).at(rows), teaching[correction.rows]
    fold = correction_folds(len(rows), known.clusters)[: len(counts)]
    if not new or len(np.unique(fold[np.nansum(counts, axis=1) > 0])) < FEWEST:
        raise UnusableError(FEW)
    values = questions["value"].to_pylist()
    sizes = np.array([len(options) for options in values])
    width = int(sizes.max())
    probabilities = for_new(
        correction.kind,
        _padded(counts, width),
        correction.stated,
        known,
        [np.stack([_padded(answers.shares[j], width) for j in new]) for answers in answering],
    )
    stated = [row[: sizes[at]] for at, row in zip(rows, probabilities, strict=True)]
    form = {"simulator": correction.name, "replicate": 0, "k": STATED_FORM, "k_j": None}
    names = described["scenario"].to_pylist()
    asked = [
        {"scenario": names[at], **form, "share": share}
        for at, share in zip(correction.rows, stated, strict=False)
    ]
    shares = dict(zip(new, stated[len(asked) :], strict=True))
    return CorrectedAnswers(
        pa.Table.from_pylist(asked, SIMULATED_SAMPLE),
        Answering(correction.name, correction.form["k"], shares, {}),
    )


def _known(described: pa.Table, questions: pa.Table) -> Questions:
    """Return the facts on all questions for corrections: clusters, if they group those asked.

    A new question of no known cluster is its own. The wording is used if all questions have one.
    """
    texts, names, labels = (
        questions[name].to_pylist() for name in ("question", "scenario", "cluster")
    )
    m = len(described)
    pairs = zip(names, labels, strict=True)
    clusters = np.array([f"{name} alone" if label is None else label for name, label in pairs])
    if grouped(clusters[:m]) is None:
        clusters = np.arange(len(names))
    worded = None not in texts and texts[:m] != names[:m]
    return Questions(clusters, features(texts) if worded else None)


def _padded(values: np.ndarray, width: int) -> np.ndarray:
    """Return values with NaN in further columns."""
    more = [(0, 0)] * (values.ndim - 1) + [(0, width - values.shape[-1])]
    return np.pad(values, more, constant_values=np.nan)
