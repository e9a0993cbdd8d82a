from .intervals import (
    interval_coverage as interval_coverage,
)
from .kernel import (
    PredictionKernel as PredictionKernel,
)
from .kernel import (
    StatedNormals as StatedNormals,
)
from .kernel import (
    StatedProbabilities as StatedProbabilities,
)
from .kernel import (
    asymptotic_test as asymptotic_test,
)
from .kernel import (
    block_test as block_test,
)
from .kernel import (
    clustered_test as clustered_test,
)
from .kernel import (
    consistency_test as consistency_test,
)
from .kernel import (
    mean_embedding_test as mean_embedding_test,
)
from .kernel import (
    ordinal_kernel as ordinal_kernel,
)
from .kernel import (
    skce_biased as skce_biased,
)
from .kernel import (
    skce_unbiased as skce_unbiased,
)
from .kernel import (
    white_kernel as white_kernel,
)
from .measures import (
    CalibrationErrorBar as CalibrationErrorBar,
)
from .measures import (
    Reliability as Reliability,
)
from .measures import (
    brier_decomposition as brier_decomposition,
)
from .measures import (
    brier_score as brier_score,
)
from .measures import (
    calibrated_error_replicates as calibrated_error_replicates,
)
from .measures import (
    calibration_error_bar as calibration_error_bar,
)
from .measures import (
    classwise_calibration_error as classwise_calibration_error,
)
from .measures import (
    classwise_reliability as classwise_reliability,
)
from .measures import (
    equal_mass_edges as equal_mass_edges,
)
from .measures import (
    equal_width_edges as equal_width_edges,
)
from .measures import (
    expected_calibration_error as expected_calibration_error,
)
from .measures import (
    log_score as log_score,
)
from .measures import (
    maximum_calibration_error as maximum_calibration_error,
)
from .measures import (
    normalised as normalised,
)
from .measures import (
    reliability as reliability,
)
from .measures import (
    spiegelhalter_test as spiegelhalter_test,
)
from .measures import (
    top_label as top_label,
)

__all__ = [
    "CalibrationErrorBar",
    "PredictionKernel",
    "Reliability",
    "StatedNormals",
    "StatedProbabilities",
    "asymptotic_test",
    "block_test",
    "brier_decomposition",
    "brier_score",
    "calibrated_error_replicates",
    "calibration_error_bar",
    "classwise_calibration_error",
    "classwise_reliability",
    "clustered_test",
    "consistency_test",
    "equal_mass_edges",
    "equal_width_edges",
    "expected_calibration_error",
    "interval_coverage",
    "log_score",
    "maximum_calibration_error",
    "mean_embedding_test",
    "normalised",
    "ordinal_kernel",
    "reliability",
    "skce_biased",
    "skce_unbiased",
    "spiegelhalter_test",
    "top_label",
    "white_kernel",
]
