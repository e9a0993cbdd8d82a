from .leave_one_out import leave_one_out as leave_one_out
from .mean_discrepancy import DiscrepancyBounds as DiscrepancyBounds
from .mean_discrepancy import DiscrepancyInterval as DiscrepancyInterval
from .mean_discrepancy import difference_bounds as difference_bounds
from .mean_discrepancy import discrepancy_bounds as discrepancy_bounds
from .mean_discrepancy import mean_difference as mean_difference
from .mean_discrepancy import mean_discrepancy as mean_discrepancy
from .mean_discrepancy import mean_interval as mean_interval
from .tail import tail_discrepancy as tail_discrepancy

__all__ = [
    "DiscrepancyBounds",
    "DiscrepancyInterval",
    "difference_bounds",
    "discrepancy_bounds",
    "leave_one_out",
    "mean_difference",
    "mean_discrepancy",
    "mean_interval",
    "tail_discrepancy",
]
