"""Answers that are vectors: columns x1, x2, ..., a column of lists, or a .npy file beside a table.

Or paths: long files with a row for each point in ``time``, whose other columns say whose it is. The
paths of a question are read off at the times of all, if these are the same; else, by straight lines
between points, at 50 equally spaced times that all of them span.

An answer is read as the name of its row (or path), and the vector again where it is needed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fidelity_study.errors import BLANK, IN_CONFIG, refusal
from fidelity_study.reading.settings import VECTOR
from fidelity_study.reading.tabular.files import Sheet, named_files, opened
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.remedies import VECTORS, of_columns

VALUE, TIME, NUMBERED = "value", "time", re.compile(r"x\d+")
GRID, FEWEST_TIMES, SEPARATORS = 50, 2, ",;\t"
LISTS, BESIDE = ("vector", "embedding"), ".npy"
AS_PATHS = ("; if rows are points of one path in time, put ", VECTORS, IN_CONFIG)


def columns_of(path: str, names: Sequence[str]) -> list[str] | None:
    """Return the columns that hold a file's vectors: x1, x2, ... or one of lists.

    Returns:
        No columns where the vectors are in a file beside; None where there are none.
    """
    numbered = sorted(filter(NUMBERED.fullmatch, names), key=lambda name: int(name[1:]))
    if numbered:
        return numbered
    listed = [name for name in LISTS if name in names]
    if listed:
        return listed[:1]
    return [] if Path(_beside(path)).is_file() else None


def files_read(options: dict, kind: str) -> list[str]:
    """Return the files that a dataset is read from: those named, and .npy files beside them.

    Args:
        options: the dataset's own settings.
        kind: of its outcome.
    """
    named = named_files(options)
    answers = [path for path in named if path != options.get("scenarios")]
    beside = [_beside(path) for path in answers if kind == VECTOR and has_vectors_beside(path)]
    return list(dict.fromkeys([*named, *beside]))


def has_vectors_beside(path: str) -> bool:
    """Whether the vectors of a table are in a file beside it, and not in its own columns."""
    if not Path(_beside(path)).is_file():
        return False
    try:
        return columns_of(path, _header(path)) == []
    except (OSError, ValueError):
        return True


def _beside(path: str) -> str:
    return str(Path(path).with_suffix(BESIDE))


def opened_answers(path: str, reading: Reading) -> Sheet:
    """Open a file of answers; where these are vectors, with their rows' names in their place."""
    sheet = opened(path, reading)
    return with_rows(sheet, reading.value) if reading.vectors else sheet


def with_rows(sheet: Sheet, value: str) -> Sheet:
    """Return the sheet with the name of its row in place of each vector, or a row for each path.

    Args:
        sheet: of answers.
        value: the column of the values of paths, and of the names in what is returned.

    Raises:
        DataError: if it has no vectors.
    """
    of_vectors = columns_of(sheet.path, sheet.columns)
    if of_vectors is None and {TIME, value}.issubset(sheet.columns):
        return _with_paths(sheet, value)
    if of_vectors is None and TIME in sheet.columns:
        raise sheet.fault(
            "no-values-of-paths",
            f"has a column {TIME}, as paths do, but no column {value!r}; name the one of values",
            IN_CONFIG,
            ": ",
            of_columns(value=BLANK),
        )
    if of_vectors is None:
        beside = Path(_beside(sheet.path)).name
        raise sheet.fault(
            "no-vectors",
            f"has no vectors; give each answer's as columns x1, x2, ..., in a column vector of "
            f"lists (Parquet), as a row of {beside} beside it, or as a path: a row for each point, "
            "with columns time, value and respondent",
        )
    kept = [place for place, name in enumerate(sheet.columns) if name not in of_vectors]
    if not kept:
        raise sheet.fault("no-scenario-column", "has vectors alone; add the column scenario")
    names = [sheet.columns[place] for place in kept]
    read = partial(_read, sheet, kept)
    return replace(sheet, columns=[*names, value], read=read, file=None)


