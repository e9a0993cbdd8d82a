"""Simulators corrected by people's answers to other scenarios: probabilities and gains."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

KINDS = ("tempered", "ridge", "stacked")
ALL_TOGETHER = "all simulators"
FORM = [("simulator", LABEL), ("k", LABEL), ("correction", LABEL)]
CORRECTED = pa.schema(
    [*FORM, ("scenario", LABEL), ("value", pa.float64()), ("probability", pa.float64())]
)
MEANS = ("corrected", "uncorrected", "from_people")
DIFFERENCES = ("over_simulator", "over_people")
ENDS = ("lower", "upper", "ci_lower", "ci_upper")
CORRECTIONS = pa.schema(
    [
        *FORM,
        ("discrepancy", LABEL),
        ("target", LABEL),
        ("simulators", pa.int32()),
        ("m", pa.int32()),
        ("split", LABEL),
        ("nearest", LABEL),
        *((f"{name}_{end}", pa.float64()) for name in (*MEANS, *DIFFERENCES) for end in ENDS),
        ("verdict", LABEL),
        ("temperature", pa.float64()),
        ("weight", pa.float64()),
        ("weight_uniform", pa.float64()),
        ("weight_pooled", pa.float64()),
        ("penalty", pa.float64()),
        ("method", LABEL),
        ("warning", LABEL),
    ]
)


def corrected_name(simulator: str | None, kind: str) -> str:
    """Return the name of a corrected simulator beside other simulators."""
    return f"{simulator or ALL_TOGETHER}, corrected ({kind})"
