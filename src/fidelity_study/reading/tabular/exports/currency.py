"""Amounts of money with the sign of their currency, as ``$5.50``, where numbers are compared."""

import re
from dataclasses import replace
from functools import partial

import pyarrow.compute as pc

from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

SIGN = r"(?:US\$|[$€£¥]|USD|Euros?|EUR|GBP)"
WHOLE, DECIMALS = r"-?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)", r",[0-9]{1,2}"
NUMBER = rf"(?:{WHOLE}{DECIMALS}|-?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+|[0-9]+)(?:\.[0-9]+)?)"
AMOUNT = re.compile(rf"(?:({SIGN}) ?{NUMBER}|{NUMBER} ?({SIGN}))")
PLAIN, MOST = re.compile(NUMBER), 0.5
BESIDE = ((rf"^\s*{SIGN} ?({NUMBER})\s*$", r"\1"), (rf"^\s*({NUMBER}) ?{SIGN}\s*$", r"\1"))
THOUSANDS = ((r"^(-?[0-9]{1,3}),([0-9]{3})", r"\1\2"),) * 3
WITH_COMMA = re.compile(rf"(?:{SIGN} ?)?{WHOLE}{DECIMALS}(?: ?{SIGN})?")
COMMAS = ((rf"^{WHOLE}(?:{DECIMALS})?$", lambda n: n[0].replace(".", "").replace(",", ".")),)
WORDS = re.compile(r"\D*")


def with_numbers(sheet: Sheet) -> Sheet:
    """Return a table with plain numbers in columns whose amounts have one sign, or some none.

    Most cells with digits are such amounts; others, as sentences, stay as they are. A comma before
    one or two last digits is decimal, and a point is then between thousands.
    """
    signs: dict[int, str] = {}
    commas: set[int] = set()
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
            commas |= {at} if any(map(WITH_COMMA.fullmatch, texts)) else set()
    if not signs:
        return sheet
    pointed = signs.keys() - commas
    for places, pairs in ((signs, BESIDE), (pointed, THOUSANDS), (commas, COMMAS)):
        for old, new in pairs:
            sheet = sheet.with_texts(places, partial(re.compile(old).sub, new))
    names = shown(sheet.columns[at] for at in signs)
    what = f"numbers in {names} are amounts in {' or '.join(sorted({*signs.values()}))}"
    return replace(sheet, recognised=(*sheet.recognised, what))
