"""People's effects and the simulator's

A dot is the effect of a condition against the control: to the right the simulator's, upwards
people's, with their intervals. In the shaded quadrants directions differ; on the dotted line both
are equal. The line is the slope of people's effects on the simulator's, without the noise of few
answers.
"""

from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError, Source
from fidelity_study.report.page.effect_verdict import Unit, effect_rows, first
from fidelity_study.report.page.effects import MOST_DRAWN, counts_and_size, plots, unmeasured


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption; two columns have the closest simulators."""
    results, unit = source.results, Unit.of(source.results)
    rows = effect_rows(results)
    if source.simulator is not None:
        rows = [row for row in rows if row["simulator"] == source.subject]
    elif rows and source.width <= style.NARROW:
        rows = [first(rows)]
    if not rows:
        reason = unmeasured(results) or "It has no effects of conditions to compare."
        raise NothingToDrawError(f"{source.dataset.name}: {reason}")
    rows = rows[:MOST_DRAWN]
    titles = [results.named(row["simulator"]) for row in rows]
    figure = style.squares(source.width, titles, plots(results, rows, unit))
    notes = [f"{title} ({counts_and_size(row)})." for title, row in zip(titles, rows, strict=True)]
    return figure, [f"{rows[0]['effects']} effects, in {unit.name}.", *notes]
