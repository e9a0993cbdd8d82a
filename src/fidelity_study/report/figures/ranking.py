"""Simulators by their distance from people

Dots are mean distances, and lines their intervals; the shaded area is within the tolerance. Black
are so many other people in place of a simulator, grey are baselines. Beside each stands on how
many questions it is within the tolerance (left), beyond it (right), or neither is settled.
"""

from matplotlib.figure import Figure

from fidelity_study.report import palette
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.page.first_screen import RankingRow

LINE = 0.15
AROUND = 0.42
MOST_NAME = 0.36
BARS, GAP = 0.34, 0.04


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    screen = source.screen
    rows = [row for row in screen.ranking if row.estimate is not None]
    figure = style.new(source.width, LINE * len(rows) + AROUND)
    widths = [1 - BARS, BARS] if screen.has_counts else [1]
    axes = figure.subplots(1, len(widths), sharey=True, squeeze=False, width_ratios=widths)[0]
    _distances(axes[0], source, rows)
    if screen.has_counts:
        _counts(axes[1], rows, "open" if source.width > style.NARROW else "")
    test = source.results.step["test"]
    return figure, [
        source.asked,
        f"{source.results.level} intervals.",
        f"Tolerance: {screen.unit.text(screen.limit)}." if screen.limit is not None else "",
        f"Of the {source.results.nouns} counted on either side, at most {100 * test['alpha']:g} % "
        "are expected to be wrong."
        if screen.has_counts
        else "",
    ]


def _distances(axis, source: Source, rows: list[RankingRow]) -> None:
    screen = source.screen
    if screen.limit is not None:
        axis.axvspan(0, screen.limit, color=palette.BAND, lw=0, zorder=0)
    for y, row in enumerate(rows):
        assert row.estimate is not None and row.lower is not None and row.upper is not None
        colour, end = colour_of(row), max(row.upper, row.estimate)
        axis.plot([row.lower, row.upper], [y, y], color=colour, lw=1.6)
        axis.annotate(screen.unit.range(row.lower, row.upper), (end, y), **style.BESIDE)
        axis.plot(row.estimate, y, "o", color=colour, ms=3.2, mew=0)
    axis.set_xlim(0, screen.drawn_to)
    axis.set_xticks(*zip(*screen.axis_texts, strict=True))
    axis.set_xlabel(screen.unit.axis_of_means)
    names = style.names([row.label for row in rows], MOST_NAME * source.width)
    style.name_rows(axis, names)
    for text, row in zip(axis.get_yticklabels(), rows, strict=True):
        text.set(fontsize=style.NORMAL, style="normal" if row.kind == "simulator" else "italic")
        text.set_color(style.SOFT if row.kind == "baseline" else style.INK)


def colour_of(row: RankingRow) -> str:
    """Return the colour of a row: its own if it is among the closest; people are black."""
    if row.kind == "people":
        return palette.PEOPLE
    return row.colour if row.is_highlighted or row.kind == "baseline" else style.SOFT


def _counts(axis, rows: list[RankingRow], middle: str) -> None:
    """Draw on how many questions each is within the tolerance, open and beyond."""
    colours = (palette.WITHIN, palette.OPEN, palette.BEYOND)
    text = {"va": "center_baseline", "fontsize": style.NORMAL}
    for y, row in enumerate(rows):
        if row.counts is None:
            continue
        left = 0.0
        for count, colour in zip(row.counts, colours, strict=True):
            axis.barh(y, count / row.questions, 0.62, left, color=colour, lw=0)
            left += count / row.questions
        axis.text(-GAP, y, row.counts.within, ha="right", color=palette.WITHIN, **text)
        axis.text(1 + GAP, y, row.counts.beyond, ha="left", color=palette.BEYOND, **text)
    axis.set(xlim=(-0.5, 1.5))
    axis.grid(False)
    axis.set_xticks([-GAP, 0.5, 1 + GAP], ["within", middle, "beyond"])
    for label, side in zip(axis.get_xticklabels(), ("right", "center", "left"), strict=True):
        label.set_ha(side)
    axis.tick_params(length=0, labeltop=True, labelbottom=False, pad=0)
    axis.tick_params(axis="y", labelleft=False)
    axis.spines[:].set_visible(False)
