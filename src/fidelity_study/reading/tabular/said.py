"""Information that files hold besides the cells: wording, options, codes of no answer."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from fidelity_study.errors import IN_CONFIG, Note, Remedy
from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.columns import NOTHING as NO_TEXT
from fidelity_study.reading.tabular.columns import as_label, plain
from fidelity_study.reading.tabular.doubtful import (
    codes_of_nothing,
    is_unanswered,
    says_no_answer,
)
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.remedies import AMONG_LEVELS, ignoring, no_answer, of_columns
from fidelity_study.reading.tabular.shown import shown


@dataclass(frozen=True)
class Said:
    """A file's information on its questions.

    Attributes:
        rows: indexed by scenario; columns ``question``, the wording, ``known``, a tuple of the
            labels of all options in order, ``low`` and ``high``, their range. A cell is missing
            where the file doesn't tell it.
        notes: notes for the user.
        is_ordinal: whether the file tells that the options of all questions have an order.
    """

    rows: pd.DataFrame
    notes: tuple[Note, ...] = ()
    is_ordinal: bool = False

    @property
    def labels(self) -> list[str]:
        """The labels of all options that the file lists."""
        if "known" not in self.rows:
            return []
        return [label for labels in self.rows["known"].dropna() for label in labels]


NOTHING = Said(pd.DataFrame(index=pd.Index([], dtype=object)))


def said_of_columns(sheet: Sheet, layout: Layout, names: list[str]) -> Said:
    """Return a file's information on columns that are a question each."""
    return _said(sheet, layout, dict(zip(names, names, strict=True)))


def said_of_values(sheet: Sheet, layout: Layout, value: str, scenarios: Iterable[str]) -> Said:
    """Return a file's information on a column with the answers to all questions."""
    return _said(sheet, layout, dict.fromkeys(scenarios, value), worded=False)


def with_labels(layout: Layout, sheet: Sheet, names: list[str]) -> Layout:
    """Return a layout that knows the labels of the options that a file lists for its answers."""
    about = _about(sheet, layout, names)
    _refuse_no_answers(sheet, about, layout)
    return layout.knowing(label for entry in about.values() for label in entry.options)


def _said(sheet: Sheet, layout: Layout, columns: dict[str, str], worded: bool = True) -> Said:
    names = list(dict.fromkeys(columns.values()))
    about = _about(sheet, layout, names)
    if not about:
        return NOTHING
    rows = pd.DataFrame(index=pd.Index(list(columns), dtype=object))
    listed = [about[column] for column in columns.values()]
    facts: dict[str, list] = {
        "question": [entry.wording if worded else None for entry in listed],
        "known": [entry.options or None for entry in listed],
        "low": [entry.ends[0] if entry.ends else None for entry in listed],
        "high": [entry.ends[1] if entry.ends else None for entry in listed],
    }
    for name, cells in facts.items():
        if any(fact is not None for fact in cells):
            rows[name] = pd.Series(cells, rows.index, dtype=object)
    notes = [sheet.note("file-says", note) for note in sheet.notes(names)]
    notes += _no_answers(sheet, (entry.options for entry in listed))
    return Said(
        rows,
        tuple(notes),
        is_ordinal=all(entry.is_ordinal for entry in about.values()),
    )


def _about(sheet: Sheet, layout: Layout, names: list[str]) -> dict[str, About]:
    """Return a file's information on columns, with the labels that the study uses."""
    about = sheet.about(names)
    for name, entry in about.items():
        none = layout.reading.missing_of(name)
        labels = [label for label in map(as_label, entry.options) if label not in none]
        options = tuple(dict.fromkeys(layout.recode.get(label, label) for label in labels))
        about[name] = replace(entry, options=options)
    return about


def _no_answers(sheet: Sheet, known: Iterable[tuple[str, ...]]) -> Iterator[Note]:
    labels = [
        label
        for label in dict.fromkeys(label for options in known for label in options)
        if says_no_answer(label) or label.casefold() in NO_TEXT
    ]
    if labels:
        what = f"{shown(labels)} counts as an option; if it is no answer, put "
        yield sheet.note("counts-as-option", what, no_answer(*labels), IN_CONFIG)


def _refuse_no_answers(sheet: Sheet, about: Mapping[str, About], layout: Layout) -> None:
    """Raise DataError if labels, or codes that stand apart, say that there is no answer.

    A "don't know" may be an option among labels that have no order. Options that the config lists
    are answers.
    """
    doubted: dict[str, dict[str, str]] = {}
    answers: set[str] = set()
    for name, entry in about.items():
        is_open = entry.by_code or entry.is_ordinal or layout.is_scale
        apart = [code for code in codes_of_nothing(entry.labels) if entry.by_code or code[0] == "-"]
        says_none = {
            code: label
            for code, label in entry.labels.items()
            if (is_unanswered(label) or (is_open and says_no_answer(label)) or code in apart)
            and not (layout.known | layout.reading.missing_of(name)).intersection((code, label))
        }
        answers.update(entry.labels.keys() - says_none.keys())
        if says_none:
            doubted[name] = says_none
    if not doubted:
        return
    labels = {code: label for says_none in doubted.values() for code, label in says_none.items()}
    everywhere = [code for code in labels if code not in answers]
    ways = [no_answer(*everywhere)] if everywhere else []
    within = {
        name: [plain(code) for code in says_none if code in answers]
        for name, says_none in doubted.items()
    }
    if within := {name: codes for name, codes in within.items() if codes}:
        ways.append(Remedy({"missing_in": within}))
    texts = (
        f"{code} {label!r}" if label not in ("", code) else repr(code)
        for code, label in labels.items()
    )
    raise sheet.fault(
        "labelled-no-answer",
        f"{shown(texts, how=str)}: no answers by their labels, or as they stand apart, and the "
        "file doesn't call them missing; put ",
        *([ways[0], " and ", ways[1]] if ways[1:] else ways),
        IN_CONFIG,
        ", or list all options under ",
        AMONG_LEVELS,
        " if they are answers",
        column=next(iter(doubted)),
    )


def wording_notes(sheet: Sheet, said: Said) -> list[Note]:
    """Return notes on which questions have a wording in the file, and which have none."""
    if "question" not in said.rows:
        return []
    without = list(said.rows.index[said.rows["question"].isna()])
    number = len(said.rows) - len(without)
    rest = f"; their names serve for {shown(without)}" if without else ""
    what = f"variable labels are the wording of {number} questions{rest}"
    return [sheet.note("worded", what)]


def refuse_words(sheet: Sheet) -> None:
    """Raise DataError if people's answers are in a model's own words."""
    if sheet.raw:
        raise sheet.fault(
            "people-in-own-words",
            "is the output of a batch, but people's answers are wanted; name theirs",
        )


def check_weight(sheet: Sheet, layout: Layout) -> None:
    """Raise DataError if people are weighted by a column that the config doesn't name."""
    name = sheet.weight
    if name is None or name == layout.column(sheet, "weight") or name in layout.ignored:
        return
    raise sheet.fault(
        "unread-weight",
        "the file says that its cases are weighted by it; put ",
        of_columns(weight=name),
        IN_CONFIG,
        ", or ",
        ignoring(name),
        " to count each person once",
        column=name,
    )
