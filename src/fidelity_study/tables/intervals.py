"""Coverage of the intervals that simulators state, or that fit their answers."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

INTERVALS = pa.schema(
    [
        ("simulator", LABEL),
        ("family", LABEL),
        ("level", pa.float64()),
        ("m", pa.int32()),
        ("m_constant", pa.int32()),
        ("people", pa.float64()),
        ("coverage", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("clustered_lower", pa.float64()),
        ("clustered_upper", pa.float64()),
        ("width", pa.float64()),
        ("score", pa.float64()),
    ]
)