def _with_paths(sheet: Sheet, value: str) -> Sheet:
    """Return a sheet with a row for each path."""
    whose = [name for name in sheet.columns if name not in (TIME, value)]
    table = _points_of_paths(sheet.path)
    number = _number_of_paths(table, value)
    if (np.bincount(number) < FEWEST_TIMES).all():
        raise sheet.fault(
            "no-paths",
            f"has a column {TIME}, but no path with two points: rows with the same "
            f"{', '.join(whose)} are one path; add a column respondent that names it",
        )
    first = table.iloc[np.unique(number, return_index=True)[1]]
    columns = [
        *(first[name] for name in whose),
        pd.Series([f"{sheet.path}:{path}" for path in range(len(first))]),
    ]

    def read(wanted: list[list[int]]) -> Iterator[list[pa.DictionaryArray]]:
        for_groups = (np.concatenate([columns[place] for place in group]) for group in wanted)
        yield [pa.array(texts, pa.string()).dictionary_encode() for texts in for_groups]

    return replace(sheet, columns=[*whose, value], read=read, file=None)


def _points_of_paths(path: str) -> pd.DataFrame:
    """Return the points of a file's paths, all cells as texts."""
    if path.endswith(".parquet"):
        table = pd.read_parquet(path).astype(str)
    else:
        table = pd.read_csv(path, sep=_separator(path), dtype=str)
    return table.rename(columns=str.strip)


def _number_of_paths(table: pd.DataFrame, value: str) -> np.ndarray:
    """Return the number of the path of each point, in the order in which paths begin."""
    whose = [name for name in table if name not in (TIME, value)]
    return table.groupby(whose, sort=False, dropna=False).ngroup().to_numpy()


def _separator(path: str) -> str:
    """Return the sign between the columns of a text file, which its header has most."""
    header = pd.read_csv(path, nrows=0, sep="\0", engine="python").columns[0]
    return max(SEPARATORS, key=header.count)


TimedPath = tuple[np.ndarray, np.ndarray]


def _paths(path: str, column: str) -> list[TimedPath]:
    """Return the times, in order, and values of each path of a file."""
    table = _points_of_paths(path)
    number = _number_of_paths(table, column)
    time, value = (pd.to_numeric(table[name], errors="coerce") for name in (TIME, column))
    wrong = ~np.isfinite(time.to_numpy(float) + value.to_numpy(float))
    if wrong.any():
        at = int(wrong.argmax())
        what = f"{TIME} or {column} is no number"
        raise refusal("not-a-path", what, file=path, row=at + 2)
    order = np.lexsort((time, number))
    time, value = time.to_numpy(float)[order], value.to_numpy(float)[order]
    twice = (np.diff(time) == 0.0) & (np.diff(number[order]) == 0)
    if twice.any():
        at = int(order[1:][twice][0])
        raise refusal("not-a-path", "a path has this time twice", file=path, row=at + 2)
    ends = np.flatnonzero(np.diff(number[order])) + 1
    return list(zip(np.split(time, ends), np.split(value, ends), strict=True))


def _on_grid(paths: Sequence[TimedPath], file: str) -> tuple[list[str], np.ndarray]:
    """Return times as names, and the values of paths at these times, (N, D)."""
    times = paths[0][0]
    if not all(np.array_equal(time, times) for time, _ in paths):
        first = max(time[0] for time, _ in paths)
        last = min(time[-1] for time, _ in paths)
        if first >= last:
            what = f"has paths of a question without a common span of {TIME}; leave them out"
            raise refusal("no-common-time", what, file=file)
        times = np.linspace(first, last, GRID)
    values = [np.interp(times, time, value) for time, value in paths]
    return [f"{TIME} {time:g}" for time in times], np.array(values, np.float32)


def _read(
    sheet: Sheet, kept: list[int], wanted: list[list[int]]
) -> Iterator[list[pa.DictionaryArray]]:
    """Yield groups of columns; the last column is the row's name."""
    start, last = 0, len(kept)
    there = [[kept[place if place < last else 0] for place in group] for group in wanted]
    for cells in sheet.read(there):
        size = len(cells[0]) // len(wanted[0])
        rows = pa.array([f"{sheet.path}:{row}" for row in range(start, start + size)])
        named = pa.DictionaryArray.from_arrays(pa.array(np.arange(size, dtype=np.int32)), rows)
        yield [
            named if group == [last] else columns
            for group, columns in zip(wanted, cells, strict=True)
        ]
        start += size
    if has_vectors_beside(sheet.path):
        _refuse_other_size(sheet, start)


