"""Alchemer: tick boxes headed by their option and then their question, ``Higher pay:perks``."""

import re
from collections import Counter

from fidelity_study.reading.tabular.columns import spelling
from fidelity_study.reading.tabular.exports.table import Table, different
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import values_of
from fidelity_study.reading.tabular.shown import shown

OPTION_FIRST = re.compile(r"(.+?)\s*(?::| - )\s*([^:]*[^:\s])", re.DOTALL)


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table whose tick boxes have their question before their option.

    Two at least of a question's columns hold their option's own text, or nothing.
    """
    parts = {
        name: match.groups() for name in sheet.columns if (match := OPTION_FIRST.fullmatch(name))
    }
    ticked = Counter(
        parts[name][1]
        for name, texts in values_of(sheet, parts).items()
        if [*map(spelling, texts)] == [spelling(parts[name][0])]
    )
    asked = [question for question, boxes in ticked.items() if boxes > 1]
    if not asked:
        return None
    turned = {name: ": ".join(part[::-1]) for name, part in parts.items() if part[1] in asked}
    names = different([turned.get(name, name) for name in sheet.columns])
    what = f"a question's name stands behind its options, and is read before them: {shown(asked)}"
    return Table(sheet, range(len(names)), names, questions=sheet.questions).sheet(what)
