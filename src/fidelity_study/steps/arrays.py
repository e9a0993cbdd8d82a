"""From tables to arrays and back: how steps line up their rows.

Scenarios of one study may have different numbers of options. Lists in the tables keep each
scenario's own length. The library gets one dense array per group of scenarios with the same
options' scores.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.comparison.few_clusters import grouped
from fidelity.sets.bounds import OPEN
from fidelity_study.steps.draws import DRAWN_FORM, STATED_FORM, is_from_people
from fidelity_study.tables.common import columns

NEW, SAME = "new", "same cluster"
ENDS = ("", "_lower", "_upper")


def codes(column: pa.ChunkedArray, names: list[str]) -> np.ndarray:
    """Return the position in ``names`` of each entry of a string or dictionary column."""
    strings = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    return pc.index_in(strings, pa.array(names, pa.string())).to_numpy()


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    """Return a numeric column; nulls become NaN."""
    return column.to_numpy().astype(float, copy=False)


def or_none(value: float) -> float | None:
    """Return a number, None if it is NaN."""
    return None if np.isnan(value) else value


def finite(value: float) -> float | None:
    """Return a number, None if it is NaN or infinite."""
    return float(value) if np.isfinite(value) else None


def intervals(*names: str) -> list[tuple[str, pa.DataType]]:
    """Return the columns of intervals, for a schema."""
    return columns(pa.float64(), *(f"{name}{end}" for name in names for end in ENDS))


def row_of(schema: pa.Schema, *results: Any, **known: Any) -> dict:
    """Return a row of what results have by the names of a schema's columns; empty where NaN.

    Later results come before earlier ones, and ``known`` values before all. An interval, or another
    named tuple, becomes a column for each of its numbers.
    """
    values: dict[str, Any] = {}
    for result in results:
        values |= {name: getattr(result, name) for name in schema.names if hasattr(result, name)}
    row: dict[str, Any] = dict.fromkeys(schema.names)
    for name, value in (values | known).items():
        if isinstance(value, tuple):
            ends = value._asdict().items()  # type: ignore[attr-defined]
            row |= {f"{name}_{end}": finite(number) for end, number in ends}
            row[name] = row.get(f"{name}_estimate")
            continue
        plain = value.item() if isinstance(value, np.generic | np.ndarray) else value
        row[name] = None if plain != plain else plain
    return {name: row[name] for name in schema.names}


def keys_of(simulator: Any, discrepancy: str) -> dict:
    """Return the columns that identify a simulator's answers and what they are compared by."""
    return {"simulator": simulator.simulator, "k": simulator.k, "discrepancy": discrepancy}


def scale_of(scenarios: pa.Table) -> tuple[float, float]:
    """Return the smallest and the largest score that an answer can have; NaN if none is known."""
    lower, upper = (numbers(scenarios[name]) for name in ("lower", "upper"))
    if np.isnan(lower).all() or np.isnan(upper).all():
        return np.nan, np.nan
    return float(np.nanmin(lower)), float(np.nanmax(upper))


def optional(values: np.ndarray) -> pa.Array:
    """Return a numeric column with nulls where ``values`` are NaN."""
    return pa.array(values, pa.float64(), mask=np.isnan(values))


def labels(names: list[str], positions: np.ndarray) -> pa.DictionaryArray:
    """Return a dictionary column that holds ``names[position]`` for each position."""
    return pa.DictionaryArray.from_arrays(
        pa.array(positions, pa.int32()), pa.array(list(names), pa.string())
    )


def lists(rows: np.ndarray) -> pa.ListArray:
    """Return a list column of the rows of a dense array (N, w)."""
    offsets = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(rows.ravel()))


def dense(column: pa.ChunkedArray) -> np.ndarray:
    """Return a list column whose lists have one length as an array (N, w)."""
    combined = column.combine_chunks()
    width = combined.value_lengths()[0].as_py() if len(combined) else 0
    return combined.flatten().to_numpy().reshape(len(combined), width)


