from .calibration_error import (
    CalibrationErrorBar as CalibrationErrorBar,
)
from .calibration_error import (
    calibrated_error_replicates as calibrated_error_replicates,
)
from .calibration_error import (
    calibration_error_bar as calibration_error_bar,
)
from .cases import (
    normalised as normalised,
)
from .choices import (
    Choices as Choices,
)
from .forecasts import (
    Forecasts as Forecasts,
)
from .forecasts import (
    Groups as Groups,
)
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
    ordinal_kernel as ordinal_kernel,
)
from .kernel import (
    white_kernel as white_kernel,
)
from .kernel_error import (
    asymptotic_test as asymptotic_test,
)
from .kernel_error import (
    block_test as block_test,
)
from .kernel_error import (
    clustered_test as clustered_test,
)
from .kernel_error import (
    consistency_test as consistency_test,
)
from .kernel_error import (
    mean_embedding_test as mean_embedding_test,
)
from .kernel_error import (
    skce_biased as skce_biased,
)
from .kernel_error import (
    skce_unbiased as skce_unbiased,
)
from .predictive import (
    density_log_score as density_log_score,
)
from .predictive import (
    margin_probability as margin_probability,
)
from .predictive import (
    normal_crps as normal_crps,
)
from .reliability import (
    Reliability as Reliability,
)
from .reliability import (
    classwise_calibration_error as classwise_calibration_error,
)
from .reliability import (
    classwise_reliability as classwise_reliability,
)
from .reliability import (
    equal_mass_edges as equal_mass_edges,
)
from .reliability import (
    equal_width_edges as equal_width_edges,
)
from .reliability import (
    expected_calibration_error as expected_calibration_error,
)
from .reliability import (
    maximum_calibration_error as maximum_calibration_error,
)
from .reliability import (
    reliability as reliability,
)
from .reliability import (
    top_label as top_label,
)
from .root_mean_square import (
    calibration_length as calibration_length,
)
from .scores import (
    brier_decomposition as brier_decomposition,
)
from .scores import (
    brier_score as brier_score,
)
from .scores import (
    log_score as log_score,
)
