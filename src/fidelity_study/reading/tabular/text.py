"""Text files such as CSV, every cell as text.

``Text.of`` tells how a file is written: its signs, its separator, the lines above the columns'
names and the notes below the rows. ``Text.columns`` has the cells.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import pyarrow as pa
import pyarrow.csv

from fidelity_study.errors import refusal, shortened
from fidelity_study.reading.tabular.plain import Plain, refuse_open_quote, unreadable

COLUMNS_AT_ONCE, LONGEST_ROW = 10_000, 1 << 24
CELL = pa.dictionary(pa.int32(), pa.string())
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
SEPARATOR_LINE = re.compile(r'"?sep=([,;|\t])"?')
NOTE = re.compile(
    r"(sources?|quellen?|fuentes?|fontes?|notes?|notas?|anmerkung(en)?|hinweise?|stand|base|n)"
    r" ?[:=]|(source|quelle|fuente|fonte) |[*#\u00a9] ",
    re.IGNORECASE,
)
NAME = re.compile(r"[^\W\d_]|\d\s?[-\u2013+]|[<>]\s?\d")  # also 18-34 and 55+
LOOKED_AT, MOST_NOTES, LONGEST_NOTE, WORDS_OF_NOTE = 1 << 16, 20, 2_000, 3


@dataclass
class Text:
    """A text file, and how it is written; its rows are parsed when cells are asked for, once.

    Attributes:
        separator: between its columns.
        names: of the columns, as they are written.
        above: how many rows stand above them.
        rows: the text of the rows below them.
        notes: what is told of the file.
    """

    separator: str
    names: list[str]
    above: int
    rows: bytes
    notes: tuple[str, ...]

    @classmethod
    def of(cls, path: str, wanted: str | None, usual: str) -> "Text":
        """Read a file; raise DataError if it has no header.

        Args:
            path: the file.
            wanted: the separator, unless only the usual one separates; None if the file is to say.
            usual: the separator in files of this kind.
        """
        plain = Plain.of(path)
        text = _filled_up(plain.text.rstrip(b"\n"), wanted or usual)
        if not text or text.isspace():
            raise refusal("empty-file", "is empty; it needs a header and rows of answers")
        first = _first_rows(text)
        separator, above = _written_how(first, [wanted, usual] if wanted else [usual, *SEPARATORS])
        refuse_open_quote(text, separator)
        names, rows = _split(first, text, separator, above)
        below = _notes_below(rows, separator, len(names))
        notes = [*plain.notes]
        if separator not in (usual, wanted):
            notes.append(f"its columns are separated by {SEPARATORS[separator]}")
        last = " ".join(rows[-below:].decode().split()).strip(f'{separator}" ') if below else ""
        notes += left_out(above, [last] if below else [])
        rows = rows[: max(0, len(rows) - below)]
        return cls(separator, names, above, rows, tuple(notes))

    def columns(self, wanted: Sequence[int]) -> list[pa.DictionaryArray]:
        """Return columns at positions; null where a cell is empty."""
        return [self._cells[position] for position in wanted]

    @cached_property
    def _cells(self) -> list[pa.DictionaryArray]:
        names = [str(position) for position in range(len(self.names))]
        if not self.rows:
            return [pa.array([], CELL) for _ in names]
        # Each column costs 10 kB as long as it is read, so not too many at once.
        columns: list[pa.DictionaryArray] = []
        for at in range(0, len(names), COLUMNS_AT_ONCE):
            table = self._parsed(names, names[at : at + COLUMNS_AT_ONCE]).unify_dictionaries()
            columns += [column.combine_chunks() for column in table.columns]
        self.rows = b""
        return columns

    def _parsed(self, names: list[str], chosen: list[str]) -> pa.Table:
        ragged = []

        def refuse(row):
            ragged.append(row)
            return "error"

        try:
            return pa.csv.read_csv(
                pa.BufferReader(self.rows),
                read_options=pa.csv.ReadOptions(
                    use_threads=False, block_size=LONGEST_ROW, column_names=names
                ),
                parse_options=pa.csv.ParseOptions(
                    delimiter=self.separator,
                    newlines_in_values=True,
                    ignore_empty_lines=False,
                    invalid_row_handler=refuse,
                ),
                convert_options=pa.csv.ConvertOptions(
                    check_utf8=False,
                    column_types=dict.fromkeys(chosen, CELL),
                    include_columns=chosen,
                    null_values=[""],
                    strings_can_be_null=True,
                ),
            )
        except pa.ArrowException as error:
            if "straddling" in str(error):
                raise refusal(
                    "row-too-long",
                    f"has a row of more than {LONGEST_ROW >> 20} MB; close its double quote, or "
                    "write the answers as a long file, a row for each",
                ) from error
            if not ragged:
                raise unreadable("CSV; write it again", error) from error
        row = ragged[0]
        what = (
            f"ends after {row.actual_columns} of {row.expected_columns} cells; fill it up"
            if row.actual_columns < row.expected_columns
            else f"has {row.actual_columns} cells in {row.expected_columns} columns; put text "
            f"with {self.separator!r} in it in double quotes"
        )
        raise refusal("ragged-row", f"{row.text[:60]!r}: {what}", row=self.above + 1 + row.number)


def _filled_up(text: bytes, separator: str) -> bytes:
    """Return tables below each other, with titles of one cell above each, as rows of one size.

    A header comes again below the titles of each; other texts are as they are.
    """
    first, _, others = text.partition(b"\n")
    if separator.encode() in first or b"\n\n" not in others:
        return text
    with suppress(csv.Error, UnicodeError):
        rows = [*csv.reader(io.StringIO(text.decode()), delimiter=separator)]
        width = max(map(len, rows))
        heads = Counter(
            tuple(row) for above, row in pairwise(rows) if len(above) == 1 and len(row) == width
        )
        is_one = len(heads) == 1 and heads.total() > 1
        if is_one and width > 1 and {*map(len, rows)} <= {0, 1, width}:
            filled = io.StringIO()
            write = csv.writer(filled, delimiter=separator, lineterminator="\n").writerow
            for row in rows:
                write([*row, *[""] * (width - len(row))])
            return filled.getvalue().encode().rstrip(b"\n")
    return text


def _first_rows(text: bytes) -> bytes:
    """Return the first rows of a text, which end where no quote is open."""
    end = text.find(b"\n", LOOKED_AT)
    while end >= 0 and text.count(b'"', 0, end) % 2:
        end = text.find(b"\n", end + 1)
    return text[:end] if end >= 0 else text


def _written_how(text: bytes, likely: list[str]) -> tuple[str, int]:
    """Return the separator of a table, and how many rows are above it.

    That is the first under which all rows have the same number of cells, with fewest rows above; or
    else the first that most lines have.

    Args:
        text: the beginning of the file.
        likely: the separators that there may be, the usual one first.
    """
    lines = text.decode().split("\n")

    def times(sign: str) -> int:
        return sum(sign in line for line in lines)

    if mark := SEPARATOR_LINE.fullmatch(lines[0]):
        return mark[1], 1
    above = {sign: _above(lines, sign) for sign in likely}
    if even := [sign for sign in likely if above[sign] is not None]:
        best = min(even, key=lambda sign: above[sign] or 0)
        return best, above[best] or 0
    common = [sign for sign in likely if sign in lines[0] and 2 * times(sign) > len(lines)]
    if common or not 1 < times(likely[0]) < len(lines) - 1:
        return (common or likely)[0], 0
    unused = [sign for sign in likely if not times(sign)]  # one column, of lists
    return (unused or likely)[0], 0


def _above(lines: list[str], separator: str) -> int | None:
    try:
        return rows_above([*csv.reader(lines, delimiter=separator)])
    except csv.Error:
        return None


def rows_above(rows: Sequence[list[str]]) -> int | None:
    """Return how many rows stand above the names of a table's columns, as titles do.

    Titles have one cell, or fewer than the table has columns. Below them stand names: different
    texts that do not come again. None if rows have different sizes, or all have one cell.
    """
    sizes = Counter(map(len, rows))
    width = max(sizes, key=lambda size: (sizes[size], size))
    may_name = [len(row) == width and any(row[1:]) for row in rows]
    at = may_name.index(True) if any(may_name) else 0
    table = [row for row in rows[at:] if row]
    while len(table) > 1 and len(table[-1]) == 1:
        table.pop()
    if width == 1 or {*map(len, table)} != {width}:
        return None
    if at:
        are_titles = all(len(row) < width or not any(row[1:]) for row in rows[:at])
        columns = [*zip(*table, strict=True)]
        are_names = all(NAME.search(name) and name not in cells for name, *cells in columns)
        if not (are_titles and are_names and len({*table[0]}) == width):
            return None
    return at


def left_out(above: int, below: Iterable[str]) -> list[str]:
    """Return what is told of the rows above the names of a table's columns, and of its notes."""
    notes = [f"below its rows, not read: {shortened(note)!r}" for note in below]
    if above:
        notes.insert(0, f"its columns' names are in row {above + 1}; what is above is not read")
    return notes


