"""Drawings as SVG, from numbers only; colours are classes of the page's style sheet.

A drawing without a ``viewBox`` has places in per cent of its width, so that it fits every page; its
texts keep their size. One with a ``viewBox`` keeps its shape.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from markupsafe import Markup

from fidelity_study.report.palette import GREYS
from fidelity_study.report.plot import Plot, apart, shorten

SIDE, WIDE, HIGH, MOST_NAMED = 300, 640, 330, 8
LEFT, BELOW, ABOVE, RIGHT, NAMES = 46, 22, 6, 20, 210
APART, MOST_LETTERS = 13, 28


def place(value: float, largest: float) -> str:
    """Return where a value is on an axis from 0 to the largest, in per cent."""
    return f"{100 * min(max(value / largest, 0.0), 1.0):.2f}%"


def dot(estimate: float, lower: float, upper: float, largest: float, text: str) -> Markup:
    """Return a dot on its interval, with a text to the right of both."""
    return Markup(
        '<svg class="dot" aria-hidden="true"><line x1="{}" x2="{}" y1="50%" y2="50%"/>'
        '<circle cx="{}" cy="50%" r="4.5"/><text x="{}" dx="9" y="50%" dy=".35em">{}</text></svg>'
    ).format(
        *(place(x, largest) for x in (lower, upper, estimate)),
        place(max(upper, estimate), largest),
        text,
    )


def _text(kind: str, x: object, y: object, text: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(kind, x, y, text)


def axis(largest: float, texts: Iterable[tuple[float, str]]) -> Markup:
    """Return the numbers of an axis from 0 to the largest."""
    marks = [
        Markup('<text x="{}" y="1em"{}>{}</text>').format(
            place(at, largest), Markup(' class="first"') if at == 0 else "", text
        )
        for at, text in texts
    ]
    return Markup('<svg class="axis" aria-hidden="true">{}</svg>').format(Markup("").join(marks))


def shares(rows: Sequence[tuple[float, float, float, float | None]]) -> Markup:
    """Return people's shares as ticks in the boxes of their intervals, and a simulator's as dots.

    Four paths, of boxes, ticks, gaps and dots, which the style sheet makes so thick: a page has
    thousands of these. Rows are 10 units high.

    Args:
        rows: of each option people's share, its interval, and the simulator's share or None.
    """
    boxes, ticks_, gaps, dots = [], [], [], []
    for i, (people, lower, upper, simulator) in enumerate(rows):
        y = 10 * i + 5
        boxes.append(f"M{_short(lower)} {y}H{_short(upper)}")
        ticks_.append(f"M{_short(people)} {y - 4}v8")
        if simulator is not None:
            gaps.append(f"M{_short(people)} {y}H{_short(simulator)}")
            dots.append(f"M{_short(simulator)} {y}h0")
    paths = Markup("").join(
        Markup('<path d="{}"/>').format("".join(part)) for part in (boxes, ticks_, gaps, dots)
    )
    return Markup('<svg viewBox="0 0 100 {}" preserveAspectRatio=none>{}</svg>').format(
        10 * len(rows), paths
    )


def _short(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


def chart(plot: Plot) -> Markup:
    """Return a chart as SVG: square, or wide with the names of its lines at their ends."""
    named = [line for line in plot.lines if line.label]
    width, height = (WIDE, HIGH) if named else (SIDE, SIDE - LEFT - RIGHT + ABOVE + BELOW)
    end, bottom = width - (NAMES if named else RIGHT), height - BELOW

    def x(value: float) -> float:
        return LEFT + (end - LEFT) * (value - plot.x.low) / (plot.x.high - plot.x.low)

    def y(value: float) -> float:
        return ABOVE + (bottom - ABOVE) * (plot.y.high - value) / (plot.y.high - plot.y.low)

    def at(point: tuple[float, float]) -> str:
        return f"{x(point[0]):.1f} {y(point[1]):.1f}"

    def path(kind: str, points: Iterable[tuple[float, float]]) -> Markup:
        return Markup('<path class="{}" d="M{}"/>').format(kind, "L".join(map(at, points)))

    drawn = [path("band", plot.band)] if plot.band else []
    drawn += [_text("middle", f"{x(tick):.1f}", bottom + 15, text) for tick, text in plot.x.ticks]
    drawn += [
        _text("end", LEFT - 5, f"{y(tick) + 4:.1f}", text)
        + path("grid", [(plot.x.low, tick), (plot.x.high, tick)])
        for tick, text in plot.y.ticks
    ]
    drawn += [
        Markup('<g style="--c:{}">{}</g>').format(
            line.colour or "var(--grey)", path("line bound" if line.is_bound else "line", points)
        )
        for line in plot.lines
        if (points := line.points)
    ]
    small = dict.fromkeys(
        f"M{x(dot.x):.0f} {y(dot.y):.0f}h0"
        for dot in plot.dots
        if dot.size is None and not dot.name
    )
    drawn += [Markup('<path class="points" d="{}"/>').format("".join(small))] if small else []
    interventions = [dot for dot in plot.dots if dot.name]
    bars = "".join(
        f"M{x(dot.wide[0]):.1f} {y(dot.y):.1f}H{x(dot.wide[1]):.1f}"
        f"M{x(dot.x):.1f} {y(dot.ends[0]):.1f}V{y(dot.ends[1]):.1f}"
        for dot in interventions
        if dot.wide and dot.ends
    )
    drawn += [Markup('<path class="bars" d="{}"/>').format(bars)] if bars else []
    drawn += [
        Markup('<path class="points" d="M{:.1f} {:.1f}h0"><title>{}</title></path>').format(
            x(dot.x), y(dot.y), dot.name
        )
        for dot in interventions
    ]
    if len(interventions) <= MOST_NAMED:
        heights = apart([y(dot.y) - 6 for dot in interventions], APART, bottom)
        for dot, level in zip(interventions, heights, strict=True):
            kind, beside = ("label end", -7) if dot.x > 0.0 else ("label", 7)
            drawn.append(_text(kind, f"{x(dot.x) + beside:.1f}", f"{level:.1f}", dot.name))
    drawn += [
        path("line", [(dot.x, value) for value in dot.ends or (dot.y, dot.y)])
        + Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>').format(
            x(dot.x), y(dot.y), 2.5 + 5 * dot.size
        )
        for dot in plot.dots
        if dot.size is not None
    ]
    places = apart([y(line.points[-1][1]) for line in named], APART, bottom)
    names = shorten([line.label for line in named], lambda label: len(label) <= MOST_LETTERS)
    drawn += [
        Markup(
            '<text class="name" style="--c:{}" x="{}" y="{:.1f}" translate="no">{}</text>'
        ).format(
            "var(--soft)" if line.colour in GREYS else line.colour,
            *(end + 6, place + 4, name),
        )
        for line, place, name in zip(named, places, names, strict=True)
    ]
    return Markup(
        '<svg class="chart {}" viewBox="0 0 {} {}" role="img" aria-label="{}, {}" '
        'style="--c:{}">{}</svg>'
    ).format(
        *(plot.name, width, height, plot.x.label, plot.y.label),
        *(plot.colour or "var(--grey)", Markup("").join(drawn)),
    )


def cloud(sources: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> Markup:
    """Return the points of several sources in a square, each source in its colour."""
    every = np.array([dot for _, dots in sources for dot in dots])
    span = max(float(np.ptp(every, axis=0).max()), 1e-9)
    low = (every.min(0) + every.max(0) - span) / 2.0
    drawn = [
        Markup('<path class="points" style="--c:{}" d="{}"/>').format(
            shade,
            "".join(
                f"M{8 + (SIDE - 16) * x:.1f} {SIDE - 8 - (SIDE - 16) * y:.1f}h0"
                for x, y in (np.array(dots) - low) / span
            ),
        )
        for shade, dots in sources
    ]
    return Markup('<svg class="cloud" viewBox="0 0 {0} {0}" aria-hidden="true">{1}</svg>').format(
        SIDE, Markup("").join(drawn)
    )
