"""What a codebook says of single questions: which texts are which options, in which order."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from fidelity_study.reading.tabular.answers import Answers, of_options_alone
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.columns import as_label, spelling, steps_between
from fidelity_study.reading.tabular.doubtful import why_none
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.scenarios import Described
from fidelity_study.reading.tabular.unasked import without
from fidelity_study.tables.ingest import BETWEEN, EVERY, LEAVE_OUT, NOT_ASKED, REASONS, TOTAL

IN_GROUPS = ["scenario", "group"]
COLUMNS = {"wording": "question", "lower": "lower", "upper": "upper", "topic": "cluster"}
"""The columns of a file of scenarios that those of a codebook's questions are."""


def coded(answers: Answers, layout: Layout, before: Collection[str] | None = None) -> Answers:
    """Return answers with the options that a codebook says their texts are, or why they are none.

    Codes that a survey file calls missing mean what their labels say, where it doesn't say more.

    Args:
        answers: of one file.
        layout: has the meanings of texts, for some questions (None for all) of some file (empty for
            all); questions, of which those that are left out have ``is_left_out``.
        before: the questions that this was said of already; None if nothing was said at all.
    """
    entries = [
        one
        for one in layout.coded.get("means", ())
        if before is None or one["questions"] is not None
    ]
    if left := left_out(layout.coded):
        wordings = answers.wordings.map(spelling)
        answers = without(answers, [*left, *wordings.index[wordings.isin([*map(spelling, left)])]])
        if "group" in answers.rows and any(BETWEEN in name for name in left):
            answers = answers.with_tables(
                lambda rows: rows[~rows[IN_GROUPS].astype(str).agg(BETWEEN.join, axis=1).isin(left)]
            )
    texts_of: dict[str, list[str]] = {}
    questions_of: dict[str, list[str]] = {}
    for name, text, _ in answers.first_uses:
        if pd.notna(text) and name not in (before or ()):
            texts_of.setdefault(name, []).append(text)
            questions_of.setdefault(text, []).append(name)
    meanings: dict[tuple[str, str], str | int | None] = {}
    for name, texts in texts_of.items():
        marks = layout.marks_of(name)
        for text in texts:
            if why := why_none(text[1:]) if text.startswith(NO_WORDS) else marks.get(text):
                meanings[name, text] = meaning_of(why)
    said = {entry["text"] for entry in entries}
    for entry in entries:
        for spelled in (entry["text"], f"{entry['text']}.", NO_WORDS + entry["text"]):
            for name in questions_of.get(spelled, ()):
                if _is_of(entry, answers.sheet.path, name) and spelled not in said - {
                    entry["text"]
                }:
                    meanings[name, spelled] = meaning_of(entry["means"])
    read = answers.with_meanings(meanings)
    return of_options_alone(read, answers) if before is not None and answers.stated else read


def decided_on(settings: Mapping[str, Any]) -> set[str]:
    """Return the questions of which a codebook says whether they are compared."""
    facts = settings.get("questions", {})
    return {name for name in facts if "is_left_out" in facts[name]}


def left_out(settings: Mapping[str, Any]) -> list[str]:
    """Return the questions that a codebook leaves out."""
    facts, called = settings.get("questions", {}), settings.get("called", {})
    left = [name for name, fact in facts.items() if fact.get("is_left_out")]
    return [*left, *(name for name, means in called.items() if means == LEAVE_OUT)]


def read_as(path: str, name: str, layout: Layout, *, are_whole: bool = True) -> dict[str, str]:
    """Return what texts are read as, in a file and a question: an option, or why there is none.

    Those of one file are whole answers; others may be names of options within answers.
    """
    entries = [
        one
        for one in layout.coded.get("means", ())
        if _is_of(one, path, name) and (are_whole or not one["file"])
    ]
    return {
        **layout.marks_of(name),
        **layout.recode,
        **{as_label(one["text"]): one["means"] for one in entries},
    }


def _is_of(entry: Mapping[str, Any], path: str, name: str) -> bool:
    """Return whether a text's meaning is that in a file and a question."""
    return entry["file"] in ("", path) and (
        entry["questions"] is None or name in entry["questions"]
    )


def meaning_of(means: str) -> str | int | None:
    """Return an option, the position of a reason for none, or None for what counts for nothing."""
    if means in (NOT_ASKED, TOTAL):
        return None
    return REASONS.index(means) if means in REASONS else means


def with_facts(
    scenario_file: Described | None, people: Answers, settings: Mapping[str, Any]
) -> Described | None:
    """Return what is known of the questions, with what a codebook says of them.

    Args:
        scenario_file: the information in the file of scenarios, if there is one.
        people: what people answered.
        settings: ``questions``, facts on single ones, and ``orders``, their options.
    """
    facts, orders = dict(settings.get("questions", {})), settings.get("orders", {})
    if scenario_file is not None:
        compared = scenario_file.rows.drop(index=left_out(settings), errors="ignore")
        scenario_file = replace(scenario_file, rows=compared)
    known = any(fact.keys() - {"is_left_out"} for fact in facts.values())
    names = [*people.questions]
    listed = names if scenario_file is None else [*scenario_file.rows.index]
    more = [name for name in settings.get("columns", ()) if name in {*names}.difference(listed)]
    if not (known or orders or more):
        return scenario_file
    if scenario_file is None:
        scenario_file = Described(people.sheet, pd.DataFrame(index=pd.Index(names, dtype=object)))
    rows = scenario_file.rows.reindex([*listed, *more])
    for cell, column in COLUMNS.items():
        rows = _with(rows, column, _by_question(names, facts, cell))
    for column in {"question", "cluster"}.intersection(rows):  # its own, where nothing is said
        rows[column] = rows[column].fillna(pd.Series(rows.index, rows.index))
    ranges = _ranges(names, facts)
    every = {
        name: tuple(orders.get(name, orders.get(EVERY, ranges.get(name, ()))))
        for name in rows.index
    }
    rows = _with(rows, "options", {name: options for name, options in every.items() if options})
    return replace(scenario_file, rows=rows)


def _ranges(
    names: Iterable[str], facts: Mapping[str, Mapping[str, Any]]
) -> dict[str, tuple[str, ...]]:
    """Return the steps of each question whose lowest and highest number are whole, and near."""
    low, high = (_by_question(names, facts, end) for end in ("lower", "upper"))
    return {
        name: steps
        for name in low.keys() & high.keys()
        if (steps := steps_between(low[name], high[name]))
    }


def _by_question(
    names: Iterable[str], facts: Mapping[str, Mapping[str, Any]], cell: str
) -> dict[str, Any]:
    """Return a fact of each question that it is said of; ``*`` stands for all others."""
    every = facts.get(EVERY, {})
    stated = {name: {**every, **facts.get(name, {})} for name in names}
    return {name: fact[cell] for name, fact in stated.items() if cell in fact}


def _with(rows: pd.DataFrame, column: str, cells: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table with some cells of a column, which is new if it has none."""
    if not cells:
        return rows
    before = rows[column].to_dict() if column in rows else dict.fromkeys(rows.index)
    both = {**before, **{name: cell for name, cell in cells.items() if name in before}}
    return rows.assign(**{column: pd.Series(both, rows.index, dtype=object)})
