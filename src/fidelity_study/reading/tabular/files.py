"""A table that a user wrote, every cell as text."""

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity_study.errors import (
    DataError,
    ErrorList,
    Fault,
    Key,
    Note,
    Part,
    Place,
    Remedy,
    fault,
    in_file,
    refusal,
    shortened,
)
from fidelity_study.reading.tabular import spreadsheet
from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.shown import meant

if TYPE_CHECKING:
    from fidelity_study.reading.tabular import qsf

MOST_COLUMNS, STATE = 200_000, "state"
LINES, LIST = (".jsonl", ".ndjson"), ".json"  # ends of the names of files of records


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
        roles: columns by role, where the export says what they are; under ``state`` the one by
            which rows are left out or kept that others may see otherwise.
        topics: of the columns that are questions, where some are rows of a matrix.
        options: of columns whose options are known.
        by: columns by whose values the questions of an export differ.
        same: of an option in one language those with its letter in others.
        boxes: columns that are tick boxes, as the file says: their question and their option.
        in_own_words: questions that are left out, as people answered them in their own words.
        codebook: a survey's questions with their options, where the file holds no answers.
        divides: whether its probabilities are divided by their sum.
        tells_all: whether the export says what each column is that counts; others are facts that
            nobody is asked about.
        spare: whether questions that people's file lacks are left out, and not refused.
        aside: further columns of an export, facts on the interview, which only settings that name
            them read; they stand behind the others.
        lost: columns that the settings ignore, of a file whose rows were written anew.
        kept: the position in the file of each row; None if all are read.
        separator: between the columns of a text file.
        ids: what names each answer of the file, where that is no column.
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
    same: Mapping[str, frozenset[str]] = field(default_factory=dict)
    boxes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    in_own_words: tuple[str, ...] = ()
    codebook: "qsf.Codebook | None" = None
    divides: bool = False
    tells_all: bool = False
    spare: bool = False
    aside: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    kept: np.ndarray | None = field(default=None, repr=False)
    separator: str = ""
    ids: frozenset[str] = field(default=frozenset(), repr=False)

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
        read = partial(self.file.columns, answers=answers)
        return replace(self, read=in_file(self.path)(read))

    def _positions(self, names: Iterable[str]) -> list[int]:
        there = reversed([*enumerate([*self.columns, *self.aside])])
        position = {name: place for place, name in there}
        return [position[name] for name in names]

    def cells(self, names: Iterable[str]) -> dict[str, pa.DictionaryArray]:
        """Return some columns by name; raise DataError if they have no rows."""
        names = list(dict.fromkeys(names))
        columns = dict(zip(names, self.read(self._positions(names)), strict=True))
        if not all(map(len, columns.values())):
            raise self.fault("no-rows", "has a header but no rows; add the answers")
        return columns

    def frame(self, names: Iterable[str]) -> pd.DataFrame:
        """Return the texts of some columns, missing where a cell is empty."""
        cells = self.cells(names)
        return pd.DataFrame({name: texts_of(cells[name]) for name in cells}, dtype=object)

    @property
    def says_missing(self) -> bool:
        """Whether its file tells which cells are no answers."""
        return self.file is not None and self.file.says_missing

    def distinct(self, names: Iterable[str]) -> pd.DataFrame:
        """Return the different texts of some columns together, of rows that have all of them."""
        cells = self.cells(names)
        codes = pd.DataFrame({name: cells[name].indices for name in cells})
        rows = pa.array(codes.dropna().drop_duplicates().index)
        texts = {name: texts_of(cells[name].take(rows)) for name in cells}
        return pd.DataFrame(texts, dtype=object).drop_duplicates()

    def with_texts(self, places: Container[int], change: Callable[[str], str | None]) -> "Sheet":
        """Return the sheet with other texts in columns at some positions."""

        def read(wanted: Sequence[int]) -> list[pa.DictionaryArray]:
            return [
                _changed(cells, change) if place in places else cells
                for cells, place in zip(self.read(wanted), wanted, strict=True)
            ]

        return replace(self, read=read)

    def of_columns(self, columns: Mapping[str, pa.DictionaryArray]) -> "Sheet":
        """Return a sheet of other columns, which are at hand."""
        cells, names = [*columns.values()], [*columns]
        sheet = replace(self, columns=names, read=lambda wanted: [cells[at] for at in wanted])
        return replace(sheet, file=None, aside=())

    @cached_property
    def size(self) -> int:
        """The number of rows."""
        return len(self.read([0])[0])

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

    def note(self, code: str, *parts: Part, also: Iterable[Remedy] = ()) -> Note:
        """Return a note on the file."""
        return Note(code, Place(files=(self.path,)), parts, tuple(also))


def refuse_where(
    sheet: Sheet, code: str, wrong: np.ndarray, what: Callable[[int], str], column: str, *ways: Part
) -> None:
    """Raise DataError at the first wrong row of a sheet; ``what`` says it of a position in it."""
    if wrong.any():
        at = int(wrong.argmax())
        raise sheet.fault(code, what(at), *ways, at=at, column=column)


def texts_of(cells: pa.DictionaryArray) -> np.ndarray:
    """Return a column's texts, None where a cell is empty; a text that repeats is made once."""
    texts = np.array([*cells.dictionary.to_pylist(), None], object)
    return texts[cells.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)]


def _changed(cells: pa.DictionaryArray, change: Callable[[str], str | None]) -> pa.DictionaryArray:
    texts = pa.array([text and change(text) for text in cells.dictionary.to_pylist()], pa.string())
    return texts.take(cells.indices).dictionary_encode()


def suffix_of(path: str) -> str:
    """Return how a file's name ends, but for what packing, or a batch of AWS, adds to it."""
    name = spreadsheet.split(path)[0].lower().removesuffix(".gz").removesuffix(".out")
    return Path(name).suffix


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
    alone = [settings[key] for key in ("human", "scenarios") if key in settings]
    return list(dict.fromkeys([*alone, *(path for _, path in simulated_files(settings))]))


def simulated_files(settings: dict) -> Iterator[tuple[str | None, str]]:
    """Yield the simulator that a file belongs to, None if the file names it, and the file."""
    simulated = settings.get("simulated", [])
    for part in simulated if isinstance(simulated, list | tuple) else [simulated]:
        yield from part.items() if isinstance(part, dict) else [(None, part)]


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
