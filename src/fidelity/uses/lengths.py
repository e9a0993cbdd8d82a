"""Errors that are the root of a sum of squares without noise."""

from fidelity.squared_lengths import Length
from fidelity.structure.estimates import Interval
from fidelity.uses.base import Ends


def root_ends(length: Length) -> Ends:
    """Return the interval of a length at any level, and with so many times as many persons."""

    def ends(level: float, times: float) -> Interval:
        return (length if times == 1.0 else length.of_more(times)).root(level)

    return ends
