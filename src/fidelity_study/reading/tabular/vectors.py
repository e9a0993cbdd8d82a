"""Answers that are vectors: columns x1, x2, ..., a column of lists, or a .npy file beside a table.

Tables are read as all others are, so that rows are the same; of Parquet, numbers as they are.

Or paths: long files with a row for each point in ``time``, whose other columns say whose it is. The
paths of a question have the same times.

An answer is read as the name of its row (or path), and the vector again where it is needed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fidelity_study.errors import BLANK, DataError, refusal
from fidelity_study.reading.settings import VECTOR
from fidelity_study.reading.tabular.files import Sheet, named_files
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.remedies import in_pandas, of_columns
from fidelity_study.reading.tabular.vector_columns import (
    NUMBERED,
    TIME,
    beside_of,
    columns_of,
    reading_of,
)

FEWEST_TIMES, LARGEST = 2, 1e37


def files_read(options: dict, kind: str) -> list[str]:
    """Return the files that a dataset is read from: those named, and .npy files beside them.

    Args:
        options: the dataset's own settings.
        kind: of its outcome.
    """
    named = named_files(options)
    answers = [path for path in named if path != options.get("scenarios")]
    reading = reading_of(options)
    beside = [
        beside_of(path) for path in answers if kind == VECTOR and _has_vectors_beside(path, reading)
    ]
    return list(dict.fromkeys([*named, *beside]))


def _has_vectors_beside(path: str, reading: Reading) -> bool:
    """Whether the vectors of a table are in a file beside it, and not in its own columns."""
    if not Path(beside_of(path)).is_file():
        return False
    try:
        return columns_of(path, opened(path, reading).columns) == []
    except DataError:
        return True


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
            f"has a column {TIME}, as paths do, but no column {value!r}; name that of values: ",
            of_columns(value=BLANK),
        )
    if of_vectors is None:
        beside = Path(beside_of(sheet.path)).name
        raise sheet.fault(
            "no-vectors",
            f"has no vectors; give each answer's as columns x1, x2, ..., in a column vector of "
            f"lists (Parquet), as a row of {beside} beside it, or as a path: a row for each point, "
            "with columns time, value and respondent",
        )
    aside = {*of_vectors, value}
    kept = [place for place, name in enumerate(sheet.columns) if name not in aside]
    if not kept:
        raise sheet.fault("no-scenario-column", "has vectors alone; add the column scenario")
    names = [sheet.columns[place] for place in kept]
    read = partial(_read, sheet, kept)
    return replace(sheet, columns=[*names, value], read=read, file=None, aside=())


def _with_paths(sheet: Sheet, value: str) -> Sheet:
    """Return a sheet with a row for each path."""
    whose = [name for name in sheet.columns if name not in (TIME, value)]
    if not whose:
        raise sheet.fault("no-scenario-column", "has paths alone; add the column scenario")
    table = sheet.frame(whose)
    number = _number_of_paths(table)
    if (np.bincount(number) < FEWEST_TIMES).all():
        raise sheet.fault(
            "no-paths",
            f"has a column {TIME}, but no path with two points: rows with the same "
            f"{', '.join(whose)} are one path; add a column respondent that names it",
        )
    first = table.iloc[np.unique(number, return_index=True)[1]]
    paths = pd.Series([f"{sheet.path}:{path}" for path in range(len(first))])
    columns = [
        pa.array(texts, pa.string(), from_pandas=True).dictionary_encode()
        for texts in (*(first[name] for name in whose), paths)
    ]
    return sheet.of_columns(dict(zip([*whose, value], columns, strict=True)))


def _numbers(sheet: Sheet, names: Sequence[str], decimal: str) -> np.ndarray:
    """Return columns of numbers, (N, D), NaN where a cell is none."""
    columns = sheet.read([sheet.columns.index(name) for name in names])
    return np.column_stack([_as_numbers(cells, decimal) for cells in columns])


def _as_numbers(cells: pa.DictionaryArray, decimal: str) -> np.ndarray:
    texts = pc.replace_substring(pc.utf8_trim_whitespace(cells.dictionary), decimal, ".")
    try:
        values = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        values = pa.array(pd.to_numeric(texts.to_pandas(), errors="coerce").astype(float))
    return values.take(cells.indices).to_numpy(zero_copy_only=False)


def _number_of_paths(table: pd.DataFrame) -> np.ndarray:
    """Return the number of the path of each point, in the order in which paths begin."""
    return table.groupby([*table], sort=False, dropna=False).ngroup().to_numpy()


TimedPath = tuple[np.ndarray, np.ndarray]


def _paths(sheet: Sheet, reading: Reading) -> list[TimedPath]:
    """Return the times, in order, and values of each path of a file."""
    points = [TIME, reading.value]
    number = _number_of_paths(sheet.frame([name for name in sheet.columns if name not in points]))
    time, value = _numbers(sheet, points, reading.decimal).T
    wrong = ~(np.abs(time) + np.abs(value) < LARGEST)
    if wrong.any():
        what = f"{TIME} or {reading.value} is no number, or too large"
        raise sheet.fault("not-a-path", what, at=int(wrong.argmax()))
    order = np.lexsort((time, number))
    time, value = time[order], value[order]
    twice = (np.diff(time) == 0.0) & (np.diff(number[order]) == 0)
    if twice.any():
        raise sheet.fault("not-a-path", "a path has this time twice", at=int(order[1:][twice][0]))
    ends = np.flatnonzero(np.diff(number[order])) + 1
    return list(zip(np.split(time, ends), np.split(value, ends), strict=True))


def times_of(names: Sequence[str]) -> list[float]:
    """Return the times that columns are at; none where answers are no paths."""
    start = f"{TIME} "
    return [float(name.removeprefix(start)) for name in names if name.startswith(start)]


def _together(paths: Sequence[TimedPath], file: str, value: str) -> tuple[list[str], np.ndarray]:
    """Return times as names, and the values of paths at these times, (N, D)."""
    times = paths[0][0]
    if not all(np.array_equal(time, times) for time, _ in paths):
        first = max(time[0] for time, _ in paths)
        last = min(time[-1] for time, _ in paths)
        if first >= last:
            what = f"has paths of a question without a common span of {TIME}; leave them out"
            raise refusal("no-common-time", what, file=file)
        points = f'["{TIME}", "{value}"]'
        read_off = f'np.interp(times, path["{TIME}"], path["{value}"], left=np.nan, right=np.nan)'
        line = f'table.sort_values("{TIME}").groupby(list(table.columns.drop({points})), '
        line += f"dropna=False)[{points}].apply(lambda path: pd.DataFrame({{"
        line += f'"{TIME}": times, "{value}": {read_off}}})).droplevel(-1).reset_index()'
        raise refusal(
            "times-differ",
            "has paths of a question whose times differ; read them off at the same in all files of "
            f"answers, by straight lines between points {in_pandas(line)}, where times are some "
            "that all paths of a question span, such as "
            f"np.linspace({first:.15g}, {last:.15g}, 50)",
            file=file,
        )
    return [f"{TIME} {time:.15g}" for time in times], np.array([value for _, value in paths])


def _read(sheet: Sheet, kept: list[int], wanted: Sequence[int]) -> list[pa.DictionaryArray]:
    """Return columns; the last one is the row's name."""
    first, *columns = sheet.read([kept[0], *(kept[at] for at in wanted if at < len(kept))])
    rows = len(first)
    missing = np.zeros(rows, bool)
    if columns_of(sheet.path, sheet.columns) == []:
        missing = _are_missing(_array_beside(sheet.path))
        if len(missing) != rows:
            what = f"has {rows} rows, and {Path(beside_of(sheet.path)).name} {len(missing)}"
            raise sheet.fault("sizes-of-vectors", what)
    place = pa.array(np.arange(rows, dtype=np.int32), mask=missing)
    names = pa.DictionaryArray.from_arrays(place, [f"{sheet.path}:{row}" for row in range(rows)])
    others = iter(columns)
    return [next(others) if at < len(kept) else names for at in wanted]


