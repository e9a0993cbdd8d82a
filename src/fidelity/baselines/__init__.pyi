from .base import (
    BASELINES as BASELINES,
)
from .base import (
    Asked as Asked,
)
from .base import (
    Baseline as Baseline,
)
from .from_answers import (
    demographic as demographic,
)
from .from_answers import (
    fit_logit as fit_logit,
)
from .from_answers import (
    logit_probability as logit_probability,
)
from .from_answers import (
    persistence as persistence,
)
from .from_answers import (
    pooled as pooled,
)
from .from_answers import (
    uniform as uniform,
)
from .from_wording import (
    nearest_questions as nearest_questions,
)
from .from_wording import (
    question_ridge as question_ridge,
)
