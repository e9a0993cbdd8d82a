"""The audit of the confidence sets."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL
from fidelity_study.tables.measured import MEASURED

AUDIT = pa.schema(
    [
        ("population", LABEL),
        ("simulator", LABEL),
        ("confidence_set", LABEL),
        ("discrepancy", LABEL),
        ("gamma", LABEL),
        ("bound", LABEL),
        *MEASURED,
        ("auc_ratio", pa.float64()),
        ("auc_ratio_error", pa.float64()),
        ("gap", pa.float64()),
    ]
)
