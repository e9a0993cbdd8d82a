"""A chart of intervals, one below the other: HTML that fits a wide page, a phone and paper."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

TICKS = 6


class Interval(NamedTuple):
    """A row of the chart.

    Attributes:
        label: the text beside it.
        filled: whether its dot is filled.
        value: the estimate.
        lower, upper: the ends of its interval.
    """

    label: str
    filled: bool
    value: float
    lower: float
    upper: float


def forest(rows: Sequence[Interval], *, zero: bool, axis: str) -> Markup:
    """Return a dot with its interval for each row, above an axis; nothing if there are no rows.

    Args:
        rows: from top to bottom.
        zero: whether 0 is on the axis, and drawn.
        axis: what it is called.
    """
    if not rows:
        return Markup("")
    ends = [end for row in rows for end in (row.lower, row.upper)] + ([0.0] if zero else [])
    step = _step(max(max(ends) - min(ends), 1e-9))
    first, last = int(min(ends) // step), int(-(-max(ends) // step))
    last = max(last, first + 1)

    def x(value: float) -> str:
        return f"{100 * (value / step - first) / (last - first):.2f}%"

    origin = Markup('<u style="left:{}"></u>').format(x(0.0)) if zero else Markup("")
    drawn = Markup("").join(
        Markup(
            '<span class="what">{}</span><span class="plot">{}<s style="left:{};right:calc(100% - '
            '{})"{}></s><b style="left:{}"{}></b></span>'
        ).format(
            row.label,
            origin,
            *(x(row.lower), x(row.upper)),
            _settled(row.filled),
            x(row.value),
            _settled(row.filled),
        )
        for row in rows
    )
    ticks = Markup("").join(
        Markup('<i style="left:{}">{}</i>').format(x(i * step), f"{i * step:g}".replace("-", "−"))
        for i in range(first, last + 1)
    )
    return Markup(
        f'<div class="forest" role="img" aria-label="{escape(axis)}" '
        f'style="--steps:{last - first}">{drawn}<span class="what"></span>'
        f'<span class="ticks">{ticks}</span><span class="what"></span>'
        f'<span class="axis">{escape(axis)}</span></div>'
    )


def _settled(filled: bool) -> Markup:
    return Markup(' class="filled"') if filled else Markup("")


def _step(span: float) -> float:
    """Return a round distance between ticks, about six of them."""
    scale = 10.0
    while scale > span / TICKS:
        scale /= 10
    return next(
        (scale * step for step in (1, 2, 5, 10) if scale * step >= span / TICKS), scale * 10
    )
