"""How numbers, intervals and tables are written on page and figures, in findings and statements."""

from collections.abc import Callable, Sequence
from math import copysign, floor, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

DASH = "–"
SAME = 1e-9
SMALL = 0.05


class Cell(NamedTuple):
    """A number of a table.

    Attributes:
        text: how it is written.
        small: what stands beside it in brackets; may be empty.
        value: by which a column is sorted; empty if that is not known.
    """

    text: str
    small: str = ""
    value: float | str = ""

    def __str__(self) -> str:
        """Return it with what stands beside it."""
        return f"{self.text} ({self.small})" if self.small else self.text


class Table(NamedTuple):
    """A table of texts, for Markdown and page.

    Attributes:
        header: names of its columns.
        rows: a text for each column.
    """

    header: list[str]
    rows: list[list[str]]


def number(value: float | None, digits: int | None = None) -> str:
    """Return a number with three digits after the point, four where it is small."""
    if value is None or np.isnan(value):
        return DASH
    if not np.isfinite(value):
        return "∞"
    if abs(value) >= 10:
        return f"{value:,.4g}"
    digits = _digits([value]) if digits is None else digits
    return f"{rounded(value, digits):.{digits}f}"


def rounded(value: float, digits: int = 0) -> float:
    """Return a number rounded, halves away from 0, as the page's script does.

    Examples:
        >>> rounded(12.5), rounded(-2.5), rounded(-0.125, 2), rounded(float("inf"))
        (13.0, -3.0, -0.13, inf)
    """
    if not isfinite(value):
        return value
    return copysign(floor(abs(value) * 10**digits + 0.5) / 10**digits, value) + 0.0


def _digits(values: Sequence[float]) -> int:
    return 4 if max(map(abs, values)) < SMALL else 3


def with_sign(text: str) -> str:
    """Return a number with its sign, where a minus is one; 0 has none."""
    if not text.strip("-0.,"):
        return text.lstrip("-")
    return f"−{text[1:]}" if text[0] == "-" else f"+{text}"


def signed(value: float, digits: int | None = None) -> str:
    """Return a difference with its sign."""
    return with_sign(f"{'-' if value < 0 else ''}{number(abs(value), digits)}")


def lower_first(text: str) -> str:
    """Return a text that begins small, to stand within a sentence."""
    return text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """Return a text that begins large, to be a sentence."""
    return text[:1].upper() + text[1:]


def range_text(ends: Sequence[float] | None) -> str:
    """Return an interval as "0.296 to 0.321", both ends with as many digits; a dash without one."""
    return DASH if ends is None else " to ".join(number(end, _digits(ends)) for end in ends)


def signed_range(ends: Sequence[float] | None) -> str:
    """Return an interval of a difference as "−0.012 to +0.034"; a dash without one."""
    return DASH if ends is None else " to ".join(signed(end, _digits(ends)) for end in ends)


def dashed(lower: float, upper: float) -> str:
    """Return an interval in whole numbers as "4–6"; of a short one with a digit more."""
    digits = 1 if upper - lower < 1.0 else 0
    low, high = (f"{rounded(end, digits):.{digits}f}" for end in (lower, upper))
    return low if low == high else f"{low}–{high}"


def percent(value: float) -> str:
    """Return a share in per cent; one below a per cent with a digit more."""
    return f"{100 * value:.0f} %" if value >= 0.01 or value == 0 else f"{100 * value:.1f} %"


def share(lower: float) -> str:
    """Return a lower bound of a share in per cent, rounded down."""
    return f"{np.floor(100 * lower + SAME):.0f} %"


def rank_range(first: int, last: int) -> str:
    """Return the ranks that something may have, "2" or "1–3"."""
    return f"{first}" if first == last else f"{first}–{last}"


def span(values: ArrayLike, text: Callable[[float], str] = "{:,.0f}".format) -> str:
    """Return the smallest and the largest of some numbers, as "43 to 50"; "43" if both are."""
    low, high = (text(end) for end in (np.min(values), np.max(values)))
    return low if low == high else f"{low} to {high}"
