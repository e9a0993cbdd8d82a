"""The raw answers of language models."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL, NUMBERS

ASKED = pa.schema(
    [
        ("scenario", LABEL),
        ("respondent", pa.int32()),
        ("persona", LABEL),
        ("draw", pa.int32()),
        ("mode", LABEL),
        ("order", NUMBERS),
        ("key", pa.string()),
        ("request", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.list_(pa.string())),
        ("logprobs", NUMBERS),
        ("value", pa.float64()),
        ("share", NUMBERS),
        ("elsewhere", pa.float64()),
        ("total", pa.float64()),
        ("reason", LABEL),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("model", LABEL),
    ]
)
