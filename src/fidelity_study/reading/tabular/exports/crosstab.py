"""Pollsters' tables: a row for each question, a column of percentages for each option; or turned.

Beside the options there may be the number of people asked (the base), and who answers.
"""

import re
from dataclasses import replace

import numpy as np

from fidelity_study.reading.tabular.columns import as_number, squashed
from fidelity_study.reading.tabular.doubtful import is_total
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import SCENARIO_LIKE, SIMULATOR_LIKE
from fidelity_study.reading.tabular.shown import shown

OPTION_NAMES = {"option", "options", "answer", "answers", "response", "responses", "antwort"}
NAMES = SCENARIO_LIKE | {"scenario"}
UNWEIGHTED = ("unweightedbase", "unweightedn", "unweightedsample")
PLAIN = ("n", "base", "sample", "samplesize", "respondents", "fallzahl", "basis")
BASES = (*UNWEIGHTED, *PLAIN, "weightedbase", "weightedn", "weightedsample")
NET = re.compile(r"net\b|netto\b|saldo\b", re.IGNORECASE)
MOST_ROWS, OFF, ROUNDING = 5_000, 1.0, 0.5
SCENARIO, VALUE, PERCENT, BASE = "scenario", "value", "percent", "base"


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each option of a question, with its percentage and base."""
    kinds = [squashed(name) for name in sheet.columns]
    asked = [at for at, name in enumerate(sheet.columns) if name.strip().casefold() in NAMES]
    who = [at for at, name in enumerate(sheet.columns) if name.casefold() in SIMULATOR_LIKE]
    bases = [at for base in BASES for at, kind in enumerate(kinds) if kind == base]
    options = [at for at in range(len(kinds)) if at not in (*asked, *who, *bases)]
    if not asked and not who and kinds[0] in OPTION_NAMES:
        return _of_rows(sheet)
    if len(asked) != 1 or len(who) > 1 or len(options) < 2:
        return None
    texts = columns_of(sheet, options, MOST_ROWS)
    shares = np.array([[_share(text) for text in column] for column in texts]).T
    sums_of_others = [is_total(sheet.columns[at]) for at in options]
    nets = [bool(NET.match(sheet.columns[at])) for at in options]
    shares[:, nets] = np.where(np.isinf(shares[:, nets]), 0.0, shares[:, nets])
    single = ~np.array(sums_of_others) & ~np.array(nets)
    if not len(shares) or np.isnan(shares).all(axis=1).any():
        return None
    if not _sum_to_whole(shares[:, single]):
        return None
    kept = [at for at, is_option in zip(options, single.tolist(), strict=True) if is_option]
    return _melted(sheet, asked[0], [*who, *bases[:1]], bases[:1], kept)


def _of_rows(sheet: Sheet) -> Sheet | None:
    """Return the same of a table with a row for each option, and a column for each question.

    One with a column of totals has groups of people in columns, and is none.
    """
    labels, *columns = columns_of(sheet, range(len(sheet.columns)), MOST_ROWS)
    names = sheet.columns[1:]
    if not columns or any(map(is_total, names)) or not all(labels):
        return None
    kinds = [squashed(label or "") for label in labels]
    bases = [at for base in BASES for at, kind in enumerate(kinds) if kind == base]
    rows = [
        at
        for at, label in enumerate(labels)
        if label and at not in bases and not is_total(label) and not NET.match(label)
    ]
    shares = np.array([[_share(column[at]) for at in rows] for column in columns])
    if not shares.size or np.isnan(shares).any() or not _sum_to_whole(shares):
        return None
    pairs = [(place, at) for place in range(len(names)) for at in rows]
    cells: dict[str, list[str | None]] = {
        SCENARIO: [names[place] for place, _ in pairs],
        VALUE: [labels[at] for _, at in pairs],
        PERCENT: [f"{_share(columns[place][at]):.10g}" for place, at in pairs],
    }
    if bases:
        cells[BASE] = [columns[place][bases[0]] for place, _ in pairs]
    left = [str(label) for at, label in enumerate(labels) if at not in (*rows, *bases[:1])]
    left_out = f"; left out: {shown(left)}" if left else ""
    what = f"a table of percentages, {len(names)} questions in columns, {len(rows)} options in rows"
    what += left_out
    roles = {PERCENT: PERCENT, **({BASE: BASE} if bases else {})}
    return replace(rewritten(sheet, cells, what), roles=roles)


def _sum_to_whole(shares: np.ndarray) -> bool:
    """Return whether the shares of all questions, (questions, options), sum to 1, or to 100."""
    sums = np.nansum(shares, axis=1)
    off = max(OFF, ROUNDING * shares.shape[1])
    return any((np.abs(sums / whole - 1) <= off / 100).all() for whole in (1, 100))


def _share(text: str | None) -> float:
    """Return a percentage or share, with or without its sign; NaN where there is none."""
    plain = (text or "").strip().removesuffix("%").strip()
    if plain in ("", "-", "*", "\u2013"):
        return 0.0 if plain == "*" else np.nan
    number = as_number(plain)
    return np.inf if number is None or number < 0 else number


def _melted(
    sheet: Sheet, asked: int, beside: list[int], bases: list[int], options: list[int]
) -> Sheet:
    """Return a sheet with a row for each question and option that has a percentage."""
    names = {at: sheet.columns[at] for at in beside}
    places = [asked, *beside, *options]
    cells = dict(zip(places, columns_of(sheet, places), strict=True))
    rows: dict[str, list[str | None]] = {
        name: [] for name in (SCENARIO, VALUE, PERCENT, *names.values())
    }
    for at in options:
        for row, text in enumerate(cells[at]):
            share = _share(text)
            if not np.isnan(share):
                rows[SCENARIO].append(cells[asked][row])
                rows[VALUE].append(sheet.columns[at])
                rows[PERCENT].append(f"{share:.10g}")
                for place, name in names.items():
                    rows[name].append(cells[place][row])
    base = f", of as many people as {sheet.columns[bases[0]]!r} says" if bases else ""
    left = [name for at, name in enumerate(sheet.columns) if at not in places]
    left_out = f"; left out: {shown(left)}" if left else ""
    what = f"a table of percentages, {len(options)} options in columns{base}{left_out}"
    roles = {PERCENT: PERCENT, **({BASE: sheet.columns[bases[0]]} if bases else {})}
    return replace(rewritten(sheet, rows, what), roles=roles)
