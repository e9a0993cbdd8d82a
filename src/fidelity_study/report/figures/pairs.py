"""Who is closer than whom

A cell is the mean distance of the simulator of its row less that of its column, as an interval. All
intervals hold at once. Green: the row is closer; orange: the column is. Simulators are ordered by
their distance from people.
"""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from fidelity_study.report import palette
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.formats import lower_first

NEEDS = {"simulators": 2}
LINE, MOST_NAME = 0.17, 0.3
SHADES = {-1: palette.BAND, 0: "#f4f6f8", 1: "#f8dccf"}
WORDS = {-1: ("−", palette.WITHIN), 0: ("", style.SOFT), 1: ("+", palette.BEYOND)}


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    matrix = source.view.matrix
    if not matrix:
        return style.words(source.width, "No two simulators can be compared."), []
    names = style.names([label for label, _ in matrix], MOST_NAME * source.width)
    longest = max(style.width_of(name, style.NORMAL) for name in names)
    cell = (source.width - longest - 0.1) / len(names)
    texts = [entry[0] for _, cells in matrix for entry in cells if entry]
    is_written = max(style.width_of(text, style.SMALL) for text in texts) < cell - 0.03
    columns = [f"{i}" for i in range(1, len(names) + 1)]
    figure = style.new(source.width, LINE * len(names) + 0.25)
    axis = figure.subplots()
    for i, (_, cells) in enumerate(matrix):
        for j, entry in enumerate(cells):
            if entry is None:
                continue
            text, sign = entry
            axis.add_patch(Rectangle((j, i), 1, 1, fc=SHADES[sign], ec="white", lw=0.8))
            mark, colour = WORDS[sign]
            axis.text(j + 0.5, i + 0.5, text if is_written else mark, ha="center", va="center",
                      fontsize=style.SMALL, color=colour)  # fmt: skip
    labels = [f"{name}  {column}" for name, column in zip(names, columns, strict=True)]
    style.name_cells(axis, labels, columns, fontsize=style.NORMAL)
    axis.set(xlim=(0, len(names)), ylim=(len(names), 0))
    marks = "" if is_written else "A minus or a plus is where the interval does not hold 0."
    return figure, [
        marks,
        f"Unit: {lower_first(source.screen.unit.axis_of_differences)}.",
        f"{source.results.level} intervals.",
        source.asked,
    ]
