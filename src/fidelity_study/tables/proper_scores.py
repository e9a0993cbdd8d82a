"""Mean proper scores, and their paired differences."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL

PROPER_SCORES = pa.schema(
    [
        ("simulator", LABEL),
        ("other", LABEL),
        ("score", LABEL),
        ("form", LABEL),
        ("k_fewest", pa.int64()),
        ("k_most", pa.int64()),
        ("m", pa.int32()),
        ("m_infinite", pa.int32()),
        ("n_clusters", pa.int32()),
        ("effective_clusters", pa.float64()),
        ("estimate", pa.float64()),
        ("se", pa.float64()),
        ("df", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("p_value", pa.float64()),
    ]
)
