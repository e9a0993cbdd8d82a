"""A table in which an export leaves out columns and rows, and gives columns other names."""

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.files import STATE, Sheet
from fidelity_study.reading.tabular.kept import as_cells
from fidelity_study.reading.tabular.shown import shown

FEWEST_TOPICS = 5
NO_ROLES: Mapping[str, str] = MappingProxyType({})
Columns = Mapping[str, Sequence[str | None]]
IN_BRACKETS = re.compile(r"(.+?)\s*\[[^\]]+\]")


def cells_of(sheet: Sheet, place: int, most: int | None = None) -> list[str | None]:
    """Return the first cells of a column at a position."""
    return columns_of(sheet, [place], most)[0]


def columns_of(
    sheet: Sheet, places: Sequence[int], most: int | None = None
) -> list[list[str | None]]:
    """Return the first cells of columns at positions."""
    return [column.slice(0, most).to_pylist() for column in sheet.read(places)]


def first_rows(sheet: Sheet, rows: int, most: int | None = None) -> list[list[str]]:
    """Return the first rows of a table, fewer if it has fewer; empty cells are empty texts.

    Of ``most`` columns, or all.
    """
    texts = columns_of(sheet, range(len(sheet.columns))[:most], rows)
    return [[text or "" for text in row] for row in zip(*texts, strict=True)]


def different(names: list[str]) -> list[str]:
    """Return names, the second of the same with .1 behind it, as pandas calls it."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        unique.append(f"{name}.{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return unique


def numbered(cells: pd.DataFrame) -> pd.Series:
    """Return which one of those with the same cells each row is, from 1, as text."""
    return (cells.groupby([*cells]).cumcount() + 1).astype(str)


def matrices(stems: Mapping[str, str]) -> dict[str, str]:
    """Return the topic of each column, where some are rows of a matrix; nothing if none is.

    Few topics are none, as they would tell almost nothing of other questions.

    Args:
        stems: what the rows of a matrix have in common, by question.
    """
    rows = Counter(stems.values())
    topics = {name: stem if rows[stem] > 1 else name for name, stem in stems.items()}
    several = {*topics.values()}
    return topics if FEWEST_TOPICS <= len(several) < len(topics) else {}


def bracketed(names: Sequence[str]) -> dict[str, str]:
    """Return what stands before the brackets at the end of each name."""
    return {name: m[1] if (m := IN_BRACKETS.fullmatch(name)) else name for name in names}


def states(
    sheet: Sheet, names: Sequence[str], rules: Mapping[str, tuple[re.Pattern, str]], header: int = 0
) -> tuple[np.ndarray, str]:
    """Return which rows count, and words on those left out; where none would count, all do.

    Args:
        sheet: the table.
        names: its columns, as ``rules`` call them.
        rules: by column the cells of rows that don't count, and why; the first one that fits holds.
        header: how many rows are of the header.
    """
    why: list[str | None] = [*[""] * header, *[None] * (sheet.size - header)]
    for name, (pattern, reason) in rules.items():
        cells = cells_of(sheet, names.index(name)) if name in names else ()
        for at, text in enumerate(cells):
            if why[at] is None and pattern.fullmatch((text or "").strip()):
                why[at] = reason
    left = left_out(why)
    if None not in why and left:
        left = (
            f"; {shown(dict.fromkeys(filter(None, why)), how=str)}: all rows, so none is left out"
        )
        why = [reason and None for reason in why]
    return np.array([reason is None for reason in why], bool), left


def left_out(why: Sequence[str | None]) -> str:
    """Say how many rows are left out, and why: None of those that are not, empty of a header."""
    left = [f"{number} {text}" for text, number in Counter(filter(None, why)).items()]
    return f"; left out: {shown(left, how=str)}" if left else ""


def in_states(sheet: Sheet, place: int, kept: Sequence[bool], what: str, *, is_open: bool) -> Sheet:
    """Return the rows of a valid state, without the column that tells it.

    Args:
        sheet: the table.
        place: of the column of states.
        kept: whether each row's state is a valid one.
        what: says what was recognised; the others are counted behind it.
        is_open: whether others may see it otherwise, so that the column stays and is asked about.
    """
    texts = cells_of(sheet, place)
    pairs = zip(texts, kept, strict=True)
    what += left_out([None if is_kept else text or "empty" for text, is_kept in pairs])
    places = [at for at in range(len(sheet.columns)) if is_open or at != place]
    roles = {STATE: sheet.columns[place]} if is_open else {}
    table = Table(sheet, places, rows=np.array(kept), questions=sheet.questions).sheet(what)
    return replace(table, roles={**sheet.roles, **roles})


def of_topics(topics: Mapping[str, str]) -> str:
    """Say which topics there are; empty without any."""
    names = [name for name, rows in Counter(topics.values()).items() if rows > 1]
    return f"; columns of one question are a topic: {shown(names, how=str)}" if names else ""


def rewritten(
    sheet: Sheet,
    columns: Columns | pd.DataFrame,
    what: str,
    roles: Mapping[str, str] = NO_ROLES,
) -> Sheet:
    """Return a sheet of other columns in the place of a file's; ``what`` says what they are.

    With a role of scenarios, ``roles`` are all that there are.
    """
    cells = {str(name): as_cells(list(texts)) for name, texts in columns.items()}
    lines = (*sheet.recognised, what)
    bare = Sheet(sheet.path, [], 2, sheet.read, recognised=lines, roles={**roles})
    return replace(bare.of_columns(cells), tells_all="scenario" in roles)


def stacked(
    sheet: Sheet, objects: Mapping[str, Mapping[str, str]], called: str, what: str
) -> Sheet:
    """Return a row for each object of each row; ``what`` says what they are.

    Args:
        sheet: a table with columns for each object of a record.
        objects: by their name the new name of each of their columns.
        called: the new column of objects' names.
        what: was recognised.
    """
    within = {column for columns in objects.values() for column in columns}
    others = [name for name in sheet.columns if name not in within]
    parts = [
        sheet.frame([*others, *columns]).rename(columns=columns).assign(**{called: name})
        for name, columns in objects.items()
    ]
    return rewritten(sheet, pd.concat(parts), what)


def rows_of(sheet: Sheet, kept: np.ndarray, what: str = "") -> Sheet:
    """Return some rows of a sheet; ``what`` says what was recognised."""
    return Table(sheet, range(len(sheet.columns)), rows=kept, questions=sheet.questions).sheet(what)


def last_of_each(rows: pd.DataFrame, keys: Sequence[str], when: str) -> pd.DataFrame:
    """Return of rows with the same keys the last one, as a column tells, in the order of times."""
    return rows.sort_values(when, kind="stable").drop_duplicates(keys, keep="last")


def with_named(sheet: Sheet, named: Container[str]) -> Sheet:
    """Return a sheet with those of an export's facts among its columns that settings name."""
    there, known = [*sheet.columns, *sheet.aside], len(sheet.columns)
    places = [at for at, name in enumerate(there) if at < known or name in named]
    table = Table(sheet, places, [there[at] for at in places], questions=sheet.questions)
    return table.sheet("") if places[known:] else sheet


