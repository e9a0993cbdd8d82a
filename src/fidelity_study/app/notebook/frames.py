"""Tables in memory as Parquet, in which each cell means what it means in the table."""

import decimal
import json
import numbers
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fidelity_study.errors import ErrorList, refusal
from fidelity_study.reading.tabular.columns import as_label
from fidelity_study.reading.tabular.parquet import READABLE
from fidelity_study.reading.tabular.questions import is_personal
from fidelity_study.reading.tabular.records import HALF_SIGN

SEVERAL = (list, tuple, set, frozenset, np.ndarray)
OPTIONS = "options"
SHOWN = 40


def frame_of(given: Any, shown: str) -> pd.DataFrame:
    """Return a table as a frame of named columns, which an index with a name is one of.

    Args:
        given: a DataFrame, or anything with ``to_pandas()``; it is left as it is.
        shown: what messages call it.

    Raises:
        DataError: it is no table, or its columns have no names of their own.
    """
    frame = given.to_pandas() if callable(getattr(given, "to_pandas", None)) else given
    if isinstance(frame, pd.Series):
        raise refusal(
            "series", f"is a Series; give a DataFrame, such as {shown}.reset_index()", file=shown
        )
    if not isinstance(frame, pd.DataFrame):
        raise refusal(
            "no-table",
            f"is {_a(frame)}, neither a DataFrame nor the path of a file; give one of them",
            file=shown,
        )
    if frame.columns.nlevels > 1:
        raise refusal(
            "column-levels",
            f"its columns have {frame.columns.nlevels} levels; make one of them: "
            f"{shown}.columns = ['_'.join(map(str, each)) for each in {shown}.columns]",
            file=shown,
        )
    named = [name for name in frame.index.names if name is not None]
    if named:
        frame = frame.reset_index(level=named, allow_duplicates=True)
    if not len(frame) or not len(frame.columns):
        raise refusal(
            "empty-table", "is empty; it needs a column for each of its facts, and rows", file=shown
        )
    names = [str(name) for name in frame.columns]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise refusal(
            "column-twice",
            f"has several columns {', '.join(map(repr, twice))}; rename or drop all but one: "
            f"{shown}.loc[:, ~{shown}.columns.duplicated()]",
            file=shown,
        )
    return frame.set_axis(names, axis="columns")


def unread_index(frame: pd.DataFrame, shown: str) -> Iterator[str]:
    """Yield that an index without a name is not read, unless it only counts the rows."""
    if not frame.index.equals(pd.RangeIndex(len(frame))):
        yield (
            f"{shown}: its index has no name and is not read; if it says something, name it: "
            f"{shown}.rename_axis('...')"
        )


def orders(frame: pd.DataFrame, columns: Iterable[str]) -> set[tuple[str, ...]]:
    """Return the different orders of ordered categories among columns."""
    dtypes = [frame.dtypes[name] for name in columns]
    return {
        tuple(as_label(_text(category) or "") for category in dtype.categories)
        for dtype in dtypes
        if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered
    }


def parquet(frame: pd.DataFrame, shown: str) -> bytes:
    """Return a frame as a Parquet file, the same bytes for the same cells.

    Columns that tell who somebody is, or where, are empty in it.

    Raises:
        DataError: with the faults of all columns that hold neither texts nor numbers.
    """
    faults, arrays = ErrorList(), {}
    for name, column in frame.items():
        with faults.collected():
            hidden = is_personal(str(name))
            arrays[name] = pa.nulls(len(frame)) if hidden else _array(column, str(name), shown)
    faults.refuse()
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays), sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def _array(column: pd.Series, name: str, shown: str) -> pa.Array:
    """Return a column's cells, null where there is none."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        labels = _array(pd.Series(column.cat.categories), name, shown)
        codes = column.cat.codes.to_numpy()
        return labels.take(pa.array(codes, mask=codes < 0))
    if name == OPTIONS:
        column = column.map(_joined)
    try:
        array = pa.Array.from_pandas(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        array = None
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array is None or not any(is_readable(array.type) for is_readable in READABLE):
        return pa.array([_told(cell, name, shown) for cell in column], pa.string())
    if pa.types.is_floating(array.type):
        array = array.cast(pa.float64()) if pa.types.is_float16(array.type) else array
        array = pc.if_else(pc.is_nan(array), None, array)
    return array


def _told(cell: Any, name: str, shown: str) -> str | None:
    try:
        return _text(cell)
    except TypeError:
        place = f"{shown}[{name!r}]"
    if isinstance(cell, SEVERAL) and all(isinstance(option, str | int | float) for option in cell):
        return json.dumps(list(cell), ensure_ascii=False)  # several options were chosen
    if isinstance(cell, SEVERAL):
        what = str(list(cell))[:SHOWN]
        raise refusal(
            "several-in-cell",
            f"holds several in one cell, {what}; one in a row: {shown}.explode({name!r})",
            file=place,
        )
    raise refusal(
        "not-text-or-number",
        f"holds {_a(cell)}, neither text nor a number; make it text, "
        f"{place}.astype('string'), or leave it out, {shown}.drop(columns=[{name!r}])",
        file=place,
    )


def _text(cell: Any) -> str | None:
    """Return a cell as a file has it, None if it is empty; raise TypeError if a file has none."""
    if isinstance(cell, str):
        if half := HALF_SIGN.search(cell):
            raise refusal(
                "half-sign", f"a cell holds {half[0]!r}, half of a sign, which no text has"
            )
        return cell
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if cell is None or cell is pd.NA or cell is pd.NaT or cell != cell:
        return None
    if isinstance(cell, numbers.Real | decimal.Decimal):
        return str(cell)
    raise TypeError(type(cell))


def _joined(cell: Any) -> Any:
    """Return options that are a list as a file has them."""
    return " | ".join(map(str, cell)) if isinstance(cell, SEVERAL) else cell


def _a(thing: Any) -> str:
    name = type(thing).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
