from .distances import SampleDistance as SampleDistance
from .distances import Samples as Samples
from .distances import mean_distance as mean_distance
from .distances import sample_distances as sample_distances
from .limits import distance_limits as distance_limits
from .points import bandwidths as bandwidths
from .points import directions as directions
from .points import median_distance as median_distance
from .points import squared_distances as squared_distances
from .telling import TellingTest as TellingTest
from .telling import cross_fitted_share as cross_fitted_share
from .telling import mean_share as mean_share
from .telling import split_test as split_test
from .telling import telling_features as telling_features

__all__ = [
    "SampleDistance",
    "Samples",
    "TellingTest",
    "bandwidths",
    "cross_fitted_share",
    "directions",
    "distance_limits",
    "mean_distance",
    "mean_share",
    "median_distance",
    "sample_distances",
    "split_test",
    "squared_distances",
    "telling_features",
]
