"""How a new run of a study differs from an old one."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL
from fidelity_study.tables.mean_discrepancy import INTERVAL

CHANGE = [
    ("dataset", LABEL),
    ("simulator", LABEL),
    ("new_name", LABEL),
    ("discrepancy", LABEL),
    ("k_old", LABEL),
    ("k_new", LABEL),
]
MEASURED = ("measured", pa.float64())
DIFFERENCES = pa.schema(
    [
        *CHANGE,
        ("target", LABEL),
        MEASURED,
        *INTERVAL,
        ("margin", pa.float64()),
        ("verdict", LABEL),
        ("unanswered_old", pa.float64()),
        ("unanswered_new", pa.float64()),
    ]
)
BY_CLUSTER = pa.schema([("cluster", LABEL), *CHANGE, ("target", LABEL), MEASURED, *INTERVAL])
QUESTIONS = pa.schema(
    [
        ("scenario", LABEL),
        *CHANGE,
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("p_worse", pa.float64()),
        ("p_better", pa.float64()),
        ("verdict", LABEL),
    ]
)
