"""Calibration of stated probabilities, and its reliability diagrams."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

CALIBRATION = pa.schema(
    [
        ("simulator", LABEL),
        ("stated_for", LABEL),
        ("m", pa.int32()),
        ("n_clusters", pa.int32()),
        ("effective_clusters", pa.float64()),
        ("people", pa.float64()),
        *[
            (f"{score}{end}", pa.float64())
            for score in (
                "brier",
                "log_score",
                "accuracy",
                "overconfidence",
                "event_excess",
                "ece",
            )
            for end in ("", "_lower", "_upper")
        ],
        ("event_share", pa.float64()),
        ("stated_zero", pa.float64()),
        ("ece_if_calibrated", pa.float64()),
        ("ece_equal_width", pa.float64()),
        ("ece_adaptive", pa.float64()),
        ("mce", pa.float64()),
        ("bins", pa.int32()),
        ("empty_bins", pa.int32()),
        ("thin_bins", pa.int32()),
        ("classwise_ece", pa.float64()),
        *[
            (f"brier_{part}", pa.float64())
            for part in (
                "reliability",
                "resolution",
                "uncertainty",
                "within_variance",
                "within_covariance",
            )
        ],
        ("skce", pa.float64()),
        ("skce_p_value", pa.float64()),
        ("skce_people", pa.int64()),
        ("reason", pa.string()),
    ]
)
RELIABILITY = pa.schema(
    [
        ("simulator", LABEL),
        ("value", pa.float64()),
        ("bin", pa.int32()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("people", pa.float64()),
        ("share", pa.float64()),
        ("confidence", pa.float64()),
        ("frequency", pa.float64()),
        ("frequency_lower", pa.float64()),
        ("frequency_upper", pa.float64()),
    ]
)
