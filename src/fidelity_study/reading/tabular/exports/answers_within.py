"""Answers in an object of each record: ``answers: {q1: 3, q2: 5}``, or columns as answers.q1.

Keys of a structured output, as ``parsed.answer`` or ``output.parsed.q1``, stand for themselves.
"""

from collections.abc import Container
from dataclasses import replace

from fidelity_study.reading.ingest.parse import KEYS
from fidelity_study.reading.tabular.exports.objects import FEWEST, OF_LONG
from fidelity_study.reading.tabular.exports.table import Table
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.words import PARSED, VALUE_LIKE


def recognised(sheet: Sheet, named: Container[str]) -> Sheet | None:
    """Return a table whose questions are the keys of the one object of answers.

    Args:
        sheet: the table.
        named: columns that the user names, which keep their names.
    """
    plain = [name if name in named else _within(name) for name in sheet.columns]
    is_other = plain != sheet.columns and len({*plain}) == len(plain)
    sheet = replace(sheet, columns=plain) if is_other else sheet
    parts = [name.strip().partition(".")[::2] for name in sheet.columns]
    objects = {first for first, rest in parts if rest and first.casefold() in VALUE_LIKE}
    places = {at: rest for at, (first, rest) in enumerate(parts) if first in objects and rest}
    names = [places.get(at, name) for at, name in enumerate(sheet.columns)]
    folded = {name.casefold() for name in names}
    if len(objects) != 1 or len(places) < FEWEST or folded & {*OF_LONG, *KEYS}:
        return sheet
    if len({*names}) < len(names):
        return sheet
    what = f"the columns {objects.pop()}.* are its questions"
    table = Table(sheet, range(len(names)), names, None, [*places.values()]).sheet(what)
    called = dict(zip(sheet.columns, names, strict=True))
    roles = {role: called.get(name, name) for role, name in sheet.roles.items()}
    return replace(table, roles=roles)


def _within(name: str) -> str:
    """Return a column's name without that of the structured output that it is a key of.

    >>> _within("output.parsed.q1"), _within("parsed"), _within("q1.parsed_by")
    ('q1', 'parsed', 'q1.parsed_by')
    """
    parts = name.split(".")
    outer = [at for at, part in enumerate(parts[:-1]) if part.strip().casefold() in PARSED]
    return ".".join(parts[outer[-1] + 1 :]) if outer else name
