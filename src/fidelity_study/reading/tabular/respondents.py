"""Checks whether respondents appear twice, by numbers instead of millions of names."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from fidelity_study.errors import Part, Remedy
from fidelity_study.reading.tabular.answers import Sums
from fidelity_study.reading.tabular.columns import (
    MISSING,
    Cells,
    Joined,
    are_empty,
    as_name,
    as_number,
    as_text,
    coded,
    in_order,
    squashed,
)
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.groups import Grouping
from fidelity_study.reading.tabular.remedies import ignoring
from fidelity_study.reading.tabular.tally import Coded
from fidelity_study.reading.tabular.vector_columns import AS_PATHS, TIME
from fidelity_study.reading.tabular.words import COUNTRIES, WAVE_LIKE
from fidelity_study.tables.ingest import REASONS

PLAIN = "^[!-~]+$"
LOOKED_AT, MOST_LOOKED_AT, MOST_WAVES, MANY = 1000, 200, 50, 30
WAVES = WAVE_LIKE | {"ola", "onda", "round", "year", "jahr", "month", "week", "day"}
WAVES |= {"session", "task", "trial", "item", "stimulus", "vignette", "story", "video", "image"}
WAVES |= {"block", "phase", "period", "visit", "occasion", "date", "est\u00edmulo", "estimulo"}
WAVES |= {"reiz", "aufgabe", "ondata", "rodada", "fala", "dalga", "vi\u00f1eta"}
WAVES |= {"\u0432\u043e\u043b\u043d\u0430", "\u523a\u6fc0", "\u8ab2\u984c"}
WAVES |= {"\u8c03\u67e5\u8f6e\u6b21", "\u6ce2\u6b21", "\uc790\uadf9", "\ucc28\uc218"}
ORDERS = {"order", "position", "pos", "sequence", "seq", "reihenfolge", "orden", "ordre"}
WORD = re.compile(r"[^\W\d_]+")
SPREAD = np.uint64(0x9E3779B97F4A7C15)


def keys_of(sheet: Sheet, column: str) -> np.ndarray:
    """Return a number for each row's respondent; two names share one by a chance of 2^-64."""
    cells, texts = Cells.of(sheet, column), sheet.cells([column])[column].dictionary
    names = np.array(cells.texts, object)
    if None in cells.texts or not pc.all(pc.match_substring_regex(texts, PLAIN)).as_py():
        clean = cells.read(as_name)
        names[:] = ""
        names[list(clean)] = list(clean.values())
    return pd.util.hash_array(names, categorize=False)[cells.place]


def runs_of(sheet: Sheet, run: str, who: Joined) -> Coded:
    """Return the runs of rows; where a source has none at all, its statements are of one."""
    of_row = np.broadcast_to(who.coded(sheet).of_row, sheet.size)
    is_part = pd.Series(are_empty(sheet, run)).groupby(of_row).nunique() > 1
    return coded(sheet, run, meaning=as_name if is_part.any() else as_text)


def in_conditions(keys: np.ndarray, conditions: Grouping | None) -> np.ndarray:
    """Return keys that differ between the conditions of an experiment, if it has any."""
    if conditions is None:
        return keys
    return keys * SPREAD + conditions.of_row.astype(np.uint64)


def refuse_second(
    sheet: Sheet, columns: list[str], keys: np.ndarray, what: str, *remedy: Part
) -> None:
    """Raise DataError if a row has the same names in ``columns`` as a row before it.

    Args:
        sheet: of the rows.
        columns: the first one is named in the error.
        keys: of the rows; different names may have the same.
        what: the message, with a place for each name.
        remedy: what follows it, and the way if a column tells waves.
    """
    again = np.sort(keys)
    again = np.unique(again[1:][again[1:] == again[:-1]])[:LOOKED_AT]
    if not len(again):
        return
    cells, names = sheet.cells(columns), set[tuple[str, ...]]()
    for at in np.flatnonzero(np.isin(keys, again)).tolist():
        name = tuple(as_name(cells[column][at].as_py()) for column in columns)
        if name in names:
            what = what.format(*map(repr, name))
            parts = (what, *once_in_each(sheet, columns), *remedy)
            raise sheet.fault("respondent-twice", *parts, at=at, column=columns[0])
        names.add(name)


