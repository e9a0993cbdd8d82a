"""Stated shares with a column for each option: ``prob_Yes, prob_No``, or ``shares: {Yes: 20}``.

An object may also stand as text in a cell, with other words around it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp

from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.objects import Parsed, parsed, with_keys
from fidelity_study.reading.tabular.exports.table import cells_of, columns_of, rewritten, stacked
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.percentages import are_percent
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import (
    NAMES_OF_QUESTIONS,
    OF_MODELS,
    SCENARIO_LIKE,
    VALUE_LIKE,
)

STATED = re.compile(
    r"((?:log[_ ]?)?(?:p|probs?|proba|probability|probabilities))[_.: ]\s*(.+)|([^.]+)\.\s*(.+)",
    re.I,
)
LOGARITHMS, PROBABILITIES = re.compile("log", re.I), re.compile("p|prob.*", re.I)
FEWEST, QUESTION, OPTION = 2, "question", "option"
PROBABILITY, PERCENT = "probability", "percent"
LOOKED_AT, MOST_OTHERS = 200, 0.5
QUESTIONS = {"scenario", *SCENARIO_LIKE, *NAMES_OF_QUESTIONS}
UNITS = {PROBABILITY: "probabilities", PERCENT: "percentages"}
Row = Mapping[int, float | None]


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each option of each row, with its probability or percentage.

    Texts of objects beside such columns are those that these were parsed from.
    """
    sheet = _without_outer(sheet)
    if not (stated := _stated(sheet)):
        sheet = _with_columns(sheet)
        stated = _stated(sheet)
    if {OPTION, PROBABILITY, PERCENT} & {*sheet.columns}:
        return None
    named = {column.casefold() for column in sheet.columns}
    if len(stated) > 1 and OF_MODELS & named and not QUESTIONS & named:
        objects = {
            name: {sheet.columns[at]: f"shares.{option}" for at, option in options.items()}
            for name, options, *_ in stated
        }
        what = f"{shown(objects)} are questions, each with an object of its options"
        return recognised(stacked(sheet, objects, QUESTION, what))
    if len(stated) != 1:
        return None
    name, options, unit, rows = stated[0]
    if unit == PERCENT and not QUESTIONS & named:
        return None  # points that a person allots
    texts, first = [*options.values()], cells_of(sheet, next(iter(options)))
    cells = sheet.frame(column for at, column in enumerate(sheet.columns) if at not in options)
    pairs = zip(rows, first, strict=True)
    cells[OPTION] = [[texts[at] for at in row] if row else [cell] for row, cell in pairs]
    cells[unit] = [[*map(_written, row.values())] or [None] for row in rows]
    melted = cells.explode([OPTION, unit])
    what = f"a column for each option: {shown(texts)}; their cells are {UNITS[unit]}"
    what += ", of their logarithms, divided by their sum" if LOGARITHMS.match(name) else ""
    empty = sum(not row for row in rows)
    what += f"; without one: {empty} of {len(rows)} rows" if empty else ""
    roles = {PERCENT: PERCENT} if unit == PERCENT else {}
    return rewritten(sheet, melted, what, roles)


def _stated(sheet: Sheet) -> list[tuple[str, dict[int, str], str, list[Row]]]:
    """Return the names of stated shares, each with its options by column, its unit and its rows."""
    by_name: dict[str, dict[int, str]] = {}
    for at, name in enumerate(sheet.columns):
        if match := STATED.fullmatch(name.strip()):
            first = (match[1] or match[3]).casefold()
            by_name.setdefault(first, {})[at] = match[2] or match[4]
    return [
        (name, options, *shares)
        for name, options in by_name.items()
        if len(options) >= FEWEST
        and _shares(name, columns_of(sheet, [*options], LOOKED_AT))
        and (shares := _shares(name, columns_of(sheet, [*options])))
    ]


def _without_outer(sheet: Sheet) -> Sheet:
    """Return a table whose columns are not named by the one object that holds all others."""
    parts = [name.split(".", 2) for name in sheet.columns]
    outer = {names[0] for names in parts if len(names) > 1}
    if len(outer) != 1 or not all(len(names) in (1, 3) for names in parts):
        return sheet
    names = [".".join(names[len(names) // 3 :]) for names in parts]
    return replace(sheet, columns=names) if len({*names}) == len(names) else sheet


def _with_columns(sheet: Sheet) -> Sheet:
    """Return a table of questions with a column for each option, where texts are objects."""
    names = {column.casefold() for column in sheet.columns}
    answers = names & {"value", *VALUE_LIKE}
    if not QUESTIONS & names:
        return sheet
    for at, name in enumerate(sheet.columns):
        if answers - {name.casefold()}:
            continue
        first = [_object(text) for text in columns_of(sheet, [at], LOOKED_AT)[0]]
        if first.count({}) > MOST_OTHERS * len(first):
            continue
        rows = [_object(text) for text in columns_of(sheet, [at])[0]]
        options = {option: f"{name}.{option}" for row in rows for option in row}
        return with_keys(sheet, at, rows, options, "a number for each option")
    return sheet


def _object(text: str | None) -> Parsed:
    """Return the number of each option in a text; nothing if it says anything else."""
    row = parsed(text) if text and "{" in text else {}
    are_numbers = len(row) >= FEWEST and None not in map(_number, row.values())
    return row if are_numbers else {}


def _number(text: str | None) -> float | None:
    return as_number((text or "").strip())


def _written(number: float | None) -> str | None:
    return None if number is None else f"{number:.10g}"


def _shares(name: str, columns: Sequence[Sequence[str | None]]) -> tuple[str, list[Row]] | None:
    """Return the unit of shares, and those of each row by place; None if they are none.

    Options that a row leaves empty are not its question's, if its others are all of it.
    """
    rows = [[*map(_number, row)] for row in zip(*columns, strict=True)]
    numbers = [number for row in rows for number in row if number is not None]
    texts = [text for column in columns for text in column if not (text or "").startswith(NO_WORDS)]
    filled = sum(bool((text or "").strip()) for text in texts)
    if not numbers or len(numbers) < filled:
        return None
    given = [{at: number for at, number in enumerate(row) if number is not None} for row in rows]
    if LOGARITHMS.match(name) and max(numbers) <= 0:
        given = [{at: exp(number) for at, number in row.items()} for row in given]
        sums = [sum(row.values()) or 1.0 for row in given]
        return PROBABILITY, [
            {at: number / total for at, number in row.items()}
            for row, total in zip(given, sums, strict=True)
        ]
    if min(numbers) < 0:
        return None
    sums = [sum(row.values()) for row in given if row]
    if max(numbers) > 1 or not PROBABILITIES.fullmatch(name):
        units = {PERCENT: sums, PROBABILITY: [100 * total for total in sums]}
        unit = next((unit for unit, whole in units.items() if are_percent(whole)), None)
        return None if unit is None else (unit, list(given))
    is_whole = are_percent(100 * total for total in sums)
    return PROBABILITY, list(given) if is_whole else [dict(enumerate(row)) for row in rows]
