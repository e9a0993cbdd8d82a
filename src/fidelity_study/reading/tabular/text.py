"""Text files such as CSV, a block of rows at a time, every cell as text.

``Text.of`` tells how a file is written: its signs, its separator, the lines above the columns'
names and the notes below the rows. ``Text.columns`` parses several blocks at once. No more than a
few of them are in memory.
"""

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice

import pyarrow as pa
import pyarrow.csv

from fidelity_study.errors import refusal, shortened
from fidelity_study.reading.tabular.blocks import Block, blocks, notes_on_signs, unreadable

BLOCK, BLOCK_OF_WIDE = 1 << 22, 1 << 24
COLUMNS_AT_ONCE = 10_000
WORKERS = 2
CELL = pa.dictionary(pa.int32(), pa.string())
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
SEPARATOR_LINE = re.compile(r'"?sep=([,;|\t])"?')
NOTE = re.compile(
    r"(sources?|quellen?|fuentes?|fontes?|notes?|notas?|anmerkung(en)?|hinweise?|stand|base|n)"
    r" ?[:=]|(source|quelle|fuente|fonte) |[*#\u00a9] ",
    re.IGNORECASE,
)
LETTER = re.compile(r"[^\W\d_]")
LOOKED_AT, MOST_NOTES, LONGEST_NOTE, WORDS_OF_NOTE = 1 << 16, 20, 2_000, 3
NEVER_WRITTEN = "\x1f"
SAMPLE = 1 << 18


class RowError(Exception):
    """A row with too few or too many cells."""

    def __init__(self, number: int, what: str):
        """Set the message ``what``; ``number`` counts the rows of the block from 1."""
        super().__init__(what)
        self.number = number


@dataclass(frozen=True)
class Text:
    """A text file, and how it is written.

    Attributes:
        path: the file.
        separator: between its columns.
        names: of the columns, as they are written.
        above: how many rows stand above them.
        below: how many bytes below the rows are notes.
        notes: what is told of the file.
    """

    path: str
    separator: str
    names: list[str]
    above: int
    below: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, path: str, wanted: str | None, usual: str) -> "Text":
        """Read the beginning of a file, and its end if that is near.

        Args:
            path: the file.
            wanted: the separator, unless only the usual one separates; None if the file is to say.
            usual: the separator in files of this kind.
        """
        rows = blocks(path, wanted or usual, LOOKED_AT)
        first = next(rows, None)
        if first is None or not any(block.text.strip() for block in chain([first], rows)):
            raise refusal(
                "empty-file", "is empty; it needs a header and rows of answers", file=path
            )
        separator, above = _written_how(
            first.text, [wanted, usual] if wanted else [usual, *SEPARATORS]
        )
        rows = blocks(path, separator, BLOCK)
        names, text = _split(path, next(rows), separator, above)
        below = _notes_below(text, separator, len(names)) if next(rows, None) is None else 0
        notes = [*notes_on_signs(path)]
        if separator not in (usual, wanted):
            notes.append(f"its columns are separated by {SEPARATORS[separator]}")
        last = " ".join(text[-below:].decode().split()).strip(f'{separator}" ') if below else ""
        notes += left_out(above, [last] if below else [])
        return cls(path, separator, names, above, below, tuple(notes))

    def columns(self, wanted: list[list[int]]) -> Iterator[list[pa.DictionaryArray]]:
        """Yield groups of columns, each stacked, some rows at a time; null where a cell is empty.

        Args:
            wanted: the positions of each group.
        """
        path, separator, size = self.path, self.separator, len(self.names)
        rows = blocks(path, separator, BLOCK if size <= COLUMNS_AT_ONCE else BLOCK_OF_WIDE)
        _, first = _split(path, next(rows), separator, self.above)
        first = first[: len(first) - self.below]
        parse = partial(_parsed, separator=separator, size=size, wanted=wanted)
        row = self.above + 1
        with ThreadPoolExecutor(WORKERS) as pool:
            try:
                for arrays in ahead(pool, parse, _texts(first, rows)):
                    yield arrays
                    row += len(arrays[0]) // len(wanted[0])
            except RowError as error:
                row += error.number
                raise refusal("ragged-row", str(error), file=path, row=row) from None
            except pa.ArrowException as error:
                raise unreadable(path, "CSV; write it again", error) from error


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
        are_names = all(LETTER.search(name) and name not in cells for name, *cells in columns)
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
    lines = text.split(b"\n")[-MOST_NOTES:] if width > 1 else []
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


