"""A table that a user wrote, every cell as text."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Protocol
from unicodedata import normalize

import numpy as np
import pyarrow as pa

from fidelity_study.errors import (
    IN_CONFIG,
    DataError,
    ErrorList,
    Fault,
    Key,
    Note,
    Part,
    Place,
    Remedy,
    fault,
    refusal,
    shortened,
)
from fidelity_study.reading.tabular import qsf, records, spreadsheet, survey
from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.batch_output import BatchOutput, is_batch
from fidelity_study.reading.tabular.parquet import Parquet
from fidelity_study.reading.tabular.plain import Plain
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.shown import meant
from fidelity_study.reading.tabular.text import Text, stacked

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
NAMES_OF_KINDS = (
    "CSV (.csv, .csv.gz), tab-separated text (.tsv), Parquet (.parquet), SPSS (.sav, .zsav), "
    "Stata (.dta), Excel (.xlsx, .xls, .ods) or JSON Lines (.jsonl)"
)
WHOLE = (".parquet", qsf.SUFFIX, *survey.SUFFIXES, *spreadsheet.SUFFIXES)
MOST_COLUMNS = 200_000
MOST_FILES, SETTLED = 8, 2 * 10**9  # in nanoseconds
Columns = tuple[str, ...]
PLAIN = Reading()
_SHEETS: dict[tuple, "Sheet"] = {}


class Speaking(Protocol):
    """A file that tells more about its columns than their cells do.

    Attributes:
        weight: the column that weights people, None if the file names none.
        says_missing: whether it tells which cells are no answers.
    """

    @property
    def weight(self) -> str | None:
        """The column that weights people."""

    @property
    def says_missing(self) -> bool:
        """Whether the file tells which cells are no answers."""

    def columns(
        self, wanted: Sequence[int], *, answers: frozenset[int] = frozenset()
    ) -> list[pa.DictionaryArray]:
        """Return columns at positions; those at ``answers`` are of answers."""

    def about(self, wanted: list[int]) -> list[About]:
        """Return the file's information on columns of answers at positions."""

    def notes(self, wanted: list[int]) -> list[str]:
        """Return notes for the user on columns of answers at positions, one line each."""


@dataclass(frozen=True)
class Sheet:
    """A table in a file.

    Attributes:
        path: the file, as the config names it.
        columns: the columns' names, without white space around them.
        first_row: number of the first row of answers as the user sees it: 2 below a CSV's header.
        file: the file's further information on its columns; None if it has none.
        raw: whether the answers are in a model's own words.
        recognised: what is told of an export that was recognised.
        questions: the columns that are questions, as the export says; None if it doesn't.
        roles: columns by role, where the export says what they are.
        topics: of the columns that are questions, where some are rows of a matrix.
        options: of columns whose options are known.
        by: columns by whose values the questions of an export differ.
        boxes: columns that are tick boxes, as the file says: their question and their option.
        in_own_words: questions that are left out, as people answered them in their own words.
        codebook: a survey's questions with their options, where the file holds no answers.
        divides: whether its probabilities are divided by their sum.
        spare: whether questions that people's file lacks are left out, and not refused.
        kept: the position in the file of each row; None if all are read.
        separator: between the columns of a text file.
        read: returns columns at positions.
    """

    path: str
    columns: list[str]
    first_row: int
    read: Callable[[Sequence[int]], list[pa.DictionaryArray]] = field(repr=False)
    file: Speaking | None = field(default=None, repr=False)
    raw: bool = False
    recognised: tuple[str, ...] = ()
    questions: Sequence[str] | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    boxes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    in_own_words: tuple[str, ...] = ()
    codebook: qsf.Codebook | None = None
    divides: bool = False
    spare: bool = False
    kept: np.ndarray | None = field(default=None, repr=False)
    separator: str = ""

    @property
    def weight(self) -> str | None:
        """The column that weights people according to the file itself; None if there is none."""
        return self.file.weight if self.file else None

    def about(self, names: list[str]) -> dict[str, About]:
        """Return the file's information on columns of answers; empty if it has none."""
        if self.file is None:
            return {}
        return dict(zip(names, self.file.about(self._positions(names)), strict=True))

    def notes(self, names: list[str]) -> list[str]:
        """Return notes for the user on columns of answers, one line each."""
        return self.file.notes(self._positions(names)) if self.file else []

    def answered_in(self, names: list[str]) -> "Sheet":
        """Return the sheet with the information which columns hold answers."""
        if self.file is None:
            return self
        answers = frozenset(self._positions(names))
        return replace(self, read=partial(self.file.columns, answers=answers))

    def _positions(self, names: Iterable[str]) -> list[int]:
        position = {name: place for place, name in enumerate(self.columns)}
        return [position[name] for name in names]

    def cells(self, names: Iterable[str]) -> dict[str, pa.DictionaryArray]:
        """Return some columns by name; raise DataError if they have no rows."""
        names = list(dict.fromkeys(names))
        columns = dict(zip(names, self.read(self._positions(names)), strict=True))
        if not all(map(len, columns.values())):
            raise self.fault("no-rows", "has a header but no rows; add the answers")
        return columns

    def grid(self, *groups: Columns) -> "Grid":
        """Return some columns; raise DataError if they have no rows."""
        groups = tuple(dict.fromkeys(groups))
        columns = self.cells(name for group in groups for name in group)
        return Grid(self, {group: stacked([columns[name] for name in group]) for group in groups})

    def fault(
        self,
        code: str,
        *parts: Part,
        at: int | None = None,
        column: str | None = None,
        also: Iterable[Remedy] = (),
    ) -> DataError:
        """Return the error with a code and the words ``parts``; ``at`` is a position from 0."""
        row = (
            None if at is None else self.first_row + int(at if self.kept is None else self.kept[at])
        )
        return refusal(code, *parts, file=self.path, row=row, column=column, also=also)

    def refuse_absent(self, names: Iterable[str], key: str) -> None:
        """Raise DataError for each column that a key of the config names and that is not there."""
        faults = ErrorList()
        for name in names:
            if name not in self.columns:
                what, hint = f"has no column {name!r}, named under ", meant(name, self.columns)
                faults.faults += self.fault("no-column", what, Key(key), f"; {hint}").faults
        faults.refuse()

    def row_places(self, size: int) -> np.ndarray:
        """Return the position in the file of each of so many rows."""
        return np.arange(size) if self.kept is None else self.kept

    def note(self, code: str, *parts: Part, also: Iterable[Remedy] = ()) -> Note:
        """Return a note on the file."""
        return Note(code, Place(files=(self.path,)), parts, tuple(also))


