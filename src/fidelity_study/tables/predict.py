"""Questions that nobody was asked, and predictions of people's answers to them."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL
from fidelity_study.tables.ingest import NAMED, WORDED

QUESTIONS = pa.schema([*NAMED, *WORDED])
FEATURES = pa.schema(
    [("scenario", LABEL), ("feature", LABEL), ("number", pa.float64()), ("text", LABEL)]
)
OF_SIMULATOR = [("simulator", LABEL), ("k", LABEL), ("discrepancy", LABEL)]
PREDICTIONS = pa.schema(
    [
        ("scenario", LABEL),
        *OF_SIMULATOR,
        ("statement", LABEL),
        ("about", LABEL),
        ("main", pa.bool_()),
        ("option", LABEL),
        ("q", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("bound", pa.float64()),
        ("neighbours", pa.float64()),
        ("alpha", pa.float64()),
        ("gamma", pa.float64()),
        ("confidence_set", LABEL),
        ("method", LABEL),
        ("reason", LABEL),
    ]
)
HELD_OUT = pa.schema(
    [
        *OF_SIMULATOR,
        ("statement", LABEL),
        ("about", LABEL),
        ("promised", pa.float64()),
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("bound", pa.float64()),
        ("left_out", LABEL),
        ("promised_upper", pa.float64()),
        ("checked_upper", pa.int32()),
        ("covered_upper", pa.float64()),
        ("covered_upper_low", pa.float64()),
        ("covered_upper_high", pa.float64()),
        ("checked_people", pa.int32()),
        ("covered_people", pa.float64()),
        ("covered_people_low", pa.float64()),
        ("covered_people_high", pa.float64()),
        ("infinite", pa.int32()),
        ("method", LABEL),
        ("reason", LABEL),
    ]
)
NEAREST = pa.schema(
    [
        ("scenario", LABEL),
        ("rank", pa.int32()),
        ("nearest", LABEL),
        ("by", LABEL),
        ("similarity", pa.float64()),
        *OF_SIMULATOR,
        ("lower", pa.float64()),
        ("plugin", pa.float64()),
        ("upper", pa.float64()),
    ]
)
