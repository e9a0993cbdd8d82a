from .linearised import DesignMean as DesignMean
from .linearised import linearised_mean as linearised_mean
from .replicates import replicate_factors as replicate_factors
from .replicates import replicate_mean as replicate_mean
from .sizes import design_effects as design_effects
from .sizes import effective_size as effective_size
from .sizes import korn_graubard_ratio as korn_graubard_ratio
