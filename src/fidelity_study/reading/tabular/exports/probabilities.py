"""Stated probabilities with a per cent sign, or as logarithms, in a column of their own."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations
from math import exp

import pandas as pd

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import columns_of, numbered
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.unread import FORECASTS

PROBABILITY = "probability"
SLACK, WORD = 1e-3, re.compile(r"[^\W\d_]+")
LOGARITHM = re.compile(r"(.*[_ ])?log[_ ]?(p|prob|probs|probability|probabilities)", re.IGNORECASE)


def recognised(sheet: Sheet, stated: str = "") -> Sheet | None:
    """Return a table whose one column of probabilities is read as shares of one.

    It has a usual name, or is ``stated``.
    """
    names = {at: name.strip().casefold() for at, name in enumerate(sheet.columns)}
    logarithms = [at for at, name in names.items() if LOGARITHM.fullmatch(name)]
    usual = [at for at, name in names.items() if {*WORD.findall(name)} & FORECASTS]
    forecasts = [at for at, name in enumerate(sheet.columns) if name == stated] or usual
    forecasts = [at for at in forecasts if _are(columns_of(sheet, [at])[0], _number)]
    for places, number, what in (
        (logarithms, _of_logarithm, "logarithms of probabilities, which are divided by their sum"),
        (forecasts, of_percentage, "probabilities with a per cent sign, divided by 100"),
    ):
        if len(places) != 1 or not _are(columns_of(sheet, places)[0], number):
            continue
        (at,) = places
        if places is logarithms and not _are_of_options(sheet, at):
            continue
        name = sheet.columns[at]
        lines = (*sheet.recognised, f"{name!r} has {what}")
        rescaled = replace(sheet.with_texts([at], partial(_text, number)), recognised=lines)
        return replace(rescaled, divides=places is logarithms, roles={PROBABILITY: name})
    return None


def _are(cells: Sequence[str | None], number: Callable[[str], float | None]) -> bool:
    texts = [text.strip() for text in cells if text and text.strip()]
    return len(texts) > 1 and None not in map(number, texts)


def _are_of_options(sheet: Sheet, at: int) -> bool:
    """Return whether logarithms are those of several options each, and not of answers drawn.

    Where one of the other columns differs, or an option and its letter, several are there, and
    their sum is at most one. Where an option is there again, it is of another statement.
    """
    cells = pd.DataFrame(dict(enumerate(columns_of(sheet, range(len(sheet.columns)))))).fillna("")
    cells[at] = cells[at].map(lambda text: _of_logarithm(text.strip()))
    others = [name for name in cells if name != at]
    for option in chain(combinations(others, 1), combinations(others, 2)):
        by = [name for name in others if name not in option]
        statement = numbered(cells[[*by, option[0]]])
        each = cells.groupby([*(cells[name] for name in by), statement], sort=False)[at]
        if (each.size() > 1).all() and (each.sum() < 1 + SLACK).all():
            return True
    return False


def _text(number: Callable[[str], float | None], text: str) -> str:
    amount = number(text.strip())
    return text if amount is None else f"{amount:.10g}"


def _number(text: str) -> float | None:
    return as_number(text.removesuffix("%").strip())


def of_percentage(text: str) -> float | None:
    """Return the share that a percentage with its sign is; None of other texts."""
    percent = _number(text) if text.endswith("%") else None
    return percent / 100 if percent is not None and 0 <= percent <= 100 else None


def _of_logarithm(text: str) -> float | None:
    number = as_number(text)
    return exp(number) if number is not None and number <= 0 else None
