"""Types and columns that several steps' tables have."""

from collections.abc import Iterable

import pyarrow as pa

LABEL = pa.dictionary(pa.int32(), pa.string())
NUMBERS = pa.list_(pa.float64())
KINDS = ("tempered", "ridge", "stacked")  # of corrections


def columns(kind: pa.DataType, *names: str) -> list[tuple[str, pa.DataType]]:
    """Return columns of one type, for a schema."""
    return [(name, kind) for name in names]


CELL = [
    ("replicate", pa.int16()),
    *columns(LABEL, "k", "confidence_set", "gamma", "discrepancy"),
]
ERROR_BAR = [
    ("n_clusters", pa.int32()),
    *columns(pa.float64(), "effective_clusters", "estimate", "se", "df", "lower", "upper"),
]


def headline_set(sets: list[str]) -> str | None:
    """Return the set of the headline numbers: witness where it is there, else the last; or None."""
    return "witness" if "witness" in sets else next(reversed(sets), None)


def as_read(rows: Iterable[dict], schema: pa.Schema) -> list[dict]:
    """Return rows as if they had been written to a table and read again."""
    return pa.Table.from_pylist(list(rows), schema).to_pylist()
