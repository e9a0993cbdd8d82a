"""Intervals after each unit of a study that is looked at while data come in."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

SEQUENCE = pa.schema(
    [
        ("unit", pa.int32()),
        ("name", LABEL),
        ("m", pa.int32()),
        ("simulator", LABEL),
        ("other", LABEL),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("answers", LABEL),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("ci_lower", pa.float64()),
        ("ci_upper", pa.float64()),
    ]
)
DRIFT = pa.schema(
    [
        ("simulator", LABEL),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("answers", LABEL),
        ("units", pa.int32()),
        ("unit_is", LABEL),
        ("order", LABEL),
        ("at_random", pa.bool_()),
        ("first", pa.float64()),
        ("second", pa.float64()),
        ("p_value", pa.float64()),
        ("reason", LABEL),
    ]
)
