"""Scores of evaluations: means, differences, power, and standard errors with more samples."""

import pyarrow as pa

from fidelity_study.tables.common import ERROR_BAR, LABEL

SCORES = pa.schema(
    [
        ("eval", LABEL),
        ("model", LABEL),
        ("question", LABEL),
        ("epoch", LABEL),
        ("cluster", LABEL),
        ("score", pa.float64()),
        ("better", LABEL),
        ("reason", LABEL),
    ]
)
REPORTED = pa.schema(
    [
        ("eval", LABEL),
        ("file", pa.string()),
        ("model", LABEL),
        ("score", LABEL),
        ("metric", LABEL),
        ("by", LABEL),
        ("reported", pa.float64()),
        ("mean", pa.float64()),
        ("same", pa.bool_()),
    ]
)
LOGS = pa.schema(
    [
        ("eval", LABEL),
        ("file", pa.string()),
        ("kind", LABEL),
        ("models", pa.string()),
        ("samples", pa.int32()),
        ("unscored", pa.int32()),
        ("unfinished", pa.string()),
        ("note", pa.string()),
    ]
)
MISSING = pa.schema(
    [
        ("eval", LABEL),
        ("model", LABEL),
        ("question", LABEL),
        ("unscored", pa.int32()),
        ("scored", pa.int32()),
        ("reason", LABEL),
    ]
)
MEANS = pa.schema(
    [
        ("of", LABEL),
        ("eval", LABEL),
        ("model", LABEL),
        ("better", LABEL),
        ("questions", pa.int32()),
        ("asked", pa.int32()),
        ("samples_fewest", pa.int32()),
        ("samples_most", pa.int32()),
        ("missing", pa.int32()),
        ("unscored", pa.int32()),
        ("shared_clusters", pa.int32()),
        *ERROR_BAR,
        ("wilson_lower", pa.float64()),
        ("wilson_upper", pa.float64()),
        ("se_clt", pa.float64()),
        ("se_cr0", pa.float64()),
        ("se_cr1", pa.float64()),
        ("se_cr2", pa.float64()),
        ("se_miller", pa.float64()),
        ("warning", LABEL),
    ]
)
DIFFERENCES = pa.schema(
    [
        ("of", LABEL),
        ("eval", LABEL),
        ("model", LABEL),
        ("baseline", LABEL),
        ("better", LABEL),
        ("questions", pa.int32()),
        ("unmatched", pa.int32()),
        ("unmatched_baseline", pa.int32()),
        ("shared_clusters", pa.int32()),
        *ERROR_BAR,
        ("statistic", pa.float64()),
        ("p_value", pa.float64()),
        ("p_holm", pa.float64()),
        ("correlation", pa.float64()),
        ("margin", pa.float64()),
        ("one_sided_limit", pa.float64()),
        ("p_non_inferior", pa.float64()),
        ("warning", LABEL),
    ]
)
POWER = pa.schema(
    [
        ("eval", LABEL),
        ("model", LABEL),
        ("baseline", LABEL),
        ("questions", pa.int32()),
        ("n_clusters", pa.int32()),
        ("total", pa.float64()),
        ("between", pa.float64()),
        ("within", pa.float64()),
        ("within_baseline", pa.float64()),
        ("noise", pa.float64()),
        ("clipped", pa.bool_()),
        ("reason", LABEL),
        ("cluster_inflation", pa.float64()),
        ("minimum_detectable_effect", pa.float64()),
        ("stated_effect", pa.float64()),
        ("questions_by_formula", pa.int64()),
        ("questions_needed", pa.int64()),
        ("clusters_needed", pa.int64()),
        ("questions_in_clusters", pa.int64()),
    ]
)
SAMPLES = pa.schema(
    [
        ("eval", LABEL),
        ("model", LABEL),
        ("baseline", LABEL),
        ("samples", pa.int32()),
        ("variance", pa.float64()),
        ("se", pa.float64()),
        ("clipped", pa.bool_()),
        ("questions_by_formula", pa.int64()),
    ]
)
