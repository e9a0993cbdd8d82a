"""Numbers with a decimal comma, and points between thousands, read as with a point or none."""

import re
from collections.abc import Collection
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

    Columns with lists of numbers, as 1,2,5, stay as they are. Points are between thousands where
    commas are decimal, in the column or elsewhere in the file, and other numbers have none. Else a
    point is decimal where no number with it ends with 0, and none has a comma.

    Args:
        sheet: the table.
        is_comma: whether the user says that a comma is the decimal sign.
        may_differ: whether a column may say so itself, by 0,75, or as all its numbers have as many
            decimals (or in a file that says so, all but whole numbers, such as codes), or else by
            1.250 beside 750.

    Raises:
        DataError: a column has 1.250, also beside 750 or another's 0,75, and nobody says what its
            point is.
    """
    columns = [
        {text.strip(): at for at, text in enumerate(cells) if text}
        for cells in columns_of(sheet, range(len(sheet.columns)), MOST_ROWS)
    ]
    numbers = {place for place, texts in enumerate(columns) if all(map(_is_number, texts))}
    sure = {
        place
        for place in (numbers if may_differ else ())
        if any(map(SURE.fullmatch, columns[place])) or _are_decimals(columns[place])
    }
    sure |= {
        place
        for place in (numbers if sure else ())
        if _are_decimals([text for text in columns[place] if "," in text])
    }
    commas = {
        place
        for place in (range(len(columns)) if is_comma else sure)
        if not any(map(LISTED.fullmatch, columns[place]))
    }
    of_file = any("," in text for place in numbers & commas for text in columns[place])
    thousands = set[int]()
    for place in sorted(numbers) if may_differ or of_file else ():
        texts, is_said = columns[place], of_file or place in commas
        pointed = [*filter(POINTED.fullmatch, texts)]
        are_all = len(pointed) == len(texts)
        is_sign = is_said or any("," in text for text in texts)
        may_be = is_sign or any(text.endswith("0") for text in pointed)
        if not (pointed and may_be) or (are_all and not (of_file or is_comma)):
            continue
        whole = filter(None, cells_of(sheet, place))
        if is_said and (is_comma or not are_all) and all(_is_number(t.strip()) for t in whole):
            thousands.add(place)
            continue
        text = max(pointed, key=lambda text: text.endswith("0"))
        beside = "numbers with a decimal comma" if is_said else "whole numbers"
        raise sheet.fault(
            "thousands-point",
            f"is {text!r} beside {beside}, and may be {text.replace('.', '')}; if so, put ",
            DECIMAL_COMMA,
            "; if not, write decimals without a last 0",
            at=texts[text],
            column=sheet.columns[place],
        )
    if sure and not is_comma:
        names = shown([sheet.columns[place] for place in sorted(sure)])
        what = f"numbers in {names} have a decimal comma"
        sheet = replace(sheet, recognised=(*sheet.recognised, what))
    sheet = sheet.with_texts(thousands, lambda text: text.replace(".", ""))
    return sheet.with_texts(commas, partial(COMMA.sub, POINT))


def _is_number(text: str) -> bool:
    return bool(NUMBER.fullmatch(text) or POINTED.fullmatch(text))


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
