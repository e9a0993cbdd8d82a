from .average import DiscrepancyBounds as DiscrepancyBounds
from .average import DiscrepancyInterval as DiscrepancyInterval
from .average import difference_bounds as difference_bounds
from .average import discrepancy_bounds as discrepancy_bounds
from .average import mean_difference as mean_difference
from .average import mean_discrepancy as mean_discrepancy
from .average import mean_interval as mean_interval
from .tail import tail_discrepancy as tail_discrepancy

__all__ = [
    "DiscrepancyBounds",
    "DiscrepancyInterval",
    "difference_bounds",
    "discrepancy_bounds",
    "mean_difference",
    "mean_discrepancy",
    "mean_interval",
    "tail_discrepancy",
]
