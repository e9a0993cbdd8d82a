from .between_variance import (
    BetweenVariance as BetweenVariance,
)
from .between_variance import (
    variance_between as variance_between,
)
from .draw_variance import (
    DrawnScores as DrawnScores,
)
from .draw_variance import (
    drawn_scores as drawn_scores,
)
from .draw_variance import (
    variance_of_squared_distance as variance_of_squared_distance,
)
from .equivalent_sample_size import (
    EquivalentSampleSize as EquivalentSampleSize,
)
from .equivalent_sample_size import (
    certified_sample_size as certified_sample_size,
)
from .equivalent_sample_size import (
    equivalent_human_sample_size as equivalent_human_sample_size,
)
from .equivalent_sample_size import (
    pooled_sample_size as pooled_sample_size,
)
from .error_bars import (
    ErrorBar as ErrorBar,
)
from .error_bars import (
    mean_error_bar as mean_error_bar,
)
from .error_bars import (
    paired_error_bar as paired_error_bar,
)
from .error_bars import (
    unpaired_error_bar as unpaired_error_bar,
)
from .evaluations import (
    SampleComponents as SampleComponents,
)
from .evaluations import (
    combined_error_bar as combined_error_bar,
)
from .evaluations import (
    components_of_samples as components_of_samples,
)
from .evaluations import (
    non_inferiority as non_inferiority,
)
from .evaluations import (
    question_means as question_means,
)
from .evaluations import (
    questions_by_formula as questions_by_formula,
)
from .evaluations import (
    score_difference as score_difference,
)
from .evaluations import (
    score_error_bar as score_error_bar,
)
from .evaluations import (
    variance_with_samples as variance_with_samples,
)
from .evaluations import (
    wilson_interval as wilson_interval,
)
from .halves import (
    Halves as Halves,
)
from .halves import (
    halved_answers as halved_answers,
)
from .lists import (
    ScenarioLists as ScenarioLists,
)
from .lists import (
    scenario_lists as scenario_lists,
)
from .models import (
    Contrast as Contrast,
)
from .models import (
    ModelComparison as ModelComparison,
)
from .models import (
    eval_scores as eval_scores,
)
from .pairwise import (
    bonferroni_level as bonferroni_level,
)
from .pairwise import (
    certified_closer_share as certified_closer_share,
)
from .pairwise import (
    closer_share_p_value as closer_share_p_value,
)
from .pairwise import (
    clustered_closer_share as clustered_closer_share,
)
from .pairwise import (
    clustered_closer_share_p_value as clustered_closer_share_p_value,
)
from .pairwise import (
    holm as holm,
)
from .ranking import (
    better as better,
)
from .ranking import (
    rank_intervals as rank_intervals,
)
from .ranking import (
    simultaneous_differences as simultaneous_differences,
)
from .selection import (
    certified_scenarios as certified_scenarios,
)
from .selection import (
    scenario_p_values as scenario_p_values,
)
from .shared_clusters import (
    shared_clusters_error_bar as shared_clusters_error_bar,
)
from .versions import (
    VersionChange as VersionChange,
)
from .versions import (
    VersionComparison as VersionComparison,
)
from .versions import (
    compare_versions as compare_versions,
)
from .weighted_means import (
    weighted_mean_error_bar as weighted_mean_error_bar,
)
from .wild_clusters import (
    WildClusterInterval as WildClusterInterval,
)
from .wild_clusters import (
    wild_cluster_interval as wild_cluster_interval,
)
