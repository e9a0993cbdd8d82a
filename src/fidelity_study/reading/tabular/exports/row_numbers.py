"""Columns without a name: row numbers, as pandas and R write them, and empty columns."""

import re
from itertools import pairwise

from fidelity_study.reading.tabular.exports.table import Table, cells_of
from fidelity_study.reading.tabular.files import Sheet

UNNAMED = re.compile(r"(Unnamed: \d+)?")
WHOLE = re.compile(r"\d+(\.0)?")


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table without the columns that have no name and number the rows, or are empty."""
    nameless = [
        place for place, name in enumerate(sheet.columns) if UNNAMED.fullmatch(name.strip())
    ]
    if not nameless or len(nameless) == len(sheet.columns):
        return None
    unread, numbered = set[int](), False
    for place in nameless:
        texts = cells_of(sheet, place)
        if not any(texts):
            unread.add(place)
        elif place == 0 and _number_rows(texts):
            unread, numbered = unread | {place}, True
    if not unread:
        return None
    what = "its first column numbers the rows and is not read" if numbered else ""
    kept = [place for place in range(len(sheet.columns)) if place not in unread]
    return Table(sheet, kept).sheet(what)


def _number_rows(texts: list[str | None]) -> bool:
    """Return whether cells are whole numbers: different ones, or rising and beginning again.

    Tables that were put together begin again.
    """
    numbers = [int(float(text)) for text in texts if text and WHOLE.fullmatch(text)]
    begin_again = all(low < high or low != high == numbers[0] for low, high in pairwise(numbers))
    return len(numbers) == len(texts) and (begin_again or len({*numbers}) == len(texts))
