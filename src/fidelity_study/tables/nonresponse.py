"""Answers that each source was asked for, and gave, in each scenario."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

NONRESPONSE = pa.schema(
    [("scenario", LABEL), ("source", LABEL), ("asked", pa.float64()), ("answered", pa.float64())]
)
