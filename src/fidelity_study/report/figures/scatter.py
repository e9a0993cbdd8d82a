"""People's shares and the simulator's

A dot is an option of a question: to the right the share of people who chose it, upwards the
simulator's share. On the line both are equal. In the shaded area one option alone keeps the
distance within the tolerance.
"""

from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.page.first_screen import HIGHLIGHTED
from fidelity_study.report.page.words import listed


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption; two columns have the closest simulators."""
    names = source.subjects[:HIGHLIGHTED]
    top = max(source.screen.scatter(name).x.high for name in names)
    plots = [source.screen.scatter(name, top) for name in names]
    figure = style.squares(source.width, list(map(source.results.named, names)), plots)
    by_text: dict[str, list[str]] = {}
    for name in names:
        by_text.setdefault(source.screen.tendency(name), []).append(source.results.named(name))
    said = [f"{listed(whose)}: {text}" for text, whose in by_text.items() if text]
    return figure, [source.asked, *said]
