"""The columns of a coverage that the audit measured."""

import pyarrow as pa

MEASURED = [
    ("nominal", pa.float64()),
    ("coverage", pa.float64()),
    ("standard_error", pa.float64()),
    ("worst_nominal", pa.float64()),
    ("worst", pa.float64()),
    ("worst_low", pa.float64()),
    ("worst_high", pa.float64()),
    ("p_value", pa.float64()),
]
