"""A first row that has the wording of questions in the place of their names."""

import numpy as np

from fidelity_study.reading.tabular.exports.table import Table, columns_of, first_rows
from fidelity_study.reading.tabular.files import Sheet

FEWEST_WORDS = 3


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table without this row, wherever it stands; all other columns have their names."""
    (row, *more) = first_rows(sheet, 2) or [[]]
    if not more:
        return None
    texts = dict(zip(sheet.columns, map(str.strip, row), strict=True))
    wordings = {name: text for name, text in texts.items() if text != name.strip()}
    are_texts = all(len(text.split()) >= FEWEST_WORDS for text in wordings.values())
    if not (are_texts and 0 < len(wordings) < len(texts)):
        return None
    rows = np.array(columns_of(sheet, range(len(row))), object).T
    again = (rows == np.array(row, object)).all(axis=1)
    if (rows[~again] == np.array([*texts], object)).any():  # ticks, called as their columns
        return None
    what = "its first row has the wording of questions"
    return Table(sheet, range(len(row)), rows=~again, wordings=wordings).sheet(what)
