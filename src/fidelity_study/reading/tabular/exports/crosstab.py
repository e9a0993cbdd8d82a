"""Tables of percentages or counts, as pollsters print them: a row for each option of a question.

One column has the numbers of all people and is read, others have those of groups of people. Rows
below the options say how many people were asked (the base), or sum up options. Such tables may
stand below each other, a block for each question.
"""

from collections.abc import Sequence

import pandas as pd

from fidelity_study.reading.tabular.columns import SMALL, as_number, share_of, squashed
from fidelity_study.reading.tabular.doubtful import is_net, is_total
from fidelity_study.reading.tabular.exports.table import columns_of, first_rows, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.turned import OPTIONS, QUESTIONS, are_shares
from fidelity_study.reading.tabular.words import BASES, SIMULATOR_LIKE, WORDINGS

MOST_ROWS, MOST_CELLS, MOST = 5_000, 500_000, 0.6
SCENARIO, VALUE, PERCENT, BASE, COUNT = "scenario", "value", "percent", "base", "count"
TEXT = "text"


def of_blocks(sheet: Sheet) -> Sheet | None:
    """Return one table of all blocks, with the question and option of each row.

    The question stands at the head of its block's options, or alone in a row above, where titles
    and bases may stand, too.
    """
    names = [name.strip() for name in sheet.columns]
    if ("" in names) == any(map(is_total, names)) or sheet.size > MOST_ROWS:
        return None
    rows = [names, *([text.strip() for text in row] for row in first_rows(sheet, MOST_ROWS))]
    heads = {tuple(row[1:]) for row in rows if any(map(is_total, row[1:]))}
    head = next(iter(heads), ())
    if len(heads) != 1 or any(as_number(text) is not None for text in head):
        return None
    question, alone, options = "", list[str](), list[list[str]]()
    for first, *cells in rows:
        if (*cells,) == head:
            asked = (text for text in alone if "?" in text)
            question, alone = first or next(asked, alone[-1] if alone else ""), []
        elif not any(cells):
            alone += [first] if first else []
        elif question:
            options.append([question, first, *cells])
            alone = []
        else:
            return None
    if (several := len({row[0] for row in options})) < 2:
        return None
    table = pd.DataFrame(options, columns=["question", "option", *head])
    what = f"blocks of {several} questions, each below its header"
    return rewritten(sheet, table.drop(columns="", errors="ignore"), what)


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each option of a question, with its number and base."""
    names = [name.strip().casefold() for name in sheet.columns]
    asked, options, who = (
        [at for at, name in enumerate(names) if name in usual]
        for usual in (QUESTIONS, OPTIONS, SIMULATOR_LIKE)
    )
    bases = [at for at, name in enumerate(names) if squashed(name) in BASES]
    totals = [at for at, name in enumerate(names) if at and is_total(name.rstrip("% "))]
    totals = [at for at in totals if at not in bases]
    if len(asked) == len(options) == len(totals) == 1 and not who:
        rows = _cells(sheet, [*asked, *options, *totals]).set_axis([SCENARIO, VALUE, TEXT], axis=1)
        rows = rows.dropna(how="all")
        rows[SCENARIO] = rows[SCENARIO].ffill()
    elif len(asked) == len(options) == 1:
        return _filled_down(sheet, asked[0])
    elif any(names[:1]) and len(totals) == 1 and not asked and not who:
        rows = _cells(sheet, [0, *totals]).set_axis([VALUE, TEXT], axis=1)
        rows[SCENARIO] = sheet.columns[0]
    else:
        return None
    if not len(rows) or rows[[SCENARIO, VALUE]].isna().any(axis=None):
        return None
    if bases:
        rows[BASE] = _cells(sheet, bases[:1])[bases[0]]
    worded = [at for at, name in enumerate(names) if asked and name in WORDINGS][:1]
    for at in worded:
        texts = _cells(sheet, worded)[at].groupby(rows[SCENARIO])
        rows[sheet.columns[at]] = rows[SCENARIO].map(texts.first())
    read = {*asked, *options, *totals, *bases[:1], *worded}
    groups = [name for at, name in enumerate(sheet.columns) if at not in read and (asked or at)]
    return _written(sheet, rows, groups, may_count=bool(asked) and len(groups) > 1)


def _written(
    sheet: Sheet, rows: pd.DataFrame, groups: list[str], *, may_count: bool
) -> Sheet | None:
    """Return a sheet with a row for each question and option; None if the table is another.

    Args:
        sheet: the table.
        rows: the question, option and number of each of its rows.
        groups: columns that are left out.
        may_count: whether numbers may be counts, and not percentages.
    """
    kinds, shares = rows[VALUE].map(squashed), rows[TEXT].map(share_of)
    is_option = ~(kinds.isin(BASES) | rows[VALUE].map(is_net))
    of_question = shares[is_option].groupby(rows[SCENARIO])
    signs = rows[TEXT][is_option].astype(str).str.contains("%", regex=False)
    most = MOST if BASE in rows or kinds.isin(BASES).any() else 1  # of others several are ticked
    is_percent = signs.any() or are_shares(of_question.sum(), of_question.count(), most)
    is_option &= shares.notna()
    kept, numbers = rows[is_option], shares[is_option]
    if not is_percent and not (may_count and (numbers % 1 == 0).all()):
        return None
    if kept[VALUE].nunique() < 2 or kept.duplicated([SCENARIO, VALUE]).any():
        return None
    number = PERCENT if is_percent else COUNT
    cells = kept[[SCENARIO, VALUE]].assign(**{number: numbers.map("{:.10g}".format)})
    roles = {number: number}
    base = next((rows[kinds == name] for name in BASES if (kinds == name).any()), rows.iloc[:0])
    cells = cells.join(kept.drop(columns=[SCENARIO, VALUE, TEXT, BASE], errors="ignore"))
    named = str(base[VALUE].iloc[0]) if len(base) and is_percent else ""
    if named:
        bases = base.drop_duplicates(SCENARIO).set_index(SCENARIO)[TEXT]
        cells[named] = kept[SCENARIO].map(bases)
        roles[BASE] = named
    elif BASE in rows and is_percent:
        cells[BASE], roles[BASE], named = kept[BASE], BASE, BASE
    left = [name for name in rows[VALUE].unique() if name not in {*kept[VALUE], named}] + groups
    said = f"a table of {'percentages' if is_percent else 'counts'}, "
    said += f"{kept[VALUE].nunique()} options in rows"
    said += f", of as many people as {named!r} says" if named else ""
    said += f"; left out: {shown(left)}" if left else ""
    if (few := kept[TEXT].astype(str).str.fullmatch(SMALL)).any():
        said += f"; {shown(kept[TEXT][few].unique())} counts as 0"
    return rewritten(sheet, cells, said, roles)


def _filled_down(sheet: Sheet, asked: int) -> Sheet | None:
    """Return a table in which a question stands in the first of its rows only, with it in all."""
    questions = _cells(sheet, [asked])[asked]
    there = questions.notna()
    # An empty cell is a slip where a question comes again, or where not all have several rows.
    are_merged = questions.dropna().is_unique and 2 * there.sum() <= len(questions)
    if not are_merged or there.all() or not there[:1].all():
        return None
    columns = _cells(sheet, range(len(sheet.columns))).set_axis(sheet.columns, axis=1)
    columns.iloc[:, asked] = columns.iloc[:, asked].ffill()
    name = sheet.columns[asked]
    what = f"empty cells of {name!r} stand for the question above, as in merged cells"
    return rewritten(sheet, columns, what)


def _cells(sheet: Sheet, places: Sequence[int]) -> pd.DataFrame:
    """Return columns; no row if there are more than such a table has."""
    most = min(MOST_ROWS, MOST_CELLS // len(places))
    columns = columns_of(sheet, places, most + 1)
    table = pd.DataFrame(dict(zip(places, columns, strict=True)), dtype=object)
    return table if len(table) <= most else table.iloc[:0]
