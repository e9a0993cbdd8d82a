"""Distances from people: of a few people, a simulator, and both together."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

HYBRIDS = pa.schema(
    [
        ("simulator", LABEL),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("n0", pa.int32()),
        ("source", LABEL),
        ("target", LABEL),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("ci_lower", pa.float64()),
        ("ci_upper", pa.float64()),
        ("kappa", pa.float64()),
        ("saved", pa.float64()),
        ("saved_lower", pa.float64()),
        ("saved_upper", pa.float64()),
        ("beyond", pa.float64()),
        ("beyond_lower", pa.float64()),
        ("beyond_upper", pa.float64()),
        ("most", pa.int32()),
        ("verdict", LABEL),
        ("m", pa.int32()),
        ("left_out", pa.int32()),
        ("splits", pa.int32()),
        ("method", LABEL),
        ("warning", LABEL),
    ]
)
