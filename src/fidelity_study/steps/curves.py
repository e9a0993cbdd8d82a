"""The levels at which all curves are given, and their rows."""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pyarrow as pa

from fidelity.curves.guarantee import exact_curve
from fidelity.levels import ExactLevels

TAU = ExactLevels(Fraction(i, 100) for i in range(101))
TAIL = Fraction(1, 10)


def certified_curve(arrays: dict, tau, eta: float) -> np.ndarray:
    """Return the curve of a cell that holds at this number of scenarios, with 1 - ``eta`` each."""
    upper, gamma_j, smallest = arrays["upper"], arrays["gamma_j"], arrays["smallest"]
    return exact_curve(upper, gamma_j, smallest, tau, eta, arrays["shared"], arrays["clusters"])


def curve_rows(cells: Iterable[tuple[dict, dict[str, np.ndarray]]], schema: pa.Schema) -> pa.Table:
    """Return a row for each of ``TAU`` of each cell: its keys, ``tau``, and curves by their names.

    Args:
        cells: the keys and the curves of each.
        schema: of the table.
    """
    cells = list(cells)
    if not cells:
        return schema.empty_table()
    at = pa.array(np.repeat(np.arange(len(cells)), len(TAU)))
    columns = {
        name: pa.array([keys[name] for keys, _ in cells]).take(at)
        if name in cells[0][0]
        else np.concatenate([curves[name] for _, curves in cells])
        for name in schema.names
        if name != "tau"
    }
    columns["tau"] = np.tile([float(tau) for tau in TAU], len(cells))
    return pa.table(columns).select(schema.names).cast(schema)