def given_rows(
    sums: Sums, most: float, columns: Mapping[str, np.ndarray | float]
) -> pd.DataFrame | None:
    """Return the answers of each respondent, or run; None if there are more than ``most``.

    Rows that say why there is no answer go. Empty cells stay, which may be boxes that were not
    ticked: their label is missing.

    Args:
        sums: knows the answers of rows, and the names behind codes.
        most: so many are kept.
        columns: what is kept beside them.
    """
    answer = sums.answer.of_row
    answered = answer >= len(REASONS)
    if answered.sum() > most:
        return None
    kept = answered | (answer == MISSING)
    answers, *others = (part[kept] for part in np.broadcast_arrays(answer, *columns.values()))
    label = in_order(answers, sums.answer.entries, len(REASONS))
    table = pd.DataFrame({**dict(zip(columns, others, strict=True)), "label": label})
    return sums.named(table)


def do_repeat(
    sheet: Sheet,
    columns: list[str],
    keys: np.ndarray,
    scenario: np.ndarray,
    answered: np.ndarray,
    conditions: Grouping | None,
) -> bool:
    """Return whether anybody in a long file answers several scenarios.

    Args:
        sheet: the file.
        columns: of respondents, of scenarios, and of conditions if there are any.
        keys: of the respondents of the rows.
        scenario: codes of the scenarios of the rows.
        answered: whether there is an answer.
        conditions: of an experiment.

    Raises:
        DataError: if somebody answers one twice, in the same condition.
    """
    where = " in condition {}" if conditions else ""
    what = f"respondent {{}} answers scenario {{}} a second time{where}; a respondent answers "
    what += "a scenario once"
    remedy = AS_PATHS if TIME in sheet.columns else ()
    paired = in_conditions(keys + SPREAD * scenario.astype(np.uint64), conditions)
    refuse_second(sheet, columns, paired, what, *remedy)
    return len(pd.unique(keys[answered])) < answered.sum()


def once_in_each(sheet: Sheet, columns: list[str], *, of_texts: bool = False) -> tuple[Part, ...]:
    """Return the words that a respondent answers once in each wave; none if no column tells so.

    Of a country it is said that ids begin anew in each. A column tells so that has a few values,
    each in several rows, and no two of them the same for one respondent; where few respondents are
    there, only one that is called so. Places in an order are none.

    Args:
        sheet: the file.
        columns: that name the respondent, and the question if a row is an answer.
        of_texts: whether only a column of texts may tell so.
    """
    words = {name: {*WORD.findall(name.casefold())} for name in sheet.columns}
    others = [name for name in sheet.columns if name not in columns and not words[name] & ORDERS]
    others = sorted(others, key=lambda name: not words[name] & WAVES)[:MOST_LOOKED_AT]
    if TIME in others:  # points of a path
        return ()
    rows = sheet.frame([*columns, *others])
    for name in others:
        times = rows[name].value_counts(dropna=False)
        is_few = 1 < len(times) <= MOST_WAVES and times.min() > 1 and rows[name].notna().all()
        is_few &= bool(words[name] & WAVES) or rows[columns[0]].nunique() > MANY
        is_few &= not of_texts or all(as_number(text or "") is None for text in times.index)
        if is_few and not rows.duplicated([*columns, name]).any():
            if begin_anew(sheet, columns[0], name):
                return (f"; if ids begin anew in each {name!r}, put ", ignoring(columns[0]))
            wave = Remedy({"wave": name, "columns.respondent": columns[0]})
            return (f"; if each answers once in each {name!r}, put ", wave)
    return ()


def begin_anew(sheet: Sheet, person: str, name: str) -> bool:
    """Return whether a column names countries in which one id names several persons.

    These differ in all their facts; of one person in several rows some fact is the same in all.
    """
    if squashed(name) not in COUNTRIES:
        return False
    others = [other for other in sheet.columns if other not in (person, name)][:MOST_LOOKED_AT]
    rows = sheet.frame([person, *others])
    several, most = rows[others].nunique(), rows.groupby(person)[others].nunique().max()
    return not ((several > 1) & (most == 1)).any()


def refuse_two_weights(sheet: Sheet, rows: pd.DataFrame, weight: str, respondent: str) -> None:
    """Raise DataError if a ``key`` of a respondent has several weights among ``rows``."""
    if rows.drop_duplicates()["key"].duplicated().any():
        raise sheet.fault(
            "two-weights",
            "respondents have several weights; give each one, or put ",
            Remedy({"ignore": [respondent]}, is_offered=False),
            " so that each row is a person of its weight, or ",
            ignoring(weight),
            column=weight,
        )
