"""People's correlations and the simulator's

A dot is a pair of questions: to the right the correlation of people's answers to both, upwards that
of the simulator's. On the dotted line both are equal. The line is the slope through the origin,
without the noise of few answers: the strength of people's relations that the simulator keeps; the
shaded area is its interval.
"""

from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError, Source
from fidelity_study.report.page.first_screen import HIGHLIGHTED
from fidelity_study.report.page.structure import plots, sentences, unmeasured


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption; two columns have the closest simulators."""
    results = source.results
    names = [name for name in source.subjects if results.relations(name)]
    if not names:
        raise NothingToDrawError(f"{source.dataset.name}: {unmeasured(results)}")
    drawn = plots(results, names[:HIGHLIGHTED])
    figure = style.squares(source.width, list(map(results.named, drawn)), list(drawn.values()))
    return figure, [source.asked, *(said for name in drawn for said in sentences(results, name))]
