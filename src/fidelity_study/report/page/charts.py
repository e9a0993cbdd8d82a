"""Drawings as SVG, from numbers only; colours are classes of the page's style sheet.

A drawing without a ``viewBox`` has places in per cent of its width, so that it fits every page; its
texts keep their size. One with a ``viewBox`` keeps its shape.
"""

from collections.abc import Callable, Iterable, Sequence
from math import floor, log10
from typing import NamedTuple

import numpy as np
from markupsafe import Markup, escape

SIDE = 300
LEFT, BELOW, MARGIN = 36, 22, 16
WIDE, HIGH, RIGHT = 640, 330, 150
APART = 13
TICKS = 5


def ticks(largest: float, most: int = TICKS) -> list[float]:
    """Return round numbers from 0 to at most a largest value.

    Examples:
        >>> ticks(42.0)
        [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    rough = largest / most
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * by for by in (1, 2, 5, 10) if unit * by >= rough * (1 - 1e-9))
    return [round(i * step, 12) for i in range(int(largest / step + 1e-9) + 1)]


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
        '<svg viewBox="0 0 100 {}" preserveAspectRatio=none style=--n:{} aria-hidden=true>{}</svg>'
    ).format(10 * len(rows), len(rows), paths)


def _short(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


def scatter(points: Sequence[tuple[float, float]], band: float | None) -> Markup:
    """Return a dot for each option: people's share to the right, the simulator's upwards.

    Args:
        points: shares.
        band: by how much a share may differ to be drawn within the band; None for no band.
    """
    top = max([*np.ravel(points), 0.1], default=1.0)
    top = next(end for end in (0.2, 0.4, 0.6, 0.8, 1.0) if end >= min(top, 1.0))

    def x(share: float) -> float:
        return LEFT + (SIDE - LEFT - MARGIN) * share / top

    def y(share: float) -> float:
        return 6 + (SIDE - BELOW - 6) * (1 - share / top)

    marks = [share for share in (0, 0.2, 0.4, 0.6, 0.8, 1.0) if share <= top + 1e-9]
    drawn = [
        Markup(
            '<text x="{:.0f}" y="{}" class="middle">{:.0f}%</text>'
            '<text x="{}" y="{:.0f}" class="end">{:.0f}%</text>'
        ).format(x(at), SIDE - BELOW + 15, 100 * at, LEFT - 5, y(at) + 4, 100 * at)
        for at in marks
    ]
    inside = ""
    if band is not None:
        b = min(band, top)
        corners = [(0, 0), (0, b), (top - b, top), (top, top), (top, top - b), (b, 0)]
        inside = Markup('<polygon class="band" points="{}"/>').format(
            " ".join(f"{x(a):.1f},{y(c):.1f}" for a, c in corners)
        )
    path = "".join(f"M{x(a):.1f} {y(b):.1f}h0" for a, b in points)
    return Markup(
        '<svg class="scatter" viewBox="0 0 {0} {0}" data-top="{8}" role="img" aria-label='
        '"Share of people against share of the simulator">{1}'
        '<line class="equal" x1="{2:.1f}" y1="{3:.1f}" x2="{4:.1f}" y2="{5:.1f}"/>'
        '<path class="points" d="{6}"/>{7}</svg>'
    ).format(SIDE, inside, x(0), y(0), x(top), y(top), path, Markup("").join(drawn), f"{top:g}")


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
        return left + (SIDE - left - MARGIN) * (r - low) / span

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


class Curve(NamedTuple):
    """A line of distances: its label and colour, an estimate, and a bound, which may be None."""

    label: str
    colour: str
    estimate: Sequence[float | None]
    bound: Sequence[float | None] | None


def lines(
    tau: Sequence[float],
    curves: Sequence[Curve],
    dots: Sequence[float],
    text: Callable[[float], str],
    limit: float | None,
) -> Markup:
    """Return curves: the distance upwards, the share of questions to the right.

    Args:
        tau: the shares.
        curves: of one value for each share.
        dots: distances as measured of the first, in any order.
        text: how a distance is written.
        limit: the tolerance.
    """
    values = [v for _, _, estimate, bound in curves for v in [*estimate, *(bound or [])] if v]
    top = max([*values, *dots, limit or 0.0], default=1.0) or 1.0

    def x(share: float) -> float:
        return 40 + (WIDE - 40 - RIGHT) * share

    def y(value: float) -> float:
        return 8 + (HIGH - 48) * (1 - value / top)

    def path(curve: Sequence[float | None]) -> str:
        steps, last = [], None
        for at, value in zip(tau, curve, strict=True):
            if value is None:
                continue
            steps.append(f"{'M' if last is None else 'L'}{x(at):.1f} {y(value):.1f}")
            last = value
        return "".join(steps)

    drawn = [
        Markup('<line class="grid" x1="40" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>').format(
            x(1), y(at), y(at)
        )
        + Markup('<text class="end" x="35" y="{:.1f}">{}</text>').format(y(at) + 4, text(at))
        for at in ticks(top)
    ]
    drawn += [
        Markup('<text class="middle" x="{:.1f}" y="{}">{:.0f}%</text>').format(
            x(at), HIGH - 24, 100 * at
        )
        for at in (0, 0.25, 0.5, 0.75, 1)
    ]
    if limit is not None:
        drawn.insert(
            0,
            Markup('<rect class="band" x="40" width="{:.1f}" y="{:.1f}" height="{:.1f}"/>').format(
                x(1) - 40, y(limit), y(0) - y(limit)
            ),
        )
    order = sorted(dots)
    points = (f"M{x((i + 0.5) / len(order)):.1f} {y(at):.1f}h0" for i, at in enumerate(order))
    drawn.append(Markup('<path class="measured" d="{}"/>').format("".join(points)))
    ends = _apart(
        [
            y(next((v for v in reversed(estimate) if v is not None), 0))
            for _, _, estimate, _ in curves
        ]
    )
    for (label, colour, estimate, bound), end in zip(curves, ends, strict=True):
        drawn.append(
            Markup('<g style="--c:{}"><path class="line" d="{}"/>').format(colour, path(estimate))
            + (Markup('<path class="line bound" d="{}"/>').format(path(bound)) if bound else "")
            + Markup('<text x="{:.1f}" y="{:.1f}" translate="no">{}</text></g>').format(
                x(1) + 6, end + 4, shortened(label)
            )
        )
    return Markup('<svg class="lines" viewBox="0 0 {} {}" role="img">{}</svg>').format(
        WIDE, HIGH, Markup("").join(drawn)
    )


def _apart(places: Sequence[float]) -> list[float]:
    """Return places of labels, moved so that no two overlap."""
    moved = dict.fromkeys(range(len(places)), 0.0)
    last = -np.inf
    for i in sorted(moved, key=lambda i: places[i]):
        last = max(places[i], last + APART)
        moved[i] = last
    over = max([*moved.values(), 0.0]) - (HIGH - 36)
    return [moved[i] - max(over, 0.0) for i in range(len(places))]


def shortened(label: str, most: int = 22) -> str:
    """Return a label, cut where it is long."""
    return label if len(label) <= most else f"{label[: most - 1]}…"


def reliability(bins: Sequence[dict], colour: str) -> Markup:
    """Return how often what was stated came true, with intervals; the diagonal is the aim."""

    def x(share: float) -> float:
        return LEFT + (SIDE - LEFT - MARGIN) * share

    def y(share: float) -> float:
        return 6 + (SIDE - BELOW - 6) * (1 - share)

    drawn = [
        Markup(
            '<text x="{:.0f}" y="{}" class="middle">{:.0f}%</text>'
            '<text x="{}" y="{:.0f}" class="end">{:.0f}%</text>'
        ).format(x(at), SIDE - BELOW + 15, 100 * at, LEFT - 5, y(at) + 4, 100 * at)
        for at in (0, 0.25, 0.5, 0.75, 1)
    ]
    for row in bins:
        if row["frequency"] is None or not np.isfinite(row["frequency"]):
            continue
        at = x(row["confidence"])
        ends = row["frequency_lower"], row["frequency_upper"]
        if None not in ends and np.isfinite(ends).all():
            drawn.append(
                Markup('<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>').format(
                    at, *map(y, ends)
                )
            )
        drawn.append(
            Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>').format(
                at, y(row["frequency"]), 2.5 + 5 * float(np.sqrt(row["share"] or 0.0))
            )
        )
    return Markup(
        '<svg class="reliability" viewBox="0 0 {0} {0}" role="img" style="--c:{1}">'
        '<line class="equal" x1="{2:.1f}" y1="{3:.1f}" x2="{4:.1f}" y2="{5:.1f}"/>{6}</svg>'
    ).format(SIDE, escape(colour), x(0), y(0), x(1), y(1), Markup("").join(drawn))
