"""Answers of a model as samplers write them: a list of draws in a cell, letters beside options.

A list has several draws where most have a text twice, which several options chosen don't have.
Letters are looked up among the options of their own row, ``options: {A: Yes, B: No}``.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from fidelity_study.reading.ingest.parse import LETTERS, parse
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.objects import LOOKED_AT, MOST_OTHERS, OF_LONG, TEXTS
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.lists import cells_of
from fidelity_study.reading.tabular.shown import shown

DRAWN = re.compile(r"(.*[._ ])?(outputs|samples|completions|generations|draws|replies)", re.I)
OF_LETTER = re.compile(
    r"(.*\.)?((answer|response)_?)?(options?|choices?|labels)[._ ]?([A-Z])", re.I
)


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each draw, with the option of each letter."""
    cells = columns_of(sheet, range(len(sheet.columns)), LOOKED_AT)
    first = dict(zip(sheet.columns, cells, strict=True))
    lists = {name: several for name, texts in first.items() if (several := _lists(texts))}
    drawn = [name for name, several in lists.items() if _are_drawn(name, several)]
    usual = [name for name in drawn if DRAWN.fullmatch(name)]
    drawn = next((names for names in (usual, drawn) if len(names) == 1), [])
    called = {m[5].upper(): name for name in first if (m := OF_LETTER.fullmatch(name))}
    letters = {letter: called[letter] for letter in LETTERS if letter in called}
    texts = [text for name in letters.values() for text in first[name] if text]
    letters = letters if None in map(as_number, texts) else {}
    if not drawn and len(letters) < 2:
        return None
    frame = sheet.frame(sheet.columns)
    frame, what = frame.where(frame.notna(), None), []
    for name in drawn:
        frame[name] = [_list(text) or None for text in frame[name]]
        frame = frame.explode(name, ignore_index=True)
        what.append(f"each text of a list in {name!r} is one answer")
    options = [(*filter(None, row),) for row in frame[[*letters.values()]].to_numpy()]
    asked = [name for name in frame if name.casefold() in OF_LONG]
    same = _same({*zip(*(frame[name] for name in asked), options, strict=True)})
    answers = drawn or [name for name in frame if name.casefold() in TEXTS]
    for name in answers if len(letters) > 1 else ():
        pairs = zip(frame[name], options, strict=True)
        places = [parse(text, [*row])[0] if text else None for text, row in pairs]
        known = [place for place in places if place is not None]
        if 2 * len(known) > len(frame):
            read = zip(frame[name], options, places, strict=True)
            frame[name] = [text if at is None else row[at] for text, row, at in read]
            frame = frame.drop(columns=[*letters.values()], errors="ignore")
            what.append(f"letters in {name!r} are those of its row's {shown(letters.values())}")
    return replace(rewritten(sheet, frame, "; ".join(what)), same=same) if what else None


def _same(sets: Iterable[tuple]) -> dict[str, frozenset[str]]:
    """Return the options that have a letter in one question, by each, where no two sets share one.

    >>> sorted(_same({("q", ("Yes", "No")), ("q", ("Ja", "Nein"))})["Ja"])
    ['Ja', 'Yes']

    Args:
        sets: what is asked, with the options in their order.
    """
    by_question: dict[tuple, list[tuple[str, ...]]] = {}
    for *asked, options in sets:
        by_question.setdefault((*asked, len(options)), []).append(options)
    same: dict[str, set[str]] = {}
    for several in by_question.values():
        is_apart = len({*chain(*several)}) == sum(map(len, several))
        for texts in zip(*several, strict=True) if is_apart else ():
            for text in texts:
                same.setdefault(text, set()).update(texts)
    return {text: frozenset(texts) for text, texts in same.items()}


def _list(text: str | None) -> list[str] | None:
    """Return the texts, or whole numbers, of a list."""
    cells = cells_of(text)
    if cells is None or not all(isinstance(cell, str | int) for cell in cells):
        return None
    return [*map(str, cells)]


def _lists(texts: Iterable[str | None]) -> list[list[str]]:
    """Return the lists in most cells; nothing if most have none."""
    cells = [_list(text) for text in texts if text]
    lists = [cell for cell in cells if cell]
    return lists if len(lists) > MOST_OTHERS * len(cells) else []


def _are_drawn(name: str, lists: Sequence[Sequence[str]]) -> bool:
    """Return whether lists are draws: most have a text twice, or a usual name says it.

    Numbers are draws by their name alone, else counts or shares of options, perhaps.
    """
    repeated = sum(len({*cells}) < len(cells) for cells in lists)
    are_texts = None in (as_number(cell) for cells in lists for cell in cells)
    return bool(DRAWN.fullmatch(name) or (are_texts and repeated > MOST_OTHERS * len(lists)))
