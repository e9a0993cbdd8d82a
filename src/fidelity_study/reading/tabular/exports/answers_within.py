"""Answers in an object of each record: ``answers: {q1: 3, q2: 5}``, or columns as answers.q1.

Keys of a structured output, as ``parsed.answer`` or ``output.parsed.q1``, stand for themselves. Of
an object with the answer to one question, ``q1: {answer: 3, reason: ...}``, that is read alone.
"""

import re
from collections.abc import Container, Iterable
from dataclasses import replace

from fidelity_study.reading.ingest.parse import KEYS
from fidelity_study.reading.tabular.exports.objects import (
    FEWEST,
    LOOKED_AT,
    MOST_OTHERS,
    NONE,
    OF_LONG,
    TEXTS,
    answer_key,
    parsed,
)
from fidelity_study.reading.tabular.exports.table import Table, columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import PARSED, VALUE_LIKE


def recognised(sheet: Sheet, named: Container[str]) -> Sheet | None:
    """Return a table whose questions are the keys of the one object of answers.

    Args:
        sheet: the table.
        named: columns that the user names, which keep their names.
    """
    plain = [name if name in named else _within(name) for name in sheet.columns]
    is_other = plain != sheet.columns and len({*plain}) == len(plain)
    sheet = _of_single_answers(replace(sheet, columns=plain) if is_other else sheet, named)
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


def _of_single_answers(sheet: Sheet, named: Container[str]) -> Sheet:
    """Return a wide table with the answer in the place of each object that has one.

    Such an object is in a cell, in JSON or as Python writes it, or its keys are columns.
    """
    names = sheet.columns
    if OF_LONG & {name.casefold() for name in names}:
        return sheet
    first = enumerate(columns_of(sheet, range(len(names)), LOOKED_AT))
    cells = [at for at, texts in first if names[at].casefold() not in TEXTS and _are(texts)]
    if cells:
        lines = (*sheet.recognised, _what(names[at] for at in cells))
        return replace(sheet.with_texts(cells, _answer_of), recognised=lines)
    objects: dict[str, dict[str, int]] = {}
    for at, (whose, _, key) in enumerate(name.rpartition(".") for name in names):
        objects.setdefault(whose, {})[key] = at
    keys = {name: answer_key(parts) for name, parts in objects.items() if name}
    answers = {name: objects[name][key] for name, key in keys.items() if key is not None}
    if len(answers) < FEWEST or {name.casefold() for name in answers} & {*names, *TEXTS}:
        return sheet
    within = {at for name in answers for at in objects[name].values()}
    if any(names[at] in named for at in within):
        return sheet
    called = {at: name for name, at in answers.items()}
    places = [at for at in range(len(names)) if at in called or at not in within]
    return Table(sheet, places, [called.get(at, names[at]) for at in places]).sheet(_what(answers))


def _what(names: Iterable[str]) -> str:
    return f"of the objects in {shown(names)} the answers are read, and none of their other keys"


def _are(texts: Iterable[str | None]) -> bool:
    """Return whether most texts are objects with an answer."""
    keys = [answer_key(parsed(text)) for text in texts if text]
    return sum(map(bool, keys)) > MOST_OTHERS * len(keys)


def _answer_of(text: str) -> str | None:
    """Return the answer of an object; of a text that has none itself, unless it is cut off."""
    said = parsed(text)
    if key := answer_key(said):
        return said[key]
    return NONE if re.match(r"\W*\{", text) else text


def _within(name: str) -> str:
    """Return a column's name without that of the structured output that it is a key of.

    >>> _within("output.parsed.q1"), _within("parsed"), _within("q1.parsed_by")
    ('q1', 'parsed', 'q1.parsed_by')
    """
    parts = name.split(".")
    outer = [at for at, part in enumerate(parts[:-1]) if part.strip().casefold() in PARSED]
    return ".".join(parts[outer[-1] + 1 :]) if outer else name
