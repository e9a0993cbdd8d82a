from .comparison import compare_associations as compare_associations
from .correlations import AnswerTable as AnswerTable
from .correlations import Sampling as Sampling
from .correlations import all_pairs as all_pairs
from .correlations import associations as associations
from .correlations import mean_correlation as mean_correlation
from .estimates import Interval as Interval
from .estimates import TooFewError as TooFewError
from .groups import group_differences as group_differences
from .groups import variance_ratios as variance_ratios
from .pairs import pair_tables as pair_tables
from .scales import compare_scale as compare_scale
from .scales import cronbach_alpha as cronbach_alpha
from .scales import first_eigenvalue as first_eigenvalue
from .scales import keyed as keyed
from .scales import scale_sums as scale_sums
from .twins import pooled_agreement as pooled_agreement
from .twins import share_of_retest as share_of_retest
from .twins import twin_agreement as twin_agreement

__all__ = [
    "AnswerTable",
    "Interval",
    "Sampling",
    "TooFewError",
    "all_pairs",
    "associations",
    "compare_associations",
    "compare_scale",
    "cronbach_alpha",
    "first_eigenvalue",
    "group_differences",
    "keyed",
    "mean_correlation",
    "pair_tables",
    "pooled_agreement",
    "scale_sums",
    "share_of_retest",
    "twin_agreement",
    "variance_ratios",
]
