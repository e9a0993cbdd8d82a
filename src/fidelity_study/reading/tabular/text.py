"""Text files such as CSV, a block of rows at a time, every cell as text.

``columns`` parses several blocks at once. No more than a few of them are in memory.
"""

import csv
import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, groupby

import pyarrow as pa
import pyarrow.csv

from fidelity_study.errors import IN_CONFIG, ConfigWords, Remedy, refusal
from fidelity_study.reading.tabular.blocks import Block, blocks

BLOCK, BLOCK_OF_WIDE = 1 << 22, 1 << 24
COLUMNS_AT_ONCE = 10_000
WORKERS = 2
CELL = pa.dictionary(pa.int32(), pa.string())
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
NEVER_WRITTEN = "\x1f"
SAMPLE = 1 << 18


class RowError(Exception):
    """A row with too few or too many cells."""

    def __init__(self, number: int, what: str):
        """Set the message ``what``; ``number`` counts the rows of the block from 1."""
        super().__init__(what)
        self.number = number


def header(path: str, separator: str) -> list[str]:
    """Return the columns' names as they are written."""
    rows = blocks(path, separator, BLOCK)
    first = next(rows, None)
    if first is None or not any(block.text.strip() for block in chain([first], rows)):
        raise refusal("empty-file", "is empty; it needs a header and rows of answers", file=path)
    names, _ = _split(path, first, separator)
    for other, name in OTHER_SEPARATORS.items():
        if len(names) == 1 and other != separator and other in names[0]:
            raise refusal(
                "other-separator",
                f"its columns seem to be separated by {name}; ",
                ConfigWords("save it with commas, or "),
                "put ",
                Remedy({"separator": other}),
                IN_CONFIG,
                file=path,
                row=1,
            )
    return names


def separator_of(path: str, wanted: str, usual: str) -> str:
    """Return the separator of a file's columns: ``wanted``, unless only the usual one separates."""
    first = next(blocks(path, wanted, BLOCK), None)
    names = _split(path, first, wanted)[0] if first else []
    return usual if len(names) == 1 and usual in names[0] else wanted


def columns(
    path: str, separator: str, size: int, wanted: list[list[int]]
) -> Iterator[list[pa.DictionaryArray]]:
    """Yield groups of columns, each stacked, some rows at a time; null where a cell is empty.

    Args:
        path: the file.
        separator: between its columns.
        size: how many there are.
        wanted: the positions of each group.
    """
    rows = blocks(path, separator, BLOCK if size <= COLUMNS_AT_ONCE else BLOCK_OF_WIDE)
    _, first = _split(path, next(rows), separator)
    parse = partial(_parsed, separator=separator, size=size, wanted=wanted)
    row = 1
    with ThreadPoolExecutor(WORKERS) as pool:
        try:
            for arrays in ahead(pool, parse, _texts(first, rows)):
                yield arrays
                row += len(arrays[0]) // len(wanted[0])
        except RowError as error:
            row += error.number
            raise refusal("ragged-row", str(error), file=path, row=row) from None
        except pa.ArrowException as error:
            raise refusal(
                "unreadable", f"cannot be read as CSV; write it again ({error})", file=path
            ) from error


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


def _split(path: str, block: Block, separator: str) -> tuple[list[str], bytes]:
    """Return the names of the columns, and the rows below them."""
    text = io.StringIO(block.text.decode())
    reader = csv.reader(text, delimiter=separator, strict=True)
    try:
        names = next(reader)
    except csv.Error as error:
        raise refusal(
            "unreadable", f"the header cannot be read ({error})", file=path, row=1
        ) from error
    end = -1
    for _ in range(reader.line_num):
        end = block.text.find(b"\n", end + 1)
    return names or [""], block.text[end + 1 :] if end >= 0 else b""