def _refuse_other_size(sheet: Sheet, rows: int) -> None:
    """Raise DataError if the file of vectors beside a table hasn't as many rows."""
    vectors = np.load(_beside(sheet.path), allow_pickle=False, mmap_mode="r")
    if len(vectors) != rows:
        what = f"has {rows} rows, and {Path(_beside(sheet.path)).name} {len(vectors)}"
        raise sheet.fault("sizes-of-vectors", what)


def vectors_of(
    answers: Sequence[Sequence[str]], value: str = VALUE
) -> Iterator[tuple[list[str], np.ndarray]]:
    """Yield the columns' names and the vectors, (N, D), of the answers to each question.

    Args:
        answers: names of rows, as :func:`with_rows` gives them.
        value: the column of the values of paths.

    Raises:
        DataError: if a vector has missing numbers, or if not all have the same size.
    """
    files: dict[str, np.ndarray | list[TimedPath]] = {}
    for listed in answers:
        paths, rows = zip(*(name.rsplit(":", 1) for name in listed), strict=True)
        row, path = np.array(rows, int), np.array(paths)
        for name in dict.fromkeys(paths):
            if name not in files:
                files[name] = _loaded(name, value)
        there = {name: files[name] for name in dict.fromkeys(paths)}
        of_paths = {name: table for name, table in there.items() if isinstance(table, list)}
        tables = {name: table for name, table in there.items() if not isinstance(table, list)}
        if of_paths and tables:
            what = f"has vectors, and {next(iter(of_paths))} has paths; give both the same form"
            raise refusal("sizes-of-vectors", what, file=next(iter(tables)))
        if of_paths:
            each_path = zip(paths, row, strict=True)
            yield _on_grid([of_paths[name][at] for name, at in each_path], paths[0])
            continue
        sizes = {table.shape[1]: name for name, table in tables.items()}
        if len(sizes) > 1:
            said = " and ".join(f"{size} in {question}" for size, question in sizes.items())
            what = f"vectors have different sizes, {said}"
            raise refusal("sizes-of-vectors", what, file=paths[-1])
        vectors = np.empty((len(row), next(iter(sizes))), np.float32)
        for name, table in tables.items():
            here = path == name
            vectors[here] = table[row[here]]
        yield [f"x{number + 1}" for number in range(vectors.shape[1])], vectors


def _header(path: str) -> list[str]:
    """Return the names of a table's columns."""
    if path.endswith(".parquet"):
        return pq.read_schema(path).names
    return [name.strip() for name in pd.read_csv(path, nrows=0, sep=_separator(path))]


def _loaded(path: str, value: str) -> np.ndarray | list[TimedPath]:
    """Return a file's vectors, a row for each of its rows, (N, D); or its paths."""
    is_parquet = path.endswith(".parquet")
    columns = columns_of(path, _header(path))
    if columns is None:
        return _paths(path, value)
    if columns == []:
        vectors = np.load(_beside(path), allow_pickle=False, mmap_mode="r")
    elif is_parquet and columns and not NUMBERED.fullmatch(columns[0]):
        vectors = _of_lists(path, columns[0])
    elif is_parquet:
        table = pq.read_table(path, columns=columns)
        vectors = np.column_stack([column.to_numpy() for column in table.columns])
    else:
        vectors = pd.read_csv(path, usecols=columns, sep=_separator(path))[columns].to_numpy()
    vectors = np.atleast_2d(np.asarray(vectors))
    try:
        wrong = ~np.isfinite(vectors.astype(np.float32)).all(1)
    except (TypeError, ValueError):
        raise refusal("not-a-vector", "has vectors that are no numbers", file=path) from None
    if wrong.any():
        at = int(wrong.argmax())
        raise refusal("not-a-vector", "is no vector: a number is missing", file=path, row=at + 1)
    return vectors


def _of_lists(path: str, column: str) -> np.ndarray:
    """Return a column of lists of numbers as a table."""
    cells = pq.read_table(path, columns=[column])[column].combine_chunks()
    if not len(cells) or cells.null_count:
        raise refusal("not-a-vector", "is empty in some rows", file=path, column=column)
    sizes = cells.value_lengths().to_numpy() if hasattr(cells, "value_lengths") else None
    if sizes is not None and (sizes != sizes[0]).any():
        at = int((sizes != sizes[0]).argmax())
        what = f"has {sizes[at]} numbers, and the first row {sizes[0]}"
        raise refusal("sizes-of-vectors", what, file=path, row=at + 1, column=column)
    return cells.flatten().to_numpy(zero_copy_only=False).reshape(len(cells), -1)
