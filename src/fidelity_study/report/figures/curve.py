"""Curves: how far a simulator is from people, on what share of the questions

A curve estimates a bound for all questions. Grey dots are the questions asked, as measured, of the
simulator that is closest on average; they hold the chance in few answers. The shaded area is within
the tolerance.
"""

from matplotlib.figure import Figure

from fidelity_study.report import notes
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source

HIGH = 2.4
MOST_NAME, OTHERS = 0.34, "#c9cfd6"


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    plot, every = source.view.curves(), source.view.curves(most=source.results.m + 1_000)
    if plot is None or every is None:
        return style.words(source.width, "No simulator has a curve."), []
    names = style.names([line.label for line in plot.lines], MOST_NAME * source.width)
    lines = [line._replace(label=name) for line, name in zip(plot.lines, names, strict=True)]
    figure = style.new(source.width, HIGH)
    axis = figure.subplots()
    shown = {line.label for line in plot.lines}
    others = [line for line in every.lines if line.label and line.label not in shown]
    for line in others:
        axis.plot(*zip(*line.points, strict=True), color=OTHERS, lw=0.5, zorder=1.5)
    plot = plot._replace(lines=lines, y=plot.y._replace(high=max(plot.y.high, every.y.high) * 1.03))
    style.panel(axis, plot)
    style.name_lines(axis, plot, HIGH - 0.4)
    results = source.results
    return figure, [
        source.asked,
        f"Dotted: this bound at {results.bound_level} confidence, for all simulators at once."
        if any(line.is_bound for line in lines)
        else "",
        "Thin grey curves are of further simulators." if others else "",
        "The bound is of the envelope over coverages γ."
        if results.envelope
        else f"Coverage γ: {results.gammas[0]}.",
        notes.dependence(results),
    ]
