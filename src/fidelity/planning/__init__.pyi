from .people import (
    people_needed as people_needed,
)
from .pilot import (
    Pilot as Pilot,
)
from .plan import (
    Costs as Costs,
)
from .plan import (
    Plan as Plan,
)
from .plan import (
    StudyError as StudyError,
)
from .plan import (
    cheapest_of as cheapest_of,
)
from .plan import (
    study_error as study_error,
)
from .power import (
    VarianceComponents as VarianceComponents,
)
from .power import (
    clusters_needed as clusters_needed,
)
from .power import (
    minimum_detectable_effect as minimum_detectable_effect,
)
from .power import (
    planned_test as planned_test,
)
from .power import (
    scenarios_needed as scenarios_needed,
)
from .power import (
    variance_components as variance_components,
)
