from .conformal import allowed_miss as allowed_miss
from .conformal import conformal_bound as conformal_bound
from .conformal import questions_needed as questions_needed
from .conformal import same_clusters_bound as same_clusters_bound
from .intervals import PredictionIntervals as PredictionIntervals
from .intervals import prediction_intervals as prediction_intervals
from .localised import LocalisedBound as LocalisedBound
from .localised import localised_bound as localised_bound
from .localised import one_per_cluster as one_per_cluster
from .similarity import gaussian_similarity as gaussian_similarity
from .similarity import wording_similarity as wording_similarity

__all__ = [
    "LocalisedBound",
    "PredictionIntervals",
    "allowed_miss",
    "conformal_bound",
    "gaussian_similarity",
    "localised_bound",
    "one_per_cluster",
    "prediction_intervals",
    "questions_needed",
    "same_clusters_bound",
    "wording_similarity",
]
