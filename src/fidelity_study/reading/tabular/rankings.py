"""Rankings: first choices, and which of two items is preferred, as questions.

Ranks stand in a column for each item (1 is best), or items stand in one cell, the best one first,
or in a column for each rank. Where a row is an answer, its cell has the items.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from math import comb

import pandas as pd

from fidelity_study.errors import Key, Note
from fidelity_study.reading.tabular.columns import as_label, as_number, first_part, stem_of
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.multiple_choice import (
    CHOSEN,
    NOT_CHOSEN,
    SEPARATORS,
    parts_of,
    separator_in_order,
    separator_of,
)
from fidelity_study.reading.tabular.questions import matches
from fidelity_study.reading.tabular.words import FIRST

FEWEST_ITEMS, MOST_ITEMS, RANKING = 3, 20, "ranking"
RANK = re.compile(
    r"(?:(?:rank|ranked|rang|rango|platz|place|plaats|plats|posto|pos|position|posici\u00f3n|puesto"
    r"|lugar|choice|choix|wahl|no|nr|#)[.:\s#]*)?"
    r"(\d+)(?:(?:[.\u00ba\u00b0\u00aa]|[^\W\d]{1,3})(?:\s+[^\W\d]+)?)?",
    re.IGNORECASE,
)
"""Such as 2nd, 2., 2nd choice or Rank 2."""
ITEM = re.compile(r".*?\s*\[([^\]]*[^\W\d][^\]]*)\]")
"""An item in brackets behind its question."""
Ranks = list[dict[str, float]]
Cells = list[str | None]


def with_rankings(sheet: Sheet, layout: Layout, form: str, *, human: bool) -> Sheet:
    """Return a sheet with questions in the place of the columns, or of the rows, of rankings.

    Raises:
        DataError: if people's file has no ranking, or a cell is no rank.
    """
    ranked = _of_rows(sheet, layout) if form == "long" else _of_wide(sheet, layout)
    if ranked is None and human:
        raise sheet.fault("no-rankings", "has no column or question that fits ", Key("ranking"))
    if ranked is None:
        return sheet
    if sheet.says_missing:
        what = "rankings are read from text files only; save it as CSV"
        raise sheet.fault("ranking-in-survey-file", what)
    return ranked


def _of_wide(sheet: Sheet, layout: Layout) -> Sheet | None:
    """Return a wide sheet with a column for each question of its rankings; None without any."""
    stems = _stems(sheet, layout)
    kept = [name for name in sheet.columns if name not in chain(*stems.values())]
    columns: dict[str, Cells] = dict(zip(kept, _cells(sheet, kept), strict=True))
    options, topics = dict[str, tuple[str, ...]](), dict(sheet.topics)
    for stem, names in stems.items():
        ranks = _of_columns(sheet, layout, names) if len(names) > 1 else _of_cells(sheet, names[0])
        asked, items = _questions(sheet, stem, ranks, names)
        columns |= asked
        options |= dict.fromkeys(asked, (NOT_CHOSEN, CHOSEN)) | {f"{stem}{FIRST}": items}
        topics |= dict.fromkeys(asked, stem)
    questions = None
    if sheet.questions is not None:
        questions = [name for name in sheet.questions if name in kept]
        questions += [name for name in columns if name not in kept]
    new = replace(_rewritten(sheet, columns), kept=sheet.kept, questions=questions)
    return replace(new, topics=topics, options=options) if stems else None


def _of_rows(sheet: Sheet, layout: Layout) -> Sheet | None:
    """Return a long sheet with a row for each question of its rankings; None without any."""
    scenario, value = (layout.column(sheet, role) for role in ("scenario", "value"))
    if scenario is None or value is None:
        return None
    table = sheet.frame(sheet.columns)
    stems = {*map(stem_of, layout.ranking)}
    is_ranked = {n for n in table[scenario].dropna() if n in stems or matches(n, layout.ranking)}
    parts, options = [table[~table[scenario].isin(is_ranked)]], dict[str, tuple[str, ...]]()
    for stem in sorted(is_ranked):
        rows = table[table[scenario] == stem]
        asked, items = _questions(sheet, stem, _in_cells(sheet, stem, [*rows[value]]), [stem])
        parts += [rows.assign(**{scenario: name, value: cells}) for name, cells in asked.items()]
        options |= dict.fromkeys(asked, (NOT_CHOSEN, CHOSEN)) | {f"{stem}{FIRST}": items}
    rows = pd.concat(parts, ignore_index=True).astype(object)
    new = _rewritten(sheet, rows.where(rows.notna(), None))
    new = replace(new, roles=sheet.roles, tells_all=sheet.tells_all, topics=sheet.topics)
    return replace(new, options=options) if is_ranked else None


def _rewritten(sheet: Sheet, columns: Mapping[str, Cells] | pd.DataFrame) -> Sheet:
    new = rewritten(sheet, columns, "")
    return replace(new, recognised=sheet.recognised, first_row=sheet.first_row)


def _questions(
    sheet: Sheet, stem: str, ranks: Ranks, names: Sequence[str]
) -> tuple[dict[str, Cells], tuple[str, ...]]:
    """Return the cells of each question of a ranking, and its items."""
    named = {item for row in ranks for item in row}
    items = list(names) if named <= {*names} else sorted(named)
    if not 2 <= len(items) <= MOST_ITEMS:
        what = f"ranks {len(items)} items, and not 2 to {MOST_ITEMS}; see ranking"
        raise sheet.fault("items-of-ranking", what, column=names[0])
    pairs = {f"{stem}: {name}": cells for name, cells in _preferred(ranks, items).items()}
    return {f"{stem}{FIRST}": _first(ranks), **pairs}, tuple(items)


def _stems(sheet: Sheet, layout: Layout) -> dict[str, list[str]]:
    """Return the columns of each ranking, which is named by them or by what they share.

    They have a beginning in common; columns of numbers without one are those of one pattern.
    """
    stems: dict[str, list[str]] = {}
    for name in sheet.columns:
        if matches(name, layout.ranking) or stem_of(name) in layout.ranking:
            stems.setdefault(stem_of(name), []).append(name)
    alone = [names[0] for names in stems.values() if len(names) == 1]
    firsts, numbered = Counter(map(first_part, alone)), Counter(map(_numbered, alone))
    for name, cells in zip(alone, _cells(sheet, alone), strict=True):
        del stems[stem_of(name)]
        stem = name
        if all(not text or _rank(as_label(text)) is not None for text in cells):
            pattern = next(glob for glob in layout.ranking if matches(name, [glob]))
            if pattern == name:  # together with others that are named
                pattern = first if firsts[first := first_part(name)] > 1 else RANKING
            stem = pattern.rstrip("*?_.:- ") or pattern
        elif numbered[_numbered(name)] > 1:
            stem = _numbered(name)
        stems.setdefault(stem, []).append(name)
    return stems


def likely_rankings(sheet: Sheet, layout: Layout, names: Iterable[str]) -> list[str]:
    """Return the columns of ranks: in each row, those of one beginning are 1 to their number.

    Or they are as many items, each of them once.

    Args:
        sheet: a wide one of people.
        layout: knows what is no answer.
        names: its questions.
    """
    groups: dict[tuple[str, int], list[str]] = {}
    there = [name for name in names if name in {*sheet.columns}]
    for name, texts in values_of(sheet, there).items():
        numbers = {*map(_rank, _ranks_among(texts, layout))}
        if numbers == {None}:
            groups.setdefault((_numbered(name), 0), []).append(name)
        ranks = sorted(number or 0 for number in numbers)
        if FEWEST_ITEMS <= len(ranks) <= MOST_ITEMS and ranks == [*range(1, len(ranks) + 1)]:
            for beginning in {stem_of(name), first_part(name), ""}:
                groups.setdefault((beginning, len(ranks)), []).append(name)
    likely: dict[str, None] = {}
    for (_, number), several in groups.items():
        if len(several) == number or (number == 0 and FEWEST_ITEMS <= len(several) <= MOST_ITEMS):
            cells = zip(*_cells(sheet, several), strict=True)
            rows = [_ranks_among(filter(None, row), layout) for row in cells]
            whole = [tuple(row) for row in rows if len(row) == len(several)]
            is_once = len({*chain(*rows)}) == len(several) and all(
                len({*row}) == len(row) for row in rows
            )
            if is_once and len({*whole}) > len(several):
                likely |= dict.fromkeys(several)
    return [*likely]


def _ranks_among(texts: Iterable[str], layout: Layout) -> list[str]:
    """Return the labels of texts that are answers."""
    return [label for label in map(as_label, texts) if label and label not in layout.reasons]


def _rank(label: str) -> float | None:
    """Return the number of a rank, None if it is none.

    >>> _rank("2"), _rank("2nd"), _rank("2e choix"), _rank("Rank 2"), _rank("2 cars")
    (2.0, 2.0, 2.0, 2.0, None)
    """
    return as_number(match[1]) if (match := RANK.fullmatch(label)) else as_number(label)


def _numbered(name: str) -> str:
    """Return a name without the number at its end, ``prio`` of ``prio[1]`` and of ``prio 1``."""
    return re.sub(r"[\W_]*\d+\W*$", "", name) or name


def notes(sheet: Sheet) -> Iterator[Note]:
    """Yield a note on each ranking of a sheet."""
    for name, items in sheet.options.items():
        if name.endswith(FIRST):
            yield sheet.note(
                "ranking",
                f"{name.removesuffix(FIRST)!r}: a ranking of {len(items)} items, read as the first "
                f"choice and {comb(len(items), 2)} pairs; an item without a rank is behind those "
                "that have one",
            )


def _cells(sheet: Sheet, names: Sequence[str]) -> list[Cells]:
    return columns_of(sheet, [sheet.columns.index(name) for name in names])


def _of_columns(sheet: Sheet, layout: Layout, names: Sequence[str]) -> Ranks:
    """Return each row's ranks, where each item has a column, or each rank."""
    ranks: Ranks = []
    names = sorted(names, key=lambda name: [int(part) for part in re.findall(r"\d+", name)])
    cells = _cells(sheet, names)
    labels = _ranks_among(filter(None, chain(*cells)), layout)
    if {*map(_rank, labels)} == {None} and separator_in_order([*{*labels}]) is None:
        for row in zip(*cells, strict=True):
            items = _ranks_among((text or "" for text in row), layout)
            ranks.append({item: float(rank) for rank, item in reversed([*enumerate(items, 1)])})
        return ranks
    item_of = {name: match[1].strip() for name in names if (match := ITEM.fullmatch(name))}
    called = (
        item_of if len({*item_of.values()}) == len(names) else dict(zip(names, names, strict=True))
    )
    for at, row in enumerate(zip(*cells, strict=True)):
        ranks.append({})
        for name, text in zip(names, row, strict=True):
            label = as_label(text or "")
            if not label or label in layout.reasons:
                continue
            number = _rank(label)
            if number is None or number < 1:
                what = f"is {label!r}, no rank from 1; mend it, or list it under "
                way = (Key("missing"),)
                raise sheet.fault("not-a-rank", what, *way, at=at, column=name)
            ranks[-1][called[name]] = number
    return ranks


