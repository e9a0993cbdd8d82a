"""Coverage of intervals

Share of people's answers inside the central intervals that a simulator's own answers suggest, by
their level. On the diagonal an interval holds what it promises. Bars: for new
scenarios, or new clusters of them. At the right, how wide the intervals are.
"""

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from fidelity_study.report import notes
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.tables import grouped

NEEDS = {"calibration": "numbers"}
LINES = {"normal": "-", "cauchy": ":"}
WORDS = {"normal": "normal: mean and standard deviation", "cauchy": "Cauchy: median and quartiles"}
DIAGONAL = {"color": "#999999", "lw": 0.8, "ls": "--"}
APART = 0.004


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results = source.results
    is_wide = source.width > style.NARROW
    figure = style.new(source.width, 2.4 if is_wide else 4.4)
    coverage, width = figure.subplots(*((1, 2) if is_wide else (2, 1)))
    coverage.plot([0, 1], [0, 1], **DIAGONAL)
    drawn = grouped(results.intervals, "simulator", "family")
    lines = [key for name in results.shown for family in LINES if (key := (name, family)) in drawn]
    for i, key in enumerate(lines):
        line = {"color": results.colour(key[0]), "ls": LINES[key[1]]}
        show(coverage, width, drawn[key], line, APART * i)
    coverage.set(xlim=(0, 1), ylim=(0, 1.02))
    coverage.set(xlabel="level of the interval", ylabel="people's answers inside")
    width.set(xlim=(0, 1), xlabel="level of the interval", ylabel="mean width, in scores")
    width.set_yscale("log")
    style.number(width.yaxis, LogLocator(subs=(1, 2, 5)), "{x:g}")
    keys = [style.line(results, name) for name in dict.fromkeys(name for name, _ in lines)]
    keys += [
        {"color": "#222222", "ls": line, "label": WORDS[family]}
        for family, line in LINES.items()
        if family in {name for _, name in lines}
    ]
    style.legend(figure, list(map(style.sample, keys)), figure)
    return figure, [
        f"{style.sizes(results)}. Bars: {results.level} intervals.",
        "With fewer than 40 clusters, each counts as one observation.",
        f"{results.nouns.capitalize()} to which a simulator always gives the same answer are left"
        " out.",
        notes.shown(results),
    ]


def show(coverage, width, rows: list[dict], line: dict, shift: float) -> None:
    """Draw one simulator and family, a little aside of the others."""
    x = [row["level"] + shift for row in rows]
    y = [row["coverage"] for row in rows]
    errors = [
        [row["coverage"] - row["clustered_lower"] for row in rows],
        [row["clustered_upper"] - row["coverage"] for row in rows],
    ]
    style_of = {**line, "lw": 0.9, "marker": "o", "ms": 2}
    coverage.errorbar(x, y, yerr=errors, elinewidth=0.9, **style_of)
    width.plot(x, [row["width"] for row in rows], **style_of)
