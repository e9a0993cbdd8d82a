"""Parquet files, every cell as text."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from fidelity_study.errors import DataError, refusal
from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import labelled_ends, says_no_answer
from fidelity_study.reading.tabular.lists import LISTED, ListError, joined, spare
from fidelity_study.reading.tabular.plain import unreadable
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.text import CELL, COLUMNS_AT_ONCE

READABLE = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_null,
    pa.types.is_timestamp,
    pa.types.is_date,
)


class Parquet:
    """A Parquet file; its columns are read when they are asked for, each once.

    Attributes:
        names: of its columns, as they are written.
        left_out: a line on those that are left out, if there are any.
        levels: of ordered categories, by position; they are the options of a question.
    """

    weight: str | None = None
    says_missing: bool = False

    def __init__(self, path: str):
        """Read the file's schema; raise DataError if it is no such file."""
        self._path, self._file = path, _opened(path)
        schema = _flat(self._file.schema_arrow.empty_table()).schema
        if twice := [name for name, times in Counter(schema.names).items() if times > 1]:
            what = "appears twice; give each column its own name"
            raise refusal("column-twice", what, column=twice[0])
        lists = (field for field in schema if pa.types.is_nested(field.type))
        nested = (field.name for field in lists if not _is_readable(field.type))
        self.names, self.left_out = spare(nested, schema.names)
        self._schema = pa.schema([schema.field(name) for name in self.names])
        self._columns: dict[int, pa.DictionaryArray] = {}
        self.levels = self._levels()

    def columns(
        self, wanted: Sequence[int], *, answers: frozenset[int] = frozenset()
    ) -> list[pa.DictionaryArray]:
        """Return columns at positions, of answers or not; null where a cell is empty."""
        new = [at for at in dict.fromkeys(wanted) if at not in self._columns]
        for field in (self._schema.field(at) for at in new):
            if not _is_readable(field.type):
                raise _refusal(field)
        try:
            for start in range(0, len(new), COLUMNS_AT_ONCE):
                self._read(new[start : start + COLUMNS_AT_ONCE])
        except ListError as error:
            raise refusal("list-in-cell", str(error), column=LISTED) from None
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(error) from error
        return [self._columns[at] for at in wanted]

    def _read(self, new: Sequence[int]) -> None:
        # Not as a data set: a folder named year=2024 would add a column of its own.
        texts = [self.names[at] for at in new if pa.types.is_string(self._schema.field(at).type)]
        file = pq.ParquetFile(self._path, metadata=self._file.metadata, read_dictionary=texts)
        table = _flat(file.read([self.names[at] for at in new], use_threads=False))
        for at in new:
            column = table.column(self.names[at])
            is_time = pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)
            if is_time and 0 < len(column) == column.null_count:  # texts that were no times
                raise _refusal(self._schema.field(at))
            self._columns[at] = _as_text(column, are_options=self.names[at].strip() == LISTED)

    def about(self, wanted: list[int]) -> list[About]:
        """Return the levels of columns at positions."""
        return [
            About(
                options=options,
                is_ordinal=position in self.levels,
                labels={**dict(zip(options, options, strict=True)), **_codes_of_ends(options)},
            )
            for position in wanted
            for options in [self.levels.get(position, ())]
        ]

    def notes(self, wanted: list[int]) -> list[str]:
        """Return which columns have levels, and those."""
        named: dict[tuple[str, ...], list[str]] = {}
        for position in wanted:
            if position in self.levels:
                named.setdefault(self.levels[position], []).append(self.names[position])
        return [
            f"the ordered categories of {shown(some)} are the options: {shown(levels, how=str)}"
            for levels, some in named.items()
        ]

    def _levels(self) -> dict[int, tuple[str, ...]]:
        """Return the levels of ordered categories."""
        ordered = {
            at: field.name for at, field in enumerate(self._schema) if _is_ordered(field.type)
        }
        if not ordered or not self._file.num_row_groups:
            return {}
        try:
            table = _flat(self._file.read_row_group(0, columns=list(ordered.values())))
            levels = {
                at: tuple(map(str, table[name].chunk(0).dictionary.cast(pa.string()).to_pylist()))
                for at, name in ordered.items()
            }
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(error) from error
        numbers = _numbers_of_categories(self._file.schema_arrow)
        return {at: level for at, level in levels.items() if numbers.get(ordered[at]) == len(level)}


def _codes_of_ends(levels: Sequence[str]) -> dict[str, str]:
    """Return the labelled ends of a scale by their numbers, where its other steps are numbers.

    >>> _codes_of_ends(["Left", "2", "3", "4", "5", "Right", "Don't know"])
    {'1': 'Left', '6': 'Right'}
    """
    steps = [level for level in levels if not says_no_answer(level)]
    numbers = [number for step in steps if (number := as_number(step)) is not None]
    if not steps or {*labelled_ends(steps)} != {steps[0], steps[-1]}:
        return {}
    below, above = 2 * numbers[0] - numbers[1], 2 * numbers[-1] - numbers[-2]
    return {f"{below:g}": steps[0], f"{above:g}": steps[-1]}


def _flat(table: pa.Table) -> pa.Table:
    """Return a table with the fields of objects as columns, as in ``answers.q1``."""
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return table


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


def _opened(path: str) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(error) from error


def _unreadable(error: Exception) -> DataError:
    if "Exceeded size limit" in str(error):
        return refusal(
            "too-many-columns",
            "has more columns or row groups than can be read; write the answers as a long "
            "file, a row for each",
        )
    return unreadable("Parquet; write it again", error)


def _is_readable(held: pa.DataType) -> bool:
    within = held.value_type if pa.types.is_dictionary(held) or _is_list(held) else held
    return any(is_readable(within) for is_readable in READABLE)


def _refusal(field: pa.Field) -> DataError:
    return refusal(
        "not-text-or-number",
        f"holds {field.type}, neither text nor numbers; write it as one of them, or drop the "
        "column",
        column=field.name,
    )


def _is_list(held: pa.DataType) -> bool:
    return pa.types.is_list(held) or pa.types.is_large_list(held)


def _as_text(column: pa.ChunkedArray, *, are_options: bool) -> pa.DictionaryArray:
    if _is_list(column.type):
        lists = column.cast(pa.list_(pa.string())).to_pylist()
        written = joined if are_options else partial(json.dumps, ensure_ascii=False)
        texts = [None if options is None else written(options) for options in lists]
        return pa.array(texts, pa.string()).dictionary_encode()
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if pa.types.is_dictionary(column.type):
        cells = column.unify_dictionaries().combine_chunks()
    else:
        cells = column.combine_chunks().dictionary_encode()
    if cells.dictionary.null_count:
        cells = cells.dictionary.take(cells.indices).dictionary_encode()
    if cells.type == CELL:
        return cells
    codes, texts = cells.indices.cast(pa.int32()), cells.dictionary.cast(pa.string())
    return pa.DictionaryArray.from_arrays(codes, texts)
