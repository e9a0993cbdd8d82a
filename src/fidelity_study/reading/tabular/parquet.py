"""Parquet files, some rows at a time; every cell as text."""

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, repeat, takewhile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fidelity_study.errors import DataError, refusal
from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.blocks import unreadable
from fidelity_study.reading.tabular.lists import LISTED, ListError, joined
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.text import CELL, WORKERS, ahead, stacked

CELLS = 1 << 20
NEAR = 1 << 6
READABLE = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_null,
)


def header(path: str) -> list[str]:
    """Return the columns' names as they are written."""
    return _opened(path).schema_arrow.names


def columns(path: str, wanted: list[list[int]]) -> Iterator[list[pa.DictionaryArray]]:
    """Yield groups of columns at positions, each stacked, some rows at a time; null where empty."""
    file = _opened(path)
    schema = file.schema_arrow
    groups = [[schema.field(position) for position in group] for group in wanted]
    fields = [field for group in groups for field in group]
    for field in fields:
        _refuse_unreadable(path, field)
    # Not as a data set: a folder named year=2024 would add a column of its own.
    texts = [field.name for field in fields if pa.types.is_string(field.type)]
    again = partial(pq.ParquetFile, path, metadata=file.metadata, read_dictionary=texts)
    names = [[field.name for field in group] for group in groups]
    try:
        yield from _batches(again, [field.name for field in fields], partial(_grouped, names))
    except ListError as error:
        raise refusal("list-in-cell", str(error), file=path, column=LISTED) from None
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


class Categories:
    """The ordered categories of a Parquet file: their levels are the options of a question."""

    weight: str | None = None
    says_missing: bool = False

    def __init__(self, path: str, levels: Mapping[int, tuple[str, ...]]):
        """Take the levels of columns at positions."""
        self._path, self._levels = path, levels

    def columns(
        self, wanted: list[list[int]], *, answers: frozenset[int] = frozenset()
    ) -> Iterator[list[pa.DictionaryArray]]:
        """Yield groups of columns, each stacked; it doesn't matter which are of answers."""
        yield from columns(self._path, wanted)

    def about(self, wanted: list[int]) -> list[About]:
        """Return the levels of columns at positions."""
        return [
            About(
                options=options,
                is_ordinal=position in self._levels,
                labels=dict(zip(options, options, strict=True)),
            )
            for position in wanted
            for options in [self._levels.get(position, ())]
        ]

    def notes(self, wanted: list[int]) -> list[str]:
        """Return which columns have levels, and those."""
        named: dict[tuple[str, ...], list[str]] = {}
        names = header(self._path)
        for position in wanted:
            if position in self._levels:
                named.setdefault(self._levels[position], []).append(names[position])
        return [
            f"the ordered categories of {shown(some)} are the options: {shown(levels, how=str)}"
            for levels, some in named.items()
        ]


def categories(path: str) -> Categories | None:
    """Return the ordered categories of a file, None if it has none."""
    file = _opened(path)
    fields = list(enumerate(file.schema_arrow))
    ordered = {at: field.name for at, field in fields if _is_ordered(field.type)}
    if not ordered or not file.num_row_groups:
        return None
    try:
        table = file.read_row_group(0, columns=list(ordered.values()))
        levels = {
            at: tuple(map(str, table[name].chunk(0).dictionary.cast(pa.string()).to_pylist()))
            for at, name in ordered.items()
        }
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error
    numbers = _numbers_of_categories(file.schema_arrow)
    whole = {at: level for at, level in levels.items() if numbers.get(ordered[at]) == len(level)}
    return Categories(path, whole) if whole else None


def _is_ordered(held: pa.DataType) -> bool:
    is_text = pa.types.is_dictionary(held) and pa.types.is_string(held.value_type)
    return is_text and held.ordered


def _numbers_of_categories(schema: pa.Schema) -> dict[str, int]:
    """Return how many categories pandas' columns have."""
    about = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    facts = (
        (column["field_name"], column.get("metadata") or {}) for column in about.get("columns", ())
    )
    return {name: fact["num_categories"] for name, fact in facts if "num_categories" in fact}


