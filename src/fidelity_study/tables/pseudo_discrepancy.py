"""Discrepancies in the sample, and their extrema over the confidence sets."""

import pyarrow as pa

from fidelity_study.tables.common import CELL, LABEL

PSEUDO_DISCREPANCY = pa.schema(
    [
        ("scenario", LABEL),
        ("simulator", LABEL),
        *CELL,
        ("n_j", pa.float64()),
        ("k_j", pa.float64()),
        ("gamma_j", pa.float64()),
        ("plugin", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("gap", pa.float64()),
        ("oracle", pa.float64()),
    ]
)
