"""Slopes of people and of a simulator

A row is a slope: black that of people, coloured the simulator's, in standard deviations of people's
answers for one of the fact. Intervals hold for all slopes at once.
"""

from matplotlib.figure import Figure

from fidelity_study.report import palette
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError, Source
from fidelity_study.report.page.regressions import over_all, sentences, slopes_of

LINE, AROUND, APART = 0.17, 0.42, 0.16


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results, name = source.results, source.subject
    if not over_all(results, name):
        raise NothingToDrawError(f"{source.dataset.name}: no regression of {name} is fitted.")
    rows = slopes_of(results, name)
    figure = style.new(source.width, LINE * len(rows) + AROUND)
    axis = figure.subplots()
    axis.axvline(0.0, color=style.COMPARED, lw=0.8)
    colours = (palette.PEOPLE, results.colour(name))
    for y, (_, _, *sides) in enumerate(rows):
        for (value, lower, upper), colour, by in zip(sides, colours, (-APART, APART), strict=True):
            axis.plot([lower, upper], [y + by, y + by], color=colour, lw=1.4)
            axis.plot(value, y + by, "o", color=colour, ms=2.8, mew=0)
    axis.set_xlabel("standardised slope")
    style.name_rows(axis, [label for label, *_ in rows])
    return figure, [f"{results.named(name)}.", *sentences(results, name)]
