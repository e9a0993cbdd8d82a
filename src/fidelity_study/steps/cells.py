"""The cells of the grid: all scenarios of one simulator, set, coverage and discrepancy."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.curves.envelope import GAMMA_GRID
from fidelity.sets.gamma import parse_coverage, parse_sides
from fidelity_study.steps.arrays import cell_slices, codes, dependent_scenarios, numbers

KEYS = ["simulator", "replicate", "k", "confidence_set", "gamma", "discrepancy"]
AT_COVERAGES = ["other", "simulator", "k", "confidence_set", "discrepancy"]
COVERAGES = [parse_coverage(gamma) for gamma in GAMMA_GRID]
NUMBERS = ["gamma_j", "n_j", "k_j", "plugin", "lower", "upper", "oracle"]


def cells_by_sides(
    table: pa.Table, scenarios: pa.Table, gamma: list
) -> Iterator[tuple[dict, dict]]:
    """Yield (keys, arrays over scenarios) for each cell of a table of pseudo-discrepancies.

    The upper discrepancy has the coverage of the upper side, and the lower one that of the lower.
    ``gamma`` in the keys is the label of both. ``gamma_j`` and ``smallest`` belong to the upper
    side, ``gamma_lower_j`` to the lower one. ``scenario`` holds positions in ``scenarios``,
    ``clusters`` a number for each cluster. ``shared`` is the largest number of scenarios that
    depend on each other.
    """
    sides = [parse_sides(coverage) for coverage in gamma]
    clusters = codes(scenarios["cluster"], sorted(set(scenarios["cluster"].to_pylist())))
    people = np.array(scenarios["people"].to_pylist())
    ordered, slices = cell_slices(table, KEYS)
    column = {name: numbers(ordered[name]) for name in NUMBERS}
    column["scenario"] = codes(ordered["scenario"], scenarios["scenario"].to_pylist())
    cells: dict[tuple, dict[str, dict]] = {}
    for cell, rows in slices:
        label = cell.pop("gamma")
        arrays: dict[str, Any] = {name: values[rows] for name, values in column.items()}
        cells.setdefault(tuple(cell.items()), {})[label] = arrays
    for rest, by_gamma in cells.items():
        for pair in sides:
            cell = {**dict(rest), "gamma": pair.label}
            arrays, lower = by_gamma[pair.upper.label].copy(), by_gamma[pair.lower.label]
            arrays |= {"lower": lower["lower"], "gamma_lower_j": lower["gamma_j"]}
            arrays |= {"smallest": pair.upper.smallest, "clusters": clusters[arrays["scenario"]]}
            arrays["shared"] = dependent_scenarios(people[arrays["scenario"]], [cell["simulator"]])
            yield cell, arrays


def at_coverages(table: pa.Table, names: list[str], columns: list[str]) -> Iterator[tuple]:
    """Yield a cell's keys, its scenarios' positions (m,), and each column as (m, G).

    ``table`` has a row for each scenario and coverage of a cell: of a simulator or a pair of them.
    """
    keys = [key for key in AT_COVERAGES if key in table.column_names]
    ordered, slices = cell_slices(table, keys)
    labels = [coverage.label for coverage in COVERAGES]
    place, level = codes(ordered["scenario"], names), codes(ordered["gamma"], labels)
    values = [numbers(ordered[name]) for name in columns]
    for cell, rows in slices:
        there, row = np.unique(place[rows], return_inverse=True)
        by_coverage = np.full((len(values), len(there), len(labels)), np.nan)
        by_coverage[:, row, level[rows]] = [column[rows] for column in values]
        yield cell, there, *by_coverage
