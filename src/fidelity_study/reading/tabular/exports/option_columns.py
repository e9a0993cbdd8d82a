"""Probabilities with a column for each option: ``prob_Yes, prob_No``, or ``probs: {Yes: 0.2}``."""

import re
from collections.abc import Sequence

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

STATED = re.compile(r"(p|prob|probs|probability|probabilities)[_.: ]\s*(.+)", re.IGNORECASE)
FEWEST, OPTION, PROBABILITY = 2, "option", "probability"


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each option of each row, with its probability."""
    options = {
        at: match[2]
        for at, name in enumerate(sheet.columns)
        if (match := STATED.fullmatch(name.strip()))
    }
    words = {match[1].casefold() for name in sheet.columns if (match := STATED.fullmatch(name))}
    if len(options) < FEWEST or len(words) > 1 or {OPTION, PROBABILITY} & {*sheet.columns}:
        return None
    cells = columns_of(sheet, [*options])
    if not all(map(_are_probabilities, cells)):
        return None
    others = [at for at in range(len(sheet.columns)) if at not in options]
    rows = range(len(cells[0]))
    melted: dict[str, Sequence[str | None]] = {
        sheet.columns[at]: [text for text in column for _ in options]
        for at, column in zip(others, columns_of(sheet, others), strict=True)
    }
    melted[OPTION] = [option for _ in rows for option in options.values()]
    melted[PROBABILITY] = [column[row] for row in rows for column in cells]
    what = f"a column for each option: {shown(options.values())}; their cells are probabilities"
    return rewritten(sheet, melted, what)


def _are_probabilities(cells: Sequence[str | None]) -> bool:
    numbers = [as_number(text.strip()) for text in cells if text]
    return bool(numbers) and all(number is not None and 0 <= number <= 1 for number in numbers)
