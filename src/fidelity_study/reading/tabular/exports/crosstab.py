"""Tables of percentages, as pollsters print them: questions, options or groups in columns.

A row for each question has a column for each option, or the other way round. Or a row for each
option has a column for all people, which is read, and one for each group of people. Other rows or
columns say how many people were asked (the base), and who answers.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity_study.reading.tabular.columns import as_number, squashed
from fidelity_study.reading.tabular.doubtful import is_net, is_total
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import SCENARIO_LIKE, SIMULATOR_LIKE, VALUE_LIKE
from fidelity_study.reading.tabular.percentages import BASES, MOST, SMALL, plain_share
from fidelity_study.reading.tabular.shown import shown

OPTION_NAMES = {"option", "options", "value"} | VALUE_LIKE
NAMES = SCENARIO_LIKE | {"scenario"}
MOST_ROWS, MOST_CELLS = 5_000, 500_000
OFF, ROUNDING, LEAST, HALF = 1.0, 0.5, 90.0, 0.5
SCENARIO, VALUE, PERCENT, BASE, COUNT = "scenario", "value", "percent", "base", "count"
PLACE, TEXT, SHARE = "place", "text", "share"


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each option of a question, with its percentage and base."""
    names = [name.strip().casefold() for name in sheet.columns]
    asked, options, who = (
        [at for at, name in enumerate(names) if name in usual]
        for usual in (NAMES, OPTION_NAMES, SIMULATOR_LIKE)
    )
    totals = [at for at in range(1, len(names)) if is_total(names[at]) and names[at] not in BASES]
    key: str = SCENARIO
    if len(asked) == len(options) == len(totals) == 1 and not who:
        rows = _cells(sheet, [asked[0], options[0], totals[0]])
        rows = rows.set_axis([SCENARIO, VALUE, TEXT], axis=1)
        rows[SCENARIO] = rows[SCENARIO].ffill()
    elif len(asked) == 1 and len(who) < 2 and not options and len(names) > 2 + len(who):
        key, named = PLACE, {asked[0]: SCENARIO, **{at: sheet.columns[at] for at in who}}
        rows = _cells(sheet, range(len(names))).rename(columns=named).rename_axis(index=PLACE)
        rows = rows.reset_index().melt([PLACE, *named.values()], var_name=VALUE, value_name=TEXT)
        rows[VALUE] = rows[VALUE].map(dict(enumerate(sheet.columns)))
    elif len(asked) == len(options) == 1:
        return _filled_down(sheet, asked[0])
    elif (
        names[0] and not asked and not who and (len(totals) == 1 or (options == [0] and not totals))
    ):
        rows = _cells(sheet, [0, *(totals or range(1, len(names)))]).rename(columns={0: VALUE})
        rows = rows.melt([VALUE], var_name=SCENARIO, value_name=TEXT)
        rows[SCENARIO] = rows[SCENARIO].map(lambda at: sheet.columns[0 if totals else at])
    else:
        return None
    if not len(rows) or rows[[SCENARIO, VALUE]].isna().any(axis=None):
        return None
    others = [
        name for at, name in enumerate(sheet.columns) if at not in (*asked, *options, *totals)
    ]
    groups = others if totals else []
    is_option, number = _options(rows, key, may_count=bool(asked) and len(groups) > 1)
    return _written(sheet, rows, is_option, key, number, groups)


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
    cells = columns.astype(object).where(columns.notna(), None)
    return rewritten(sheet, {name: cells[name].tolist() for name in cells}, what)


