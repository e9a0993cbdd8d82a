"""Checks whether respondents appear twice, by numbers instead of millions of names."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from fidelity_study.errors import IN_CONFIG, Part, Remedy
from fidelity_study.reading.tabular.answers import Sums
from fidelity_study.reading.tabular.columns import MISSING, Cells, Labels, as_name, in_order
from fidelity_study.reading.tabular.files import Batch, Sheet
from fidelity_study.reading.tabular.groups import Grouping
from fidelity_study.reading.tabular.remedies import ignoring
from fidelity_study.reading.tabular.vectors import AS_PATHS, TIME
from fidelity_study.tables.ingest import REASONS

PLAIN = "^[!-~]+$"
LOOKED_AT, MOST_LOOKED_AT, MOST_WAVES = 1000, 200, 50
SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Keys:
    """Numbers of 64 bits, kept to find those that come twice."""

    def __init__(self):
        """Start with none."""
        self._bytes = bytearray()

    def add(self, keys: np.ndarray) -> None:
        """Keep more of them."""
        self._bytes += keys.tobytes()

    def repeated(self) -> np.ndarray:
        """Return those that came twice or more often."""
        keys = np.frombuffer(self._bytes, np.uint64)
        keys.sort()
        return np.unique(keys[1:][keys[1:] == keys[:-1]])


def keys_of(batch: Batch, column: str) -> np.ndarray:
    """Return a number for each row's respondent; two names share one by a chance of 2^-64."""
    cells, texts = Cells.of(batch, column), batch.cells[column,].dictionary
    names = np.array(cells.texts, object)
    if None in cells.texts or not pc.all(pc.match_substring_regex(texts, PLAIN)).as_py():
        clean = cells.read(as_name, range(len(names)))
        names[:] = ""
        names[list(clean)] = list(clean.values())
    return pd.util.hash_array(names, categorize=False)[cells.place]


def in_conditions(batch: Batch, keys: np.ndarray, conditions: Grouping | None) -> np.ndarray:
    """Return keys that differ between the conditions of an experiment, if it has any."""
    if conditions is None:
        return keys
    return keys * SPREAD + conditions.of_row[batch.start : batch.start + batch.size].astype(
        np.uint64
    )


def refuse_second(
    sheet: Sheet,
    columns: list[str],
    keys: Callable[[Batch], np.ndarray],
    seen: Keys,
    what: str,
    *remedy: Part,
    ways: Callable[[], tuple[Part, ...]],
) -> None:
    """Raise DataError if a row has the same names in ``columns`` as a row before it.

    Args:
        sheet: is read once more if keys repeat, as different names may have the same key.
        columns: the first one is named in the error.
        keys: those of the rows of a batch.
        seen: all of them.
        what: the message, with a place for each name.
        remedy: what follows it.
        ways: what is said before, looked for if there is such a row.
    """
    suspects = seen.repeated()[:LOOKED_AT]
    names: set[tuple[str, ...]] = set()
    for batch in sheet.batches(*((name,) for name in columns)) if len(suspects) else ():
        for at in np.flatnonzero(np.isin(keys(batch), suspects)).tolist():
            name = tuple(as_name(batch.cells[column,][at].as_py()) for column in columns)
            if name in names:
                raise batch.fault(
                    "respondent-twice",
                    what.format(*map(repr, name)),
                    *ways(),
                    *remedy,
                    at=at,
                    column=columns[0],
                )
            names.add(name)


class Given:
    """The answers of each respondent, or run, in a file, unless there are more than ``most``."""

    def __init__(self, most: float):
        """Start with nothing."""
        self._parts: list[dict[str, np.ndarray]] = []
        self._room = most

    @property
    def has_room(self) -> bool:
        """Whether there are not too many rows so far."""
        return self._room >= 0

    def add(self, answer: np.ndarray, **columns: np.ndarray | float) -> None:
        """Add rows: codes of answers beside other columns; those that say why there is none go.

        Empty cells stay, which may be boxes that were not ticked.
        """
        answered = answer >= len(REASONS)
        self._room -= answered.sum()
        if not self.has_room:
            self._parts = []
            return
        kept = answered | (answer == MISSING)
        names, parts = ["answer", *columns], np.broadcast_arrays(answer, *columns.values())
        self._parts.append({name: x[kept] for name, x in zip(names, parts, strict=True)})

    def rows(self, sums: Sums) -> pd.DataFrame | None:
        """Return the columns, ``label`` for the answers; None if there are too many rows.

        The label of an empty cell is missing.

        Args:
            sums: knows the names behind the codes.
        """
        if not self.has_room:
            return None
        columns = {
            name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]
        }
        label = in_order(columns.pop("answer"), sums.answers, len(REASONS))
        return sums.named(pd.DataFrame({**columns, "label": label}))


