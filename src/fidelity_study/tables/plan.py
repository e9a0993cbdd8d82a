"""Plans of a next study, and its sizes with the same interval width."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

PLANNED_CELL = [
    ("simulator", LABEL),
    ("discrepancy", LABEL),
    ("confidence_set", LABEL),
    ("gamma", LABEL),
    ("width", pa.float64()),
]
PLANS = pa.schema(
    [
        *PLANNED_CELL,
        ("probability", pa.float64()),
        ("tail", pa.float64()),
        ("pilot_scenarios", pa.int32()),
        ("of_scenarios", pa.int32()),
        ("m", pa.int64()),
        ("n", pa.int32()),
        ("k", LABEL),
        ("cost", pa.float64()),
        ("bias", pa.float64()),
        ("calibration", pa.float64()),
        ("excess", pa.float64()),
        ("noise", pa.float64()),
        ("scenario_sd", pa.float64()),
        ("smallest_width", pa.float64()),
        ("cheapest", pa.bool_()),
    ]
)
MEAN_PLANS = pa.schema(
    [
        ("simulator", LABEL),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("width", pa.float64()),
        ("half_length", pa.float64()),
        ("m", pa.int64()),
        ("n", pa.int64()),
        ("times", pa.float64()),
        ("cost", pa.float64()),
    ]
)
ISO_WIDTH = pa.schema([*PLANNED_CELL, ("k", LABEL), ("n", pa.int32()), ("m", pa.int64())])