@dataclass(frozen=True)
class Grid:
    """Some columns of a sheet.

    Attributes:
        sheet: the sheet that they are from.
        cells: the texts of each group of columns that was asked for, one column below the other;
            null where a cell is empty.
    """

    sheet: Sheet
    cells: Mapping[Columns, pa.DictionaryArray]

    @property
    def size(self) -> int:
        """The number of rows."""
        columns, cells = next(iter(self.cells.items()))
        return len(cells) // len(columns)

    def fault(self, code: str, *parts: Part, at: int, column: str) -> DataError:
        """Return the error with a code and words; ``at`` is a position in the rows."""
        return self.sheet.fault(code, *parts, at=at, column=column)


def refuse_where(
    part: "Sheet | Grid",
    code: str,
    wrong: np.ndarray,
    what: Callable[[int], str],
    column: str,
    *ways: Part,
) -> None:
    """Raise DataError at the first wrong row of a part; ``what`` says it of a position in it."""
    if wrong.any():
        at = int(wrong.argmax())
        raise part.fault(code, what(at), *ways, at=at, column=column)


def named_files(settings: dict) -> list[str]:
    """Return the files that a dataset's own settings name, each once."""
    files = [spreadsheet.split(path)[0] for path in named_tables(settings)]
    return list(dict.fromkeys([*files, *codebook_files(settings.get("codebook"))]))


def codebook_files(folder: str | None) -> list[str]:
    """Return the tables of a codebook, those of its draft among them."""
    if folder is None:
        return []
    return sorted(map(str, [*Path(folder).glob("*.csv"), *Path(folder).glob("*/*.csv")]))


def named_tables(settings: dict) -> list[str]:
    """Return the files, or sheets of files, that a dataset's own settings name, each once."""
    simulated = settings.get("simulated", [])
    if isinstance(simulated, dict):
        simulated = list(simulated.values())
    elif isinstance(simulated, str):
        simulated = [simulated]
    alone = [settings[key] for key in ("human", "scenarios") if key in settings]
    return list(dict.fromkeys([*alone, *simulated]))


def missing_files(key: str, paths: Iterable[str]) -> list[Fault]:
    """Return a fault at a key for each file of a dataset that Snakemake cannot find."""
    return [
        fault("file-not-there", f"{shortened(path)} {wrong}", key=key)
        for path in paths
        if (wrong := _wrong_with(path))
    ]


def _wrong_with(path: str) -> str | None:
    """Return the reason why Snakemake can't take a path for a file; None if it can."""
    if "{" in path or "}" in path:
        return "has a brace, which Snakemake takes for a wildcard; rename the file"
    if os.path.isfile(path):
        return None
    there = "a device or a pipe" if os.path.exists(path) else "not there"
    return (
        f"is {'a folder' if os.path.isdir(path) else there}; name a file, seen from the folder "
        f"that snakemake runs in, {Path.cwd()}"
    )


