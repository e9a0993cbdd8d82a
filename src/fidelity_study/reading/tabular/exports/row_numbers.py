"""Columns without a name: row numbers or ids, as pandas and R write them, and empty columns."""

import re
from dataclasses import replace
from itertools import pairwise

from fidelity_study.reading.tabular.exports.table import Table, cells_of, with_named
from fidelity_study.reading.tabular.files import Sheet

FIRST = "its first column"
NOT_READ = f"{FIRST} numbers the rows and is not read"
INDEX, UNNAMED = "index", re.compile(r"(Unnamed: \d+)?")
WHOLE = re.compile(r"\d+(\.0)?")


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table without the columns that have no name and number the rows, or are empty.

    A first one that names each row otherwise is called id, or index. One that numbers them can be
    read as index.
    """
    nameless = [
        place for place, name in enumerate(sheet.columns) if UNNAMED.fullmatch(name.strip())
    ]
    if not nameless or len(nameless) == len(sheet.columns):
        return None
    unread, names, what = set[int](), [*sheet.columns], ""
    for place in nameless:
        texts = cells_of(sheet, place)
        if not any(texts):
            unread.add(place)
        elif place == 0 and _number_rows(texts):
            unread, what = unread | {place}, NOT_READ
            names[0] = next((name for name in (INDEX, "row") if name not in names), "")
        elif place == 0 and all(texts) and len({*texts}) == len(texts):
            names[0] = next(name for name in ("id", "index", "row") if name not in names)
            what = f"{FIRST} has no name, and another text in each row: {names[0]!r}"
    if not (unread or what):
        return None
    kept = [place for place in range(len(sheet.columns)) if place not in unread]
    return Table(Table(sheet, range(len(names)), names).sheet(what), kept).sheet("")


def with_index(sheet: Sheet) -> Sheet:
    """Return a sheet with the column that numbers its rows, if that has no name in the file."""
    if INDEX not in sheet.aside:
        return sheet
    lines = [line for line in sheet.recognised if line != NOT_READ]
    lines.append(f"{FIRST} numbers the rows: {INDEX!r}")
    return replace(with_named(sheet, {INDEX}), recognised=(*lines,))


def _number_rows(texts: list[str | None]) -> bool:
    """Return whether cells count from 0 or 1, as no ids of a part of a table do.

    Tables that were put together begin again.
    """
    numbers = [int(float(text)) for text in texts if text and WHOLE.fullmatch(text)]
    count = all(low + 1 == high or low != high == numbers[0] for low, high in pairwise(numbers))
    return len(numbers) == len(texts) and numbers[0] in (0, 1) and count
