"""Questions, the largest misses first

Of each option the black tick is people's share, the grey box its 95 % interval, and the dot the
simulator's share, from 0 to 100 %. Right of them stands the gap, of 100 answers. The number beside
a question is the simulator's distance on it.
"""

from typing import Any

from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.formats import DASH, rounded, with_sign
from fidelity_study.report.page.first_screen import Card, FirstScreen

PAGE, GAP, ACROSS = 9.0, 0.12, 1.7
OPTION, HEAD = 0.115, 0.12
LABELS, GAPS, PAD = 0.52, 0.12, 0.06
MOST_LINES, BOX = 3, "#c9d0d8"
SCALE, TICKS = 0.1, {0.0: "0", 0.5: "50", 1.0: "100 %"}


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption: as many cards as a page of a journal has."""
    screen, name = source.screen, source.subject
    columns = max(1, int(source.width / ACROSS))
    across = (source.width - 2 * style.PAD - GAP * (columns - 1)) / columns
    cards = [_sized(card, across, screen) for card in screen.cards(name)]
    lines: list[tuple[list, float]] = []
    height = style.PAD
    for first in range(0, len(cards), columns):
        line = cards[first : first + columns]
        tall = max(inches for _, _, inches in line)
        if lines and height + tall > PAGE:
            break
        lines.append((line, height))
        height += tall + GAP
    height += SCALE
    figure = style.new(source.width, height)
    figure.set_layout_engine("none")
    drawn = [card for line, _ in lines for card, _, _ in line]
    labels = {row.label for card in drawn for row in card.shown_options}
    longest = max(style.width_of(label, style.SMALL) for label in labels)
    before = min(longest + PAD, LABELS * across)
    for line, top in lines:
        for i, (card, heading, _) in enumerate(line):
            left, upper = style.PAD + i * (across + GAP), height - top
            far = DASH if card.distance is None else screen.unit.text(card.distance)
            _text(figure, left, upper, heading, va="top", linespacing=1.05)
            _text(figure, left + across, upper, far, va="top", ha="right", weight="bold")
            upper -= HEAD * (heading.count("\n") + 1)
            _options(figure, left, upper, (before, across), card, screen.row(name).colour)
            if line is lines[-1][0]:
                bottom = upper - OPTION * len(card.shown_options)
                for at, tick in TICKS.items():
                    x = left + before + at * (across * (1 - GAPS) - before)
                    how = {"ha": "center", "va": "top", "fontsize": style.SMALL}
                    _text(figure, x, bottom, tick, color=style.SOFT, **how)
    label, nouns = source.results.named(name), source.results.nouns
    many = f"the {len(drawn)} farthest of {len(cards):,}"
    many = many if len(drawn) < len(cards) else f"all {len(drawn)}"
    return figure, [f"Simulator: {label}; {many} {nouns}.", source.asked]


def _sized(card: Card, across: float, screen: FirstScreen) -> tuple[Card, str, float]:
    """Return a card, its heading in lines, and how high it is."""
    beside = card.topic if screen.topic_texts else card.beside
    text = card.heading + (f" ({beside})" if beside else "")
    lines = style.wrapped(text, across - 0.3).split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1]} …"]
    height = HEAD * len(lines) + OPTION * len(card.shown_options) + 0.06
    return card, "\n".join(lines), height


def _text(figure: Figure, x: float, y: float, text: str, **how: Any) -> None:
    """Write at a place that is so many inches from the lower left of the figure."""
    figure.text(x, y, style.plain(text), transform=figure.dpi_scale_trans, **how)


def _options(
    figure: Figure, left: float, top: float, widths: tuple[float, float], card: Card, colour: str
) -> None:
    """Draw a card's options below a place; widths are those of the labels and of the card."""
    (width, height), (before, across) = figure.get_size_inches(), widths
    rows = card.shown_options
    tall = OPTION * len(rows)
    inside = across * (1 - GAPS) - before
    axis = figure.add_axes(
        ((left + before) / width, (top - tall) / height, inside / width, tall / height)
    )
    axis.set(xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5))
    for share in TICKS:
        axis.axvline(share, color=style.GRID, lw=0.4, zorder=0)
    for y, row in enumerate(rows):
        axis.axhline(y, color=style.GRID, lw=0.4, zorder=0)
        axis.plot([row.lower, row.upper], [y, y], color=BOX, lw=5.5)
        if row.simulator is not None:
            axis.plot([row.people, row.simulator], [y, y], color=colour, lw=0.8)
            axis.plot(row.simulator, y, "o", color=colour, ms=3.2, mew=0, clip_on=False)
        axis.plot([row.people] * 2, [y - 0.36, y + 0.36], color=style.INK, lw=1.1)
        gap = DASH if row.gap is None else with_sign(f"{rounded(row.gap):.0f}")
        how = {"ha": "right", "va": "center", "fontsize": style.SMALL, "color": style.SOFT}
        _text(figure, left + across, top - OPTION * (y + 0.5), gap, **how)
    labels = [style.fitted(row.label, before - PAD + 0.01, style.SMALL) for row in rows]
    axis.set_yticks(range(len(rows)), labels)
    axis.tick_params(axis="y", length=0)
    axis.set_xticks([])
    axis.grid(False)
    axis.spines[:].set_visible(False)
