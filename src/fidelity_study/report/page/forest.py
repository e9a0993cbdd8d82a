"""A chart of intervals, one below the other: HTML that fits a wide page, a phone and paper."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from fidelity_study.report.plot import ticks

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


def forest(rows: Sequence[Interval], axis: str) -> Markup:
    """Return a dot with its interval for each row, above an axis with 0; nothing without rows.

    Args:
        rows: from top to bottom.
        axis: what it is called.
    """
    if not rows:
        return Markup("")
    ends = [end for row in rows for end in (row.lower, row.upper)] + [0.0]
    step = ticks(max(max(ends) - min(ends), 1e-9), TICKS)[1]
    first, last = int(min(ends) // step), int(-(-max(ends) // step))
    last = max(last, first + 1)

    def x(value: float) -> str:
        return f"{100 * (value / step - first) / (last - first):.2f}%"

    drawn = Markup("").join(
        Markup(
            '<span class="what">{0}</span><span class="plot"><u style="left:{1}"></u>'
            '<s style="left:{2};right:calc(100% - {3})"{5}></s><b style="left:{4}"{5}></b></span>'
        ).format(
            *(row.label, x(0.0), x(row.lower), x(row.upper), x(row.value)),
            Markup(' class="filled"') if row.filled else "",
        )
        for row in rows
    )
    numbers = Markup("").join(
        Markup('<i style="left:{}">{}</i>').format(x(i * step), f"{i * step:g}".replace("-", "−"))
        for i in range(first, last + 1)
    )
    return Markup(
        f'<div class="forest" role="img" aria-label="{escape(axis)}" '
        f'style="--steps:{last - first}">{drawn}<span class="what"></span>'
        f'<span class="ticks">{numbers}</span><span class="what"></span>'
        f'<span class="axis">{escape(axis)}</span></div>'
    )
