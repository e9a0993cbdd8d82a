"""Amounts of money with the sign of their currency, as ``$5.50``, where numbers are compared."""

import re
from dataclasses import replace
from functools import partial

from fidelity_study.reading.tabular.exports.table import columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

SIGN = r"(?:US\$|[$€£¥]|USD|EUR|GBP)"
NUMBER = r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?"
AMOUNT = re.compile(rf"(?:({SIGN}) ?{NUMBER}|{NUMBER} ?({SIGN}))")
BESIDE = ((rf"^\s*{SIGN} ?({NUMBER})\s*$", r"\1"), (rf"^\s*({NUMBER}) ?{SIGN}\s*$", r"\1"))
THOUSANDS = ((r"^(-?[0-9]{1,3}),([0-9]{3})", r"\1\2"),) * 3
WORDS = re.compile(r"\D*")


def with_numbers(sheet: Sheet) -> Sheet:
    """Return a table with plain numbers in columns whose amounts all have one sign."""
    signs: dict[int, str] = {}
    for at, cells in enumerate(columns_of(sheet, range(len(sheet.columns)))):
        texts = [text.strip() for text in {*cells} if text and not WORDS.fullmatch(text)]
        matches = [AMOUNT.fullmatch(text) for text in texts]
        there = {match[1] or match[2] for match in matches if match}
        if all(matches) and len(there) == 1:
            signs[at] = there.pop()
    if not signs:
        return sheet
    for old, new in (*BESIDE, *THOUSANDS):
        sheet = sheet.with_texts(signs, partial(re.compile(old).sub, new))
    names = shown(sheet.columns[at] for at in signs)
    what = f"numbers in {names} are amounts in {' or '.join(sorted({*signs.values()}))}"
    return replace(sheet, recognised=(*sheet.recognised, what))
