"""Answers that are vectors: columns x1, x2, ..., a column of lists, or a .npy file beside a table.

An answer is read as the name of its row, and the vector again where it is needed.
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

from fidelity_study.errors import refusal
from fidelity_study.reading.tabular.files import Sheet, opened
from fidelity_study.reading.tabular.reading import Reading

VALUE, NUMBERED = "value", re.compile(r"x\d+")
LISTS, BESIDE = ("vector", "embedding"), ".npy"


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
    return [] if Path(path).with_suffix(BESIDE).is_file() else None


def opened_answers(path: str, reading: Reading) -> Sheet:
    """Open a file of answers; where these are vectors, with their rows' names in their place."""
    sheet = opened(path, reading)
    return with_rows(sheet) if reading.vectors else sheet


def with_rows(sheet: Sheet) -> Sheet:
    """Return the sheet with the name of its row in place of each vector.

    Raises:
        DataError: if it has no vectors.
    """
    of_vectors = columns_of(sheet.path, sheet.columns)
    if of_vectors is None:
        beside = Path(sheet.path).with_suffix(BESIDE).name
        raise sheet.fault(
            "no-vectors",
            f"has no vectors; give each answer's as columns x1, x2, ..., in a column vector of "
            f"lists (Parquet), or as a row of {beside} beside it",
        )
    kept = [place for place, name in enumerate(sheet.columns) if name not in of_vectors]
    if not kept:
        raise sheet.fault("no-scenario-column", "has vectors alone; add the column scenario")
    names = [sheet.columns[place] for place in kept]
    read = partial(_read, sheet, kept)
    return replace(sheet, columns=[*names, VALUE], read=read, file=None)


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


def vectors_of(
    answers: Sequence[Sequence[str]],
) -> Iterator[tuple[list[str], np.ndarray]]:
    """Yield the columns' names and the vectors, (N, D), of the answers to each question.

    Args:
        answers: names of rows, as :func:`with_rows` gives them.

    Raises:
        DataError: if a vector has missing numbers, or if not all have the same size.
    """
    files: dict[str, np.ndarray] = {}
    sizes: dict[int, str] = {}
    for listed in answers:
        paths, rows = zip(*(name.rsplit(":", 1) for name in listed), strict=True)
        row, path = np.array(rows, int), np.array(paths)
        parts: dict[str, np.ndarray] = {}
        for name in dict.fromkeys(paths):
            if name not in files:
                files[name] = _loaded(name)
                sizes[files[name].shape[1]] = name
            if len(sizes) > 1:
                said = " and ".join(f"{size} in {of}" for size, of in sizes.items())
                raise refusal(
                    "sizes-of-vectors", f"vectors have different sizes, {said}", file=name
                )
            parts[name] = files[name]
        vectors = np.empty((len(row), next(iter(sizes))), np.float32)
        for name, table in parts.items():
            here = path == name
            vectors[here] = table[row[here]]
        yield [f"x{number + 1}" for number in range(vectors.shape[1])], vectors


def _loaded(path: str) -> np.ndarray:
    """Return a file's vectors, a row for each of its rows, (N, D)."""
    is_parquet = path.endswith(".parquet")
    if is_parquet:
        names = pq.read_schema(path).names
    else:
        names = [name.strip() for name in pd.read_csv(path, nrows=0, sep=None, engine="python")]
    columns = columns_of(path, names)
    if columns == []:
        vectors = np.load(Path(path).with_suffix(BESIDE), allow_pickle=False, mmap_mode="r")
    elif is_parquet and columns and not NUMBERED.fullmatch(columns[0]):
        vectors = _of_lists(path, columns[0])
    elif is_parquet:
        table = pq.read_table(path, columns=columns)
        vectors = np.column_stack([column.to_numpy() for column in table.columns])
    else:
        vectors = pd.read_csv(path, usecols=columns, sep=None, engine="python")[columns].to_numpy()
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