def is_note(text: str, *, is_apart: bool) -> bool:
    """Return whether a text that is alone in its row is a note, as on the source.

    It begins with a usual word, or has several where it stands apart, below an empty row.
    """
    return bool(NOTE.match(text)) or (is_apart and len(text.split()) >= WORDS_OF_NOTE)


def _notes_below(text: bytes, separator: str, width: int) -> int:
    """Return how many bytes below the rows are notes, with empty lines above them.

    A line within double quotes is a part of a cell.
    """
    lines = text.rsplit(b"\n", MOST_NOTES)[-MOST_NOTES:] if width > 1 else []
    kept, end = len(lines), len(text)
    for at in reversed(range(len(lines))):
        end -= len(lines[at]) + (at < len(lines) - 1)
        if text.count(b'"', 0, end) % 2:
            continue
        if len(lines[at]) > LONGEST_NOTE:
            break
        first, *others = next(csv.reader([lines[at].decode()], delimiter=separator), []) or [""]
        if any(others):
            break
        is_apart = not others and at > 0 and not lines[at - 1]
        kept = at if is_note(first, is_apart=is_apart) else kept
    while 0 < kept < len(lines) and not lines[kept - 1].strip(separator.encode()):
        kept -= 1
    return sum(len(line) + 1 for line in lines[kept:])


def _split(first: bytes, text: bytes, separator: str, above: int) -> tuple[list[str], bytes]:
    """Return the names of the columns below some of the first rows, and the rows below them."""
    reader = csv.reader(io.StringIO(first.decode()), delimiter=separator, strict=True)
    try:
        *_, names = islice(reader, above + 1)
    except csv.Error as error:
        raise refusal("unreadable", f"the header cannot be read ({error})", row=1) from error
    end = -1
    for _ in range(reader.line_num):
        end = text.find(b"\n", end + 1)
    return names or [""], text[end + 1 :] if end >= 0 else b""
