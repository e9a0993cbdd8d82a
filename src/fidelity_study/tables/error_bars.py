"""Mean scores with their error bars, paired differences, and ranks."""

import pyarrow as pa

from fidelity_study.tables.common import ERROR_BAR, LABEL

SCORE = [
    ("k", LABEL),
    ("confidence_set", LABEL),
    ("gamma", LABEL),
    ("discrepancy", LABEL),
    ("score", LABEL),
    ("target", LABEL),
]
BAR = [("m", pa.int32()), *ERROR_BAR]
MEANS = pa.schema(
    [
        ("simulator", LABEL),
        *SCORE,
        *BAR,
        ("se_clt", pa.float64()),
        ("se_cr1", pa.float64()),
        ("se_cr0", pa.float64()),
        ("se_paper", pa.float64()),
        ("warning", LABEL),
    ]
)
DIFFERENCES = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        *SCORE,
        *BAR,
        ("statistic", pa.float64()),
        ("p_value", pa.float64()),
        ("correlation", pa.float64()),
        ("warning", LABEL),
    ]
)
RANKS = pa.schema(
    [
        ("simulator", LABEL),
        *SCORE,
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("effective_clusters", pa.float64()),
        ("first", pa.int32()),
        ("last", pa.int32()),
        ("better_than", pa.list_(pa.string())),
        ("warning", LABEL),
    ]
)
