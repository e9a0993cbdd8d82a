"""Amounts of money with the sign of their currency, as ``$5.50``, where numbers are compared."""

import re
from dataclasses import replace
from functools import partial

import pyarrow.compute as pc

from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

SIGN = r"(?:US\$|[$€£¥]|USD|EUR|GBP)"
NUMBER = r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?"
AMOUNT = re.compile(rf"(?:({SIGN}) ?{NUMBER}|{NUMBER} ?({SIGN}))")
PLAIN, MOST = re.compile(NUMBER), 0.5
BESIDE = ((rf"^\s*{SIGN} ?({NUMBER})\s*$", r"\1"), (rf"^\s*({NUMBER}) ?{SIGN}\s*$", r"\1"))
THOUSANDS = ((r"^(-?[0-9]{1,3}),([0-9]{3})", r"\1\2"),) * 3
WORDS = re.compile(r"\D*")


def with_numbers(sheet: Sheet) -> Sheet:
    """Return a table with plain numbers in columns whose amounts have one sign, or some none.

    Most cells with digits are such amounts; others, as sentences, stay as they are.
    """
    signs: dict[int, str] = {}
    for at, cells in enumerate(sheet.read(range(len(sheet.columns)))):
        if not pc.any(pc.match_substring_regex(cells.dictionary, SIGN)).as_py():
            continue
        several = cells.dictionary.to_pylist()
        texts = [text.strip() for text in several if text and not WORDS.fullmatch(text)]
        matches = [AMOUNT.fullmatch(text) for text in texts]
        there = {match[1] or match[2] for match in matches if match}
        plain = [
            bool(match) or bool(PLAIN.fullmatch(text))
            for match, text in zip(matches, texts, strict=True)
        ]
        if len(there) == 1 and sum(plain) > MOST * len(plain):
            signs[at] = there.pop()
    if not signs:
        return sheet
    for old, new in (*BESIDE, *THOUSANDS):
        sheet = sheet.with_texts(signs, partial(re.compile(old).sub, new))
    names = shown(sheet.columns[at] for at in signs)
    what = f"numbers in {names} are amounts in {' or '.join(sorted({*signs.values()}))}"
    return replace(sheet, recognised=(*sheet.recognised, what))
