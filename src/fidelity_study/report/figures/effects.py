"""People's effects and the simulator's

A dot is the effect of a condition against the control: to the right the simulator's, upwards
people's, with their intervals. In the shaded quadrants directions differ; on the dotted line both
are equal. The line is the slope of people's effects on the simulator's, without the noise of few
answers.
"""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError, Source
from fidelity_study.report.page.effect_verdict import Unit, effect_rows, first
from fidelity_study.report.page.effects import MOST_DRAWN, counts_and_size, points_of, unmeasured


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
    titles = [
        (results.named(name := row["simulator"]), style.colour(results, name)) for row in rows
    ]
    figure, axes = style.squares(source.width, titles)
    dots, reach = points_of(results, rows, unit)
    notes = []
    for axis, row, pairs, (label, colour) in zip(axes, rows, dots, titles, strict=True):
        axis.set(xlim=(-reach, reach), ylim=(-reach, reach))
        axis.set(xlabel="simulator’s effect", ylabel="people’s effect")
        for corner in ((-reach, 0.0), (0.0, -reach)):
            axis.add_patch(Rectangle(corner, reach, reach, color=style.GRID, lw=0, zorder=0.5))
        axis.axline((0.0, 0.0), slope=1.0, color=style.COMPARED, ls=":")
        (x, *x_ends), (y, *y_ends) = pairs.transpose(1, 2, 0)
        axis.hlines(y, *x_ends, color=colour, lw=0.4, alpha=0.4)
        axis.vlines(x, *y_ends, color=colour, lw=0.4, alpha=0.4)
        axis.plot(x, y, "o", ms=2.4, mew=0, color=colour)
        if row["slope"] is not None:
            axis.axline((x.mean(), y.mean()), slope=row["slope"], color=colour)
        axis.label_outer()
        notes.append(f"{label} ({counts_and_size(row)}).")
    return figure, [f"{rows[0]['effects']} effects, in {unit.name}.", *notes]
