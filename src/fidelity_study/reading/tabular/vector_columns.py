"""The columns of a table that hold vectors or points of paths."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.remedies import VECTORS
from fidelity_study.reading.tabular.spreadsheet import split

TIME, NUMBERED = "time", re.compile(r"x\d+")
LISTS, BESIDE = ("vector", "embedding"), ".npy"
AS_PATHS = ("; if rows are points of one path in time, put ", VECTORS)


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
    return [] if Path(beside_of(path)).is_file() else None


def reading_of(options: Mapping) -> Reading:
    """Return how files of vectors are read, by the dataset's own settings."""
    return Reading(
        separator=options.get("separator"),
        sheet=options.get("sheet"),
        decimal=options.get("decimal", "."),
        columns=options.get("columns", {}),
    )


def beside_of(path: str) -> str:
    """Return the file that a table's vectors may be in, beside it."""
    return str(Path(split(path)[0].removesuffix(".gz")).with_suffix(BESIDE))
