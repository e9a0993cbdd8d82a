"""Headers among the rows: of files joined below each other, and wordings below the names."""

import numpy as np

from fidelity_study.reading.tabular.exports.table import Table, columns_of, first_rows
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table of several columns without the rows that repeat all their names.

    The first row may have wordings in the place of some names.
    """
    names = [name.strip() for name in sheet.columns]
    if len(names) < 2:
        return None
    wordings = _wordings(sheet, names)
    (first,) = sheet.read([0])
    if not wordings and not any(text.strip() == names[0] for text in first.dictionary.to_pylist()):
        return None
    columns = columns_of(sheet, range(len(names)))
    rows = [[(text or "").strip() for text in row] for row in zip(*columns, strict=True)]
    again = np.array([row in (names, rows[0] if wordings else names) for row in rows])
    left = [row for row, is_again in zip(rows, again, strict=True) if not is_again]
    ticks = any(cell == name for row in left for cell, name in zip(row, names, strict=True))
    if wordings and not ticks:
        what = "its first row has the wording of questions"
    elif again.any() and not wordings:
        places = shown(map(str, np.flatnonzero(again) + sheet.first_row), how=str)
        what = (
            f"row {places} repeats the columns' names, as where files were joined, and is not read"
        )
    else:
        return None
    return Table(sheet, range(len(names)), rows=~again, wordings=wordings).sheet(what)


def _wordings(sheet: Sheet, names: list[str]) -> dict[str, str]:
    """Return the wordings in the first row, which has names in all other columns, by column."""
    (row, *more) = first_rows(sheet, 2) or [[]]
    texts = dict(zip(names, map(str.strip, row), strict=True)) if more else {}
    wordings = {name: text for name, text in texts.items() if text != name}
    are_texts = all(len(text.split()) > 2 for text in wordings.values())
    return wordings if are_texts and 0 < len(wordings) < len(names) else {}
