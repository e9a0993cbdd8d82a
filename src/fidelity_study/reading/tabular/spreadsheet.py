"""Sheets of Excel and OpenDocument files: each cell as text, as the spreadsheet shows it."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np
import pyarrow as pa

from fidelity_study.errors import Remedy, refusal
from fidelity_study.reading.tabular.kept import as_cells, library, written
from fidelity_study.reading.tabular.plain import unreadable
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.text import is_note, left_out, rows_above

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
WITH_SHEET = re.compile(rf"(.*(?:{'|'.join(map(re.escape, SUFFIXES))}))#(.+)", re.IGNORECASE)
KINDS = "csv|tsv|tab|parquet|sav|zsav|dta|xlsx|xlsm|xlsb|xls|ods|json|jsonl|ndjson"
ENDS = re.compile(rf"(\.jsonl_results)?(\.({KINDS}))?(\.gz)?$", re.IGNORECASE)
MOST_BYTES = 1 << 31
MOST_CELLS, MOST_TIMES = 1 << 26, 1000
LOOKED_AT, TOO_LONG = 200, 1 << 53
RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
RELATED = "xl/_rels/workbook.xml.rels"
# An error, or a formula without a stored value: the reader returns both as empty cells.
UNREAD_CELL = re.compile(
    rb'<c r="([A-Z]+)(\d+)"(?:[^>"]|"[^"]*")*?(?:'
    rb' t="e"(?:[^>"]|"[^"]*")*>(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)?<v>([^<]*)</v></c>'
    rb'|(?<!t="str")>(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)(?:<v ?/>|<v></v>)?</c>)'
)

SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
CELL = re.compile(rb'<c [^>]*?\br="([A-Z]+)(\d+)"')


def split(path: str) -> tuple[str, str | None]:
    """Return the file of a path such as ``file.xlsx#Sheet name``, and the sheet, None if none."""
    parts = WITH_SHEET.fullmatch(path)
    return (parts[1], parts[2]) if parts and not Path(path).is_file() else (path, None)


def stem(path: str) -> str:
    """Return a file's name without what says its kind, or that of its sheet if it is named."""
    path, sheet = split(path)
    return sheet or ENDS.sub("", Path(path).name)


def others(path: str) -> list[str]:
    """Return the other sheets of the file of a sheet; none of a file that cannot be read."""
    file, named = split(path)
    if named is None:
        return []
    calamine = library("python_calamine", "spreadsheets")
    try:
        with calamine.CalamineWorkbook.from_path(file) as book:
            return [f"{file}#{name}" for name in book.sheet_names if name != named]
    except (calamine.CalamineError, OSError):  # told when the sheet is read
        return []


