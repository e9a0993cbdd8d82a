"""Widths to plan for: whether they can be in the unit of the discrepancy."""

import warnings

import numpy as np

from fidelity import inputs
from fidelity.arrays import FloatArray
from fidelity.discrepancies.base import Discrepancy

FINEST = 500.0
"""Of the largest distance, what part is hardly ever planned for."""


class ProbablyShare(UserWarning):
    """A width below 1 is so small beside a longer scale that it may be meant as a share of it."""


def checked_width(width: float, measure: Discrepancy, scores: FloatArray | None) -> float:
    """Return a width that can be in the unit of a discrepancy.

    Args:
        width: half the length of an interval.
        measure: the discrepancy.
        scores: of options, of any shape, or the ends of their scale; None for none.

    Raises:
        ValueError: if it isn't positive, or larger than the largest possible distance.

    Warns:
        ProbablyShare: if it is below 1 and less than a 500th of a largest distance above 1.
    """
    width = inputs.number("width", width, inputs.FINITE_POSITIVE)
    ends = None if scores is None else np.array([np.nanmin(scores), np.nanmax(scores)])
    is_open = ends is not None and not np.isfinite(ends).all()
    largest = np.inf if is_open else measure.largest(2, ends)
    if width > largest:
        raise ValueError(
            f"width must be at most {largest:g}, the largest {measure.name}, not {width:g}; it is"
            " in the unit of the discrepancy, and no percentage"
        )
    if np.isfinite(largest) and width < 1.0 < largest and width < largest / FINEST:
        warnings.warn(
            f"width is {width:g}, and the largest {measure.name} is {largest:g}: if it is meant"
            f" as a share of that, give {width * largest:g}",
            ProbablyShare,
            stacklevel=3,
        )
    return width
