from .average import DiscrepancyBounds as DiscrepancyBounds
from .average import DiscrepancyInterval as DiscrepancyInterval
from .average import average_bounds as average_bounds
from .average import difference_bounds as difference_bounds
from .average import discrepancy_bounds as discrepancy_bounds
from .average import mean_difference as mean_difference
from .average import mean_discrepancy as mean_discrepancy
from .average import mean_interval as mean_interval
from .balanced import Moments as Moments
from .balanced import balanced_mean as balanced_mean
from .balanced import balanced_weights as balanced_weights
from .balanced import feature_moments as feature_moments
from .looking_early import ConfidenceSequence as ConfidenceSequence
from .looking_early import DriftEvidence as DriftEvidence
from .looking_early import confidence_sequence as confidence_sequence
from .looking_early import discrepancy_sequence as discrepancy_sequence
from .looking_early import drift_evidence as drift_evidence
from .looking_early import exceedance_sequence as exceedance_sequence
from .other_people import PeopleReference as PeopleReference
from .other_people import people_reference as people_reference
from .persons import person_errors as person_errors
from .persons import replicate_errors as replicate_errors
from .tail import tail_discrepancy as tail_discrepancy

__all__ = [
    "ConfidenceSequence",
    "DiscrepancyBounds",
    "DiscrepancyInterval",
    "DriftEvidence",
    "Moments",
    "PeopleReference",
    "average_bounds",
    "balanced_mean",
    "balanced_weights",
    "confidence_sequence",
    "difference_bounds",
    "discrepancy_bounds",
    "discrepancy_sequence",
    "drift_evidence",
    "exceedance_sequence",
    "feature_moments",
    "mean_difference",
    "mean_discrepancy",
    "mean_interval",
    "people_reference",
    "person_errors",
    "replicate_errors",
    "tail_discrepancy",
]
