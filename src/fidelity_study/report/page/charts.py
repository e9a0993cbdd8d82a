"""Drawings as SVG, from numbers only; colours are classes of the page's style sheet.

A drawing without a ``viewBox`` has places in per cent of its width, so that it fits every page; its
texts keep their size. One with a ``viewBox`` keeps its shape.
"""

from collections.abc import Iterable, Sequence
from math import floor

import numpy as np
from markupsafe import Markup

from fidelity_study.report.palette import GREYS
from fidelity_study.report.plot import Plot, apart

SIDE, WIDE, HIGH = 300, 640, 330
LEFT, BELOW, ABOVE, RIGHT, NAMES = 40, 22, 6, 20, 210
APART = 13


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
    return Markup(
        '<svg viewBox="0 0 100 {}" preserveAspectRatio=none style=--n:{}>{}</svg>'
    ).format(10 * len(rows), len(rows), paths)


def _short(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


def chart(plot: Plot) -> Markup:
    """Return a chart as SVG: square, or wide with the names of its lines at their ends."""
    named = [line for line in plot.lines if line.label]
    width, height = (WIDE, HIGH) if named else (SIDE, SIDE)
    end, bottom = width - (NAMES if named else RIGHT), height - BELOW

    def x(value: float) -> float:
        return LEFT + (end - LEFT) * value / plot.x.high

    def y(value: float) -> float:
        return ABOVE + (bottom - ABOVE) * (1 - value / plot.y.high)

    def at(point: tuple[float, float]) -> str:
        return f"{x(point[0]):.1f} {y(point[1]):.1f}"

    def path(kind: str, points: Iterable[tuple[float, float]]) -> Markup:
        return Markup('<path class="{}" d="M{}"/>').format(kind, "L".join(map(at, points)))

    drawn = [path("band", plot.band)] if plot.band else []
    drawn += [
        Markup('<text class="middle" x="{:.1f}" y="{}">{}</text>').format(
            x(tick), bottom + 15, text
        )
        for tick, text in plot.x.ticks
    ]
    drawn += [
        Markup('<text class="end" x="{}" y="{:.1f}">{}</text>').format(LEFT - 5, y(tick) + 4, text)
        + path("grid", [(0.0, tick), (plot.x.high, tick)])
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
        f"M{x(dot.x):.0f} {y(dot.y):.0f}h0" for dot in plot.dots if dot.size is None
    )
    drawn += [Markup('<path class="points" d="{}"/>').format("".join(small))] if small else []
    drawn += [
        path("line", [(dot.x, value) for value in dot.ends or (dot.y, dot.y)])
        + Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>').format(
            x(dot.x), y(dot.y), 2.5 + 5 * dot.size
        )
        for dot in plot.dots
        if dot.size is not None
    ]
    places = apart([y(line.points[-1][1]) for line in named], APART, bottom)
    drawn += [
        Markup(
            '<text class="name" style="--c:{}" x="{}" y="{:.1f}" translate="no">{}</text>'
        ).format(
            "var(--soft)" if line.colour in GREYS else line.colour,
            *(end + 6, place + 4, shortened(line.label)),
        )
        for line, place in zip(named, places, strict=True)
    ]
    return Markup(
        '<svg class="chart {}" viewBox="0 0 {} {}" role="img" aria-label="{}, {}" '
        'style="--c:{}">{}</svg>'
    ).format(
        *(plot.name, width, height, plot.x.label, plot.y.label),
        *(plot.colour or "var(--grey)", Markup("").join(drawn)),
    )


def shortened(label: str, most: int = 28) -> str:
    """Return a label, cut where it is long."""
    return label if len(label) <= most else f"{label[: most - 1]}…"


def cloud(sources: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> Markup:
    """Return the points of several sources in a square, each source in its colour."""
    every = np.array([dot for _, dots in sources for dot in dots])
    low, span = every.min(0), max(float(np.ptp(every, axis=0).max()), 1e-9)
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
    return Markup(
        '<svg class="relations" viewBox="0 0 {0} {0}" aria-hidden="true">{1}</svg>'
    ).format(SIDE, Markup("").join(drawn))


def relations(
    pairs: Sequence[tuple[float, float]],
    slope: Sequence[float] | None,
    axis: tuple[float, float],
    colour: str,
) -> Markup:
    """Return a dot for each pair of questions: people's r to the right, a simulator's upwards.

    Args:
        pairs: correlations of people and of a simulator.
        slope: through the origin, with the ends of its interval; None where it is not known.
        axis: what both axes reach at least.
        colour: of the simulator.
    """
    low, high = floor(5 * axis[0]) / 5, -floor(-5 * axis[1]) / 5
    span, left = high - low, LEFT + 14

    def x(r: float) -> float:
        return left + (SIDE - left - RIGHT) * (r - low) / span

    def y(r: float) -> float:
        return 8 + (SIDE - 2 * BELOW - 8) * (high - r) / span

    by = 0.2 if span < 1.3 else 0.5
    marks = [by * i for i in range(-round(1 / by), round(1 / by) + 1)]
    texts = [
        Markup(
            '<text x="{:.0f}" y="{}" class="middle">{}</text>'
            '<text x="{}" y="{:.0f}" class="end">{}</text>'
        ).format(x(at), SIDE - 2 * BELOW + 15, text, left - 5, y(at) + 4, text)
        for at in marks
        if low - 1e-9 <= at <= high + 1e-9
        for text in [f"{at:.1f}".replace("-", "−")]
    ]
    lines_ = [
        Markup('<path class="zero" d="M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}"/>').format(
            x(0), y(low), y(high), x(low), y(0), x(high)
        ),
        Markup('<line class="equal" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
            x(low), y(low), x(high), y(high)
        ),
    ]
    if slope is not None:
        first, last = (_inside(slope, end, low, high) for end in (low, high))
        corners = [
            *((r, slope[1] * r) for r in (first, 0.0, last)),
            *((r, slope[2] * r) for r in (last, 0.0, first)),
        ]
        points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in corners)
        lines_.append(Markup('<polygon class="sure" points="{}"/>').format(points))
        lines_.append(
            Markup('<line class="slope" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
                *(x(first), y(slope[0] * first)), *(x(last), y(slope[0] * last))
            )
        )
    dots = "".join(f"M{x(a):.1f} {y(b):.1f}h0" for a, b in pairs)
    axes = Markup(
        '<text class="middle" x="{:.0f}" y="{}">people’s r</text>'
        '<text class="middle" transform="rotate(-90)" x="{:.0f}" y="11">simulator’s r</text>'
    ).format(x((low + high) / 2), SIDE - 8, -y((low + high) / 2))
    return Markup(
        '<svg class="relations" viewBox="0 0 {0} {0}" role="img" style="--c:{1}" aria-label='
        '"Correlations of people against those of the simulator">{2}<path class="points" '
        'd="{3}"/>{4}{5}</svg>'
    ).format(
        SIDE,
        colour,
        Markup("").join(lines_[:2]),
        dots,
        Markup("").join(lines_[2:]),
        Markup("").join([*texts, axes]),
    )


def _inside(slope: Sequence[float], end: float, low: float, high: float) -> float:
    """Return how far towards an end lines with these slopes stay between two heights."""
    ends = [limit / s for s in slope if s for limit in (low, high) if limit / s * end > 0.0]
    return float(np.sign(end) * min(abs(at) for at in [end, *ends]))
