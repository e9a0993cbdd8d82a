from .baselines import (
    BASELINES as BASELINES,
)
from .calibration import (
    PredictionKernel as PredictionKernel,
)
from .calibration import (
    StatedProbabilities as StatedProbabilities,
)
from .calibration import (
    asymptotic_test as asymptotic_test,
)
from .calibration import (
    block_test as block_test,
)
from .calibration import (
    brier_decomposition as brier_decomposition,
)
from .calibration import (
    brier_score as brier_score,
)
from .calibration import (
    calibrated_error_replicates as calibrated_error_replicates,
)
from .calibration import (
    calibration_error_bar as calibration_error_bar,
)
from .calibration import (
    clustered_test as clustered_test,
)
from .calibration import (
    consistency_test as consistency_test,
)
from .calibration import (
    equal_mass_edges as equal_mass_edges,
)
from .calibration import (
    equal_width_edges as equal_width_edges,
)
from .calibration import (
    expected_calibration_error as expected_calibration_error,
)
from .calibration import (
    interval_coverage as interval_coverage,
)
from .calibration import (
    log_score as log_score,
)
from .calibration import (
    normalised as normalised,
)
from .calibration import (
    reliability as reliability,
)
from .calibration import (
    skce_biased as skce_biased,
)
from .calibration import (
    skce_unbiased as skce_unbiased,
)
from .calibration import (
    top_label as top_label,
)
from .comparison import (
    better as better,
)
from .comparison import (
    certified_closer_share as certified_closer_share,
)
from .comparison import (
    certified_sample_size as certified_sample_size,
)
from .comparison import (
    certified_scenarios as certified_scenarios,
)
from .comparison import (
    closer_share_p_value as closer_share_p_value,
)
from .comparison import (
    equivalent_human_sample_size as equivalent_human_sample_size,
)
from .comparison import (
    holm as holm,
)
from .comparison import (
    mean_error_bar as mean_error_bar,
)
from .comparison import (
    paired_error_bar as paired_error_bar,
)
from .comparison import (
    rank_intervals as rank_intervals,
)
from .comparison import (
    scenario_lists as scenario_lists,
)
from .comparison import (
    scenario_p_values as scenario_p_values,
)
from .comparison import (
    score_difference as score_difference,
)
from .comparison import (
    score_error_bar as score_error_bar,
)
from .comparison import (
    simultaneous_differences as simultaneous_differences,
)
from .comparison import (
    unpaired_error_bar as unpaired_error_bar,
)
from .correction import (
    tempered_mixture as tempered_mixture,
)
from .curves import (
    area_under_curve as area_under_curve,
)
from .curves import (
    certified_curve as certified_curve,
)
from .curves import (
    certified_envelope_share as certified_envelope_share,
)
from .curves import (
    closer_share as closer_share,
)
from .curves import (
    cluster_bootstrap as cluster_bootstrap,
)
from .curves import (
    cluster_weights as cluster_weights,
)
from .curves import (
    design_effect as design_effect,
)
from .curves import (
    design_effect_exact_miss as design_effect_exact_miss,
)
from .curves import (
    effective_clusters as effective_clusters,
)
from .curves import (
    empirical_quantile as empirical_quantile,
)
from .curves import (
    envelope_closer_share as envelope_closer_share,
)
from .curves import (
    envelope_curve as envelope_curve,
)
from .curves import (
    exact_curve as exact_curve,
)
from .curves import (
    exact_envelope_curve as exact_envelope_curve,
)
from .curves import (
    exact_level as exact_level,
)
from .curves import (
    held_out_coverage as held_out_coverage,
)
from .curves import (
    in_scenario_set as in_scenario_set,
)
from .curves import (
    intraclass_correlation as intraclass_correlation,
)
from .curves import (
    lower_envelope_curve as lower_envelope_curve,
)
from .curves import (
    lower_quantile_curve as lower_quantile_curve,
)
from .curves import (
    marginal_curve as marginal_curve,
)
from .curves import (
    marginal_level as marginal_level,
)
from .curves import (
    marginal_rank as marginal_rank,
)
from .curves import (
    new_cluster_exact_miss as new_cluster_exact_miss,
)
from .curves import (
    one_per_cluster_curve as one_per_cluster_curve,
)
from .curves import (
    paper_level as paper_level,
)
from .curves import (
    quantile_curve as quantile_curve,
)
from .curves import (
    scenario_set_mean as scenario_set_mean,
)
from .curves import (
    simultaneous_curve as simultaneous_curve,
)
from .curves import (
    simultaneous_envelope_curve as simultaneous_envelope_curve,
)
from .curves import (
    tail_mean as tail_mean,
)
from .curves import (
    value_at_risk as value_at_risk,
)
from .curves import (
    weighted_certified_curve as weighted_certified_curve,
)
from .curves import (
    weighted_conformal_bound as weighted_conformal_bound,
)
from .curves import (
    weighted_marginal_curve as weighted_marginal_curve,
)
from .curves import (
    weighted_quantile_curve as weighted_quantile_curve,
)
from .discrepancies import (
    DISCREPANCIES as DISCREPANCIES,
)
from .means import (
    difference_bounds as difference_bounds,
)
from .means import (
    discrepancy_bounds as discrepancy_bounds,
)
from .means import (
    mean_difference as mean_difference,
)
from .means import (
    mean_differences as mean_differences,
)
from .means import (
    mean_discrepancies as mean_discrepancies,
)
from .means import (
    mean_discrepancy as mean_discrepancy,
)
from .means import (
    people_reference as people_reference,
)
from .means import (
    tail_discrepancy as tail_discrepancy,
)
from .planning import (
    Costs as Costs,
)
from .planning import (
    Pilot as Pilot,
)
from .planning import (
    clusters_needed as clusters_needed,
)
from .planning import (
    minimum_detectable_effect as minimum_detectable_effect,
)
from .planning import (
    people_needed as people_needed,
)
from .planning import (
    scenarios_needed as scenarios_needed,
)
from .planning import (
    study_error as study_error,
)
from .planning import (
    variance_components as variance_components,
)
from .prediction import (
    conformal_bound as conformal_bound,
)
from .prediction import (
    localised_bound as localised_bound,
)
from .prediction import (
    prediction_intervals as prediction_intervals,
)
from .pseudo_discrepancies import (
    pairwise_pseudo_discrepancy as pairwise_pseudo_discrepancy,
)
from .pseudo_discrepancies import (
    pseudo_discrepancy as pseudo_discrepancy,
)
from .resampling import (
    resample as resample,
)
from .resampling import (
    subsample as subsample,
)
from .responses import (
    Answers as Answers,
)
from .responses import (
    Responses as Responses,
)
from .responses import (
    Simulator as Simulator,
)
from .sets import (
    CONFIDENCE_SETS as CONFIDENCE_SETS,
)
from .sets import (
    Coverage as Coverage,
)
from .sets import (
    confidence_radius as confidence_radius,
)
from .sets import (
    parse_coverage as parse_coverage,
)
from .version import (
    __version__ as __version__,
)
