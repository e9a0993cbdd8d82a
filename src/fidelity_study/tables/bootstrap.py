"""Subsamples of people."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL, NUMBERS

HUMAN_SAMPLE = pa.schema(
    [("scenario", LABEL), ("replicate", pa.int16()), ("n_j", pa.float64()), ("count", NUMBERS)]
)
