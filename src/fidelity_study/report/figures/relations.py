"""People's correlations and the simulator's

A dot is a pair of questions: to the right the correlation of people's answers to both, upwards that
of the simulator's. On the dotted line both are equal. The line is the slope through the origin,
without the noise of few answers: the strength of people's relations that the simulator keeps; the
shaded area is its interval.
"""

from string import ascii_lowercase

from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError, Source
from fidelity_study.report.page.first_screen import HIGHLIGHTED
from fidelity_study.report.page.structure import plots, sentences, unmeasured


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption; two columns have the closest simulators."""
    results = source.results
    several = source.width > style.NARROW and source.simulator is None
    tested = [summary.name for summary in source.view.of.tested]
    names = [name for name in (tested if several else [source.subject]) if results.relations(name)]
    if not names:
        raise NothingToDrawError(f"{source.dataset.name}: {unmeasured(results)}")
    drawn = plots(results, names[:HIGHLIGHTED])
    side = min(source.width / len(drawn), style.NARROW)
    figure = style.new(source.width, side)
    axes = figure.subplots(1, len(drawn), squeeze=False, sharex=True, sharey=True)[0]
    for axis, (name, plot), letter in zip(axes, drawn.items(), ascii_lowercase, strict=False):
        style.panel(axis, plot)
        axis.set_box_aspect(1)
        axis.set_title(
            style.fitted(results.named(name), side - 0.6), loc="right", color=plot.colour
        )
        axis.set_title(letter if len(drawn) > 1 else "", loc="left", weight="bold")
        axis.label_outer()
    return figure, [source.asked, *(said for name in drawn for said in sentences(results, name))]
