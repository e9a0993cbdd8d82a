"""People's shares and the simulator's

A dot is an option of a question: to the right the share of people who chose it, upwards the
simulator's share. On the line both are equal. In the shaded area one option alone keeps the
distance within the tolerance.
"""

from string import ascii_lowercase

from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.page.first_screen import HIGHLIGHTED
from fidelity_study.report.page.words import listed


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption; two columns have the closest simulators."""
    several = source.width > style.NARROW and source.simulator is None
    names = [source.subject]
    if several:
        tested = [summary.name for summary in source.view.of.tested]
        names = tested[:HIGHLIGHTED] or names
    side = min(source.width / len(names), style.NARROW)
    figure = style.new(source.width, side)
    axes = figure.subplots(1, len(names), squeeze=False, sharex=True, sharey=True)[0]
    top = max(source.screen.scatter(name).x.high for name in names)
    for axis, name, letter in zip(axes, names, ascii_lowercase, strict=False):
        plot = source.screen.scatter(name, top)
        style.panel(axis, plot)
        axis.set_box_aspect(1)
        label = style.fitted(source.results.named(name), side - 0.6)
        axis.set_title(label, loc="right", color=plot.colour)
        axis.set_title(letter if len(names) > 1 else "", loc="left", weight="bold")
        axis.label_outer()
    by_text: dict[str, list[str]] = {}
    for name in names:
        by_text.setdefault(source.screen.tendency(name).text, []).append(source.results.named(name))
    said = [f"{listed(whose)}: {text}" for text, whose in by_text.items() if text]
    return figure, [source.asked, *said]
