"""A pollster's tables below each other: a block for each question, with the same header in each."""

import pandas as pd

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import is_total
from fidelity_study.reading.tabular.exports.table import first_rows, rewritten
from fidelity_study.reading.tabular.files import Sheet

MOST_ROWS = 5_000


def recognised(sheet: Sheet) -> Sheet | None:
    """Return one table of all blocks, with the question and option of each row.

    The question stands at the head of its block's options, or alone in a row above, where titles
    and bases may stand, too.
    """
    names = [name.strip() for name in sheet.columns]
    if ("" in names) == any(map(is_total, names)) or sheet.size > MOST_ROWS:
        return None
    rows = [names, *([text.strip() for text in row] for row in first_rows(sheet, MOST_ROWS))]
    heads = {tuple(row[1:]) for row in rows if any(map(is_total, row[1:]))}
    head = heads.pop() if len(heads) == 1 else ("0",)
    if any(as_number(text) is not None for text in head):
        return None
    question, alone, options = "", list[str](), list[list[str]]()
    for first, *cells in rows:
        if (*cells,) == head:
            asked = (text for text in alone if "?" in text)
            question, alone = first or next(asked, alone[-1] if alone else ""), []
        elif not any(cells):
            alone += [first] if first else []
        elif question:
            options, alone = [*options, [question, first, *cells]], []
        else:
            return None
    table = pd.DataFrame(options, columns=["question", "option", *head])
    if table["question"].nunique() < 2:
        return None
    what = f"blocks of {table['question'].nunique()} questions, each below its header"
    return rewritten(sheet, table.drop(columns="", errors="ignore"), what)