def _batches(
    opened: Callable[[], pq.ParquetFile], names: list[str], work: Callable[[pa.RecordBatch], list]
) -> Iterator[list[pa.DictionaryArray]]:
    """Yield what ``work`` makes of some rows, of row groups if they are small, else of pieces.

    It is called beside the caller, some rows ahead.
    """
    file, most = opened(), max(1, CELLS // len(names))
    rows = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    if max(rows, default=0) <= most:
        read = partial(_row_groups, opened, names, work)
        with ThreadPoolExecutor(WORKERS) as pool:
            yield from chain.from_iterable(ahead(pool, read, _together(rows, most)))
    else:
        made = map(work, file.iter_batches(most, columns=names))
        with ThreadPoolExecutor(1) as pool:
            read_ahead = ahead(pool, lambda _: next(made, None), repeat(0))
            yield from takewhile(lambda arrays: arrays is not None, read_ahead)


def _together(rows: list[int], most: int) -> list[list[int]]:
    """Return the positions of row groups, as many together as have no more than ``most`` rows."""
    parts: list[list[int]] = [[]]
    size = 0
    for i, count in enumerate(rows):
        if size + count > most:
            parts.append([])
            size = 0
        parts[-1].append(i)
        size += count
    return parts


def _row_groups(
    opened: Callable[[], pq.ParquetFile],
    names: list[str],
    work: Callable[[pa.RecordBatch], list],
    part: list[int],
) -> list[list[pa.DictionaryArray]]:
    table = opened().read_row_groups(part, names, use_threads=False)
    return [work(batch) for batch in table.combine_chunks().to_batches()]


def _grouped(groups: list[list[str]], batch: pa.RecordBatch) -> list[pa.DictionaryArray]:
    """Return groups of columns, each stacked, as text."""
    return [_stacked([batch[name] for name in group]) for group in groups]


def _stacked(columns: list[pa.Array]) -> pa.DictionaryArray:
    held = columns[0].type
    if pa.types.is_dictionary(held) or any(column.type != held for column in columns):
        return stacked([_as_text(column) for column in columns])
    return _as_text(stacked(columns))


def _opened(path: str) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> DataError:
    if "Exceeded size limit" in str(error):
        return refusal(
            "too-many-columns",
            "has more columns or row groups than can be read; write the answers as a long "
            "file, a row for each",
            file=path,
        )
    return unreadable(path, "Parquet; write it again", error)


def _refuse_unreadable(path: str, field: pa.Field) -> None:
    held = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if field.name.strip() == LISTED and _is_list(held):
        held = held.value_type
    if not any(is_readable(held) for is_readable in READABLE):
        raise refusal(
            "not-text-or-number",
            f"holds {held}, neither text nor numbers; write it as one of them, or drop the column",
            file=path,
            column=field.name,
        )


def _is_list(held: pa.DataType) -> bool:
    return pa.types.is_list(held) or pa.types.is_large_list(held)


def _as_text(column: pa.Array) -> pa.DictionaryArray:
    if _is_list(column.type):
        lists = column.cast(pa.list_(pa.string())).to_pylist()
        column = pa.array([joined(options) if options else None for options in lists], pa.string())
    near = _near_numbers(column) if pa.types.is_integer(column.type) else None
    if near is not None:
        return near
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if column.dictionary.null_count:
        column = column.dictionary.take(column.indices).dictionary_encode()
    if column.type == CELL:
        return column
    codes, texts = column.indices.cast(pa.int32()), column.dictionary.cast(pa.string())
    return pa.DictionaryArray.from_arrays(codes, texts)


def _near_numbers(column: pa.Array) -> pa.DictionaryArray | None:
    """Return whole numbers near each other as texts, faster than by hashing; None for others."""
    some = column.slice(0, NEAR).drop_null()
    if not len(some):
        return None
    numbers = column.fill_null(some[0]).to_numpy(zero_copy_only=False)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= NEAR:
        return None
    codes = (numbers - numbers.dtype.type(low)).astype(np.uint8)
    there = [code for code in range(high - low + 1) if (codes == code).any()]
    texts = pa.array([str(low + code) for code in there], pa.string())
    if len(there) <= high - low:
        codes = np.searchsorted(there, codes)
    indices = pa.array(codes.astype(np.int32))
    if column.null_count:
        indices = pc.if_else(column.is_valid(), indices, None)
    return pa.DictionaryArray.from_arrays(indices, texts, safe=False)
