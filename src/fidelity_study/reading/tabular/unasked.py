"""Questions that people did not answer: left out, or separated to be predicted."""

from collections.abc import Container, Set
from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity_study.errors import Note, Part, Place, Remedy, refusal
from fidelity_study.reading.tabular.answers import Answers, meant_if_empty
from fidelity_study.reading.tabular.columns import MISSING
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.remedies import PREDICTED
from fidelity_study.reading.tabular.scenarios import Survey
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import NOT_ASKED, REASONS

FEWEST, MOST_PARTS = 5, 40
MEANS_OF_EMPTY = (NOT_ASKED, REASONS[MISSING])


def asked(survey: Survey) -> Survey:
    """Return a survey without the questions that people did not answer, and a note on them.

    Raises:
        DataError: if there are none.
    """
    names = _unasked(survey)
    what = f"to be predicted, as people did not answer: {shown(names)}"
    note = Note("to-be-predicted", Place(), (what,))
    return replace(_parted(survey, names, among=False), notes=(*survey.notes, note))


def unasked(survey: Survey) -> Survey:
    """Return a survey with the questions only that people did not answer.

    Raises:
        DataError: if there are none.
    """
    return _parted(survey, _unasked(survey), among=True)


def _parted(survey: Survey, names: list[str], *, among: bool) -> Survey:
    """Return a survey with some questions only, or without them; people's answers to others."""
    described = survey.described
    if described is not None:
        kept = described.rows.index.isin(names) == among
        places = [described.place(at) for at in np.flatnonzero(kept).tolist()]
        described = replace(described, rows=described.rows[kept], places=places)
    simulated = [_only(answers, names, among=among) for answers in survey.simulated]
    people = _only(survey.people, names, among=False)
    return replace(survey, people=people, described=described, simulated=simulated)


def _unasked(survey: Survey) -> list[str]:
    """Return the questions that simulators answered and people did not."""
    rows = survey.people.rows
    answered = set(rows["scenario"][rows["reason"] < 0])
    theirs = (name for part in survey.simulated for name in part.questions)
    names = [name for name in dict.fromkeys(theirs) if name not in answered]
    if not names:
        raise refusal(
            "no-new-questions",
            "people answered every question that simulators did, so there is none to "
            "predict; add simulators' answers to new ones, name a file of such under "
            "predict, questions, or take predict out",
            file=survey.people.sheet.path,
        )
    return names


def without_unanswered(survey: Survey) -> Survey:
    """Leave out the questions that nobody answered, and say so in a note.

    Those are questions of people's file whose answers are all missing, and questions that only the
    file of scenarios has.

    Raises:
        DataError: if people answered nothing.
    """
    people, rows = survey.people, survey.people.rows
    answered = set(rows["scenario"][(rows["reason"] < 0) & (rows["number"] > 0)])
    of_file = survey.described.rows.index if survey.described is not None else ()
    there = dict.fromkeys([*rows["scenario"].unique(), *of_file])
    silent = [name for name in there if name not in answered]
    if not silent:
        return survey
    if not answered:
        raise people.sheet.fault("nobody-answered", "holds no answer of people; add the answers")
    stated = {name for part in survey.simulated for name in part.questions}
    new = [name for name in silent if name in stated]
    ways: tuple[Part, ...] = ()
    if new:
        ways = (f"; simulators answered {shown(new)}: to have them predicted, put ", PREDICTED)
    what = f"left out, as nobody answers: {shown(silent)}"
    note = people.sheet.note("nobody-answered", what, *ways)
    return replace(_parted(survey, silent, among=False), notes=(*survey.notes, note))


def refuse_split(people: Answers, layout: Layout) -> None:
    """Raise DataError if each person answered the questions of one part only, as in split ballots.

    Nobody says that empty cells mean something, and each of at least two parts fills exactly the
    rows that the others leave empty.
    """
    there = {*people.sheet.columns} - {*layout.attributes}
    marked = [name for name in people.questions if "" in layout.marks_of(name)]
    decided = meant_if_empty(people.sheet, layout, people.questions).union(marked)
    rows, options = people.rows, people.answered.groupby("scenario", observed=True)["label"]
    several = options.nunique().loc[lambda number: number > 1].index
    empty = {*rows.loc[rows["reason"] == MISSING, "scenario"]} & {*several} & there - decided
    names = [name for name in people.questions if name in empty and people.column is None]
    filled = people.sheet.frame(names).notna()
    filled = filled[filled.any(axis=1)]
    parts: dict[bytes, list[str]] = {}
    for name in names:
        if FEWEST <= filled[name].sum() <= len(filled) - FEWEST:
            parts.setdefault(filled[name].to_numpy().tobytes(), []).append(name)
    together = {name for part in _exact({*parts}) for name in parts[part]}
    if split := [name for name in names if name in together]:
        raise people.sheet.fault(
            "split-ballot",
            f"{shown(split)}: each person answered those of one part, and has empty cells in the "
            "others; were these not asked? Else the person gave no answer, missing",
            also=[
                Remedy({"meanings": {(name, people.sheet.path): {"": means} for name in split}})
                for means in MEANS_OF_EMPTY
            ],
        )


def _exact(patterns: Set[bytes]) -> list[bytes]:
    """Return patterns of rows that together have each row once; none if no two or more have."""
    by_size = sorted(patterns, key=lambda pattern: (-sum(pattern), pattern))[:MOST_PARTS]
    for first in by_size:
        rows, taken = np.frombuffer(first, bool), [first]
        for other in by_size:
            if not (rows & np.frombuffer(other, bool)).any():
                rows, taken = rows | np.frombuffer(other, bool), [*taken, other]
        if rows.all():
            return taken
    return []


def without_spare(answers: Answers, names: Container[str]) -> tuple[Answers, list[Note]]:
    """Leave out forecasts of questions that are not among ``names``, where the file has some."""
    there = answers.questions if answers.sheet.spare else []
    spare = [name for name in there if name not in names]
    if not spare or len(spare) == len(there):
        return answers, []
    what = f"left out, as people's file lacks them: forecasts of {len(spare)} questions"
    note = answers.sheet.note("nobody-answered", what)
    return _only(answers, spare, among=False), [note]


def without(answers: Answers, names: Container[str]) -> Answers:
    """Return answers to other questions than these, unless nothing would be left."""
    there = answers.questions
    left = [name for name in there if name in names]
    return _only(answers, left, among=False) if 0 < len(left) < len(there) else answers


def _only(answers: Answers, names: list[str], *, among: bool) -> Answers:
    def part(rows: pd.DataFrame) -> pd.DataFrame:
        rows = rows[rows["scenario"].isin(names) == among]
        if isinstance(rows["scenario"].dtype, pd.CategoricalDtype):
            rows = rows.assign(scenario=rows["scenario"].cat.remove_unused_categories())
        return rows

    return answers.with_tables(part, "given")