def _cells(sheet: Sheet, places: Sequence[int]) -> pd.DataFrame:
    """Return columns; no row if there are more than such a table has."""
    most = min(MOST_ROWS, MOST_CELLS // len(places))
    columns = columns_of(sheet, places, most + 1)
    table = pd.DataFrame(dict(zip(places, columns, strict=True)), dtype=object)
    return table if len(table) <= most else table.iloc[:0]


def _options(rows: pd.DataFrame, key: str, *, may_count: bool) -> tuple[pd.Series, str]:
    """Return which rows are options of questions, and whether their numbers are percentages.

    Nets are left out if the rest sums to 100 only then. No row is one if the table is another.
    """
    shares, labels = rows[TEXT].map(_share), rows[VALUE]
    rows[SHARE] = shares
    are_texts = np.isinf(shares).groupby(labels).transform("all") & (key == PLACE)
    has_base = labels.map(squashed).isin(BASES)
    single = ~has_base & ~labels.map(is_total) & ~are_texts
    nets = labels.map(is_net)
    if key == PLACE and _are_counts(rows, single & ~nets, has_base | labels.map(is_total)):
        return single & ~nets, COUNT
    ways = ((single, False), (single & ~nets, False), (single & ~nets, bool(has_base.any())))
    for kept, may_differ in ways:
        if _sum_to_whole(rows[kept], key, may_differ=may_differ):
            return kept & shares.notna(), PERCENT
    numbers = pd.to_numeric(shares[single])
    whole = may_count and np.isfinite(numbers).all() and (numbers % 1 == 0).all()
    return (single & ~nets) & whole, COUNT


def _are_counts(rows: pd.DataFrame, single: pd.Series, totals: pd.Series) -> bool:
    """Return whether options have whole numbers that sum to a total, or above all percentages."""
    sums = rows[single].groupby(PLACE)[SHARE].sum()
    whole = bool(np.isfinite(sums).all() and (rows[SHARE][single] % 1 == 0).all())
    given = rows[totals].groupby(PLACE)[SHARE].max().reindex(sums.index)
    is_clear = (given == sums).all() or (len(sums) > 1 and sums.nunique() == 1)
    is_clear |= rows[SHARE][single].max() > 100
    return whole and bool(is_clear and (sums > MOST).all())


def _written(
    sheet: Sheet,
    rows: pd.DataFrame,
    is_option: pd.Series,
    key: str,
    number: str,
    groups: list[str],
) -> Sheet | None:
    """Return a sheet with a row for each question and option; None if there are no options.

    Args:
        sheet: the table.
        rows: the question, option and share of each number in it.
        is_option: whether each row is an option.
        key: the column that tells questions apart.
        number: the column to write: percentages or counts.
        groups: columns that are left out.
    """
    kept = rows[is_option]
    if kept[VALUE].nunique() < 2 or kept.duplicated([key, VALUE]).any():
        return None
    cells = {name: kept[name].tolist() for name in kept if name not in (PLACE, TEXT, SHARE)}
    cells[number] = [f"{share:.10g}" for share in kept[SHARE]]
    roles, kinds = {number: number}, rows[VALUE].map(squashed)
    base = next((rows[kinds == name] for name in BASES if (kinds == name).any()), rows.iloc[:0])
    named = str(base[VALUE].iloc[0]) if len(base) and number == PERCENT else ""
    if named:
        bases = kept[key].map(base.drop_duplicates(key).set_index(key)[TEXT]).astype(object)
        cells[named] = bases.where(bases.notna(), None).tolist()
        roles[BASE] = named
    left = [name for name in rows[VALUE].unique() if name not in {*kept[VALUE], named}] + groups
    said = "a table of counts, " if number == COUNT else "a table of percentages, "
    said += f"{kept[VALUE].nunique()} options in {'columns' if key == PLACE else 'rows'}"
    said += f", of as many people as {named!r} says" if named else ""
    said += f"; left out: {shown(left)}" if left else ""
    if (few := kept[TEXT].astype(str).str.fullmatch(SMALL)).any():
        said += f"; {shown(kept[TEXT][few].unique())} counts as 0"
    return replace(rewritten(sheet, cells, said), roles=roles)


def _sum_to_whole(rows: pd.DataFrame, key: str, *, may_differ: bool) -> bool:
    """Return whether the shares of all questions sum to 1, or to 100.

    Others may differ where the number of people stands beside them, as where people chose several
    answers: these are refused later.
    """
    sums, many = (rows.groupby(key)[SHARE].agg(how) for how in ("sum", "count"))
    if not len(sums) or not np.isfinite(sums).all() or not many.all():
        return False
    off = np.maximum(OFF, ROUNDING * many)
    is_whole = any(((sums / whole - 1).abs() <= off / 100).all() for whole in (1, 100))
    are_percent = (sums >= LEAST).mean() > HALF and rows[SHARE].max() <= 100
    return is_whole or (may_differ and are_percent)


def _share(text: str | None) -> float:
    """Return a percentage or share, with or without its sign; NaN where there is none.

    ``*`` and ``<1`` are 0, and infinity is a text.
    """
    plain = plain_share(text) if isinstance(text, str) else ""
    if plain in ("", "-", "\u2013"):
        return np.nan
    number = as_number(plain)
    return np.inf if number is None or number < 0 else number
