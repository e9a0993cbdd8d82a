"""Mean discrepancies between bounds that need no confidence set, their differences, and lists."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

FORM = [("k", LABEL), ("discrepancy", LABEL), ("answers", LABEL), ("target", LABEL)]
INTERVAL = [
    ("m", pa.int32()),
    ("lower", pa.float64()),
    ("upper", pa.float64()),
    ("ci_lower", pa.float64()),
    ("ci_upper", pa.float64()),
    ("effective_clusters", pa.float64()),
    ("method", LABEL),
    ("warning", LABEL),
]
MEAN_DISCREPANCY = pa.schema(
    [
        ("simulator", LABEL),
        *FORM,
        ("tail", pa.float64()),
        *INTERVAL,
        ("unanswered", pa.float64()),
        ("missing_lower", pa.float64()),
        ("missing_upper", pa.float64()),
        ("familywise_lower", pa.float64()),
        ("familywise_upper", pa.float64()),
    ]
)
BY_CLUSTER = pa.schema([("cluster", LABEL), ("simulator", LABEL), *FORM, *INTERVAL])
MEAN_DIFFERENCES = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        *FORM,
        *INTERVAL,
        ("closer", LABEL),
        ("draws_to_settle", pa.int64()),
    ]
)
LISTS = pa.schema(
    [
        ("scenario", LABEL),
        ("simulator", LABEL),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("tolerance", pa.float64()),
        ("p_within", pa.float64()),
        ("p_farther", pa.float64()),
        ("verdict", LABEL),
        ("method", LABEL),
    ]
)
