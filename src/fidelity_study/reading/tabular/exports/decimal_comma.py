"""Numbers with a decimal comma, read as with a point where the config says so."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from fidelity_study.errors import IN_CONFIG
from fidelity_study.reading.tabular.columns import DECIMAL_COMMA, POINTED
from fidelity_study.reading.tabular.exports.table import cells_of, columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.text import stacked

MOST_ROWS = 5_000
NUMBER, POINT = r"^(\s*[+-]?\d+),(\d+\s*)$", r"\1.\2"
WITH_POINT = r"\."


def without_thousands(sheet: Sheet, *, is_comma: bool) -> Sheet:
    """Return a table without points between thousands, where a comma is the decimal sign.

    Raises:
        DataError: a column has 750 beside 1.250, and nobody says what its point is.
    """
    places = []
    for place, cells in enumerate(columns_of(sheet, range(len(sheet.columns)), MOST_ROWS)):
        texts = {text.strip(): at for at, text in enumerate(cells) if text}
        if not _has_thousands(texts):
            continue
        if is_comma and _has_thousands(filter(None, cells_of(sheet, place))):
            places.append(place)
            continue
        text = next(text for text in texts if POINTED.fullmatch(text) and text.endswith("0"))
        raise sheet.fault(
            "thousands-point",
            f"is {text!r} beside whole numbers, and may be {text.replace('.', '')}; if so, put ",
            DECIMAL_COMMA,
            IN_CONFIG,
            "; if not, write decimals without a last 0",
            at=texts[text],
            column=sheet.columns[place],
        )
    return _replaced(sheet, WITH_POINT, "", {*places}) if places else sheet


def _has_thousands(texts: Iterable[str]) -> bool:
    """Return whether some numbers have a point that may be between thousands, and others none."""
    plain = {text.strip() for text in texts}
    pointed = [text for text in plain if POINTED.fullmatch(text)]
    are_whole = all(POINTED.fullmatch(text) or text.isdecimal() for text in plain)
    return are_whole and len(pointed) < len(plain) and any(text.endswith("0") for text in pointed)


def read(sheet: Sheet) -> Sheet:
    """Return a table whose cells have a point where they have a decimal comma."""
    return _replaced(sheet, NUMBER, POINT, {*range(len(sheet.columns))})


def _replaced(sheet: Sheet, old: str, new: str, places: Set[int]) -> Sheet:
    """Return a table in which texts of columns at some positions are written otherwise."""

    def columns(wanted: list[list[int]]) -> Iterator[list[pa.DictionaryArray]]:
        parts = [[place] for group in wanted for place in group]
        for cells in sheet.read(parts):
            changed = iter(
                _with_texts(column, old, new) if place in places else column
                for column, (place,) in zip(cells, parts, strict=True)
            )
            yield [stacked([next(changed) for _ in group]) for group in wanted]

    return replace(sheet, read=columns)


def _with_texts(column: pa.DictionaryArray, old: str, new: str) -> pa.DictionaryArray:
    texts = pc.replace_substring_regex(column.dictionary, old, new)
    return pa.DictionaryArray.from_arrays(column.indices, texts)