@dataclass(frozen=True)
class Scale:
    """The options and scores that scenarios with the same way to answer have in common.

    Attributes:
        n_options: how many options there are.
        scores: the options' scores, or None.
        limits: smallest and largest possible outcome where the options are the values seen and not
            all possible ones; infinite ones of ``real`` outcomes.
    """

    n_options: int
    scores: tuple[float, ...] | None
    limits: tuple[float, float] | None


@dataclass(frozen=True)
class Scenarios:
    """The scenarios of a dataset, in the order of their table."""

    names: list[str]
    values: list[list[float]]
    scales: list[Scale]

    @classmethod
    def from_table(cls, table: pa.Table) -> "Scenarios":
        """Take the columns of ``scenarios.parquet`` that the steps need."""
        columns = (table[name].to_pylist() for name in ("score", "kind", "lower", "upper"))
        values = table["value"].to_pylist()
        scales = [
            Scale(
                len(options),
                None if score is None else tuple(score),
                {"bounded": (lower, upper), "real": OPEN}.get(kind),
            )
            for options, score, kind, lower, upper in zip(values, *columns, strict=True)
        ]
        return cls(table["scenario"].to_pylist(), values, scales)

    def counts(self, table: pa.Table, number: str) -> list[np.ndarray]:
        """Return one vector per scenario: column ``number`` of each of its options, 0 if absent.

        ``table`` has columns scenario, value and ``number``, for a single source.
        """
        scenario, option = self.places(table)
        ends = np.cumsum([len(values) for values in self.values])
        place = np.concatenate([[0], ends[:-1]])[scenario] + option
        flat = np.bincount(place, weights=numbers(table[number]), minlength=ends[-1])
        return np.split(flat, ends[:-1])

    def answers(self, source: str, outcomes: pa.Table, stated: pa.Table) -> tuple[str, list]:
        """Return the form of a source's answers, and a vector per scenario: stated, else drawn."""
        probabilities = only(stated, source=source)
        if len(probabilities):
            return STATED_FORM, self.counts(probabilities, "probability")
        return DRAWN_FORM, self.counts(only(outcomes, source=source), "count")

    def places(self, table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        """Return the position of each row's scenario, and of its value among the options."""
        scenario = codes(table["scenario"], self.names)
        keys = zip(scenario.tolist(), table["value"].to_pylist(), strict=True)
        return scenario, np.array([self._place[key] for key in keys], np.int64)

    @cached_property
    def _place(self) -> dict[tuple[int, float], int]:
        """Where each (position of a scenario, value) stands among the scenario's options."""
        return {
            (j, value): place
            for j, values in enumerate(self.values)
            for place, value in enumerate(values)
        }

    def groups(self) -> Iterator[tuple[np.ndarray, Scale]]:
        """Yield (positions of the scenarios, their scale) for each answer scale."""
        members = defaultdict(list)
        for position, scale in enumerate(self.scales):
            members[scale].append(position)
        for scale, positions in members.items():
            yield np.array(positions), scale


def join(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of positions (i, j) with ``left[i] == right[j]``; ordered by j, then i."""
    order = np.argsort(left, kind="stable")
    ordered = left[order]
    first = np.searchsorted(ordered, right, "left")
    many = np.searchsorted(ordered, right, "right") - first
    j = np.repeat(np.arange(len(right)), many)
    start = np.repeat(first - np.concatenate([[0], np.cumsum(many)[:-1]]), many)
    return order[start + np.arange(len(j))], j


def human(outcomes: pa.Table) -> pa.Table:
    """Return the rows of ``outcomes`` with people's answers."""
    return only(outcomes, source="human")


def among(column: pa.ChunkedArray, names: list[str]) -> pa.ChunkedArray:
    """Return which entries of a string or dictionary column are among ``names``."""
    return pc.is_in(column.cast(pa.string()), pa.array(names, pa.string()))


def only(table: pa.Table, **wanted: str) -> pa.Table:
    """Return the rows that have these entries in these string or dictionary columns."""
    for column, entry in wanted.items():
        table = where(table, among(table[column], [entry]))
    return table


def where(table: pa.Table, kept: pa.ChunkedArray) -> pa.Table:
    """Return the rows where ``kept`` is true; the table itself, no copy, if it always is."""
    return table if pc.all(kept).as_py() else table.filter(kept)


def first_replicate(table: pa.Table) -> pa.Table:
    """Return the rows of replicate 0."""
    return table.filter(pc.equal(table["replicate"], 0))


def target_of(clusters: np.ndarray) -> str:
    """Return the scenarios that means are about: new ones, or more of the only cluster."""
    return SAME if len(np.unique(clusters)) == 1 < len(clusters) else NEW


def clusters_of(scenarios: pa.Table) -> np.ndarray:
    """Return the scenarios' clusters; each scenario is its own if clusters group nothing."""
    clusters = grouped(np.array(scenarios["cluster"].to_pylist()))
    return np.arange(len(scenarios)) if clusters is None else clusters


def shared_people(people: np.ndarray) -> int:
    """Return the largest number of scenarios that people in common may connect.

    Args:
        people: for each scenario the label of its people; None where that is not known: there they
            may be those of any other scenario.
    """
    many = Counter(people)
    unknown = many.pop(None, 0)
    return unknown + max(many.values(), default=0)


def dependent_scenarios(people: np.ndarray, simulators: Iterable[str]) -> int:
    """Return the largest number of scenarios that may depend on each other.

    It is all of them if a simulator is fitted to people's answers to other scenarios.

    Args:
        people: for each scenario the label of its people; None where that is not known.
        simulators: the names of the simulators whose discrepancies are compared.
    """
    fitted = any(is_from_people(name) for name in simulators)
    return len(people) if fitted else shared_people(people)


def may_answer_several(scenarios: pa.Table) -> bool:
    """Return whether the same people may have answered several scenarios: unless that is denied."""
    return repeating(scenarios) is not False


def repeating(scenarios: pa.Table) -> bool | None:
    """Return whether the same people answered several scenarios; None if it is not known."""
    flags = set(scenarios["respondents_repeat"].to_pylist())
    return True if True in flags else None if None in flags else False


def cell_slices(table: pa.Table, keys: list[str]) -> tuple[pa.Table, Iterator[tuple[dict, slice]]]:
    """Return the table sorted by cells, and for each cell its keys and the slice of its rows.

    ``keys`` are the columns whose combination makes a cell. A table that is sorted already is not
    copied.
    """
    position, names = np.zeros(len(table), np.int64), []
    for key in keys:
        entries, distinct = _encoded(table[key])
        position *= len(distinct)
        position += entries
        names.append(distinct)
    first = _beginnings(position)
    if len(np.unique(position[first])) < len(first):
        order = np.argsort(position, kind="stable")
        table, position = table.take(order), position[order]
        first = _beginnings(position)
    last = np.append(first, len(table))[1:]
    places = np.unravel_index(position[first], [len(labels) for labels in names])

    def cells() -> Iterator[tuple[dict, slice]]:
        for start, stop, *at in zip(first, last, *places, strict=True):
            cell = {key: labels[i] for key, labels, i in zip(keys, names, at, strict=True)}
            yield cell, slice(start, stop)

    return table, cells()


def _beginnings(values: np.ndarray) -> np.ndarray:
    """Return the positions at which a value differs from the one before."""
    is_new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return np.flatnonzero(is_new)


def _encoded(column: pa.ChunkedArray) -> tuple[np.ndarray, list]:
    encoded = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column
    encoded = encoded.combine_chunks()
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def short_of(wanted: int | str, there: np.ndarray) -> int:
    """Return in how many scenarios ``there``, (m,), are fewer answers than wanted.

    It is 0 where all answers were wanted, or a simulator states probabilities.
    """
    return int((there < float(wanted) * (1 - 1e-9)).sum()) if str(wanted).isdigit() else 0
