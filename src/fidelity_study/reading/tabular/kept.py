"""Columns of a file that is read as a whole: kept as text, handed out some rows at a time."""

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pyarrow as pa

from fidelity_study.errors import refusal
from fidelity_study.reading.tabular.text import stacked

CELLS = 1 << 21
HOW_TO_INSTALL = 'run make install-formats, or: pip install "fidelity-curves[formats]"'


def batches(
    column: Callable[[int], pa.DictionaryArray], wanted: list[list[int]]
) -> Iterator[list[pa.DictionaryArray]]:
    """Yield groups of columns, each stacked, some rows at a time.

    Args:
        column: returns the one at a position.
        wanted: the positions of each group.
    """
    groups = [[column(position) for position in group] for group in wanted]
    rows = len(groups[0][0])
    size = max(1, CELLS // sum(map(len, groups)))
    for start in range(0, rows, size):
        yield [stacked([array.slice(start, size) for array in group]) for group in groups]


def as_cells(texts: list[str | None]) -> pa.DictionaryArray:
    """Return texts as a column; None where a cell is empty."""
    return pa.array(texts, pa.string()).dictionary_encode()


def written(number: float) -> str:
    """Return a number as text, whole ones without a point."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def library(name: str, path: str, kind: str) -> ModuleType | Any:
    """Return a library; raise DataError that says how to install it if it is not there."""
    try:
        return import_module(name)
    except ImportError:
        package = name.replace("_", "-")
        raise refusal(
            "not-installed",
            f"{kind} are read by {package}, which is not installed; {HOW_TO_INSTALL}",
            file=path,
        ) from None