def opened(path: str, reading: Reading = PLAIN) -> Sheet:
    """Open a file by its suffix; raise DataError if the file or its header is faulty.

    White space around a column's name is removed.
    """
    from fidelity_study.reading.tabular.exports import recognised  # stands on sheets

    suffix, needed = _suffix(path), reading
    if suffix not in survey.SUFFIXES:
        needed = Reading(reading.separator, reading.sheet, custom_id=reading.custom_id)
    return _with_clean_names(recognised(_once(path, suffix, needed), reading))


def _once(path: str, suffix: str, reading: Reading) -> Sheet:
    """Return the sheet in a file, which is read again only if it may have changed."""
    about = os.stat(spreadsheet.split(path)[0])
    state = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    key = (path, repr(reading), state)
    if key in _SHEETS:
        return _SHEETS[key]
    sheet = _sheet(path, suffix, reading)
    if time.time_ns() - max(about.st_mtime_ns, about.st_ctime_ns) > SETTLED:
        while len(_SHEETS) >= MOST_FILES:
            del _SHEETS[next(iter(_SHEETS))]
        _SHEETS[key] = sheet
    return sheet


def _sheet(path: str, suffix: str, reading: Reading) -> Sheet:
    """Return the sheet in a file with this suffix."""
    if suffix == qsf.SUFFIX:
        return Sheet(path, [], 1, lambda _: [], codebook=qsf.read(path))
    if suffix in survey.SUFFIXES:
        file = survey.Survey(path, suffix, reading)
        return Sheet(
            path, file.names, 1, file.columns, file, topics=file.topics, boxes=file.boxes()
        )
    if suffix in spreadsheet.SUFFIXES:
        cells = spreadsheet.Spreadsheet(path, reading.sheet)
        return Sheet(path, cells.names, cells.first_row, cells.columns, recognised=cells.notes)
    if suffix in (*records.LINES, records.LIST):
        plain = Plain.of(path)
        of_kind = records.of_list if suffix == records.LIST else records.of_lines
        rows = of_kind(path, plain.text.decode())
        first = [*islice(rows, 1)]
        rows = chain(first, rows)
        if suffix in records.LINES and first and is_batch(first[0][1]):
            said = BatchOutput(path, rows, reading.custom_id)
            return Sheet(path, said.names, 1, said.columns, raw=True)
        table = records.Records(path, rows)
        return Sheet(path, table.names, 1, table.columns, recognised=plain.notes)
    if suffix == ".parquet":
        kept = Parquet(path)
        return Sheet(path, kept.names, 1, kept.columns, kept if kept.levels else None)
    text = Text.of(path, reading.separator, SEPARATORS[suffix])
    sheet = Sheet(path, text.names, text.above + 2, text.columns, recognised=text.notes)
    return replace(sheet, separator=text.separator)


def _suffix(path: str) -> str:
    file, _ = spreadsheet.split(path)
    if not Path(file).is_file():
        reason = "is a folder, not a file" if Path(file).is_dir() else "is not there"
        raise refusal("file-not-there", f"{reason}; name the file", IN_CONFIG, file=file)
    suffixes = [ending.lower() for ending in Path(file).suffixes]
    plain = suffixes[:-1] if suffixes[-1:] == [".gz"] else suffixes
    suffix = plain[-1] if plain else ""
    known = [*SEPARATORS, *records.LINES, records.LIST, *(WHOLE if plain == suffixes else ())]
    if suffix not in known:
        raise refusal(
            "unknown-suffix",
            f"its name does not end as that of {NAMES_OF_KINDS}; save it as one of them",
            file=path,
        )
    return suffix


def _with_clean_names(sheet: Sheet) -> Sheet:
    """Return the sheet with clean column names, not too many and each there once."""
    if len(sheet.columns) > MOST_COLUMNS:
        raise sheet.fault(
            "too-many-columns",
            f"has {len(sheet.columns):,} columns, more than {MOST_COLUMNS:,}; write the answers as "
            "a long file, a row for each",
        )
    names = [_clean(name) for name in sheet.columns]
    for position, name in enumerate(names, start=1):
        if not name:
            what = f"column {position} has no name; name it, or drop it (row numbers of pandas: "
            what += "write with index=False)"
            raise sheet.fault("column-without-name", what)
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise sheet.fault(
            "column-twice", "appears twice; give each column its own name", column=twice[0]
        )
    asked = sheet.questions
    return replace(
        sheet,
        columns=names,
        questions=None if asked is None else [_clean(name) for name in asked],
        in_own_words=tuple(map(_clean, sheet.in_own_words)),
        topics={_clean(name): topic for name, topic in sheet.topics.items()},
    )


def _clean(name: str) -> str:
    return normalize("NFC", " ".join(name.split()))
