"""The audit of tests and intervals."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

AUDIT_TESTS = pa.schema(
    [
        ("test", LABEL),
        ("function", LABEL),
        ("title", LABEL),
        ("hypothesis", LABEL),
        ("cases", LABEL),
        ("promise", LABEL),
        ("least", pa.float64()),
        ("most", pa.float64()),
        ("effect", pa.float64()),
        ("alternative", LABEL),
        ("studies", pa.int32()),
        ("rejected", pa.float64()),
        ("standard_error", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("p_value", pa.float64()),
    ]
)
