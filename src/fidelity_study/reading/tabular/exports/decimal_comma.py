"""Numbers with a decimal comma, read as with a point where the config says so."""

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from fidelity_study.reading.tabular.files import Sheet

NUMBER, POINT = r"^(\s*[+-]?\d+),(\d+\s*)$", r"\1.\2"


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
