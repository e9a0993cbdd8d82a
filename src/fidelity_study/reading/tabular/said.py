"""Information that files hold besides the cells: wording, options, codes of no answer."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from fidelity_study.errors import Note, Remedy
from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.columns import NOTHING as NO_TEXT
from fidelity_study.reading.tabular.columns import as_label, as_name, plain
from fidelity_study.reading.tabular.doubtful import (
    CODES,
    SMALL_CODES,
    beyond_a_gap,
    codes_of_nothing,
    is_unanswered,
    says_no_answer,
    why_none,
)
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.remedies import (
    AMONG_LEVELS,
    an_option,
    ignoring,
    no_answer,
    of_columns,
)
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import REASONS

NONE_OF = re.compile(
    r"(none|neither|no other|keine?[rs]?|aucune?|ningun[oa]|nessun[oa]|nenhuma?|geen|inge[nt])\b",
    re.IGNORECASE,
)
"""Before what an option says that somebody chose nothing of."""
NO_ANSWERS = {code for code in CODES if abs(code) % 100 not in (66, 96, 97)}  # may be "other"


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


def with_labels(layout: Layout, sheet: Sheet, names: list[str]) -> Layout:
    """Return a layout that knows the labels of the options that a file lists for its answers."""
    about = _about(sheet, layout, names)
    _refuse_no_answers(sheet, about, layout)
    return layout.knowing(label for entry in about.values() for label in entry.options)


def said_of(sheet: Sheet, layout: Layout, columns: dict[str, str], *, worded: bool) -> Said:
    """Return a file's information on questions, from the column with the answers to each.

    Args:
        sheet: the file.
        layout: how it is read.
        columns: by question.
        worded: whether a column's label is the wording of its question.
    """
    names = list(dict.fromkeys(columns.values()))
    about = _about(sheet, layout, names)
    if not about:
        texts = [cells.rename(as_name) for cells in layout.wordings(sheet).values()]
        return Said(pd.DataFrame({"question": texts[0].map(as_label)})) if texts else NOTHING
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
    return Said(rows, tuple(notes), is_ordinal=all(entry.is_ordinal for entry in about.values()))


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
        yield sheet.note("counts-as-option", what, no_answer(*labels))


def _refuse_no_answers(sheet: Sheet, about: Mapping[str, About], layout: Layout) -> None:
    """Raise DataError if labels, or codes that stand apart, say that there is no answer.

    A "don't know" may be an option among labels that have no order, unless its code is a usual one
    of no answer. Options that the config lists are answers.
    """
    clear: dict[str, list[str]] = {}
    unclear: dict[str, list[str]] = {}
    answers, texts, reasons = set[str](), dict[str, None](), dict[str, str]()
    options: dict[str, str] = {}
    for name, entry in about.items():
        is_open = entry.by_code or entry.is_ordinal or layout.is_scale
        apart = codes_of_nothing(entry.labels)
        beyond = beyond_a_gap(entry.labels)
        listed = layout.known | layout.reading.missing_of(name)
        for code, label in entry.labels.items():
            usual = code in beyond or (code in apart and float(code) in NO_ANSWERS | SMALL_CODES)
            stands = usual or (code in apart and is_open)
            is_code = code in apart and (entry.by_code or code[0] == "-")
            says_none = is_unanswered(label) or ((is_open or stands) and says_no_answer(label))
            mark = label if says_no_answer(label) and not entry.by_code else code
            if listed & {code, label} or not (stands or is_code or says_none):
                answers.add(mark)
                continue
            why = why_none(f"{code} {label}")
            reasons[mark] = why if reasons.get(mark, why) == why else REASONS[0]
            sure = is_code or says_none
            if not sure and NONE_OF.match(label):
                options[label] = name
            else:
                (clear if sure else unclear).setdefault(name, []).append(mark)
            texts[f"{code} {label!r}" if label not in ("", code) else repr(code)] = None
    if not (clear or unclear or options):
        return
    ways = _ways(clear, answers, reasons=reasons)
    others = _ways(unclear, answers, reasons=reasons)
    raise sheet.fault(
        "labelled-no-answer",
        f"{shown(texts, how=str)}: no answers by their labels, or as they stand apart, and the "
        f"file doesn't call them missing; {'put ' if ways or others else ''}",
        *ways[:1],
        *(part for way in ways[1:] for part in (" and ", way)),
        "; as to those that only stand apart, " if ways and others else "",
        *others[:1],
        *(part for way in others[1:] for part in (" and ", way)),
        f"{', or ' if ways or others else ''}list all options under ",
        AMONG_LEVELS,
        " if they are answers",
        column=next(name for name in about if name in {*clear, *unclear, *options.values()}),
        also=[an_option(*options)] if options else [],
    )


def _ways(codes: Mapping[str, list[str]], answers: Container[str], **how: Any) -> list[Remedy]:
    """Return how codes count as no answer: everywhere, but where they are answers elsewhere."""
    pairs = [(name, code) for name, some in codes.items() for code in some]
    everywhere = list(dict.fromkeys(plain(code) for _, code in pairs if code not in answers))
    within: dict[str, list[str | float]] = {}
    for name, code in pairs:
        if code in answers:
            within.setdefault(name, []).append(plain(code))
    return [
        *([Remedy({"missing": everywhere}, **how)] if everywhere else []),
        *([Remedy({"missing_in": within}, **how)] if within else []),
    ]


def wording_notes(sheet: Sheet, said: Said) -> list[Note]:
    """Return notes on which questions have a wording in the file, and which have none."""
    if "question" not in said.rows:
        return []
    without = list(said.rows.index[said.rows["question"].isna()])
    number = len(said.rows) - len(without)
    rest = f"; their names serve for {shown(without)}" if without else ""
    what = f"the file has the wording of {number} questions{rest}"
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
        ", or ",
        ignoring(name),
        " to count each person once",
        column=name,
    )
