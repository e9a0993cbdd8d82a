"""Quantile curves over scenarios, and their summaries."""

import pyarrow as pa

from fidelity_study.tables.common import CELL, LABEL

QUANTILE = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("tau", pa.float64()),
        ("lower", pa.float64()),
        ("plugin", pa.float64()),
        ("upper", pa.float64()),
        ("certified_upper", pa.float64()),
        ("oracle", pa.float64()),
    ]
)
SUMMARY = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        ("m", pa.int32()),
        ("n_short", pa.int32()),
        ("k_short", pa.int32()),
        ("k_fewest", pa.int32()),
        ("k_most", pa.int32()),
        ("auc", pa.float64()),
        ("var_90", pa.float64()),
        ("cvar_90", pa.float64()),
        ("guarantee", LABEL),
        ("guarantee_level", pa.float64()),
        ("certified_var_90", pa.float64()),
        ("auc_plugin", pa.float64()),
        ("auc_oracle", pa.float64()),
        ("cvar_90_oracle", pa.float64()),
    ]
)