def _of_cells(sheet: Sheet, name: str) -> Ranks:
    """Return each row's ranks, where a cell has the items in order."""
    (cells,) = _cells(sheet, [name])
    return _in_cells(sheet, name, cells)


def _in_cells(sheet: Sheet, name: str, cells: Cells) -> Ranks:
    labels = [as_label(text or "") for text in cells]
    there = list(dict.fromkeys(filter(None, labels)))
    present = (sign for sign in SEPARATORS if any(sign in label for label in there))
    sign = separator_in_order(there) or separator_of(there) or next(present, ";")
    parts = [parts_of(label, sign) for label in labels]
    if all(len(items) < 2 for items in parts):
        what = "has one item in each cell; name all columns of the ranking"
        raise sheet.fault("items-of-ranking", what, column=name)
    return [{item: float(rank) for rank, item in enumerate(items, start=1)} for items in parts]


def _first(ranks: Ranks) -> Cells:
    """Return the first choice of each row; None where there is none, or several."""
    best = [[item for item, r in row.items() if r == min(row.values())] for row in ranks]
    return [items[0] if len(items) == 1 else None for items in best]


def _preferred(ranks: Ranks, items: Sequence[str]) -> Mapping[str, Cells]:
    """Return for each pair whether a row prefers the first; None where it prefers neither."""
    last = float("inf")

    def of(one: str, two: str) -> Cells:
        rows = [(row.get(one, last), row.get(two, last)) for row in ranks]
        return [None if a == b else CHOSEN if a < b else NOT_CHOSEN for a, b in rows]

    return {f"{one} over {two}": of(one, two) for one, two in combinations(items, 2)}
