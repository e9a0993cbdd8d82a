"""A model's texts that answer several questions at once, in an object: ``{"q1": "Yes", ...}``.

Signs around it, such as the fences of Markdown, don't count. A text that is cut off, or has no
object, answers none of the questions.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fidelity_study.reading.ingest.parse import KEYS, UNPARSABLE, pairs_within, stated_answer
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import PARSED, SCENARIO_LIKE, VALUE_LIKE

FEWEST, MOST_BESIDE, MOST_OTHERS, LOOKED_AT = 2, 4, 0.5, 50
OF_LONG = {"scenario", "option", *SCENARIO_LIKE}
TEXTS = {"value", "text", "output", "completion", "content", "reply", "result"}
TEXTS |= PARSED | VALUE_LIKE
NONE = NO_WORDS + UNPARSABLE
Parsed = Mapping[str, str | None]


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table with a column for each question in the place of that of objects."""
    names = [name.casefold().rpartition(".")[2] for name in sheet.columns]
    if OF_LONG & {*names}:
        return None
    places = [place for place, name in enumerate(names) if name in TEXTS] or [*range(len(names))]
    first = columns_of(sheet, places, LOOKED_AT)
    places = [at for at, texts in zip(places, first, strict=True) if questions_of(texts)]
    if len(places) != 1:
        return None
    texts = columns_of(sheet, places)[0]
    rows, questions = list(map(parsed, texts)), questions_of(texts)
    if not questions or {*questions} & {*sheet.columns} - {sheet.columns[places[0]]}:
        return None
    same = dict(zip(questions, questions, strict=True))
    return with_keys(sheet, places[0], rows, same, f"answers to {shown(questions)}")


def with_keys(
    sheet: Sheet, place: int, rows: Sequence[Parsed], names: Mapping[str, str], what: str
) -> Sheet:
    """Return a table with a column for each key in the place of that of objects.

    Args:
        sheet: the table.
        place: of the column.
        rows: the object of each text, empty where there is none.
        names: of the new columns, by key.
        what: the objects have.
    """
    texts = columns_of(sheet, range(len(sheet.columns)))
    columns = {name: texts[at] for at, name in enumerate(sheet.columns) if at != place}
    silent = [text if (text or NO_WORDS).startswith(NO_WORDS) else NONE for text in texts[place]]
    for key, name in names.items():
        pairs = zip(rows, silent, strict=True)
        columns[name] = [row.get(key) if row else none for row, none in pairs]
    lost = sum(none == NONE and not row for row, none in zip(rows, silent, strict=True))
    what = f"{sheet.columns[place]!r} has an object with {what}"
    what += f"; without one, and unparsable: {lost} of {len(rows)} texts" if lost else ""
    return replace(rewritten(sheet, columns, what), kept=sheet.kept, roles=sheet.roles)


def parsed(text: str | None) -> Parsed:
    """Return what an object in a text says, by key; nothing if there is none, or one key twice."""
    pairs = pairs_within(text or "")
    said = {str(key): _text(value) for key, value in pairs}
    return said if len(said) == len(pairs) else {}


def _text(value: object) -> str | None:
    """Return an answer as text; of an object in its place what it calls its answer."""
    if isinstance(value, tuple | dict):
        return stated_answer(json.dumps(dict(value), ensure_ascii=False))
    return value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)


def questions_of(texts: Sequence[str | None]) -> list[str]:
    """Return the keys of objects, if most texts have the same, and these name questions.

    One key such as ``answer`` has the answer to one question, with few keys beside it.
    """
    rows = list(map(parsed, texts))
    whole = [row for row in rows if row]
    keys = Counter(key for row in whole for key in row)
    names = [key for key, number in keys.items() if number > MOST_OTHERS * len(whole)]
    is_one = len(names) < FEWEST or answer_key(names) is not None
    few = len(whole) <= MOST_OTHERS * len(rows) or len(whole) < FEWEST
    return [] if is_one or few or len(names) < len(keys) else names


def answer_key(keys: Iterable[str]) -> str | None:
    """Return the key of an object that names its answer, with few beside it."""
    called = {key.casefold(): key for key in keys}
    ways = [called[key] for key in KEYS if key in called and len(called) <= MOST_BESIDE]
    return ways[0] if ways else None
