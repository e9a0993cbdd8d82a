"""Files joined below each other, each with its header: the later headers are no answers."""

import numpy as np

from fidelity_study.reading.tabular.exports.table import columns_of, rows_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table of several columns without the rows that repeat all their names."""
    names = [name.strip() for name in sheet.columns]
    if len(names) < 2:
        return None
    (first,) = sheet.read([0])
    if not any(text.strip() == names[0] for text in first.dictionary.to_pylist()):
        return None
    columns = columns_of(sheet, range(len(names)))
    again = np.array(
        [[(text or "").strip() for text in row] == names for row in zip(*columns, strict=True)]
    )
    if not again.any():
        return None
    rows = shown(map(str, np.flatnonzero(again) + sheet.first_row), how=str)
    what = f"row {rows} repeats the columns' names, as where files were joined, and is not read"
    return rows_of(sheet, ~again, what)
