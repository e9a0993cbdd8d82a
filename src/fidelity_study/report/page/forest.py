"""A chart of intervals, one below the other: HTML that fits a wide page, a phone and paper."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from fidelity_study.report.plot import ticks

TICKS = 6


class Mark(NamedTuple):
    """An estimate with its interval.

    Attributes:
        kind: how it is drawn: ``filled``, ``people``, ``simulated``, or empty.
        value: the estimate.
        lower, upper: the ends of its interval.
    """

    kind: str
    value: float
    lower: float
    upper: float


def forest(rows: Sequence[tuple[str, str, Sequence[Mark]]], axis: str, colour: str = "") -> Markup:
    """Return a dot with its interval for each mark, above an axis with 0; nothing without rows.

    Args:
        rows: from top to bottom: a label, a remark shown where the mouse is on it, and marks.
        axis: what it is called.
        colour: of the simulated marks.
    """
    if not rows:
        return Markup("")
    ends = [end for _, _, marks in rows for mark in marks for end in mark[2:]] + [0.0]
    step = ticks(max(max(ends) - min(ends), 1e-9), TICKS)[1]
    first, last = int(min(ends) // step), int(-(-max(ends) // step))
    last = max(last, first + 1)

    def x(value: float) -> str:
        return f"{100 * (value / step - first) / (last - first):.2f}%"

    def drawn(mark: Mark) -> Markup:
        return Markup(
            '<s class="{0}" style="left:{1};right:calc(100% - {2})"></s>'
            '<b class="{0}" style="left:{3}"></b>'
        ).format(mark.kind, *map(x, (mark.lower, mark.upper, mark.value)))

    lines = Markup("").join(
        Markup(
            '<span class="what" title="{}">{}</span><span class="plot">'
            '<u style="left:{}"></u>{}</span>'
        ).format(remark, label, x(0.0), Markup("").join(map(drawn, marks)))
        for label, remark, marks in rows
    )
    numbers = Markup("").join(
        Markup('<i style="left:{}">{}</i>').format(x(i * step), f"{i * step:g}".replace("-", "−"))
        for i in range(first, last + 1)
    )
    return Markup(
        '<div class="forest" role="img" aria-label="{0}" style="--steps:{1};--c:{2}">{3}'
        '<span class="what"></span><span class="ticks">{4}</span><span class="what"></span>'
        '<span class="axis">{0}</span></div>'
    ).format(axis, last - first, colour or "var(--grey)", lines, numbers)
