"""Samples of simulators' answers."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL, NUMBERS

SIMULATED_SAMPLE = pa.schema(
    [
        ("scenario", LABEL),
        ("simulator", LABEL),
        ("replicate", pa.int16()),
        ("k", LABEL),
        ("k_j", pa.float64()),
        ("share", NUMBERS),
    ]
)
