"""The levels at which all curves are given, and their rows."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.levels import ExactLevels

TAU = ExactLevels(Fraction(i, 100) for i in range(101))


def curve_rows(cell: dict, schema: pa.Schema, **curves: np.ndarray) -> pa.Table:
    """Return a row for each of ``TAU``: the cell's keys, ``tau``, and the curves by their names."""
    columns: dict[str, Any] = {key: [value] * len(TAU) for key, value in cell.items()}
    columns |= {"tau": [float(tau) for tau in TAU], **curves}
    return pa.table(columns).select(schema.names).cast(schema)
