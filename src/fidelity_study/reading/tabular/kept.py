"""Cells of files that other libraries read, as texts."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import pyarrow as pa

from fidelity_study.errors import refusal

HOW_TO_INSTALL = 'run make install-formats, or: pip install "fidelity-curves[formats]"'


def as_cells(texts: Sequence[str | float | None]) -> pa.DictionaryArray:
    """Return texts as a column; None or NaN where a cell is empty."""
    return pa.array(texts, pa.string(), from_pandas=True).dictionary_encode()


def written(number: float) -> str:
    """Return a number as text, whole ones without a point."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def library(name: str, kind: str) -> ModuleType | Any:
    """Return a library; raise DataError that says how to install it if it is not there."""
    try:
        return import_module(name)
    except ImportError:
        package = name.replace("_", "-")
        raise refusal(
            "not-installed",
            f"{kind} are read by {package}, which is not installed; {HOW_TO_INSTALL}",
        ) from None
