from .clusters import (
    cluster_bootstrap as cluster_bootstrap,
)
from .clusters import (
    design_effect as design_effect,
)
from .clusters import (
    design_effect_exact_miss as design_effect_exact_miss,
)
from .clusters import (
    effective_clusters as effective_clusters,
)
from .clusters import (
    effective_scenarios as effective_scenarios,
)
from .clusters import (
    intraclass_correlation as intraclass_correlation,
)
from .clusters import (
    new_cluster_exact_miss as new_cluster_exact_miss,
)
from .clusters import (
    one_per_cluster_curve as one_per_cluster_curve,
)
from .envelope import (
    EnvelopeBounds as EnvelopeBounds,
)
from .envelope import (
    EnvelopeCurves as EnvelopeCurves,
)
from .envelope import (
    certified_envelope_share as certified_envelope_share,
)
from .envelope import (
    certified_level as certified_level,
)
from .envelope import (
    envelope_closer_share as envelope_closer_share,
)
from .envelope import (
    envelope_curve as envelope_curve,
)
from .envelope import (
    envelope_level as envelope_level,
)
from .envelope import (
    exact_envelope_curve as exact_envelope_curve,
)
from .envelope import (
    lower_envelope_curve as lower_envelope_curve,
)
from .envelope import (
    simultaneous_envelope_curve as simultaneous_envelope_curve,
)
from .guarantee import (
    certified_curve as certified_curve,
)
from .guarantee import (
    exact_curve as exact_curve,
)
from .guarantee import (
    exact_level as exact_level,
)
from .guarantee import (
    marginal_curve as marginal_curve,
)
from .guarantee import (
    marginal_level as marginal_level,
)
from .guarantee import (
    marginal_rank as marginal_rank,
)
from .guarantee import (
    paper_level as paper_level,
)
from .guarantee import (
    simultaneous_curve as simultaneous_curve,
)
from .guarantee import (
    weighted_certified_curve as weighted_certified_curve,
)
from .guarantee import (
    weighted_marginal_curve as weighted_marginal_curve,
)
from .quantile import (
    area_under_curve as area_under_curve,
)
from .quantile import (
    closer_share as closer_share,
)
from .quantile import (
    empirical_quantile as empirical_quantile,
)
from .quantile import (
    lower_quantile_curve as lower_quantile_curve,
)
from .quantile import (
    quantile_curve as quantile_curve,
)
from .quantile import (
    tail_mean as tail_mean,
)
from .quantile import (
    value_at_risk as value_at_risk,
)
from .target import (
    cluster_weights as cluster_weights,
)
from .target import (
    held_out_coverage as held_out_coverage,
)
from .target import (
    in_scenario_set as in_scenario_set,
)
from .target import (
    scenario_set_mean as scenario_set_mean,
)
from .target import (
    weighted_conformal_bound as weighted_conformal_bound,
)
from .target import (
    weighted_quantile_curve as weighted_quantile_curve,
)
