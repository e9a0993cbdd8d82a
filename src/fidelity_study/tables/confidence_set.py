"""Bounds on people's answers by each confidence set."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL, NUMBERS

CONFIDENCE_SET = pa.schema(
    [
        ("scenario", LABEL),
        ("replicate", pa.int16()),
        ("n_j", pa.float64()),
        ("confidence_set", LABEL),
        ("gamma", LABEL),
        ("gamma_j", pa.float64()),
        ("functionals", LABEL),
        ("share", NUMBERS),
        ("support", NUMBERS),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("radius", pa.float64()),
    ]
)
