"""Coverage γ: the probability with which a confidence set must hold the truth, fixed or scheduled.

A schedule γ(n) = max(floor, 1 - n^(-β)) demands a higher coverage where more people answered
([QC], section 4; the authors use β = 1/3 and 1/2). The floor keeps γ positive at n = 1. It is ½ by
default.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.levels import Level

LARGEST = 1.0 - 1e-9
COVERAGE = inputs.Domain(
    "a number between 1e-9 and 1 - 1e-9",
    "numbers between 1e-9 and 1 - 1e-9",
    lambda x: (x >= 1 - LARGEST) & (x <= LARGEST),
)


@dataclass(frozen=True)
class Coverage:
    """A coverage level; exactly one of ``fixed`` and ``exponent`` must be given.

    Attributes:
        fixed: γ itself, an exact rational in (0, 1).
        exponent: β of the schedule, positive.
        floor: the smallest γ the schedule can give, in (0, 1).

    Examples:
        >>> from fidelity import Coverage
        >>> Coverage(exponent="1/3").at([10, 100, 1000]).round(3)  # 1 - n^(-1/3), at least 0.5
        array([0.536, 0.785, 0.9  ])
    """

    fixed: Fraction | None = None
    exponent: Fraction | None = None
    floor: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        """Check the values, and make them exact."""
        if (self.fixed is None) == (self.exponent is None):
            raise ValueError("fixed or exponent must be given, and not both")
        if self.fixed is not None:
            object.__setattr__(self, "fixed", inputs.level("fixed", self.fixed, COVERAGE))
        else:
            exponent = inputs.level("exponent", self.exponent, inputs.FINITE_POSITIVE)
            object.__setattr__(self, "exponent", exponent)
        object.__setattr__(self, "floor", inputs.level("floor", self.floor, COVERAGE))

    @property
    def label(self) -> str:
        """Name in tables and figures: ``0.5``, or ``1-n^-1/3`` for a schedule."""
        if self.fixed is not None:
            return str(float(self.fixed))
        floor = "" if self.floor == Fraction(1, 2) else f",floor={float(self.floor)}"
        return f"1-n^-{self.exponent}{floor}"

    @property
    def smallest(self) -> Fraction:
        """The smallest γ that any scenario can get, for any n."""
        return self.fixed if self.fixed is not None else self.floor

    def at(self, n: ArrayLike) -> FloatArray:
        """Return γ for each sample size in ``n`` (any shape, positive)."""
        n = inputs.numbers("n", n, inputs.POSITIVE)
        if self.exponent is None:
            return np.full(n.shape, float(self.smallest))
        return np.clip(1.0 - n ** -float(self.exponent), float(self.floor), LARGEST)


@dataclass(frozen=True)
class Sides:
    """The coverages of the upper and of the lower discrepancy, which are mostly the same.

    Examples:
        >>> from fidelity.sets import parse_sides
        >>> sides = parse_sides({"upper": 0.5, "lower": 0.9})
        >>> sides.label, sides.lower.at(100)
        ('0.5, lower 0.9', array(0.9))
    """

    upper: Coverage
    lower: Coverage

    @property
    def label(self) -> str:
        """Name in tables and figures: one coverage, or ``0.5, lower 0.9`` if they differ."""
        if self.upper == self.lower:
            return self.upper.label
        return f"{self.upper.label}, lower {self.lower.label}"


def parse_sides(entry: Level | dict[str, Any]) -> Sides:
    """Read γ as written in a config: one coverage, or ``{upper: 0.5, lower: 0.9}``.

    Raises:
        ValueError: as :func:`parse_coverage`.

    Examples:
        >>> from fidelity.sets import parse_sides
        >>> parse_sides(0.9).label, parse_sides({"upper": 0.5, "lower": 0.9}).label
        ('0.9', '0.5, lower 0.9')
    """
    if isinstance(entry, dict) and {"upper", "lower"} <= set(entry):
        return Sides(parse_coverage(entry["upper"]), parse_coverage(entry["lower"]))
    coverage = parse_coverage(entry)
    return Sides(coverage, coverage)


def parse_coverage(entry: Level | dict[str, Any]) -> Coverage:
    """Read a coverage level as written in a config.

    γ is a number, or ``{schedule: 1/3}`` with an optional ``floor``.

    Raises:
        ValueError: if γ or the floor is not strictly between 0 and 1, or β is not positive.

    Examples:
        >>> from fidelity import parse_coverage
        >>> parse_coverage({"schedule": "1/3"}).label, parse_coverage(0.9).smallest
        ('1-n^-1/3', Fraction(9, 10))
    """
    if not isinstance(entry, dict):
        return Coverage(fixed=inputs.level("gamma", entry, COVERAGE))
    if not {"schedule"} <= set(entry) <= {"schedule", "floor"}:
        raise ValueError(f"gamma must have the keys schedule and floor, not {sorted(entry)}")
    return Coverage(
        exponent=inputs.level("schedule", entry["schedule"], inputs.FINITE_POSITIVE),
        floor=inputs.level("floor", entry.get("floor", "1/2"), COVERAGE),
    )
