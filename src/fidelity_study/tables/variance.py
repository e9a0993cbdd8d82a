"""Variance components of a mean discrepancy."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

VARIANCE = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        ("k", LABEL),
        ("discrepancy", LABEL),
        ("target", LABEL),
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("effective_clusters", pa.float64()),
        ("estimate", pa.float64()),
        ("se", pa.float64()),
        ("df", pa.float64()),
        ("total", pa.float64()),
        ("between", pa.float64()),
        ("clipped", pa.bool_()),
        ("within", pa.float64()),
        ("within_other", pa.float64()),
        ("reason", LABEL),
        ("cluster_inflation", pa.float64()),
        ("minimum_detectable_effect", pa.float64()),
        ("stated_effect", pa.float64()),
        ("scenarios_needed", pa.float64()),
        ("clusters_needed", pa.float64()),
        ("warning", LABEL),
    ]
)
