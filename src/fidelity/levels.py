"""Levels τ, α and γ as exact rational numbers."""

from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

Level = float | str | Decimal | Fraction


class ExactLevels(tuple[Fraction, ...]):
    """Levels in [0, 1], checked, with the numbers that curves need of them; computed once."""

    @cached_property
    def ratios(self) -> list[tuple[int, int]]:
        """Each as a ratio of whole numbers."""
        return [level.as_integer_ratio() for level in self]

    @cached_property
    def rest(self) -> NDArray[np.float64]:
        """1 less each."""
        return np.array([float(1 - level) for level in self])


def rational(number: Level) -> Fraction:
    """Return the rational that a number stands for.

    A float is read as the simple fraction that it prints as: 0.14 is 7/50, although the nearest
    binary number times 50 exceeds 7. If no fraction with denominator up to 10⁶ matches to rounding,
    the exact binary number is taken. float32 and float16 are first read as the decimals that they
    print as.
    """
    if isinstance(number, Fraction):
        return number
    if not isinstance(number, (float, np.floating)):
        return Fraction(int(number) if isinstance(number, np.integer) else number)
    return _simple(float(number if isinstance(number, float) else str(number)))


@lru_cache(maxsize=4096)
def _simple(number: float) -> Fraction:
    binary = Fraction(number)
    simple = binary.limit_denominator(10**6)
    return simple if abs(simple - binary) <= 4 * np.spacing(abs(number)) else binary
