"""Charts as numbers: the page draws them as SVG, figures for a journal by Matplotlib."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from math import floor, log10, sqrt
from typing import NamedTuple

import numpy as np

TICKS = 5
ENDS = ("lower", "upper")
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class Axis(NamedTuple):
    """One axis of a chart.

    Attributes:
        high: its end.
        ticks: numbers, and how they are written.
        label: what it counts.
        low: where it begins.
    """

    high: float
    ticks: Sequence[tuple[float, str]]
    label: str
    low: float = 0.0


class Line(NamedTuple):
    """A line through points, which ends where a value is None.

    Attributes:
        x, y: its points.
        colour: empty for a line to compare with.
        label: written at its end; may be empty.
        is_bound: whether it is dotted.
    """

    x: Sequence[float]
    y: Sequence[float | None]
    colour: str = ""
    label: str = ""
    is_bound: bool = False

    @property
    def points(self) -> list[tuple[float, float]]:
        """Its points that have a value."""
        return [(x, y) for x, y in zip(self.x, self.y, strict=True) if y is not None]


class Dot(NamedTuple):
    """A dot.

    Attributes:
        x, y: its place.
        ends: an interval of its height.
        size: as a share of the largest, if sizes tell.
        wide: an interval of its width.
        name: what it is; may be empty.
    """

    x: float
    y: float
    ends: tuple[float, float] | None = None
    size: float | None = None
    wide: tuple[float, float] | None = None
    name: str = ""


class Plot(NamedTuple):
    """A chart with two axes.

    Attributes:
        name: its kind.
        x, y: its axes.
        band: corners of the area within the tolerance; may be none.
        lines: over the band.
        dots: over the lines.
        colour: of the dots; empty for grey.
    """

    name: str
    x: Axis
    y: Axis
    band: Sequence[tuple[float, float]] = ()
    lines: Sequence[Line] = ()
    dots: Sequence[Dot] = ()
    colour: str = ""


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


def shares_axis(high: float, label: str) -> Axis:
    """Return an axis of shares, in per cent."""
    return Axis(high, [(at, f"{100 * at:.0f}\u00a0%") for at in SHARES if at <= high + 1e-9], label)


def scatter(
    points: Sequence[tuple[float, float]], band: float | None, colour: str, top: float = 0.0
) -> Plot:
    """Return a dot for each option: people's share to the right, the simulator's upwards.

    Args:
        points: shares.
        band: by how much a share may differ to be drawn within the band; None for no band.
        colour: of the simulator.
        top: the least that the axes' end is.
    """
    top = max([*np.ravel(points), 0.1, top], default=1.0)
    top = next(end for end in SHARES[1:] if end >= min(top, 1.0))
    b = min(band or 0.0, top)
    corners = [(0.0, 0.0), (0.0, b), (top - b, top), (top, top), (top, top - b), (b, 0.0)]
    return Plot(
        "scatter",
        shares_axis(top, "share of people"),
        shares_axis(top, "share of the simulator"),
        [] if band is None else corners,
        [Line((0.0, top), (0.0, top))],
        [Dot(*point) for point in points],
        colour,
    )


def relations(
    pairs: Sequence[tuple[float, float]],
    slope: Sequence[float] | None,
    ends: tuple[float, float],
    colour: str,
) -> Plot:
    """Return a dot for each pair of questions: people's r to the right, a simulator's upwards.

    Args:
        pairs: correlations of people and of a simulator.
        slope: through the origin, with the ends of its interval; None where it is not known.
        ends: what both axes reach at least.
        colour: of the simulator.
    """
    low, high = floor(5 * ends[0]) / 5, -floor(-5 * ends[1]) / 5
    by = 0.2 if high - low < 1.3 else 0.5
    marks = [round(by * i, 1) for i in range(-round(1 / by), round(1 / by) + 1)]
    texts = [(at, f"{at:.1f}".replace("-", "−")) for at in marks if low <= at <= high]
    x, y = (Axis(high, texts, f"{whose} r", low) for whose in ("people’s", "simulator’s"))
    lines, band = [Line((low, high), (low, high), is_bound=True)], list[tuple[float, float]]()
    if slope is not None:
        first, last = (_inside(slope, end, low, high) for end in (low, high))
        band = [(r, slope[1] * r) for r in (first, 0.0, last)]
        band += [(r, slope[2] * r) for r in (last, 0.0, first)]
        lines.append(Line((first, last), (slope[0] * first, slope[0] * last), colour))
    return Plot("relations", x, y, band, lines, [Dot(*pair) for pair in pairs], colour)


def effects(
    pairs: np.ndarray, names: Sequence[str], slope: float | None, colour: str, reach: float
) -> Plot:
    """Return a dot for each intervention: a simulator's effect to the right, people's upwards.

    The band is of the quadrants in which directions differ.

    Args:
        pairs: the simulator's and people's effects, with the ends of their intervals, (E, 2, 3).
        names: of the interventions.
        slope: of people's effects on the simulator's, through the means; None if it is not known.
        colour: of the simulator.
        reach: the largest effect that both axes have room for.
    """
    marks = sorted({at for size in ticks(reach, most=3) for at in (-size, size)})
    texts = [(at, _signed(at)) for at in marks]
    x, y = (Axis(reach, texts, f"{whose} effect", -reach) for whose in ("simulator’s", "people’s"))
    high, low = (0.0, reach), (0.0, -reach)
    band = [(-reach, 0.0), (-reach, reach), high, low, (reach, -reach), (reach, 0.0)]
    lines = [Line((-reach, reach), (-reach, reach), is_bound=True)]
    if slope is not None:
        right, up = pairs[:, :, 0].mean(0)
        ends = [(end - up) / slope + right for end in (-reach, reach)] if slope else [-reach, reach]
        ends = np.clip(sorted(ends), -reach, reach).tolist()
        lines.append(Line(ends, [up + slope * (end - right) for end in ends], colour))
    dots = [
        Dot(right[0], up[0], (up[1], up[2]), None, (right[1], right[2]), name)
        for (right, up), name in zip(pairs.tolist(), names, strict=True)
    ]
    return Plot("effects", x, y, band, lines, dots, colour)


def _signed(value: float) -> str:
    text = f"{value:+.2g}" if abs(value) < 100.0 else f"{value:+,.0f}"
    return text.replace("-", "−") if value else "0"


def _inside(slope: Sequence[float], end: float, low: float, high: float) -> float:
    """Return how far towards an end lines with these slopes stay between two heights."""
    ends = [limit / s for s in slope if s for limit in (low, high) if limit / s * end > 0.0]
    return float(np.sign(end) * min(abs(at) for at in [end, *ends]))


def curves(
    lines: Sequence[Line],
    measured: Iterable[float],
    text: Callable[[float], str],
    limit: float | None,
    labels: tuple[str, str],
) -> Plot:
    """Return curves: the distance upwards, the share of questions to the right.

    Args:
        lines: through shares and distances.
        measured: distances of single questions, in any order; each is a dot at its rank.
        text: how a distance is written.
        limit: the tolerance.
        labels: of both axes.
    """
    order = sorted(measured)
    values = [y for line in lines for _, y in line.points]
    top = max([*values, *order, limit or 0.0], default=1.0) or 1.0
    return Plot(
        "lines",
        shares_axis(1.0, labels[0]),
        Axis(top, [(at, text(at)) for at in ticks(top)], labels[1]),
        [] if limit is None else [(0.0, 0.0), (0.0, limit), (1.0, limit), (1.0, 0.0)],
        lines,
        [Dot((i + 0.5) / len(order), at) for i, at in enumerate(order)],
    )


def paths(sources: Sequence[tuple[str, Sequence[dict]]]) -> Plot:
    """Return quartiles over time: an area and a line for people, lines for the others.

    Args:
        sources: people first: colour, and rows with time, lower, median and upper.
    """
    ends = [(row["time"], row[name]) for _, rows in sources for row in rows for name in ENDS]
    (left, low), (right, high) = np.min(ends, axis=0), np.max(ends, axis=0)
    people = sources[0][1]
    lines = []
    for colour, rows in sources:
        x = [row["time"] for row in rows]
        for name in ("median",) if rows is people else ("median", *ENDS):
            y = [row[name] for row in rows]
            lines.append(Line(x, y, colour, is_bound=name != "median"))
    band = [(row["time"], row["lower"]) for row in people]
    band += [(row["time"], row["upper"]) for row in people[::-1]]
    axes = _axis(left, right, "time"), _axis(low, high, "value")
    return Plot("paths", *axes, band, lines)


def _axis(low: float, high: float, label: str) -> Axis:
    """Return an axis from a number to another, with round numbers on it."""
    span = (high - low) or 1.0
    step = ticks(span)[1]
    marks = step * np.arange(np.ceil(low / step), np.floor((low + span) / step) + 1)
    texts = [(float(at), f"{at:.6g}".replace("-", "−")) for at in marks.round(12)]
    return Axis(float(low + span), texts, label, float(low))


def reliability(bins: Sequence[dict], colour: str, labels: tuple[str, str]) -> Plot:
    """Return how often what was stated came true, with intervals; the diagonal is the aim.

    Args:
        bins: rows of the table of reliability, of one simulator and event.
        colour: of the simulator.
        labels: of both axes.
    """
    x, y = (shares_axis(1.0, label) for label in labels)
    dots = [
        Dot(row["confidence"], row["frequency"], _ends(row), sqrt(row["share"] or 0.0))
        for row in bins
        if row["frequency"] is not None and np.isfinite(row["frequency"])
    ]
    return Plot("reliability", x, y, (), [Line((0.0, 1.0), (0.0, 1.0))], dots, colour)


def _ends(row: dict) -> tuple[float, float] | None:
    lower, upper = row["frequency_lower"], row["frequency_upper"]
    return None if lower is None or not np.isfinite([lower, upper]).all() else (lower, upper)


def apart(places: Sequence[float], room: float, last: float) -> list[float]:
    """Return places of labels, moved so that no two overlap.

    Args:
        places: where they should be.
        room: what each needs.
        last: the largest place there is.

    Examples:
        >>> apart([1.0, 1.5, 9.0], 1.0, 10.0)
        [1.0, 2.0, 9.0]
    """
    moved = [0.0] * len(places)
    before = -np.inf
    for i in sorted(range(len(places)), key=places.__getitem__):
        before = moved[i] = max(places[i], before + room)
    for i in sorted(range(len(places)), key=moved.__getitem__, reverse=True):
        last = moved[i] = min(moved[i], last)
        last -= room
    return moved


def shorten(labels: Sequence[str], fits: Callable[[str], bool]) -> list[str]:
    """Return labels, cut where they do not fit, so that what tells them apart stays.

    Args:
        labels: of one picture; the same label may stand there twice.
        fits: whether there is room for a text.

    Examples:
        >>> shorten(["Gotten somewhat better", "Gotten somewhat worse"], lambda x: len(x) < 19)
        ['Gotten som… better', 'Gotten some… worse']
    """
    same = dict.fromkeys(labels, 0)
    for pair in pairwise(sorted(same)):  # of all others a neighbour begins alike the longest
        alike = len(list(takewhile(lambda two: two[0] == two[1], zip(*pair, strict=False))))
        for label in pair:
            same[label] = max(same[label], alike)
    shown = {label: _shorter(label, same, fits) for label in same}
    return [shown[label] for label in labels]


def _shorter(label: str, same: dict[str, int], fits: Callable[[str], bool]) -> str:
    """Return the first cut that fits and can stand for no other label, else the first that fits."""
    first = ""
    for text in filter(fits, _cuts(label, min(same[label], len(label) - 1))):
        first = first or text
        pattern = ".*".join(map(re.escape, text.split("…")))
        if not any(re.fullmatch(pattern, other) for other in same if other != label):
            return text
    return first or "…"


def _cuts(label: str, same: int) -> Iterator[str]:
    """Yield a label whole, cut at its end, in its middle, and around what tells it apart."""
    yield label
    words = [at.end() for at in re.finditer("[ _]", label)]
    word = max((start for start in words if start <= same), default=0)
    end = min((start for start in words if start > same), default=len(label))
    for many in range(len(label) - 1, end - 1, -1):
        yield f"{label[:many].rstrip()}…"
    for start in dict.fromkeys((word, same, *words)):
        gap = "… " if label[:start].endswith(" ") else "…"
        for many in range(start - 1, -1, -1):
            yield f"{label[:many].rstrip()}{gap}{label[start:]}"
    for start in range(1, same + 1):
        yield f"…{label[start:]}"
    for start in (word, same):
        for many in range(len(label), same, -1):
            yield f"…{label[start:many].rstrip()}…"
