"""Questions, the largest misses first

Of each option the black tick is people's share, the grey box its interval, and the dot the
simulator's share, from 0 to 100 %. Right of them stands the gap, of 100 answers. The number beside
a question is the simulator's distance on it.
"""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.formats import DASH, rounded, with_sign
from fidelity_study.report.page.first_screen import FirstScreen, QuestionCard
from fidelity_study.report.plot import shorten

PAGE, GAP, ACROSS = 9.0, 0.12, 1.7
OPTION, HEAD = 0.115, 0.12
LABELS, GAPS, PAD, LABEL_GAP = 0.52, 0.12, 0.06, 0.035
MOST_LINES, BOX = 3, "#c9d0d8"
MOST, DISTANCE = 100, 0.3
SCALE, TICKS = 0.1, {0.0: "0", 0.5: "50", 1.0: "100 %"}


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption: as many cards as a page of a journal has."""
    screen, name = source.screen, source.subject
    columns = max(1, int(source.width / ACROSS))
    across = (source.width - 2 * style.PAD - GAP * (columns - 1)) / columns
    cards = screen.cards(name)
    headings = _headings(cards[:MOST], across - DISTANCE, screen)
    lines: list[tuple[list, float]] = []
    height = style.PAD
    for first in range(0, len(headings), columns):
        line = list(zip(cards, headings, strict=False))[first : first + columns]
        tall = max(map(_inches, line))
        if lines and height + tall > PAGE:
            break
        lines.append((line, height))
        height += tall + GAP
    height += SCALE
    figure = style.new(source.width, height)
    figure.set_layout_engine("none")
    axis = figure.add_axes((0, 0, 1, 1), xlim=(0, source.width), ylim=(0, height))  # in inches
    axis.set_axis_off()
    drawn = [card for line, _ in lines for card, _ in line]
    labels = {row.label for card in drawn for row in card.shown_options}
    longest = max(style.width_of(label, style.SMALL) for label in labels)
    before = min(longest + PAD, LABELS * across)
    for line, top in lines:
        for i, (card, (*heading, beside)) in enumerate(line):
            left, upper = style.PAD + i * (across + GAP), height - top
            far = DASH if card.distance is None else screen.unit.text(card.distance)
            axis.text(left, upper, "\n".join(heading), va="top", linespacing=1.05)
            axis.text(left + across, upper, far, va="top", ha="right", weight="bold")
            upper -= HEAD * len(heading)
            if beside:
                axis.text(left, upper, beside, va="top", color=style.SOFT)
                upper -= HEAD
            _options(axis, left, upper, (before, across), card, screen.row(name).colour)
            if line is lines[-1][0]:
                bottom = upper - OPTION * len(card.shown_options)
                for at, tick in TICKS.items():
                    x = left + before + at * (across * (1 - GAPS) - before)
                    how: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": style.SMALL}
                    axis.text(x, bottom, tick, color=style.SOFT, **how)
    label, nouns = source.results.named(name), source.results.nouns
    many = f"the {len(drawn)} farthest of {len(cards):,}"
    many = many if len(drawn) < len(cards) else f"all {len(drawn)}"
    boxes = f"Boxes: {source.results.bound_level} intervals."
    return figure, [f"Simulator: {label}; {many} {nouns}.", boxes, source.asked]


def _headings(cards: list[QuestionCard], wide: float, screen: FirstScreen) -> list[list[str]]:
    """Return the lines of cards' headings, and last what stands beside it."""
    besides = [card.topic if screen.topic_texts else card.beside for card in cards]
    most = MOST_LINES - any(besides)

    def lines(text: str) -> list[str]:
        return style.broken(text, wide, style.NORMAL).split("\n")

    texts = shorten([card.heading for card in cards], lambda text: len(lines(text)) <= most)
    named = style.names(besides, wide)
    return [[*lines(text), beside] for text, beside in zip(texts, named, strict=True)]


def _inches(sized: tuple[QuestionCard, list[str]]) -> float:
    """Return how high a card with its heading is."""
    card, (*heading, beside) = sized
    return HEAD * (len(heading) + bool(beside)) + OPTION * len(card.shown_options) + 0.06


def _options(
    axis: Axes,
    left: float,
    top: float,
    widths: tuple[float, float],
    card: QuestionCard,
    colour: str,
) -> None:
    """Draw a card's options below a place; widths are those of the labels and of the card."""
    before, across = widths
    start, inside = left + before, across * (1 - GAPS) - before
    bottom = top - OPTION * len(card.shown_options)
    for share in TICKS:
        _line(axis, [start + share * inside] * 2, [top, bottom], color=style.GRID, lw=0.4)
    labels = [row.label for row in card.shown_options]
    names = style.names(labels, before - PAD + 0.01, style.SMALL)
    for place, (row, name) in enumerate(zip(card.shown_options, names, strict=True)):
        y = top - OPTION * (place + 0.5)
        people, low, high = (start + x * inside for x in (row.people, row.lower, row.upper))
        _line(axis, [start, start + inside], [y, y], color=style.GRID, lw=0.4)
        _line(axis, [low, high], [y, y], color=BOX, lw=5.5)
        if row.simulator is not None:
            dot = start + row.simulator * inside
            _line(axis, [people, dot], [y, y], color=colour, lw=0.8)
            _line(axis, [dot], [y], marker="o", color=colour, ms=3.2, mew=0)
        _line(axis, [people] * 2, [y - 0.36 * OPTION, y + 0.36 * OPTION], color=style.INK, lw=1.1)
        small: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": style.SMALL}
        axis.text(start - LABEL_GAP, y, name, **small)
        gap = DASH if row.gap is None else with_sign(f"{rounded(row.gap):.0f}")
        axis.text(left + across, y, gap, color=style.SOFT, **small)


def _line(axis: Axes, x: list[float], y: list[float], **how: Any) -> None:
    axis.add_line(Line2D(x, y, **how))
