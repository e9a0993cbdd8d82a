"""The finished tables of a dataset: their rows and curves, and the settings they were made with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.sets.gamma import parse_sides
from fidelity_study.steps.arrays import cell_slices, numbers
from fidelity_study.steps.cases import DRAWN
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.registry import SHOWN
from fidelity_study.tables.read_write import read, read_csv

CELL = ["simulator", "k", "confidence_set", "gamma", "discrepancy", "replicate"]


def having(rows: list[dict], cell: dict) -> list[dict]:
    """Return the rows that have a cell's values."""
    return [row for row in rows if row.items() >= cell.items()]


def first(rows: list[dict], **cell) -> dict:
    """Return the first row that has a cell's values; empty if there is none."""
    return next(iter(having(rows, cell)), {})


def grouped(rows: Iterable[dict], *keys: str) -> dict:
    """Return rows by the values of a column, or of several, the first ones first."""
    groups: dict[Any, list[dict]] = {}
    for row in rows:
        values = tuple(row[key] for key in keys)
        groups.setdefault(values if len(keys) > 1 else values[0], []).append(row)
    return groups


def labelled(row: dict, name: str, question: str, rows: list[dict]) -> str:
    """Return a row's name, with its question where the rows of its table are of several."""
    several = len({one[question] for one in rows}) > 1
    return f"{row[name]}, {row[question]}" if several else str(row[name])


def is_as_answered(row: dict) -> bool:
    """Return whether a row is about what a simulator states, or about the answers that it drew."""
    return row["k"] == STATED_FORM or row["answers"] == DRAWN


def curves_of(
    table: pa.Table, keys: list[str], columns: Iterable[str]
) -> dict[tuple, dict[str, np.ndarray]]:
    """Return the curves of each cell of a table: its columns, (tau,), by the values of its keys."""
    ordered, slices = cell_slices(table, keys)
    values = {name: numbers(ordered[name]) for name in columns}
    return {
        tuple(cell.values()): {name: value[rows] for name, value in values.items()}
        for cell, rows in slices
    }


def only(table: str, wanted: Callable[[dict], bool]) -> cached_property:
    """Return a property with the rows of a table that are wanted."""
    return cached_property(lambda tables: [row for row in getattr(tables, table) if wanted(row)])


@dataclass(frozen=True)
class Tables:
    """The tables of a study on one dataset.

    ``step`` holds the part of the config that figures need; ``files`` the paths of the tables. The
    rows of a table are an attribute, with the name that ``SHOWN`` in ``steps/registry.py`` has.
    Single numbers are those of the first replicate, of which the guarantees speak.

    Attributes:
        target_means: mean discrepancies of questions that will be asked.
        mean_discrepancies, cluster_means: between bounds, of the answers that were drawn where they
            are drawn; over these scenarios, over new ones, and over the worst tenth of these.
        nonresponse: rows of nonresponse.csv.
    """

    step: dict
    files: dict

    target_means = only("target", is_as_answered)
    mean_discrepancies = only("mean_discrepancy", is_as_answered)
    cluster_means = only("by_cluster", is_as_answered)

    def __getattr__(self, table: str) -> list[dict]:
        """Return the rows of a table; none where the config doesn't ask for it."""
        if table not in SHOWN:
            raise AttributeError(table)
        paths, schema = self.files.get(table, []), SHOWN[table].read_schema()
        rows = [row for path in paths for row in read(path, schema).to_pylist()]
        self.__dict__[table] = rows
        return rows

    @cached_property
    def nonresponse(self) -> list[dict]:
        """How many answers each side was asked for and did not give, as texts."""
        (path,) = self.files["nonresponse"]
        return read_csv(Path(path).with_suffix(".csv"))

    @property
    def level(self) -> str:
        """The confidence of intervals, in per cent."""
        return f"{100 * (1 - self.step['test']['alpha']):g} %"

    @property
    def bound_level(self) -> str:
        """The confidence of bounds that are certain at this number of scenarios, in per cent."""
        return f"{100 * (1 - self.step['eta']):g} %"

    @property
    def noun(self) -> str:
        """The word for a scenario."""
        return self.step["noun"][0]

    @property
    def nouns(self) -> str:
        """The word for several scenarios."""
        return self.step["noun"][1]

    @property
    def ns(self) -> list[str]:
        """Labels of the n of the grid, in the order of the config."""
        return [str(n) for n in self.step["n"]]

    @property
    def gammas(self) -> list[str]:
        """Labels of the coverages."""
        return [self.label(gamma) for gamma in self.step["gamma"]]

    def label(self, gamma: float | dict) -> str:
        """Return the name of a coverage in tables."""
        return parse_sides(gamma).label

    @property
    def pairs(self) -> dict[str, list[str]]:
        """Confidence sets of each discrepancy."""
        return self.step["pairs"]

    @cached_property
    def _curves(self) -> dict[tuple, dict[str, np.ndarray]]:
        """(n, simulator, k, set, γ, discrepancy, replicate) -> tau and upper curve, (tau,)."""
        schema, paths = SHOWN["curves"].read_schema(), self.files["curves"]
        return {
            (n, *cell): curve
            for n, path in zip(self.ns if paths else [], paths, strict=True)
            for cell, curve in curves_of(read(path, schema), CELL, ("tau", "upper")).items()
        }

    @property
    def replicates(self) -> int:
        """How many replicates there are."""
        return 1 + max((replicate for *_, replicate in self._curves), default=0)

    def curve(self, *cell: str) -> dict | None:
        """Return τ and the upper curve of one cell, each (tau,), of the first replicate.

        ``cell``: n, simulator, k, set, γ and discrepancy. None where the simulator has no such k.
        """
        return self._curves.get((*cell, 0))

    @cached_property
    def summary(self) -> list[dict]:
        """Rows of the summaries of the first replicate, with their n; none without curves."""
        schema, paths = SHOWN["summaries"].read_schema(), self.files["summaries"]
        return [
            {"n": n, **row}
            for n, path in zip(self.ns if paths else [], paths, strict=True)
            for row in read(path, schema).to_pylist()
            if row["replicate"] == 0
        ]

    def summary_rows(self, **cell) -> list[dict]:
        """Return the rows of the summary that have these values."""
        return having(self.summary, cell)

    @cached_property
    def scenarios(self) -> pa.Table:
        """The scenarios, as their table has them."""
        return read(self.files["scenarios"][-1], SHOWN["scenarios"].read_schema())

    @cached_property
    def envelope(self) -> dict[tuple, dict[str, np.ndarray]]:
        """(simulator, k, set, discrepancy) -> the curves over all scenarios, at the last n.

        Each has tau, lower, upper, certified_upper, familywise_upper, (tau,); none if the config
        wants no envelope.
        """
        columns = ("tau", "lower", "upper", "certified_upper", "familywise_upper")
        curves: dict[tuple, dict[str, np.ndarray]] = {}
        for path in self.files["envelope"]:
            table = read(path, SHOWN["envelope"].read_schema())
            table = table.filter(pc.is_null(table["cluster"]))
            curves |= curves_of(table, ["simulator", "k", "confidence_set", "discrepancy"], columns)
        return curves

    @cached_property
    def sequence(self) -> list[dict]:
        """What was known of each simulator after the last unit; none without ``sequential``."""
        keys = ("simulator", "other", "k", "discrepancy")
        return list({tuple(row[key] for key in keys): row for row in self.looks}.values())

    def certified(self, **cell) -> dict:
        """Return the row of the envelope's certified bounds of a simulator; empty without one."""
        return first(self.envelope_shares, cluster=None, **cell)
