"""Parquet files, some rows at a time; every cell as text."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq

from fidelity_study.errors import DataError
from fidelity_study.tabular.text import CELL, stacked

CELLS = 1 << 21
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
    schema = _opened(path).schema_arrow
    groups = [[schema.field(position) for position in group] for group in wanted]
    fields = [field for group in groups for field in group]
    for field in fields:
        _refuse_unreadable(path, field)
    # Not as a data set: a folder named year=2024 would add a column of its own.
    file = _opened(path, [field.name for field in fields if pa.types.is_string(field.type)])
    batches = file.iter_batches(
        batch_size=max(1, CELLS // len(fields)), columns=[field.name for field in fields]
    )
    with ThreadPoolExecutor(1) as pool:
        ahead = pool.submit(_next, batches, groups)
        try:
            while (arrays := ahead.result()) is not None:
                ahead = pool.submit(_next, batches, groups)
                yield arrays
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(path, error) from error


def _next(
    batches: Iterator[pa.RecordBatch], groups: list[list[pa.Field]]
) -> list[pa.DictionaryArray] | None:
    batch = next(batches, None)
    if batch is None:
        return None
    return [stacked([_as_text(batch.column(field.name)) for field in each]) for each in groups]


def _opened(path: str, read_dictionary: list[str] | None = None) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path, read_dictionary=read_dictionary)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> DataError:
    if "Exceeded size limit" in str(error):
        return DataError(
            f"{path}: has more columns or row groups than can be read; write the answers as a "
            "long file, a row for each"
        )
    return DataError(f"{path}: cannot be read as Parquet; write it again ({error})")


def _refuse_unreadable(path: str, field: pa.Field) -> None:
    held = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if not any(each(held) for each in READABLE):
        raise DataError(
            f"{path}, column {field.name!r}: holds {held}, neither text nor numbers; "
            "write it as one of them, or drop the column"
        )


def _as_text(column: pa.Array) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if column.dictionary.null_count:
        column = column.dictionary.take(column.indices).dictionary_encode()
    if column.type == CELL:
        return column
    codes, texts = column.indices.cast(pa.int32()), column.dictionary.cast(pa.string())
    return pa.DictionaryArray.from_arrays(codes, texts)
