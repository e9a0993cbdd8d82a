from .arms import arm_effects as arm_effects
from .arms import effects_of_means as effects_of_means
from .arms import stated_effects as stated_effects
from .comparison import compare_effects as compare_effects
from .comparison import compare_points as compare_points
from .comparison import directions as directions
from .comparison import lesser_square as lesser_square
from .comparison import mean_distance as mean_distance
from .comparison import picks as picks
from .conjoint import marginal_effects as marginal_effects
from .distances import effect_distances as effect_distances
from .distances import effect_set as effect_set
from .estimates import Effects as Effects
from .planning import expected_clear as expected_clear

__all__ = [
    "Effects",
    "arm_effects",
    "compare_effects",
    "compare_points",
    "directions",
    "effect_distances",
    "effect_set",
    "effects_of_means",
    "expected_clear",
    "lesser_square",
    "marginal_effects",
    "mean_distance",
    "picks",
    "stated_effects",
]
