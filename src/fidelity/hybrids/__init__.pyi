from .curve import Guesses as Guesses
from .curve import HybridBounds as HybridBounds
from .curve import HybridCurve as HybridCurve
from .curve import MeanDiscrepancies as MeanDiscrepancies
from .curve import Measured as Measured
from .curve import Together as Together
from .curve import guess_hybrids as guess_hybrids
from .curve import hybrid_bounds as hybrid_bounds
from .curve import hybrid_curve as hybrid_curve
from .people import PeopleAlone as PeopleAlone
from .people import people_alone as people_alone
from .prediction_powered import PredictionPowered as PredictionPowered
from .prediction_powered import prediction_powered_mean as prediction_powered_mean
from .question import QuestionIntervals as QuestionIntervals
from .question import hybrid_intervals as hybrid_intervals
from .question import mean_intervals as mean_intervals
from .question import option_intervals as option_intervals
from .split import Split as Split
from .split import split_people as split_people
from .split import split_persons as split_persons
from .strength import DirichletMultinomialFit as DirichletMultinomialFit
from .strength import dirichlet_multinomial_fit as dirichlet_multinomial_fit
from .strength import hybrid as hybrid
from .strength import prior_strength as prior_strength

__all__ = [
    "DirichletMultinomialFit",
    "Guesses",
    "HybridBounds",
    "HybridCurve",
    "MeanDiscrepancies",
    "Measured",
    "PeopleAlone",
    "PredictionPowered",
    "QuestionIntervals",
    "Split",
    "Together",
    "dirichlet_multinomial_fit",
    "guess_hybrids",
    "hybrid",
    "hybrid_bounds",
    "hybrid_curve",
    "hybrid_intervals",
    "mean_intervals",
    "option_intervals",
    "people_alone",
    "prediction_powered_mean",
    "prior_strength",
    "split_people",
    "split_persons",
]
