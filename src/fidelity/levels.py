"""Levels τ, α and γ as the exact numbers they stand for."""

from decimal import Decimal
from fractions import Fraction

import numpy as np

Level = float | str | Decimal | Fraction


def rational(number: Level) -> Fraction:
    """Return the rational that a number stands for.

    Floats are read as the simple fraction they print as: 0.14 is 7/50, although the nearest binary
    number times 50 exceeds 7. A float that no fraction with denominator up to 10⁶ matches to
    rounding is taken as the binary number it is. float32 and float16 are first read as the decimals
    that they print as.
    """
    if isinstance(number, Fraction):
        return number
    if not isinstance(number, (float, np.floating)):
        return Fraction(int(number) if isinstance(number, np.integer) else number)
    if not isinstance(number, float):
        number = float(str(number))
    binary = Fraction(float(number))
    simple = binary.limit_denominator(10**6)
    return simple if abs(simple - binary) <= 4 * np.spacing(abs(float(number))) else binary
