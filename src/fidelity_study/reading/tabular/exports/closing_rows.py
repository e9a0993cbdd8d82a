"""Rows of means or totals below those of people, as spreadsheets have them."""

import numpy as np

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import alike, is_total
from fidelity_study.reading.tabular.exports.table import rows_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

FEWEST = 2
STATISTICS = {"mean", "means", "average", "avg", "median", "sd", "std", "stdev", "min", "max"}
STATISTICS |= {"durchschnitt", "standardabweichung", "moyenne", "media", "promedio", "m\u00e9dia"}
STATISTICS |= {"\u015brednia", "gemiddelde", "medelv\u00e4rde", "gennemsnit", "\u00e9cart-type"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table without its last rows that are called so where others have numbers."""
    (cells,) = sheet.read([0])
    if not len(cells) or not is_statistic(cells[-1].as_py() or ""):
        return None
    texts = [(text or "").strip() for text in cells.to_pylist()]
    people = len(texts)
    while people > FEWEST and is_statistic(texts[people - 1]):
        people -= 1
    if None in map(as_number, texts[:people]):
        return None
    what = f"{shown(texts[people:])}: below its rows, and no person; not read"
    return rows_of(sheet, np.arange(len(texts)) < people, what)


def is_statistic(text: str) -> bool:
    """Return whether a text is a usual name of a mean, a total, or a spread."""
    return is_total(text) or alike(text) in STATISTICS