def without(sheet: Sheet, ignored: Container[str]) -> Sheet:
    """Return a sheet as if some columns were not in its file."""
    places = [at for at, name in enumerate(sheet.columns) if name not in ignored]
    table = Table(sheet, places, questions=sheet.questions)
    return table.sheet("") if len(places) < len(sheet.columns) else sheet


@dataclass(frozen=True)
class Table:
    """Columns and rows of a sheet.

    Attributes:
        parent: the sheet.
        places: the position in it of each column.
        names: the columns' names; none for those of the sheet.
        rows: whether each row is kept; None for all.
        questions: the columns that are questions; None if the export doesn't tell.
        wordings: of questions, by column.
        topics: of questions, where some are rows of a matrix.
    """

    parent: Sheet
    places: Sequence[int]
    names: Sequence[str] = ()
    rows: np.ndarray | None = None
    questions: Sequence[str] | None = None
    wordings: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)

    @property
    def weight(self) -> str | None:
        """The column that weights people, as the file says."""
        return self.parent.weight

    @property
    def says_missing(self) -> bool:
        """Whether the file tells which cells are no answers."""
        return self.parent.says_missing

    def sheet(self, what: str) -> Sheet:
        """Return these columns and rows as a sheet; ``what`` says what was recognised."""
        sheet, kept = self.parent, self.parent.kept
        if self.rows is not None:
            kept = np.flatnonzero(self.rows) if kept is None else kept[self.rows]
        names = list(self.names) or [sheet.columns[place] for place in self.places]
        lines = (*sheet.recognised, *([f"{what}{of_topics(self.topics)}"] if what else []))
        result = replace(sheet, columns=names, read=self.columns, recognised=lines)
        result = replace(result, topics=self.topics or sheet.topics, aside=(*self._aside,))
        file = self if self.wordings or sheet.file else None
        return replace(result, kept=kept, questions=self.questions, file=file)

    def columns(
        self, wanted: Sequence[int], *, answers: frozenset[int] = frozenset()
    ) -> list[pa.DictionaryArray]:
        """Return columns at positions, as a sheet reads them."""
        read, places = self.parent.read, [*self.places, *self._aside.values()]
        if self.parent.file is not None:
            there = frozenset(places[at] for at in answers)
            read = partial(self.parent.file.columns, answers=there)
        cells = read([places[at] for at in wanted])
        return cells if self.rows is None else [_chosen(column, self.rows) for column in cells]

    def about(self, wanted: list[int]) -> list[About]:
        """Return the wording of columns at positions."""
        if self.parent.file is not None:
            return self.parent.file.about([self.places[at] for at in wanted])
        return [About(self.wordings.get(self._name(at))) for at in wanted]

    def notes(self, wanted: list[int]) -> list[str]:
        """Return the file's notes; what was recognised is told with its form."""
        file = self.parent.file
        return file.notes([self.places[at] for at in wanted]) if file is not None else []

    @cached_property
    def _aside(self) -> dict[str, int]:
        """The positions in the sheet of its other columns, by name."""
        names = enumerate([*self.parent.columns, *self.parent.aside])
        here, taken = {"", *map(self._name, range(len(self.places)))}, {*self.places}
        return {name: at for at, name in names if at not in taken and name.strip() not in here}

    def _name(self, at: int) -> str:
        return self.names[at] if self.names else self.parent.columns[self.places[at]]


def _chosen(cells: pa.DictionaryArray, rows: np.ndarray) -> pa.DictionaryArray:
    """Return some rows of a column, with no more texts than these have."""
    return cells.filter(pa.array(rows)).cast(pa.string()).dictionary_encode()
