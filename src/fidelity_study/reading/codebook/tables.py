"""The three tables of a codebook: their columns, their files, and which cells a user changed."""

import csv
import io
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from fidelity_study.errors import ErrorList, fault, refusal
from fidelity_study.reading.tabular.columns import as_number, plain
from fidelity_study.tables.ingest import (
    FAILED,
    LEAVE_OUT,
    NOT_ASKED,
    REFUSED,
    TOTAL,
    UNDECIDED,
    UNPARSABLE,
)
from fidelity_study.tables.read_write import inert, is_formula, write_text

COLUMNS, QUESTIONS, LABELS = TABLES = ("columns", "questions", "labels")
OPEN, ACCEPTED, USER, OF_SCALE, TRIED = "?", "proposal", "you", "scale", "trial"
LED_TO = "if what is proposed above holds: "
"""How the remark begins of a cell that other proposals lead to."""
OF_RULE, OF_CONFIG = "rule", "config"
AND = " | "
"""Between the proposals of a row with several open cells."""
DRAFTED = "as_drafted"
USE, MEANS, ORDER, PROPOSAL, BY, REMARK = (
    *("use", "means", "order", "proposal", "decided by", "remark"),
)
QUESTION, IGNORE, COMPARE = "question", "ignore", "compare"
SCORE, EPOCH, DIRECTION, SIMULATOR = "score", "epoch", "direction", "simulator"
"""Of scores: uses of columns, and in the table of questions what scores of an eval are."""
MISSING, BOOK_KEEPING = "missing", "book-keeping of the export"
NO_OPTION = {
    MISSING: "the person, or the simulator, gave no answer",
    REFUSED: "it refused to answer",
    UNDECIDED: "it answered that it does not know",
    UNPARSABLE: "the text names no option",
    FAILED: "asking failed",
    NOT_ASKED: "the question was not put; the cell counts for nothing",
    TOTAL: "the row is the sum of others; it counts for nothing",
}
"""What a text of an answer may mean besides an option."""
USES = {
    QUESTION: ("columns.scenario", "a question; in a file with a row for each answer, its name"),
    "answer": ("columns.value", "the answer"),
    "count": ("columns.count", "how many answers a row stands for"),
    "probability": ("columns.probability", "a stated probability"),
    "percent": ("columns.percent", "the percentage of those who gave the answer"),
    "base": ("base", "how many people percentages are of"),
    "location": ("columns.loc", "the location of a stated distribution"),
    "spread": ("columns.scale", "the scale of a stated distribution"),
    "option": ("columns.option", "the option that a probability or count is of"),
    "family": ("columns.family", "the family of a stated distribution"),
    "respondent": ("columns.respondent", "the person of a row"),
    "simulator": ("columns.simulator", "who answers; several columns do so together"),
    "weight": ("columns.weight", "the weight of a row's person"),
    "stratum": ("design.strata", "the stratum of a row's person"),
    "psu": ("design.psu", "the primary sampling unit of a row's person"),
    "replicate weight": ("design.replicate_weights", "one of the replicate weights"),
    "group": ("groups", "questions are compared in each of its groups"),
    "wave": ("wave", "a wave, stimulus or task: a person answers once in each, which is a group"),
    "condition": ("effects.condition", "the condition of an experiment"),
    "moderator": ("effects.moderators", "what effects may differ by"),
    "attribute": ("effects.attributes", "an attribute of a conjoint's profile"),
    "persona": ("personas", "describes a respondent"),
    "fact": ("facts", "a fact about the person, for regressions"),
    "ranking": ("ranking", "ranks, or items in their order"),
    "wording": ("columns.question", "the wording, in the file of questions"),
    "topic": ("cluster", "the topic of a question"),
    "order": ("order", "numbers the questions in the order asked"),
    SCORE: ("columns.score", "a score; of several such columns each is of the model that names it"),
    EPOCH: ("columns.epoch", "which of several samples of a question, in tables of scores"),
    IGNORE: ("ignore", "nothing that is read"),
}
"""What a column may be used for, with the key of the settings that says so."""
BOTH = {
    PROPOSAL: "what a cell with ? is proposed to be",
    BY: "file (a label, a declared code), name, rule, scale (words or numbers tell their order), "
    "config, proposal (accepted), you; or ?",
    REMARK: "why",
}
FIELDS: Mapping[str, Mapping[str, str]] = {
    COLUMNS: {
        "file": "the file",
        "column": "its column",
        USE: "one of the uses below; or ?",
        "filled": "the percentage of its cells that are filled",
        "distinct": "how many different cells it has",
        "examples": "the first of them",
        **BOTH,
    },
    QUESTIONS: {
        QUESTION: "its name; * for all",
        "wording": "what was asked",
        USE: f"{COMPARE} or {LEAVE_OUT}",
        MEANS: f"of a simulator's name of it: people's name of the same question, or {LEAVE_OUT}",
        "kind": "binary, ordinal, categorical, bounded or real; the same for all",
        "scale": "the name of its scale in labels.csv",
        "topic": "questions of one topic are not independent",
        "several": "yes if one may choose several options",
        "lower": "the lowest number that can be answered",
        "upper": "the highest number that can be answered",
        "people": "how many people answered",
        **BOTH,
    },
    LABELS: {
        "scale": "of the questions that share these texts, called as the first, or as classes; "
        "empty for all",
        "file": "empty for all",
        "text": "as it stands in the file; * for all others that choose no option",
        MEANS: "an option, or one of the words below; or ?",
        ORDER: "of the option, lowest first",
        "people": "how many people gave it",
        **BOTH,
    },
}
"""The columns of each table, with their meaning; each simulator's number of answers is one more."""
OF_SCORES = {
    QUESTIONS: {
        DIRECTION: "of scores, which is better: higher or lower",
    }
}
"""Columns that only codebooks of scores have, with their meaning."""
KEYS = {COLUMNS: ("file", "column"), QUESTIONS: (QUESTION,), LABELS: ("scale", "file", "text")}
EDITED = {
    COLUMNS: (USE,),
    QUESTIONS: (
        *(USE, MEANS, "wording", "kind", "scale", "topic", "several", "lower", "upper"),
        DIRECTION,
    ),
    LABELS: (MEANS, ORDER),
}
DECIDED = {COLUMNS: USE, QUESTIONS: USE, LABELS: MEANS}
ALLOWED = {
    COLUMNS: {USE: (*USES, OPEN)},
    QUESTIONS: {
        USE: (COMPARE, LEAVE_OUT, OPEN, ""),
        "kind": ("binary", "ordinal", "categorical", "bounded", "real", "text", "vector", OPEN, ""),
        "several": ("yes", "no", OPEN, ""),
        DIRECTION: ("higher", "lower", OPEN, ""),
    },
    LABELS: {},
}
ENDLESS = ("-inf", "inf")
"""Ends of scores that have none."""
NUMBERS = {QUESTIONS: ("lower", "upper"), LABELS: (ORDER,)}
Row = dict[str, str]
Rows = Sequence[Row]
Key = tuple[str, tuple[str, ...]]


