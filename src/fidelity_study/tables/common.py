"""Types and columns that several steps' tables have."""

import pyarrow as pa

LABEL = pa.dictionary(pa.int32(), pa.string())
NUMBERS = pa.list_(pa.float64())
CELL = [
    ("replicate", pa.int16()),
    ("k", LABEL),
    ("confidence_set", LABEL),
    ("gamma", LABEL),
    ("discrepancy", LABEL),
]
