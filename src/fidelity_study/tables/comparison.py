"""Quantile curves of the differences between two simulators' discrepancies."""

import pyarrow as pa

from fidelity_study.tables.common import CELL, LABEL

COMPARISON = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        ("n", LABEL),
        *CELL,
        ("tau", pa.float64()),
        ("upper", pa.float64()),
    ]
)