class Edit(NamedTuple):
    """A cell that a user changed, or a row that a user added.

    A proposal that was accepted, or is tried, is one only as long as the cell is as proposed.
    """

    table: str
    row: Row
    field: str
    value: str
    by: str = USER


@dataclass
class Codebook:
    """The three tables of a study, and how they were drafted.

    Attributes:
        tables: rows by table, each a dict of texts by column.
        drafted: the same as they were before the user changed them; a cell that differs, and a row
            that isn't there, is the user's word.
    """

    tables: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in TABLES})
    drafted: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in TABLES})

    @classmethod
    def of(cls, columns: Rows, questions: Rows, labels: Rows) -> "Codebook":
        """Return a codebook that nobody has changed yet."""
        rows = dict(zip(TABLES, (columns, questions, labels), strict=True))
        return cls(*({name: [*map(dict, rows[name])] for name in TABLES} for _ in range(2)))

    @classmethod
    def unchanged(cls, folder: str) -> "Codebook":
        """Return the draft in a folder, without what was changed there."""
        drafts = (_read(Path(folder, DRAFTED, f"{name}.csv")) for name in TABLES)
        return cls.of(*drafts).without_open()

    def edits(self) -> Iterator[Edit]:
        """Yield the cells that differ from the draft, as they are now."""
        before = keyed(self.drafted)
        for key, row in keyed(self.tables).items():
            drafted = before.get(key, {})
            proposed = proposals(key[0], drafted) if row.get(BY) in (ACCEPTED, TRIED) else {}
            for cell in EDITED[key[0]]:
                value = row.get(cell, "")
                if value not in (drafted.get(cell, ""), OPEN):
                    by = row[BY] if proposed.get(cell) == value else USER
                    yield Edit(key[0], row, cell, value, by)

    def accept(self, by: str = ACCEPTED) -> bool:
        """Write what is proposed into the open cells; return whether anything was.

        Nobody accepted what is tried, so that it is no decision when tables are read again.
        """
        before = len(self.open_cells())
        for name, rows in self.tables.items():
            for row in rows:
                if cells := proposals(name, row):
                    row |= _decided(name, row, {**cells, BY: by})
        return len(self.open_cells()) < before

    def said(self) -> Iterator[Edit]:
        """Yield the changed cells, and those of scales whose order texts or numbers tell."""
        yield from self.edits()
        for name in (QUESTIONS, LABELS):
            for row in self.tables[name]:
                for cell in NUMBERS[name] if row.get(BY) == OF_SCALE else ():
                    if row.get(cell, ""):
                        yield Edit(name, row, cell, row[cell])

    def without_open(self) -> "Codebook":
        """Return the rows that are decided by others than rules on scales; these rule again."""
        decided = self.without({(name, key_of(name, row)) for name, row, _ in self.open_cells()})
        for rows in (*decided.tables.values(), *decided.drafted.values()):
            rows[:] = [{**row, BY: OF_RULE} if row.get(BY) == OF_SCALE else row for row in rows]
        return decided

    def without_tried(self) -> "Codebook":
        """Return the rows without what was tried, and what this alone led to."""
        return self.without(
            {
                key
                for key, row in keyed(self.tables).items()
                if row.get(BY) == TRIED
                or (open_in(key[0], row) and row.get(REMARK, "").startswith(LED_TO))
            }
        )

    def without(self, keys: Container[Key]) -> "Codebook":
        """Return the rows, and their drafts, but those of some tables and keys."""
        sides = (keyed(side).items() for side in (self.tables, self.drafted))
        return Codebook(
            *(_by_table({key: row for key, row in side if key not in keys}) for side in sides)
        )

    def with_open(self, cells: Iterable[tuple[str, Row, str]]) -> "Codebook":
        """Return the codebook with cells open again as they were asked, in the first rows."""
        asked: dict[Key, dict[str, str]] = {}
        rows: dict[Key, Row] = {}
        for name, row, cell in cells:
            key = (name, key_of(name, row))
            rows.setdefault(key, row)
            asked.setdefault(key, {}).setdefault(cell, proposals(name, row).get(cell, ""))
        for side in (self.tables, self.drafted):
            there = keyed(side)
            for key, row in rows.items():
                opened = there.setdefault(key, dict(row))
                facts = {
                    cell: row[cell] for cell in row if row[cell] and cell not in EDITED[key[0]]
                }
                opened |= facts | dict.fromkeys(asked[key], OPEN) | {BY: OPEN}
                proposed = [asked[key].get(cell, "") for cell in open_in(key[0], opened)]
                opened |= {PROPOSAL: AND.join(proposed), REMARK: row[REMARK]}
            is_open = {key: bool(open_in(key[0], row)) for key, row in there.items()}
            side |= _by_table(
                {key: there[key] for key in sorted(there, key=lambda key: not is_open[key])}
            )
        return self

    def asked_beside_edits(self) -> list[tuple[str, Row, str]]:
        """Return the open cells with a proposal, where the user changed others and not these."""
        is_edited = any(edit.by == USER for edit in self.edits())
        cells = self.open_cells() if is_edited else []
        return [(name, row, cell) for name, row, cell in cells if cell in proposals(name, row)]

    def open_cells(self) -> list[tuple[str, Row, str]]:
        """Return the cells that are not decided, with their tables and rows."""
        return [
            (name, row, cell)
            for name, rows in self.tables.items()
            for row in rows
            for cell in open_in(name, row)
        ]


