"""People's units: how far off a simulator is, as answers that would change or points of a scale."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Self

import numpy as np

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.report.formats import rounded, with_sign
from fidelity_study.report.results import Results
from fidelity_study.tables.ingest import UNSCORED

ANSWERS, POINTS, PLAIN = "answers", "points", "plain"
HUNDRED = 100.0
WHOLE = 0.95


@dataclass(frozen=True)
class Unit:
    """The unit in which a discrepancy is shown.

    Attributes:
        kind: ``answers``: so many of 100 answers would have to change; ``points`` of the scale of
            the scores; ``plain``: the discrepancy as it is.
        discrepancy: its name.
        factor: what its metric is multiplied by.
        digits: how many stand behind the point.
        scale: the lowest and the highest answer, in the survey's own numbers; NaN where there are
            none. Steps of a scale without scores are numbered by their codes, or from 0 to 100
            where questions have different codes.
    """

    kind: str
    discrepancy: str
    factor: float
    digits: int
    scale: tuple[float, float]

    @classmethod
    def of(cls, results: Results, discrepancy: str) -> Self:
        """Return the unit of a discrepancy in a dataset."""
        measure, scale = DISCREPANCIES[discrepancy], results.scale
        is_mean = measure.on == "mean" or measure.name == "w1"
        if measure.name == "tv" or (measure.on == "mean" and results.kind == "binary"):
            return cls(ANSWERS, discrepancy, HUNDRED, 0, scale)
        if not is_mean:
            return cls(PLAIN, discrepancy, 1.0, 2, scale)
        factor = 1.0
        if results.kind == "ordinal" and scale == UNSCORED:
            scale = results.codes or (0.0, HUNDRED)
            factor = (scale[1] - scale[0]) / (UNSCORED[1] - UNSCORED[0])
        width = scale[1] - scale[0]
        digits = 2 if not width > 10 else 1 if width <= 100 else 0
        return cls(POINTS, discrepancy, factor, digits, scale)

    @property
    def label(self) -> str:
        """What the discrepancy is called."""
        return DISCREPANCIES[self.discrepancy].label

    @property
    def axis(self) -> str:
        """What an axis of it counts."""
        if self.kind == ANSWERS:
            return "Answers of 100 to change"
        if self.kind == POINTS:
            low, high = (f"{end:g}".replace("-", "−") for end in self.scale)
            on_scale = f", on {low} to {high}" if isfinite(sum(self.scale)) else ""
            return f"Points from people's mean{on_scale}"
        return self.label.capitalize()

    @property
    def as_root(self) -> str:
        """What is said of a root of a mean square, which is no mean distance; may be empty."""
        is_root = self.kind != PLAIN and DISCREPANCIES[self.discrepancy].is_square
        return " (root mean square)" if is_root else ""

    @property
    def axis_of_differences(self) -> str:
        """What an axis of differences counts; of a square in the square's unit."""
        return self.axis if self.is_linear else self.label.capitalize()

    @property
    def axis_of_means(self) -> str:
        """What an axis of means over questions counts."""
        return f"{self.axis}{self.as_root}"

    @property
    def is_linear(self) -> bool:
        """Whether a difference of values is that of discrepancies, in this unit."""
        return self.kind == PLAIN or not DISCREPANCIES[self.discrepancy].is_square

    def difference(self, ends: tuple[float, float]) -> str:
        """Return the interval of a difference with its signs; of a square in the square's unit."""
        factor = self.factor if self.is_linear else 1.0
        return " to ".join(map(with_sign, self.ends(*(factor * end for end in ends))))

    def value(self, discrepancy: float) -> float:
        """Return a value of the discrepancy in this unit; one below 0 is 0.

        Examples:
            >>> Unit("answers", "tv", 100.0, 0, (0.0, 1.0)).value(0.054)
            5.4
        """
        if self.kind == PLAIN:
            return float(discrepancy)
        root = DISCREPANCIES[self.discrepancy].to_metric(np.float64(max(discrepancy, 0.0)))
        return round(self.factor * float(root), 9)

    def values(self, discrepancies: Iterable[float | None]) -> list[float | None]:
        """Return values in this unit; None where there is none."""
        return [None if x is None else self.value(x) for x in discrepancies]

    def text(self, value: float) -> str:
        """Return a number in this unit as a reader sees it everywhere.

        Examples:
            >>> unit = Unit("answers", "tv", 100.0, 0, (0.0, 1.0))
            >>> unit.text(5.4), unit.text(0.32)
            ('5', '0.3')
        """
        digits = 1 if self.digits == 0 and 0 < abs(value) < WHOLE else self.digits
        return f"{rounded(value, digits):.{digits}f}"

    def ends(self, lower: float, upper: float) -> tuple[str, str]:
        """Return both ends of an interval; of a short one with a digit more.

        Examples:
            >>> Unit("answers", "tv", 100.0, 0, (0.0, 1.0)).ends(39.6, 40.4)
            ('39.6', '40.4')
        """
        if upper - lower >= 10.0**-self.digits:
            return self.text(lower), self.text(upper)
        low, high = (rounded(end, self.digits + 1) for end in (lower, upper))
        return f"{low:.{self.digits + 1}f}", f"{high:.{self.digits + 1}f}"

    def estimate(self, value: float, lower: float, upper: float) -> str:
        """Return an estimate with its interval, in as many digits: "2.4 (2.4–2.5)"."""
        short = upper - lower < 10.0**-self.digits
        text = self.ends(value, value)[0] if short else self.text(value)
        return f"{text} ({self.range(lower, upper)})"

    def range(self, lower: float, upper: float) -> str:
        """Return an interval: "4–6", or "34" where both ends read the same."""
        low, high = self.ends(lower, upper)
        return low if low == high else f"{low}–{high}"