def _are_missing(vectors: np.ndarray) -> np.ndarray:
    """Return which rows of a file beside a table are no answer: those of NaN alone."""
    are_floats = np.issubdtype(vectors.dtype, np.floating)
    return np.isnan(vectors).all(1) if are_floats else np.zeros(len(vectors), bool)


def _array_beside(path: str) -> np.ndarray:
    """Return the vectors in the file beside a table, (N, D)."""
    beside = beside_of(path)
    try:
        vectors = np.load(beside, allow_pickle=False, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        what = f"cannot be read as vectors ({error}); save an array of numbers with numpy.save"
        raise refusal("not-a-vector", what, file=beside) from None
    vectors = vectors[:, None] if vectors.ndim == 1 else vectors
    if vectors.ndim != 2:
        what = f"has {vectors.ndim} dimensions; save a row of numbers for each answer"
        raise refusal("not-a-vector", what, file=beside)
    return vectors


def texts_of(path: str, value: str) -> list[str]:
    """Return the texts in a column of a table, empty where there is none."""
    sheet = opened(path, Reading())
    sheet.refuse_absent([value], "columns.value")
    return [text.strip() for text in sheet.frame([value])[value].fillna("")]


def check_vectors(answers: Sequence[Sequence[str]], options: Mapping) -> None:
    """Raise DataError if the vectors of answers can't be read; see :func:`vectors_of`."""
    for _ in vectors_of(answers, options):
        pass


def vectors_of(
    answers: Sequence[Sequence[str]], options: Mapping
) -> Iterator[tuple[list[str], np.ndarray]]:
    """Yield the columns' names and the vectors, (N, D), of the answers to each question.

    Args:
        answers: names of rows, as :func:`with_rows` gives them.
        options: the dataset's own settings.

    Raises:
        DataError: if a vector has missing numbers, or if not all have the same size.
    """
    reading, files = reading_of(options), dict[str, np.ndarray | list[TimedPath]]()
    for listed in answers:
        if not listed:
            yield [], np.empty((0, 1))
            continue
        paths, rows = zip(*(name.rsplit(":", 1) for name in listed), strict=True)
        row, path = np.array(rows, int), np.array(paths)
        for name in dict.fromkeys(paths):
            if name not in files:
                files[name] = _loaded(name, reading)
        there = {name: files[name] for name in dict.fromkeys(paths)}
        of_paths = {name: table for name, table in there.items() if isinstance(table, list)}
        tables = {name: table for name, table in there.items() if not isinstance(table, list)}
        if of_paths and tables:
            what = f"has vectors, and {next(iter(of_paths))} has paths; give both the same form"
            raise refusal("sizes-of-vectors", what, file=next(iter(tables)))
        if of_paths:
            each_path = zip(paths, row, strict=True)
            of_question = [of_paths[name][at] for name, at in each_path]
            yield _together(of_question, paths[0], reading.value)
            continue
        sizes = {table.shape[1]: name for name, table in tables.items()}
        if len(sizes) > 1:
            said = " and ".join(f"{size} in {question}" for size, question in sizes.items())
            what = f"vectors have different sizes, {said}"
            raise refusal("sizes-of-vectors", what, file=paths[-1])
        vectors = np.empty((len(row), next(iter(sizes))), np.result_type(*tables.values()))
        for name, table in tables.items():
            here = path == name
            vectors[here] = table[row[here]]
        yield [f"x{number + 1}" for number in range(vectors.shape[1])], vectors


def _loaded(path: str, reading: Reading) -> np.ndarray | list[TimedPath]:
    """Return a file's vectors, a row for each of its rows, (N, D); or its paths."""
    sheet = opened(path, reading)
    names = columns_of(path, sheet.columns)
    if names is None:
        return _paths(sheet, reading)
    if not names:
        vectors = _array_beside(path)
    elif path.endswith(".parquet"):
        vectors = _of_parquet(sheet, names)
    elif NUMBERED.fullmatch(names[0]):
        vectors = _numbers(sheet, names, reading.decimal)
    else:
        vectors = _of_lists(sheet, names[0], sheet.frame(names)[names[0]])
    precision = np.float32 if vectors.dtype in (np.float16, np.float32) else np.float64
    try:
        vectors = vectors.astype(precision, copy=False)
    except (TypeError, ValueError):
        raise refusal("not-a-vector", "has vectors that are no numbers", file=path) from None
    wrong = ~(np.abs(vectors) < LARGEST).all(1)
    if not names:
        wrong &= ~_are_missing(vectors)
    if wrong.any() or not vectors.shape[1]:
        what = "is no vector: a number is missing or too large, or a cell is no number"
        raise sheet.fault("not-a-vector", what, at=int(wrong.argmax()))
    return vectors


def _of_parquet(sheet: Sheet, names: Sequence[str]) -> np.ndarray:
    """Return the columns of vectors, or the one of lists, with the numbers as they are."""
    written = {name.strip(): name for name in pq.read_schema(sheet.path).names}
    table = pq.read_table(sheet.path, columns=[written[name] for name in names])
    if NUMBERED.fullmatch(names[0]):
        return np.column_stack([column.to_numpy() for column in table.columns])
    cells = table.columns[0].combine_chunks()
    if not hasattr(cells, "flatten"):
        return _of_lists(sheet, names[0], cells.to_pandas())
    if pa.types.is_fixed_size_list(cells.type):
        sizes = np.full(len(cells), cells.type.list_size)
    else:
        sizes = cells.value_lengths().to_numpy(zero_copy_only=False)
    _refuse_sizes(sheet, names[0], np.where(cells.is_null(), 0, sizes))
    return cells.flatten().to_numpy(zero_copy_only=False).reshape(len(cells), -1)


def _of_lists(sheet: Sheet, column: str, texts: pd.Series) -> np.ndarray:
    """Return lists of numbers that are written as texts, such as [0.5, 1], as a table."""
    rows = []
    for at, text in enumerate(texts):
        try:
            rows.append(np.array(json.loads(text), float))
        except (TypeError, ValueError):
            what = "is no list of numbers, as [0.5, 1.25]"
            raise sheet.fault("not-a-vector", what, at=at, column=column) from None
    _refuse_sizes(sheet, column, np.array([row.size if row.ndim == 1 else 0 for row in rows]))
    return np.array(rows)


def _refuse_sizes(sheet: Sheet, column: str, sizes: np.ndarray) -> None:
    """Raise DataError if a list is empty, or has not as many numbers as the first one."""
    for wrong, what in ((sizes == 0, "has no numbers"), (sizes != sizes[0], "has {} numbers")):
        if wrong.any():
            at = int(wrong.argmax())
            what = what.format(sizes[at]) + f", and the first row {sizes[0]:g}" * bool(sizes[at])
            raise sheet.fault("sizes-of-vectors", what, at=at, column=column)
