"""Tables of scores among files: which columns have questions, models and scores, by their names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from math import ceil, floor, log10
from os.path import relpath
from pathlib import Path

from fidelity_study.errors import DataError
from fidelity_study.reading.codebook.tables import EPOCH, IGNORE, QUESTION, SCORE, SIMULATOR
from fidelity_study.reading.evals.direction import LOWER, of_table, suggests_lower
from fidelity_study.reading.evals.files import TABLE, kind_of
from fidelity_study.reading.evals.score_tables import (
    are_percent,
    is_summary,
    numbers_of,
    unknown_words,
)
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.spreadsheet import stem
from fidelity_study.reading.tabular.unread import FORECASTS
from fidelity_study.reading.tabular.words import MODEL, OF_MODELS, PEOPLE, SCENARIO_LIKE

MODELS = OF_MODELS | {"model_id", "model_version", "model_name_or_path", "system", "agent"}
MODELS |= {"checkpoint", "engine"}
ITEMS = ("id", "idx", "index", "task", "doc", "prompt", "sample", "example", "problem", "instance")
ASKED = {*ITEMS, *(f"{item}_id" for item in ITEMS), "case", "test_case", "questions", "items"}
ASKED |= SCENARIO_LIKE
EPOCHS = {"epoch", "run", "trial", "attempt", "repeat", "repetition", "iteration", "try", "seed"}
MARKS = {"grade", "grades", "rating", "points", "mark", "marks", "verdict", "judgement", "judgment"}
VERSION = re.compile(r"\d")
MOST_WORDS, MOST_TIMES, ENDS, HUNDRED = 12, 10, (1, 5, 10, 100), 100


@dataclass(frozen=True)
class Table:
    """A table of scores.

    Attributes:
        sheet: as it was read.
        uses: of columns, as a codebook calls them, but for those that are not read.
        doubts: columns that may be scores, too, with what is proposed.
    """

    sheet: Sheet
    uses: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """The cells by column."""
        return _texts(self.sheet, self.columns)

    @property
    def path(self) -> str:
        """The file, seen from here."""
        return relpath(self.sheet.path)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self.sheet.columns

    @property
    def scores(self) -> list[str]:
        """Its columns of scores."""
        return self.of(SCORE) or [name for name, use in self.doubts.items() if use == SCORE]

    @property
    def is_of_one(self) -> bool:
        """Whether all its rows are of the model that the file is called by."""
        return not self.of(SIMULATOR) and len(self.scores) == 1

    @property
    def models(self) -> set[str]:
        """The models that a column names."""
        return {text for name in self.of(SIMULATOR) for text in self.texts[name]}

    def given(self, scores: Iterable[str]) -> set[str]:
        """Return the different scores, but for those of rows that are called means or totals."""
        columns = [self.texts[name] for name in scores]
        for lead in self.of(QUESTION)[:1]:
            are_read = [not is_summary(name) for name in self.texts[lead]]
            columns = [[*compress(column, are_read)] for column in columns]
        return {text for column in columns for text in column}

    def of(self, use: str) -> list[str]:
        """Return the columns of a use."""
        return [name for name in self.columns if self.uses.get(name) == use]


def tables_of_scores(paths: Sequence[str], named: Sequence[str]) -> list[Table]:
    """Return the tables of scores that files are; none unless all are of the same form.

    Args:
        paths: the files.
        named: the columns of scores that the user names.
    """
    if not all(kind_of(path) == TABLE and Path(path).is_file() for path in paths):
        return []
    tables: list[Table] = []
    for path in paths:
        with suppress(DataError):
            tables += filter(None, [_table(opened(path), named, alone=len(paths) == 1)])
    of_one = [table.is_of_one for table in tables]
    same = all(table.columns == tables[0].columns for table in tables)
    is_whole = len(tables) == len(paths) and (not any(of_one) or (all(of_one) and same))
    return tables if is_whole else []


def range_of(texts: set[str], name: str, better: str | None) -> tuple[float, float, bool]:
    """Return the smallest and largest score that there may be, and whether that is a guess.

    It is one where scores go beyond 0 and 1, or are losses, which may have no end.
    """
    numbers = numbers_of(texts)
    is_loss = better == LOWER or suggests_lower(name)
    beyond = any(not 0 <= number <= 1 for number in numbers)
    if not (beyond or (is_loss and not {*numbers} <= {0, 1} and not are_percent(texts))):
        return 0, 1, False
    low, high = min(numbers), max(numbers)
    step = 10 ** floor(log10(high)) if high > HUNDRED else 1
    top = next((end for end in ENDS if high <= end), ceil(high / step) * step)
    return min(0, floor(low)), top, True


def _table(sheet: Sheet, named: Sequence[str], *, alone: bool) -> Table | None:
    """Return the table of scores that a sheet is; None if it is none, or may be one of answers."""
    who, asked, epochs = (
        [name for name in sheet.columns if name.casefold() in usual]
        for usual in (MODELS, ASKED, EPOCHS)
    )
    likely = [name for name in sheet.columns if name in named or (not named and _is_usual(name))]
    called = [] if who or named else [name for name in sheet.columns if _may_be_model(name)]
    asked = asked or (sheet.columns[:1] if called[1:] else [])
    if not (asked and (likely or called[1:])) or (not named and _states(sheet)):
        return None
    texts = _texts(sheet, dict.fromkeys([*asked, *who, *epochs, *likely, *called]))
    keys = [*who[:1], *epochs[:1]]
    lead = min(asked, key=lambda name: (not _is_key(texts, [name, *keys]), len({*texts[name]})))
    uses = {lead: QUESTION, **dict.fromkeys(who[:1], SIMULATOR), **dict.fromkeys(epochs[:1], EPOCH)}
    free = {name: column for name, column in texts.items() if name not in uses}
    scores = [name for name in likely if name in free and _are_mostly(free[name])]
    scores = scores or [name for name in likely if name in free and _are_few(free[name])]
    is_sure = bool(named) or lead.casefold() in SCENARIO_LIKE
    doubts: dict[str, str] = {}
    if called[1:] or (named[1:] and not who):
        people = any(PEOPLE.match(name.replace("_", " ")) for name in sheet.columns)
        scores = scores if named else _of_models(free, called, is_sure=is_sure)
        if people or not scores:
            return None
        doubts = (
            {} if named else dict.fromkeys(_beside(Table(sheet).texts, [*uses, *scores]), IGNORE)
        )
    elif who:
        values = {*texts[who[0]]}
        are_models = any(map(MODEL.search, values))
        scores = [name for name in scores if are_models or name in named or of_table(name)]
        if any(map(PEOPLE.fullmatch, values)):
            return None
    elif not (named or (not alone and _is_of_one(sheet, scores, is_sure=is_sure))):
        return None
    if not scores or (not who and not _is_key(texts, [lead, *epochs[:1]])):
        return None
    if scores[1:] and not (called[1:] or named[1:]):
        doubts = dict.fromkeys(scores, IGNORE) | {scores[0]: SCORE}
    uses |= {name: SCORE for name in scores if name not in doubts}
    return Table(sheet, uses, doubts)


def _states(sheet: Sheet) -> bool:
    """Return whether a column called as forecasts are has fractions, so that events are stated."""
    columns = _texts(sheet, [name for name in sheet.columns if name.casefold() in FORECASTS])
    numbers = ([as_number(text) for text in texts if text] for texts in columns.values())
    return any(None not in given and any((n or 0.0) % 1 for n in given) for given in numbers)


def _texts(sheet: Sheet, names: Iterable[str]) -> dict[str, list[str]]:
    """Return the cells of columns."""
    wanted = list(names)
    cells = columns_of(sheet, [sheet.columns.index(name) for name in wanted])
    stripped = [[(text or "").strip() for text in column] for column in cells]
    return dict(zip(wanted, stripped, strict=True))


def _is_usual(name: str) -> bool:
    return bool(of_table(name)) or suggests_lower(name) or name.casefold() in MARKS


def _may_be_model(name: str) -> bool:
    return bool(MODEL.search(name.replace("_", " ")))


def _is_version(name: str) -> bool:
    name = name.rpartition("/")[2]
    return bool(MODEL.match(name) and VERSION.search(name))


def _is_key(texts: Mapping[str, list[str]], names: Sequence[str]) -> bool:
    """Return whether each row has other cells in some columns."""
    rows = [*zip(*(texts[name] for name in names), strict=True)]
    return len({*rows}) == len(rows)


def _of_models(free: Mapping[str, list[str]], called: Sequence[str], *, is_sure: bool) -> list[str]:
    """Return the columns of scores that are called after models; none if they may be others.

    Beside ids, which may be persons', models have a version. Scores and other numbers of the same
    models, as ``gpt-4o_correct`` and ``gpt-4o_tokens``, are told apart by their names alone.
    """
    scores = [name for name in called if name in free and _are_mostly(free[name])]
    if not is_sure and not all(map(_is_version, scores)):
        return []
    parts = {name: name.rpartition("_") for name in scores}
    stems = [stem for stem, _, _ in parts.values() if stem]
    if any(stems.count(stem) > 1 for stem in stems):
        by_name = [name for name, (_, _, end) in parts.items() if of_table(end)]
        scores = by_name or scores
    tops = [max(map(abs, numbers_of(free[name])), default=0) for name in scores]
    are_alike = bool(tops) and max(tops) <= MOST_TIMES * max(min(tops), 1)
    return scores if scores[1:] and are_alike else []


def _beside(texts: Mapping[str, list[str]], used: Sequence[str]) -> list[str]:
    """Return columns besides those that are used whose numbers are such as the last one's."""
    known = numbers_of(texts[used[-1]])
    others = {name: numbers_of(column) for name, column in texts.items() if name not in used}
    return [
        name
        for name, numbers in others.items()
        if known and numbers and not unknown_words(texts[name])
        if min(known) <= min(numbers) and max(numbers) <= max(known)
    ]


def _is_of_one(sheet: Sheet, scores: Sequence[str], *, is_sure: bool) -> bool:
    """Return whether a file may be of one model, by its name and that of its scores."""
    name = stem(sheet.path).replace("_", " ")
    is_clear = is_sure and any(of_table(score) and score != SCORE for score in scores)
    return not PEOPLE.match(name) and (is_clear or bool(MODEL.search(name)))


def _are_mostly(texts: Sequence[str]) -> bool:
    """Return whether most cells are scores: others may be errors, which the user is asked about."""
    unknown = unknown_words(texts)
    filled = [text for text in texts if text]
    return _are_few(texts) and 2 * sum(text in unknown for text in filled) < len(filled)


def _are_few(texts: Sequence[str]) -> bool:
    return len(unknown_words(texts)) <= MOST_WORDS
