"""The number of people that a simulator is worth."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

SAMPLE_SIZE = pa.schema(
    [
        ("simulator", LABEL),
        ("interval", LABEL),
        ("m", pa.int32()),
        ("k_max", pa.int32()),
        ("threshold", pa.float64()),
        ("k_hat", pa.int32()),
        ("kappa_hat", pa.float64()),
        ("certified_k", pa.int32()),
    ]
)
