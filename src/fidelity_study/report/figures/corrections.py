"""Simulators before and after a correction

How far each simulator is from people on average, as it is and corrected by people's answers to
other clusters of scenarios; and how far the best guess is that the same people teach without any
simulator. Only a corrected simulator that is certainly nearer than both gains anything. Ridge and
stacked corrections are made of all simulators together; beside them stands the one that is hardest
to beat.
"""

from matplotlib.figure import Figure

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import interval_of
from fidelity_study.report.tables import having

NEEDS = {"correct": True}
TOGETHER, OF_PEOPLE = "#222222", "#aaaaaa"
BARS = {
    "uncorrected": {"lw": 0.8, "label": "as it is"},
    "corrected": {"lw": 2.4, "label": "corrected"},
    "from_people": {"lw": 2.4, "label": "people's answers to others, without a simulator"},
}
LINE, APART = 0.27, 0.25


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results = source.results
    there = {name: rows for name in results.pairs if (rows := drawn(results, name))}
    if not there:
        return style.words(source.width, "No correction could be judged."), []
    heights = [LINE * len(panel_rows) + 0.25 for panel_rows in there.values()]
    figure = style.new(source.width, sum(heights) + 0.4 * len(there))
    axes = figure.subplots(len(there), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (name, panel_rows) in zip(axes, there.items(), strict=True):
        panel(axis, results, panel_rows, 0.28 * source.width)
        label = DISCREPANCIES[name].label
        axis.set_title(label, loc="left")
        axis.set_xlabel(f"mean {label}")
    keys = [
        style.sample({**line, "color": OF_PEOPLE if name == "from_people" else TOGETHER})
        for name, line in BARS.items()
    ]
    style.legend(figure, keys, figure)
    level = results.level.replace(" ", "\xa0")
    return figure, [
        f"Bars: {level} intervals of the mean over these {results.nouns}, each by itself.",
        "Gain: the correction is certainly nearer than the simulator as it is, and than people's "
        "answers alone. Loss: it is certainly farther than the simulator as it is. Both hold for"
        " all corrections at once.",
    ]


def drawn(results: Results, discrepancy: str) -> list[dict]:
    """Return the corrections of simulators shown and those of all together, if they are judged."""
    rows = having(results.corrections, {"discrepancy": discrepancy, "target": "asked"})
    return [row for row in rows if row["simulator"] in (None, *results.shown)]


def panel(axis, results: Results, rows: list[dict], room: float) -> None:
    """Draw three intervals for each correction."""
    for y, row in enumerate(rows):
        one = row["simulator"]
        simulator_colour = TOGETHER if one is None else results.colour(one)
        for i, (name, line) in enumerate(BARS.items()):
            if ends := interval_of(row, f"{name}_ci_"):
                colour = OF_PEOPLE if name == "from_people" else simulator_colour
                at = [y + (i - 1) * APART] * 2
                axis.plot(ends, at, lw=line["lw"], color=colour)
        end = row["corrected_ci_upper"]
        if row["verdict"] in ("gain", "loss") and end is not None:
            how = style.BESIDE | {"va": "center", "color": TOGETHER}
            axis.annotate(row["verdict"], (end, y), **how)
    labels = [style.wrapped(label(results, row), room) for row in rows]
    style.name_rows(axis, labels)
    style.show_zero(axis)


def label(results: Results, row: dict) -> str:
    """Name the corrected simulator and its correction."""
    if row["simulator"] is None:
        return f"all together, {row['correction']}"
    return f"{style.name(results, row['simulator'])}, {row['correction']}"
