from .folds import Corrected as Corrected
from .folds import correction_folds as correction_folds
from .gain import CorrectionGain as CorrectionGain
from .gain import correction_gain as correction_gain
from .gain import correction_verdict as correction_verdict
from .gain import people_elsewhere as people_elsewhere
from .halves import halve_people as halve_people
from .halves import halve_persons as halve_persons
from .mixture import stacked as stacked
from .mixture import tempered_mixture as tempered_mixture
from .ridge import corrected_ridge as corrected_ridge
from .ridge import simplex_projection as simplex_projection
from .ridge import wording_features as wording_features

__all__ = [
    "Corrected",
    "CorrectionGain",
    "corrected_ridge",
    "correction_folds",
    "correction_gain",
    "correction_verdict",
    "halve_people",
    "halve_persons",
    "people_elsewhere",
    "simplex_projection",
    "stacked",
    "tempered_mixture",
    "wording_features",
]
