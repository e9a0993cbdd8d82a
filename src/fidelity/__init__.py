"""Quantile curves of the sim-to-real discrepancy, with guarantees.

Pure functions on arrays: no files, no workflow. Rows are scenarios everywhere, columns are options,
simulators or resamples. Tables with labels, such as pandas', are matched by their labels, anything
else by position; see :mod:`fidelity.inputs`. Start with :func:`pseudo_discrepancy` (how far a
simulator can be from people in each scenario) and :func:`quantile_curve` (what that says of
scenarios in general). Names are imported when first used, so that a step of the workflow loads no
more than it needs.
"""

from importlib import import_module

_MODULES = {
    "resampling": ["resample", "subsample"],
    "curves.clusters": [
        "cluster_bootstrap",
        "design_effect",
        "design_effect_exact_miss",
        "effective_clusters",
        "intraclass_correlation",
        "new_cluster_exact_miss",
        "one_per_cluster_curve",
    ],
    "calibration.reliability": [
        "brier_decomposition",
        "brier_score",
        "calibrated_error_replicates",
        "calibration_error_bar",
        "equal_mass_edges",
        "equal_width_edges",
        "expected_calibration_error",
        "log_score",
        "normalised",
        "reliability",
        "top_label",
    ],
    "sets.base": ["confidence_radius"],
    "sets.gamma": ["Coverage", "parse_coverage"],
    "comparison.error_bars": ["mean_error_bar", "paired_error_bar", "sign_test", "unpaired_error_bar"],
    "calibration.intervals": ["interval_coverage"],
    "calibration.kernel": [
        "asymptotic_test",
        "block_test",
        "clustered_test",
        "consistency_test",
        "skce_biased",
        "skce_unbiased",
    ],
    "comparison.pairwise": ["certified_closer_share", "closer_share_p_value", "holm"],
    "planning.pilot": ["Pilot"],
    "planning.power": [
        "clusters_needed",
        "minimum_detectable_effect",
        "scenarios_needed",
        "variance_components",
    ],
    "pseudo_discrepancies": ["pairwise_pseudo_discrepancy", "pseudo_discrepancy"],
    "comparison.equivalent_sample_size": ["equivalent_human_sample_size", "certified_sample_size"],
    "curves.guarantee": [
        "certified_curve",
        "certified_lower_curve",
        "exact_curve",
        "exact_level",
        "marginal_curve",
        "marginal_rank",
        "paper_level",
        "simultaneous_curve",
        "weighted_certified_curve",
        "weighted_marginal_curve",
    ],
    "comparison.ranking": ["better", "rank_intervals", "simultaneous_differences"],
    "planning.plan": ["Costs", "cheapest_plan", "iso_width", "study_error"],
    "curves.target": [
        "cluster_weights",
        "held_out_coverage",
        "in_scenario_set",
        "scenario_set_mean",
        "scenario_set_options",
        "weighted_conformal_bound",
        "weighted_quantile_curve",
    ],
    "curves.quantile": [
        "area_under_curve",
        "closer_share",
        "empirical_quantile",
        "lower_quantile_curve",
        "quantile_curve",
        "tail_mean",
        "value_at_risk",
    ],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str):
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
