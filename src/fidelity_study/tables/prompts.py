"""How much a simulator's discrepancy depends on the prompt."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

PROMPTS = pa.schema(
    [
        ("simulator", LABEL),
        ("prompts", pa.int32()),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("m", pa.int32()),
        ("worst", LABEL),
        ("worst_lower", pa.float64()),
        ("worst_upper", pa.float64()),
        ("worst_is_settled", pa.bool_()),
        ("average_lower", pa.float64()),
        ("average_upper", pa.float64()),
        ("average_ci_lower", pa.float64()),
        ("average_ci_upper", pa.float64()),
        ("m_variance", pa.int32()),
        ("total", pa.float64()),
        ("chance", pa.float64()),
        ("between", pa.float64()),
        ("between_lower", pa.float64()),
        ("between_upper", pa.float64()),
        ("of_means", pa.float64()),
        ("reason", LABEL),
        ("warning", LABEL),
    ]
)