class Spreadsheet:
    """A sheet that has been read as a whole.

    Attributes:
        names: of its columns, as they stand in the first row below a title.
        first_row: number of the row below the names.
        kept: the position below the names of each row that is read; None if all are.
        notes: what is told of the sheet.
    """

    def __init__(self, path: str, wanted: str | None):
        """Read a sheet; raise DataError if there is no such one, or its first row has no names.

        Args:
            path: the file, with ``#`` and the sheet's name if the user wrote so.
            wanted: the sheet, if it has several and the path names none.
        """
        calamine = library("python_calamine", "spreadsheets")
        file, named = split(path)
        try:
            _refuse_bomb(file)
            _refuse_far_cells(file)
            with calamine.CalamineWorkbook.from_path(file) as book:
                kind = calamine.SheetTypeEnum.WorkSheet
                name, notes = _chosen(path, book, kind, named, wanted)
                sheet = book.get_sheet_by_name(name)
                rows = sheet.to_python(skip_empty_area=False)
                self._merged = sheet.merged_cell_ranges or []
            self._unread = _unread_cells(file, name)
        except (calamine.CalamineError, OSError, BadZipFile, KeyError, ElementTree.ParseError) as e:
            raise unreadable(
                "a spreadsheet, as if it were cut off; download or save it again", e
            ) from e
        below = _popped_notes(rows)
        above = self._above(rows)
        self._places = self._named_columns(rows[above:], above)
        self._rows, self.first_row = rows[above + 1 :], above + 2
        is_filled = np.array([any(cell != "" for cell in row) for row in self._rows], bool)
        several = len(self._places) > 1  # in one column it is an answer that is missing
        self.kept = np.flatnonzero(is_filled) if several and not is_filled.all() else None
        if self.kept is not None:
            empty = shown(map(str, np.flatnonzero(~is_filled) + self.first_row), how=str)
            notes = [*notes, f"rows without a cell are left out: {empty}"]
            self._rows = [self._rows[at] for at in self.kept]
        self.notes = (*notes, *left_out(above, below))
        self.names = [_text(rows[above][place]) or "" for place in self._places]
        self._columns: dict[int, pa.DictionaryArray] = {}

    def columns(self, wanted: Sequence[int]) -> list[pa.DictionaryArray]:
        """Return columns at positions; null where a cell is empty."""
        self._refuse_unread({self._places[position] for position in wanted})
        return [self._column(position) for position in wanted]

    def _column(self, position: int) -> pa.DictionaryArray:
        if position not in self._columns:
            place = self._places[position]
            cells = [row[place] for row in self._rows]
            for at, cell in enumerate(cells):
                if isinstance(cell, float) and abs(cell) >= TOO_LONG:
                    raise refusal(
                        "number-too-long",
                        "has more digits than spreadsheets keep; fill the column with texts from "
                        "the source, or put ",
                        Remedy({"ignore": [self.names[position]]}),
                        row=self.first_row + int(at if self.kept is None else self.kept[at]),
                        column=self.names[position],
                    )
            self._columns[position] = as_cells(list(map(_text, cells)))
        return self._columns[position]

    def _above(self, rows: list[list]) -> int:
        """Return how many rows stand above the columns' names, as titles do."""
        texts = [["" if cell == "" else str(cell) for cell in row] for row in rows[:LOOKED_AT]]
        columns = [column for column in zip(*texts, strict=True) if any(column)]
        return rows_above([list(row) for row in zip(*columns, strict=True)]) or 0 if columns else 0

    def _named_columns(self, rows: list[list], above: int) -> list[int]:
        """Return the places of the columns that hold anything, below a title."""
        if not rows:
            raise refusal("empty-file", "is empty; it needs a header and rows of answers")
        if not any(cell != "" for cell in rows[0]):
            raise refusal(
                "empty-header", "is empty; the first row of a sheet names its columns", row=1
            )
        for start, end in self._merged:
            if start[0] == above:
                raise refusal(
                    "merged-header",
                    f"the cells {_range(start, end)} are merged; unmerge them, and give each "
                    "column a name of its own in the first row",
                    row=above + 1,
                )
        return [i for i in range(len(rows[0])) if any(row[i] != "" for row in rows)]

    def _refuse_unread(self, places: set[int]) -> None:
        """Raise DataError if cells of columns are merged, errors, or without a value."""
        for start, end in self._merged:
            if places.intersection(range(start[1], end[1] + 1)):
                raise refusal(
                    "merged-cells",
                    f"the cells {_range(start, end)} are merged, so that all but the first are "
                    "empty; unmerge and fill them",
                    row=start[0] + 1,
                )
        for row, place, error in self._unread:
            if place in places:
                raise refusal(
                    "unread-cell",
                    f"is the error {error}; mend the formula, or empty the cell"
                    if error
                    else "holds a formula without its value; open the file in a spreadsheet "
                    "program and save it",
                    row=row,
                    column=self.names[self._places.index(place)],
                )


def _popped_notes(rows: list[list]) -> list[str]:
    """Remove empty rows and notes from the end of a sheet; return the notes."""
    notes = list[str]()
    while rows:
        filled = [str(cell) for cell in rows[-1] if cell != ""]
        is_apart = len(rows) > 1 and not any(cell != "" for cell in rows[-2])
        may_be = len(filled) == 1 < len(rows[-1])
        if filled and not (may_be and is_note(filled[0], is_apart=is_apart)):
            break
        notes = [*filled, *notes]
        rows.pop()
    return notes