def open_in(table: str, row: Row) -> list[str]:
    """Return the columns of a row whose cells are not decided.

    A question mark may be an option, whose row says who decided so.
    """
    is_option = table == LABELS and row.get("text") == OPEN and row.get(BY) != OPEN
    return [cell for cell in EDITED[table] if row.get(cell) == OPEN and not is_option]


def proposals(table: str, row: Row) -> dict[str, str]:
    """Return what is proposed for each open cell of a row.

    Examples:
        >>> proposals("questions", {"lower": "?", "upper": "?", "proposal": "1 | 5"})
        {'lower': '1', 'upper': '5'}
        >>> proposals("questions", {"lower": "?", "upper": "?", "proposal": "1 |"})
        {'lower': '1'}
    """
    cells, proposal = open_in(table, row), row.get(PROPOSAL, "")
    several = f" {proposal} ".split(AND) if cells[1:] else [proposal]
    stated = map(str.strip, several)
    return {cell: proposal for cell, proposal in zip(cells, stated, strict=False) if proposal}


def key_of(table: str, row: Row) -> tuple[str, ...]:
    """Return what identifies a row of a table."""
    return tuple(row.get(name, "") for name in KEYS[table])


def read(folder: str | Path) -> Codebook:
    """Read the tables in a folder; those that are not there have no rows.

    Raises:
        DataError: with every cell that cannot be what it says.
    """
    faults, codebook = ErrorList(), Codebook()
    for name in TABLES:
        path = Path(folder, f"{name}.csv")
        with faults.collected():
            codebook.tables[name] = _read(path)
            _check(name, codebook.tables[name], path)
        with faults.collected():
            codebook.drafted[name] = _read(Path(folder, DRAFTED, f"{name}.csv"))
    faults.refuse()
    return codebook


