"""The cells of the grid: all scenarios of one simulator, set, coverage and discrepancy."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.sets.gamma import Sides
from fidelity_study.steps.arrays import cell_slices, codes, numbers

NUMBERS = ["gamma_j", "n_j", "k_j", "plugin", "lower", "upper", "oracle"]


def cells_by_sides(
    table: pa.Table, keys: list[str], sides: list[Sides], scenarios: list[str]
) -> Iterator[tuple[dict, dict]]:
    """Yield (keys, arrays over scenarios) for each cell of a table of pseudo-discrepancies.

    The upper discrepancy has the coverage of the upper side, the lower one that of the lower.
    ``gamma`` in the keys is the label of both; ``gamma_j`` and ``smallest`` belong to the upper
    side, ``gamma_lower_j`` to the lower one. ``scenario`` holds positions in ``scenarios``.
    """
    ordered, slices = cell_slices(table, keys)
    column = {name: numbers(ordered[name]) for name in NUMBERS}
    column["scenario"] = codes(ordered["scenario"], scenarios)
    found: dict[tuple, dict[str, dict]] = {}
    for cell, rows in slices:
        gamma = cell.pop("gamma")
        of = {name: values[rows] for name, values in column.items()}
        found.setdefault(tuple(cell.items()), {})[gamma] = of
    for rest, by_gamma in found.items():
        for each in sides:
            upper, lower = by_gamma[each.upper.label], by_gamma[each.lower.label]
            yield (
                {**dict(rest), "gamma": each.label},
                {
                    **upper,
                    "lower": np.asarray(lower["lower"]),
                    "gamma_lower_j": lower["gamma_j"],
                    "smallest": each.upper.smallest,
                },
            )