def _chosen(
    path: str, book, worksheet, named: str | None, wanted: str | None
) -> tuple[str, list[str]]:
    """Return the name of the sheet to read, and what is told of it.

    Of several the one that has several columns is read, if it is the only one.

    Raises:
        DataError: it is not clear which.
    """
    names = [sheet.name for sheet in book.sheets_metadata if sheet.typ == worksheet]
    if named is not None:
        if named not in names:
            raise refusal("no-sheet", f"has no sheet {named!r}; there are: {shown(names)}")
        return named, []
    filled = [name for name in names if book.get_sheet_by_name(name).height]
    if len(filled) > 1 and wanted is not None and wanted not in filled:
        raise refusal("no-sheet", f"has no sheet {wanted!r}; there are: {shown(filled)}")
    tables = [name for name in filled if book.get_sheet_by_name(name).width > 1]
    if len(filled) > 1 and wanted is None and len(tables) == 1:
        return tables[0], [f"its sheet {tables[0]!r} is read, as the others have one column"]
    if len(filled) > 1 and wanted is None:
        raise refusal(
            "several-sheets",
            f"has several sheets: {shown(filled)}; name one, as in {path}#{filled[0]}, or "
            "several in this way; one by the key sheet, too",
        )
    if not filled:
        raise refusal("empty-file", "is empty; it needs a header and rows of answers")
    return (wanted if len(filled) > 1 and wanted is not None else filled[0]), []


def _text(value) -> str | None:
    """Return a cell as a spreadsheet shows it; None for an empty one."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return written(float(value))
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, timedelta) else value or None


def _range(start: tuple[int, int], end: tuple[int, int]) -> str:
    return f"{_letters(start[1])}{start[0] + 1}:{_letters(end[1])}{end[0] + 1}"


def _letters(place: int) -> str:
    """Return the letters of a column."""
    text = ""
    while place >= 0:
        place, rest = divmod(place, 26)
        text, place = chr(ord("A") + rest) + text, place - 1
    return text


def _place(letters: str) -> int:
    """Return the position of a column."""
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _refuse_bomb(file: str) -> None:
    if not is_zipfile(file):
        return
    with ZipFile(file) as parts:
        size = sum(part.file_size for part in parts.infolist())
    if size > MOST_BYTES:
        raise refusal(
            "unpacks-too-large",
            f"unpacks to more than {MOST_BYTES >> 30} GB; save the sheet as CSV UTF-8",
        )


def _refuse_far_cells(file: str) -> None:
    """Raise DataError if a cell stands so far from all others that memory can't hold the sheet."""
    if not file.lower().endswith((".xlsx", ".xlsm")):
        return
    with ZipFile(file) as parts:
        for part in filter(SHEET.fullmatch, parts.namelist()):
            cells = [
                (int(row), _place(name.decode())) for name, row in CELL.findall(parts.read(part))
            ]
            height = max((row for row, _ in cells), default=0)
            width = 1 + max((place for _, place in cells), default=0)
            if height * width > max(MOST_CELLS, MOST_TIMES * len(cells)):
                row, place = max(cells, key=lambda cell: cell[0] * (cell[1] + 1))
                raise refusal(
                    "far-cell",
                    f"the cell {_letters(place)}{row} stands far from all others; delete its row "
                    "and its column in a spreadsheet program, and save the file",
                )


def _unread_cells(file: str, name: str) -> list[tuple[int, int, str]]:
    """Return the row and place of cells that are not empty but read as empty, with their error.

    Only .xlsx and .xlsm files tell.
    """
    if not file.lower().endswith((".xlsx", ".xlsm")):
        return []
    with ZipFile(file) as parts:
        text = parts.read(_part(parts, name))
    return [
        (int(cell[2]), _place(cell[1].decode()), (cell[3] or b"").decode())
        for cell in UNREAD_CELL.finditer(text)
    ]


def _part(parts: ZipFile, name: str) -> str:
    """Return the part of an Excel file that holds a sheet."""

    def parsed(part: str) -> ElementTree.Element:
        return ElementTree.fromstring(parts.read(part))

    sheets = (
        element for element in parsed("xl/workbook.xml").iter() if element.tag.endswith("}sheet")
    )
    wanted = next(sheet.get(RELATIONS) for sheet in sheets if sheet.get("name") == name)
    targets = {element.get("Id"): element.get("Target", "") for element in parsed(RELATED).iter()}
    target = targets[wanted]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
