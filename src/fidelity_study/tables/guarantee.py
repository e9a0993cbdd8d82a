"""Curves under every guarantee, and the level that each one reaches."""

import pyarrow as pa

from fidelity_study.tables.common import CELL, LABEL

GUARANTEE = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("guarantee", LABEL),
        ("tau", pa.float64()),
        ("upper", pa.float64()),
    ]
)
LEVEL = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("m", pa.int32()),
        ("shared_people", pa.int32()),
        ("n_clusters", pa.int32()),
        ("icc", pa.float64()),
        ("design_effect", pa.float64()),
        ("guarantee", LABEL),
        ("level", pa.float64()),
        ("standard_error", pa.float64()),
        ("var_90", pa.float64()),
    ]
)
