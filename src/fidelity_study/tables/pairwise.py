"""Extrema of the difference of two simulators' discrepancies."""

import pyarrow as pa

from fidelity_study.tables.common import CELL, LABEL

PAIRWISE = pa.schema(
    [
        ("scenario", LABEL),
        ("simulator", LABEL),
        ("other", LABEL),
        *CELL,
        ("n_j", pa.float64()),
        ("gamma_j", pa.float64()),
        ("lower", pa.float64()),
        ("plugin", pa.float64()),
        ("upper", pa.float64()),
        ("gap", pa.float64()),
    ]
)