def save(folder: str | Path, codebook: Codebook) -> None:
    """Write the tables, and beside them their draft; raise DataError if that cannot be done."""
    try:
        for tables, place in ((codebook.tables, ()), (codebook.drafted, (DRAFTED,))):
            Path(folder, *place).mkdir(parents=True, exist_ok=True)
            for name, rows in tables.items():
                text = _written(name, rows)
                path = Path(folder, *place, f"{name}.csv")
                if not path.is_file() or path.read_bytes() != f"\ufeff{text}".encode():
                    write_text(path, f"\ufeff{text}")
    except OSError as error:
        what = f"cannot be written ({error.strerror}); close it elsewhere, or name another: --out"
        raise refusal("not-writable", what, file=str(folder)) from None


def _written(name: str, rows: Rows) -> str:
    """Return a table as CSV, which spreadsheets open: texts that they would run are quoted."""
    known = [*FIELDS[name]]
    more = dict.fromkeys(column for row in rows for column in row if column not in known)
    at = known.index(PROPOSAL)
    with io.StringIO(newline="") as file:
        columns = [*known[:at], *more, *known[at:]]
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(inert({key: plain(cell) for key, cell in row.items()}))
        return file.getvalue()


def _read(path: Path) -> list[Row]:
    """Return the rows of a table, whatever a spreadsheet put between its columns."""
    return [dict(row) for row in _parsed(path, path.read_bytes())] if path.is_file() else []


