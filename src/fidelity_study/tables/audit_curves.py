"""The audit of the curves' guarantees."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL
from fidelity_study.tables.measured import MEASURED

AUDIT_CURVES = pa.schema(
    [
        ("guarantee", LABEL),
        ("m", pa.int32()),
        ("gamma", LABEL),
        ("known_wrong", pa.bool_()),
        ("tau", pa.float64()),
        ("claimed", pa.float64()),
        ("covered", pa.float64()),
        *MEASURED,
    ]
)
