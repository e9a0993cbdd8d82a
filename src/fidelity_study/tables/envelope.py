"""Curves that need no choice of the coverage γ, and the shares that they certify."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

FORM = [
    ("cluster", LABEL),
    ("simulator", LABEL),
    ("k", LABEL),
    ("confidence_set", LABEL),
    ("discrepancy", LABEL),
]
ENVELOPE = pa.schema(
    [
        *FORM,
        ("tau", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("certified_upper", pa.float64()),
        ("simultaneous_upper", pa.float64()),
        ("familywise_upper", pa.float64()),
    ]
)
ENVELOPE_SHARES = pa.schema(
    [
        *FORM,
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("shared_people", pa.int32()),
        ("scenarios", LABEL),
        ("var_90", pa.float64()),
        ("certified_var_90", pa.float64()),
        ("tolerance", pa.float64()),
        ("certified_share", pa.float64()),
        ("familywise_var_90", pa.float64()),
        ("familywise_share", pa.float64()),
    ]
)