class Respondents:
    """Who answers which scenarios of a long file, in which condition of an experiment."""

    def __init__(
        self, sheet: Sheet, columns: list[str], scenarios: Labels, conditions: Grouping | None
    ):
        """Name the columns of these, and give the codes of scenarios and conditions."""
        self._sheet, self._columns = sheet, columns
        self._scenarios, self._conditions = scenarios, conditions
        self._rows, self._answering = Keys(), Keys()
        self._repeat = False

    def add(self, batch: Batch, scenario: np.ndarray, answered: np.ndarray) -> None:
        """Add rows: the codes of their scenarios, and whether there is an answer."""
        keys = keys_of(batch, self._columns[0])
        self._rows.add(in_conditions(batch, _paired(keys, scenario), self._conditions))
        if not self._repeat:
            self._answering.add(keys[answered])
            self._repeat = len(pd.unique(keys[answered])) < answered.sum()

    def repeat(self) -> bool:
        """Return whether anybody answers several scenarios; raise DataError if one twice."""
        where = " in condition {}" if self._conditions else ""
        what = f"respondent {{}} answers scenario {{}} a second time{where}; a respondent answers "
        what += "a scenario once"
        remedy = AS_PATHS if TIME in self._sheet.columns else ()
        in_waves = partial(once_in_each, self._sheet, self._columns)
        refuse_second(
            self._sheet, self._columns, self._keys, self._rows, what, *remedy, ways=in_waves
        )
        return self._repeat or len(self._answering.repeated()) > 0

    def _keys(self, batch: Batch) -> np.ndarray:
        respondent, scenario, *_ = self._columns
        places = self._scenarios.codes(batch, scenario).of_row
        return in_conditions(batch, _paired(keys_of(batch, respondent), places), self._conditions)


def once_in_each(sheet: Sheet, columns: list[str]) -> tuple[Part, ...]:
    """Return the words that a respondent answers once in each wave; none if no column tells so.

    A column tells so that has a few values, each in several rows, and no two of them the same for
    one respondent.

    Args:
        sheet: the file.
        columns: that name the respondent, and the question if a row is an answer.
    """
    others = [name for name in sheet.columns if name not in columns][:MOST_LOOKED_AT]
    parts = []
    for batch in sheet.batches(*zip([*columns, *others])):
        cells = {name: Cells.of(batch, name) for name in [*columns, *others]}
        texts = {name: np.array(cell.texts, object)[cell.place] for name, cell in cells.items()}
        parts.append(pd.DataFrame(texts))
    rows = pd.concat(parts)
    for name in others:
        times = rows[name].value_counts(dropna=False)
        is_few = 1 < len(times) <= MOST_WAVES and times.min() > 1 and rows[name].notna().all()
        if is_few and not rows.duplicated([*columns, name]).any():
            wave = Remedy({"wave": name, "columns.respondent": columns[0]})
            return (f"; if each answers once in each {name!r}, put ", wave, IN_CONFIG)
    return ()


def refuse_two_weights(sheet: Sheet, rows: pd.DataFrame, weight: str, respondent: str) -> None:
    """Raise DataError if a ``key`` of a respondent has several weights among ``rows``."""
    if rows.drop_duplicates()["key"].duplicated().any():
        raise sheet.fault(
            "two-weights",
            "respondents have several weights; give each one, or put ",
            Remedy({"ignore": [respondent]}, is_offered=False),
            IN_CONFIG,
            " so that each row is a person of its weight, or ",
            ignoring(weight),
            column=weight,
        )


def _paired(keys: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return keys + SPREAD * codes.astype(np.uint64)
