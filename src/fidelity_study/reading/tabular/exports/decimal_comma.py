"""Numbers with a decimal comma, and points between thousands, read as with a point or none."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

import pyarrow.compute as pc

from fidelity_study.reading.tabular.columns import DECIMAL_COMMA, POINTED
from fidelity_study.reading.tabular.exports.table import cells_of, columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

MOST_ROWS, FEWEST, DIGIT = 5_000, 10, re.compile(r"\d")
COMMA, POINT = re.compile(r"^(\s*[+-]?\d*),(\d+\s*)$", re.ASCII), r"\1.\2"
NUMBER = re.compile(r"[+-]?(\d+|\d*,\d+)", re.ASCII)
GROUPED = r"[+-]?[1-9][0-9]{0,2}(%s[0-9]{3})+"
SURE, LISTED = re.compile(r"[+-]?0?,\d{2,}"), re.compile(r"\d+(\s*,\s*\d+){2,}")


def with_points(sheet: Sheet, *, is_comma: bool, may_differ: bool) -> Sheet:
    """Return a table whose numbers have a point where they have a decimal comma.

    Columns with lists of numbers, as 1,2,5, stay as they are.

    Args:
        sheet: the table.
        is_comma: whether the user says that a comma is the decimal sign.
        may_differ: whether a column may say so itself, by 0,75, or as all its numbers have as many
            decimals, or else by 1.250 beside 750.

    Raises:
        DataError: a column has 750 beside 1.250, and nobody says what its point is.
    """
    commas, thousands, sure = set[int](), set[int](), list[str]()
    for place, cells in enumerate(columns_of(sheet, range(len(sheet.columns)), MOST_ROWS)):
        texts = {text.strip(): at for at, text in enumerate(cells) if text}
        are_numbers = all(NUMBER.fullmatch(text) or POINTED.fullmatch(text) for text in texts)
        is_sure = (
            may_differ and are_numbers and (any(map(SURE.fullmatch, texts)) or _are_decimals(texts))
        )
        if is_sure and not is_comma:
            sure.append(sheet.columns[place])
        if (is_comma or is_sure) and not any(map(LISTED.fullmatch, texts)):
            commas.add(place)
        is_said = place in commas
        if not may_differ or not _has_thousands(texts, is_said=is_said):
            continue
        if is_said and _has_thousands(filter(None, cells_of(sheet, place)), is_said=True):
            thousands.add(place)
            continue
        text = max(filter(POINTED.fullmatch, texts), key=lambda text: text.endswith("0"))
        raise sheet.fault(
            "thousands-point",
            f"is {text!r} beside whole numbers, and may be {text.replace('.', '')}; if so, put ",
            DECIMAL_COMMA,
            "; if not, write decimals without a last 0",
            at=texts[text],
            column=sheet.columns[place],
        )
    if sure:
        what = f"numbers in {shown(sure)} have a decimal comma"
        sheet = replace(sheet, recognised=(*sheet.recognised, what))
    sheet = sheet.with_texts(thousands, lambda text: text.replace(".", ""))
    return sheet.with_texts(commas, partial(COMMA.sub, POINT))


def with_both_signs(sheet: Sheet) -> Sheet:
    """Return a table with plain numbers, where some say which sign is decimal, as 1.234,5 does."""
    texts = [cells.dictionary for cells in sheet.read(range(len(sheet.columns)))]
    styles = []
    for thousands, decimal in (".,", ",."):
        grouped = GROUPED % re.escape(thousands)
        sure = rf"^\s*{grouped}[{decimal}][0-9]+\s*$"
        if any(pc.any(pc.match_substring_regex(column, sure)).as_py() for column in texts):
            styles.append((thousands, decimal, grouped))
    if len(styles) != 1:
        return sheet
    ((thousands, decimal, grouped),) = styles
    beside = re.compile(rf"\s*(({grouped}|[+-]?\d+)([{decimal}]\d+)?|\D*)\s*", re.ASCII)
    places = {
        at for at, column in enumerate(texts) if all(map(beside.fullmatch, column.to_pylist()))
    }
    what = f"numbers have {thousands!r} between thousands, and {decimal!r} before decimals"
    sheet = replace(sheet, recognised=(*sheet.recognised, what))
    plain = str.maketrans({thousands: "", decimal: "."})
    return sheet.with_texts(
        places, lambda text: text.translate(plain) if DIGIT.search(text) else text
    )


def _are_decimals(texts: Collection[str]) -> bool:
    """Return whether all numbers have a comma and as many decimals, and no list of codes would.

    In a list, no code is 0, and some are alone. Three decimals may be thousands.
    """
    decimals = {len(text.partition(",")[2]) for text in texts}
    are_many = len(texts) > FEWEST and decimals in ({1}, {2})
    return are_many and any(text.endswith("0") for text in texts)


def _has_thousands(texts: Iterable[str], *, is_said: bool) -> bool:
    """Return whether some numbers have a point that may be between thousands, and others none.

    Unless it is said that commas are decimal, it is a decimal point where no number with it ends
    with 0, and none has a comma.
    """
    plain = {text.strip() for text in texts}
    pointed = {text for text in plain if POINTED.fullmatch(text)}
    others = plain - pointed
    is_sign = (
        is_said
        or any(text.endswith("0") for text in pointed)
        or any("," in text for text in others)
    )
    return bool(pointed and others) and is_sign and all(map(NUMBER.fullmatch, others))
