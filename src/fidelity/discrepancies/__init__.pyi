from .base import (
    DISCREPANCIES as DISCREPANCIES,
)
from .base import (
    Bounds as Bounds,
)
from .base import (
    Discrepancy as Discrepancy,
)
from .base import (
    Extrema as Extrema,
)
from .base import (
    VectorDiscrepancy as VectorDiscrepancy,
)