def stacked(columns: list[pa.Array]) -> pa.Array:
    """Return columns one below the other."""
    return columns[0] if len(columns) == 1 else pa.concat_arrays(columns)


def _texts(first: bytes, rows: Iterator[Block]) -> Iterator[bytes]:
    if first:
        yield first
    for block in rows:
        yield block.text


def ahead(pool: ThreadPoolExecutor, work: Callable, jobs: Iterable) -> Iterator:
    """Yield the results of the jobs, in their order; some are computed ahead of time."""
    waiting: deque = deque()
    for job in jobs:
        waiting.append(pool.submit(work, job))
        if len(waiting) > WORKERS:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _parsed(
    text: bytes, *, separator: str, size: int, wanted: list[list[int]]
) -> list[pa.DictionaryArray]:
    """Return groups of columns of a text that has ``size`` of them."""
    rows = _different_rows(text)
    if rows is None:
        return _columns(text, separator, size, wanted)
    different = b"\n".join(row.encode() for row in rows.dictionary.to_pylist())
    try:
        columns = _columns(
            different, separator, size, [[i] for positions in wanted for i in positions]
        )
    except RowError:
        return _columns(text, separator, size, wanted)
    taken = (_taken(column, rows.indices) for column in columns)
    return [stacked([next(taken) for _ in positions]) for positions in wanted]


def _different_rows(text: bytes) -> pa.DictionaryArray | None:
    """Return the rows of a text as whole; None if most are different, or it is not clear."""
    sample = text[:SAMPLE].split(b"\n")
    if 2 * len(set(sample)) > len(sample) or b'"' in text or NEVER_WRITTEN.encode() in text:
        return None
    rows = _read_csv(text, NEVER_WRITTEN, ["row"], ["row"]).column(0).combine_chunks()
    return None if rows.null_count else rows


def _taken(column: pa.DictionaryArray, rows: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(column.indices.take(rows), column.dictionary)


def _columns(
    text: bytes, separator: str, size: int, wanted: list[list[int]]
) -> list[pa.DictionaryArray]:
    parts: list[list[pa.DictionaryArray]] = [[] for _ in wanted]
    places = [(group, position) for group, positions in enumerate(wanted) for position in positions]
    names = [str(position) for position in range(size)]
    # Each column costs 10 kB as long as it is read, so not too many at once.
    for start in range(0, len(places), COLUMNS_AT_ONCE):
        some = places[start : start + COLUMNS_AT_ONCE]
        table = _read_csv(text, separator, names, [names[position] for _, position in some])
        for group, pairs in groupby(zip(some, table.columns, strict=True), lambda pair: pair[0][0]):
            parts[group].append(stacked([column.combine_chunks() for _, column in pairs]))
    return [stacked(part) for part in parts]


def _read_csv(text: bytes, separator: str, names: list[str], chosen: list[str]) -> pa.Table:
    ragged = []

    def refuse(row):
        ragged.append(row)
        return "error"

    try:
        return pa.csv.read_csv(
            pa.BufferReader(text),
            read_options=pa.csv.ReadOptions(
                use_threads=False, block_size=len(text) + 1, column_names=names
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=separator,
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
    except pa.ArrowException:
        if not ragged:
            raise
        row = ragged[0]
        what = (
            f"ends after {row.actual_columns} of {row.expected_columns} cells; fill it up"
            if row.actual_columns < row.expected_columns
            else f"has {row.actual_columns} cells in {row.expected_columns} columns; put text "
            f"with {separator!r} in it in double quotes"
        )
        raise RowError(row.number, f"{row.text[:60]!r}: {what}") from None


def _split(path: str, block: Block, separator: str, above: int) -> tuple[list[str], bytes]:
    """Return the names of the columns below some rows, and the rows below the names."""
    text = block.text
    reader = csv.reader(io.StringIO(text.decode()), delimiter=separator, strict=True)
    try:
        *_, names = islice(reader, above + 1)
    except csv.Error as error:
        raise refusal(
            "unreadable", f"the header cannot be read ({error})", file=path, row=1
        ) from error
    end = -1
    for _ in range(reader.line_num):
        end = text.find(b"\n", end + 1)
    return names or [""], text[end + 1 :] if end >= 0 else b""
