from .comparison import compare_slopes as compare_slopes
from .covariates import Covariates as Covariates
from .estimates import Slopes as Slopes
from .formulas import common_columns as common_columns
from .joined import joined_slopes as joined_slopes
from .linear import linear_slopes as linear_slopes
from .logit import average_marginal_effects as average_marginal_effects
from .other_people import slopes_of_others as slopes_of_others
