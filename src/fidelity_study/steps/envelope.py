"""The envelope of the curves over coverages γ, of all scenarios and of each cluster.

The statements are in :mod:`fidelity.curves.envelope`. Those of a dataset's clusters hold together.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.curves.envelope import (
    GAMMA_GRID,
    certified_envelope_share,
    envelope_curve,
    exact_envelope_curve,
    lower_envelope_curve,
    simultaneous_envelope_curve,
)
from fidelity.sets.gamma import Coverage, parse_coverage
from fidelity_study.steps.arrays import cell_slices, codes, dependent_scenarios, grouped, numbers
from fidelity_study.steps.certified import ETA, TAIL
from fidelity_study.tables.curves import TAU

COVERAGES: list[Coverage] = [parse_coverage(gamma) for gamma in GAMMA_GRID]
LABELS = [coverage.label for coverage in COVERAGES]
CELL = ["simulator", "k", "confidence_set", "discrepancy"]
FEWEST = 10
NEW, SAME = "new", "same clusters"
NINETY = TAU.index(1 - TAIL)


class Cell(NamedTuple):
    """The bounds of one simulator at every coverage, in all scenarios or in those of a cluster.

    Attributes:
        keys: the columns that name it, with its cluster, None for all.
        lower, upper: (m, G).
        clusters: a label for each scenario, (m,).
        shared: how many scenarios depend on each other at most.
        eta: how often a statement may fail, so that those of all clusters hold together.
    """

    keys: dict
    lower: np.ndarray
    upper: np.ndarray
    clusters: np.ndarray
    shared: int
    eta: float

    @property
    def certainty(self) -> dict:
        """How scenarios depend on each other, as the library wants to know it."""
        return {"shared": self.shared, "alike": grouped(self.clusters) is None}


def at_coverages(table: pa.Table, names: list[str], columns: list[str]) -> Iterator[tuple]:
    """Yield a cell's keys, its scenarios' positions (m,), and each column as (m, G).

    ``table`` has a row for each scenario and coverage of a cell: of a simulator or a pair of them.
    """
    keys = [key for key in ["other", *CELL] if key in table.column_names]
    ordered, slices = cell_slices(table, keys)
    place, level = codes(ordered["scenario"], names), codes(ordered["gamma"], LABELS)
    values = [numbers(ordered[name]) for name in columns]
    for cell, rows in slices:
        there, row = np.unique(place[rows], return_inverse=True)
        found = np.full((len(values), len(there), len(LABELS)), np.nan)
        found[:, row, level[rows]] = [each[rows] for each in values]
        yield cell, there, *found


def cells(table: pa.Table, scenarios: pa.Table) -> Iterator[Cell]:
    """Yield each simulator's bounds in all scenarios, then in those of each large cluster."""
    names = scenarios["scenario"].to_pylist()
    clusters, people = (np.array(scenarios[name].to_pylist()) for name in ("cluster", "people"))
    for keys, there, lower, upper in at_coverages(table, names, ["lower", "upper"]):
        own, simulator = clusters[there], [keys["simulator"]]
        shared = dependent_scenarios(people[there], simulator)
        yield Cell({"cluster": None, **keys}, lower, upper, own, shared, ETA)
        labels, sizes = np.unique(own, return_counts=True)
        labels = labels[(sizes >= FEWEST) & (len(labels) > 1)]
        for label in labels:
            at = own == label
            shared = dependent_scenarios(people[there[at]], simulator)
            bounds = lower[at], upper[at], own[at]
            yield Cell({"cluster": label, **keys}, *bounds, shared, ETA / len(labels))


def curves(cell: Cell) -> dict[str, np.ndarray]:
    """Return the curves of one cell; none simultaneous where scenarios are not independent."""
    simultaneous = np.full(len(TAU), np.nan)
    if cell.certainty == {"shared": 1, "alike": True}:
        simultaneous = simultaneous_envelope_curve(cell.upper, TAU, cell.eta)
    return {
        "lower": lower_envelope_curve(cell.lower, TAU),
        "upper": envelope_curve(cell.upper, TAU),
        "certified_upper": exact_envelope_curve(cell.upper, TAU, cell.eta, **cell.certainty),
        "simultaneous_upper": simultaneous,
    }


def shares(
    cell: Cell, drawn: dict[str, np.ndarray], tolerances: dict[str, list[float]]
) -> Iterator[dict]:
    """Yield what is certain of one cell, for each tolerance of its discrepancy."""
    certified = drawn["certified_upper"][NINETY]
    row = {
        **cell.keys,
        "m": len(cell.upper),
        "n_clusters": len(np.unique(cell.clusters)),
        "shared_people": cell.shared,
        "scenarios": NEW if cell.certainty["alike"] and cell.keys["cluster"] is None else SAME,
        "var_90": drawn["upper"][NINETY],
        "certified_var_90": certified if np.isfinite(certified) else None,
    }
    for tolerance in tolerances.get(cell.keys["discrepancy"], [None]):
        share = None
        if tolerance is not None:
            share = certified_envelope_share(
                cell.upper, cell.eta, threshold=tolerance, **cell.certainty
            )
        yield {**row, "tolerance": tolerance, "certified_share": share}
