"""Numbers with a decimal comma, read as with a point where the config says so."""

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from fidelity_study.reading.tabular.columns import POINTED
from fidelity_study.reading.tabular.exports.table import columns_of
from fidelity_study.reading.tabular.files import Sheet

MOST_ROWS = 5_000
NUMBER, POINT = r"^(\s*[+-]?\d+),(\d+\s*)$", r"\1.\2"


def refuse_thousands(sheet: Sheet) -> None:
    """Raise DataError if a column has 750 beside 1.250, whose point stands between thousands."""
    for name, cells in zip(
        sheet.columns, columns_of(sheet, range(len(sheet.columns)), MOST_ROWS), strict=True
    ):
        texts = {text.strip(): at for at, text in enumerate(cells) if text}
        pointed = [text for text in texts if POINTED.fullmatch(text)]
        are_whole = all(POINTED.fullmatch(text) or text.isdecimal() for text in texts)
        if are_whole and len(pointed) < len(texts) and any(text.endswith("0") for text in pointed):
            text = next(text for text in pointed if text.endswith("0"))
            what = f"is {text!r} beside whole numbers, and may be {text.replace('.', '')}; write "
            what += "numbers without a sign between thousands, and decimals without a last 0"
            raise sheet.fault("thousands-point", what, at=texts[text], column=name)


def read(sheet: Sheet) -> Sheet:
    """Return a table whose cells have a point where they have a decimal comma."""

    def columns(wanted: list[list[int]]) -> Iterator[list[pa.DictionaryArray]]:
        for cells in sheet.read(wanted):
            yield [
                pa.DictionaryArray.from_arrays(
                    column.indices,
                    pc.replace_substring_regex(column.dictionary, NUMBER, POINT),
                )
                for column in cells
            ]

    return replace(sheet, read=columns)
