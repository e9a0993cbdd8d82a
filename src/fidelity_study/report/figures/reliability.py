"""Calibration of stated probabilities

A dot is a bin of stated probabilities: to the right what was stated on average, upwards the share
of people who chose it, with an interval for new questions or clusters of them. The larger the
dot, the more people. On the line what is stated comes true; below it the simulator is too sure.
Above each panel stands the expected calibration error, the mean distance from the line.
"""

from matplotlib.figure import Figure

from fidelity_study.report import notes
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.formats import number, range_text

NEEDS = {"calibration": "options"}
ABOVE, MOST = 0.25, 2.4


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results = source.results
    shown = {row["simulator"]: row for row in source.dataset.calibration if row["diagram"]}
    rows = [shown[name] for name in results.shown if name in shown]
    if not rows:
        return style.words(source.width, "No simulator states probabilities of its own."), []
    wide = min(len(rows), max(1, int(source.width / style.COLUMN)))
    high = -(-len(rows) // wide)
    side = min(source.width / wide, MOST)
    figure = style.new(source.width, (side + ABOVE) * high)
    axes = figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True)
    names = style.names([row["label"] for row in rows], side - 0.5)
    for axis, row, name in zip(axes.flat, rows, names, strict=False):
        style.panel(axis, row["diagram"])
        axis.set_box_aspect(1)
        axis.set_title(f"{name}\n{_error(row)}")
        axis.set_xlabel(style.broken(row["diagram"].x.label, side - 0.5))
        axis.label_outer()
    for axis in axes.flat[len(rows) :]:
        axis.set_visible(False)
    units = {results.noun if row["stated_for"] == "scenario" else row["stated_for"] for row in rows}
    return figure, [
        f"{style.plain(results.scenarios_text)}; stated for each {' or '.join(sorted(units))}."
        f" {results.level} intervals.",
        "A simulator that states the same probabilities everywhere can be calibrated and still "
        "tell nothing.",
        notes.shown(results),
    ]


def _error(row: dict) -> str:
    """Return the calibration error with its interval."""
    ends = row["ece_lower"], row["ece_upper"]
    return f"ECE {number(row['ece'])}" + ("" if None in ends else f" ({range_text(ends)})")
