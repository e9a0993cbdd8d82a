"""Intervals of an error at any level, as they are and as more answers would make them."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from fidelity.squared_lengths import Length
from fidelity.structure.estimates import Interval

POWER = 0.8
CHANCE = float(ndtri(POWER))


class Ends(Protocol):
    """The interval of an error."""

    def observed(self, level: float) -> Interval:
        """Return the interval of a level."""

    def expected(self, level: float, times: float) -> Interval | None:
        """Return ends that so many times as much would give with a probability of .8.

        An upper end is lower with this probability, and a lower end is higher. The error is as
        estimated. None where it isn't known.
        """


class Known(NamedTuple):
    """An interval of which it isn't known what more answers would make of it."""

    interval: Callable[[float], Interval]

    def observed(self, level: float) -> Interval:
        """Return the interval of a level."""
        return self.interval(level)

    def expected(self, level: float, times: float) -> None:
        """Return None."""


class Linear(NamedTuple):
    """An interval whose error is normal and falls with the root of the number of persons.

    Attributes:
        interval: of a level, with the same estimate and so many times as many persons.
    """

    interval: Callable[..., Interval]

    def observed(self, level: float) -> Interval:
        """Return the interval of a level."""
        return self.interval(level=level, times=1.0)

    def expected(self, level: float, times: float) -> Interval:
        """Return ends that are as far off as the level's and the power's quantiles together."""
        tail = ndtr(ndtri((1.0 - level) / 2.0) - CHANCE)
        return self.interval(level=1.0 - 2.0 * float(tail), times=times)


class Root(NamedTuple):
    """The interval of a length, the root of a sum of squares without noise."""

    length: Length

    def observed(self, level: float) -> Interval:
        """Return the interval of a level."""
        return self.length.root(level)

    def expected(self, level: float, times: float) -> Interval:
        """Return ends where chance makes the sum of squares larger, or smaller, than expected."""
        upper, lower = (
            self.length.of_more(times, chance).root(level) for chance in (POWER, 1.0 - POWER)
        )
        return Interval(upper.estimate, lower.lower, upper.upper)


def as_normal(interval: Interval, level: float = 0.95) -> Linear:
    """Return the ends at all levels of an interval that is known at one, as of normal errors.

    Distances from the estimate to the ends, each side by itself, grow as normal quantiles do, and
    fall with the root of the number of persons.

    Args:
        interval: of the level.
        level: at which it is known.

    Examples:
        >>> from fidelity.structure import Interval
        >>> from fidelity.uses import as_normal
        >>> ends = as_normal(Interval(0.3, 0.2, 0.5))
        >>> [round(end, 2) for end in ends.observed(0.99)]
        [0.3, 0.17, 0.56]
    """
    usual = float(ndtri((1.0 + level) / 2.0))
    estimate, lower, upper = interval

    def scaled(level: float, times: float) -> Interval:
        by = float(ndtri((1.0 + level) / 2.0)) / usual / np.sqrt(times)
        if np.isnan(estimate):
            return interval
        low, high = estimate - by * (estimate - lower), estimate + by * (upper - estimate)
        return Interval(estimate, float(low), float(high))

    return Linear(scaled)


def around_value(ends: Linear, value: float) -> Linear:
    """Return the ends of |θ - value|, θ with the ends given."""

    def distance(level: float, times: float) -> Interval:
        estimate, lower, upper = ends.interval(level=level, times=times)
        low, high = lower - value, upper - value
        return Interval(abs(estimate - value), max(0.0, low, -high), max(high, -low))

    return Linear(distance)
