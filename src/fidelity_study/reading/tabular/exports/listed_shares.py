"""Shares beside a list of options: in another list, or by letter, ``logprobs: {A: -1.2}``."""

from collections.abc import Iterator, Sequence
from math import exp

import pandas as pd

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.option_columns import (
    FEWEST,
    OPTION,
    PERCENT,
    PROBABILITY,
)
from fidelity_study.reading.tabular.exports.table import rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.lists import BETWEEN, cells_of
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import OF_MODELS

OPTIONS, SLACK = {"options", "choices"}, 0.01
Lists = list[list[float]]


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each option of each row, with its probability, or percentage of people."""
    listed = [name for name in sheet.columns if name.casefold() in OPTIONS]
    if len(listed) != 1 or {OPTION, PROBABILITY, PERCENT} & {*sheet.columns}:
        return None
    frame = sheet.frame(sheet.columns)
    options = [_texts(text) for text in frame[listed[0]]]
    sizes = [*map(len, options)]
    stated = [
        (names, shares)
        for names, numbers in _numbers(frame.drop(columns=listed))
        if [*map(len, numbers)] == sizes and (shares := _shares(numbers))
    ]
    if len(stated) != 1 or min(sizes, default=0) < FEWEST:
        return None
    [(names, shares)] = stated
    unit = PROBABILITY if OF_MODELS & {name.casefold() for name in frame} else PERCENT
    whole = 1 if unit == PROBABILITY else 100
    cells = frame.drop(columns=[*names, *listed])
    cells[OPTION] = options
    cells[unit] = [[f"{whole * share:.10g}" for share in row] for row in shares]
    cells = cells.explode([OPTION, unit], ignore_index=True)
    what = f"{shown(names)} are shares of {listed[0]!r}, in the same order"
    return rewritten(sheet, cells.where(cells.notna(), None), what)


def _texts(text: object) -> list[str]:
    """Return the texts of a list, in JSON or as a file of scenarios has them."""
    cells = cells_of(str(text))
    return [*map(str, str(text).split(BETWEEN) if cells is None else cells)]


def _numbers(frame: pd.DataFrame) -> Iterator[tuple[list[str], Lists]]:
    """Yield the numbers of each row in a column of lists, or in columns by letter."""
    letters: dict[str, list[str]] = {}
    for name in frame:
        before, _, letter = str(name).rpartition(".")
        if before and len(letter) == 1:
            letters.setdefault(before, []).append(str(name))
        yield [str(name)], [_known(_texts(text)) for text in frame[name]]
    for names in letters.values():
        rows = frame[sorted(names)].to_numpy()
        yield (
            sorted(names),
            [_known([text for text in row if isinstance(text, str)]) for row in rows],
        )


def _known(texts: Sequence[str]) -> list[float]:
    numbers = [number for text in texts if (number := as_number(text)) is not None]
    return numbers if len(numbers) == len(texts) else []


def _shares(rows: Lists) -> Lists:
    """Return shares that sum to one, from such or their logarithms; nothing of other numbers."""
    lowest = 1 - SLACK
    if all(number <= 0 for row in rows for number in row):
        rows, lowest = [[exp(number) for number in row] for row in rows], 0.0
    are_shares = all(lowest < sum(row) < 1 + SLACK and min(row, default=0) >= 0 for row in rows)
    return [[number / sum(row) for number in row] for row in rows] if are_shares else []
