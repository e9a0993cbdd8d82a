from .base import (
    CONFIDENCE_SETS as CONFIDENCE_SETS,
)
from .base import (
    ConfidenceSet as ConfidenceSet,
)
from .base import (
    Sample as Sample,
)
from .bounds import (
    confidence_bounds as confidence_bounds,
)
from .bounds import (
    confidence_radius as confidence_radius,
)
from .bounds import (
    meaningful as meaningful,
)
from .gamma import (
    Coverage as Coverage,
)
from .gamma import (
    Sides as Sides,
)
from .gamma import (
    parse_coverage as parse_coverage,
)
from .gamma import (
    parse_sides as parse_sides,
)