@lru_cache(2 * len(TABLES))
def _parsed(path: Path, content: bytes) -> list[Row]:
    """Return the rows of a table with this content; the same ones each time."""
    is_wide = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    header = text.partition("\n")[0]
    separator = max(",;\t", key=header.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return [
            {key: _cell(cell) for key, cell in row.items() if isinstance(key, str)}
            for row in rows
            if any(cell for cell in row.values())
        ]
    except csv.Error as error:
        raise refusal("not-a-table", f"cannot be read ({error})", file=str(path)) from None


def _cell(text: str | None) -> str:
    text = (text or "").strip()
    return text.removeprefix("'") if is_formula(text) else text


def _check(name: str, rows: Rows, path: Path) -> None:
    """Raise DataError with each cell that cannot be read, and each row that is there twice."""
    faults, seen = ErrorList(), set[tuple]()
    needed = [*KEYS[name], DECIDED[name]]
    if rows and (absent := [column for column in needed if column not in rows[0]]):
        what = f"has no column {absent[0]!r}; a draft of {path.name} is in {DRAFTED}"
        raise refusal("no-column", what, file=str(path))
    for number, row in enumerate(rows, 2):
        faults.faults += [
            fault("codebook-cell", what, file=str(path), row=number, column=column)
            for column, what in _wrong(name, row)
        ]
        if (key := key_of(name, row)) in seen:
            what = f"{', '.join(filter(None, key))}: has two rows; delete one"
            faults.faults.append(fault("row-twice", what, file=str(path), row=number))
        seen.add(key)
    faults.refuse()


def _wrong(name: str, row: Row) -> Iterator[tuple[str, str]]:
    """Yield the columns of a row whose cells are nothing that they may be, and what is wrong."""
    for column, allowed in ALLOWED[name].items():
        value = row.get(column, "")
        if value not in allowed:
            close = get_close_matches(value, allowed, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            there = ", ".join(filter(None, allowed))
            yield column, f"is {value!r}; {hint}it may be: {there}"
    for column in NUMBERS.get(name, ()):
        value = row.get(column, "")
        if value not in ("", OPEN, *ENDLESS) and as_number(value) is None:
            yield column, f"is {value!r}; write a number, or nothing"


def with_edits(new: Codebook, old: Codebook) -> tuple[Codebook, list[str]]:
    """Return a new draft with the cells that the user changed in the old one.

    Args:
        new: as just drafted.
        old: as it is on disk.

    Returns:
        The codebook, whose draft keeps the old cells where the user changed them, and a line for
        each changed row that the data have no longer.
    """
    _rename_scales(new, old)
    old = _with_parts(new, old)
    changed: dict[Key, Row] = {}
    deciders: dict[Key, set[str]] = {}
    for edit in old.edits():
        key = (edit.table, key_of(edit.table, edit.row))
        changed.setdefault(key, {})[edit.field] = edit.value
        deciders.setdefault(key, set()).add(edit.by)
    before, then = keyed(old.drafted), keyed(old.tables)
    rows, drafted = keyed(new.tables), keyed(new.drafted)
    gone = []
    for key, cells in changed.items():
        (name, which), theirs = key, before.get(key)
        if key not in rows:
            if name == COLUMNS and theirs is not None:
                gone.append(f"{name}.csv: {', '.join(filter(None, which))} is no longer there")
                continue
            identity = dict(zip(KEYS[name], which, strict=True))
            rows[key] = {**(theirs or identity), PROPOSAL: "", REMARK: ""}
            if theirs is not None:
                drafted[key] = theirs
        if key in drafted:
            draft = theirs or {}
            as_before = {cell: draft.get(cell, "") for cell in cells}
            drafted[key] = _decided(name, drafted[key], as_before, proposals(name, draft))
        remark = (rows if open_in(name, rows[key] | cells) else then)[key].get(REMARK, "")
        by = USER if USER in deciders[key] else then[key][BY]
        rows[key] = _decided(name, rows[key], cells | {BY: by, REMARK: remark})
    new.tables, new.drafted = _by_table(rows), _by_table(drafted)
    return new, gone


def keyed(tables: Mapping[str, Rows]) -> dict[Key, Row]:
    """Return the rows of tables by their table and what identifies them there."""
    return {(name, key_of(name, row)): row for name in TABLES for row in tables[name]}


def _by_table(rows: Mapping[Key, Row]) -> dict[str, list[Row]]:
    return {name: [row for (table, _), row in rows.items() if table == name] for name in TABLES}


def _decided(
    table: str, row: Row, cells: Row, before: Mapping[str, str] = MappingProxyType({})
) -> Row:
    """Return a row with decided cells; what is proposed, or was, is for those open still."""
    proposed, decided = {**proposals(table, row), **before}, {**row, **cells}
    if left := open_in(table, decided):
        decided[PROPOSAL] = AND.join(proposed.get(cell, "") for cell in left)
    return decided


def _rename_scales(new: Codebook, old: Codebook) -> None:
    """Call scales as before, also where the question that a scale is called by is left out."""
    before = {row[QUESTION]: row.get("scale", "") for row in old.drafted[QUESTIONS]}
    names: dict[str, str] = {}
    for row in new.tables[QUESTIONS]:
        scale, then = row.get("scale", ""), before.get(row[QUESTION], "")
        if scale and then and then not in names.values():
            names.setdefault(scale, then)
    for tables in (new.tables, new.drafted):
        for row in [*tables[QUESTIONS], *tables[LABELS]]:
            if (scale := row.get("scale", "")) in names:
                row["scale"] = names[scale]


def _with_parts(new: Codebook, old: Codebook) -> Codebook:
    """Return the old codebook, a scale's rows repeated for questions with one of their own now."""
    now = {row[QUESTION]: row.get("scale", "") for row in new.tables[QUESTIONS]}
    scales = {(row.get("scale", ""), now.get(row[QUESTION], "")) for row in old.drafted[QUESTIONS]}
    parted = sorted((then, part) for then, part in scales if then and part and then != part)
    sides: list[dict[str, list[Row]]] = []
    for side in (old.tables, old.drafted):
        there = {key_of(LABELS, row): row for row in side[LABELS]}
        for then, part in parted:
            copies = [{**row, "scale": part} for row in side[LABELS] if row.get("scale") == then]
            there = {**{key_of(LABELS, row): row for row in copies}, **there}
        sides.append({**side, LABELS: [*there.values()]})
    return Codebook(*sides)


def refuse_open(codebook: Codebook, folder: str) -> None:
    """Raise DataError if cells of a codebook are not decided."""
    if open_cells := codebook.open_cells():
        name, row, cell = open_cells[0]
        more = f", and {len(open_cells) - 1} more" if open_cells[1:] else ""
        which = ", ".join(filter(None, key_of(name, row)))
        raise refusal(
            "undecided",
            f"the cell {cell!r} of {which} is not decided ({OPEN}){more}; write what it is"
            + (f", such as {row[PROPOSAL]!r}" if row.get(PROPOSAL) else ""),
            file=str(Path(folder, f"{name}.csv")),
        )


def frame_of(table: str, codebook: Codebook) -> pd.DataFrame:
    """Return a table as a DataFrame of texts."""
    rows = codebook.tables[table]
    more = dict.fromkeys(name for row in rows for name in row if name not in FIELDS[table])
    return pd.DataFrame(rows, columns=[*FIELDS[table], *more], dtype=object).fillna("")


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a DataFrame as texts."""
    table = frame.astype(object).where(frame.notna(), "")
    return [
        {str(key): str(plain(str(cell))) if cell != "" else "" for key, cell in row.items()}
        for row in table.to_dict("records")
    ]
