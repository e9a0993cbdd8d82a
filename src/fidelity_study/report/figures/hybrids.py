"""Interviews that a simulator saves

Above: the mean distance to all other people against the number of people interviewed for each
question: of these people alone, of the simulator, and of both together. Below: how many interviews
the simulator saves. Bands and thick bars are intervals for these questions, thin bars for new ones.
Filled points are gains beyond those of a uniform guess, or losses; a triangle is that many or more.
Who is interviewed never judges.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means.average import ASKED, NEW
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.formats import span
from fidelity_study.report.page.uses import GUESS
from fidelity_study.report.results import Results
from fidelity_study.report.tables import grouped, having
from fidelity_study.steps.hybrids import ALONE, CORRECTED, HYBRID, SIMULATOR

NEEDS = {"hybrids": True}
GREY = "#222222"
BAND = {"alpha": 0.16, "lw": 0}
POINT = {"ms": 2.8, "mew": 0.8}
TALL, LOW = 1.5, 1.0
NEAR_ZERO = 5.0
TICKS = [1, 5, 20, 100, 500, 2000]


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption; of many simulators the closest."""
    results, inches = source.results, source.width
    names = chosen(results, max(2, int(inches / style.COLUMN)))
    if not names:
        return style.words(inches, nothing(results)), []
    there = {row["discrepancy"] for row in results.hybrids}
    rows = [discrepancy for discrepancy in results.pairs if discrepancy in there]
    titles = [style.broken(results.named(name), inches / len(names) - 0.35) for name in names]
    heads = style.HEADING * max(title.count("\n") + 1 for title in titles)
    figure = style.new(inches, (TALL + LOW) * len(rows) + heads)
    axes = figure.subplots(
        2 * len(rows), len(names), squeeze=False, sharex=True, sharey="row",
        height_ratios=[TALL, LOW] * len(rows),
    )  # fmt: skip
    for i, discrepancy in enumerate(rows):
        label = DISCREPANCIES[discrepancy].label
        for j, simulator in enumerate(names):
            cell = {"simulator": simulator, "k": results.main_form(simulator)}
            cell_rows = having(results.hybrids, {"discrepancy": discrepancy, **cell})
            new = having(cell_rows, {"target": NEW})
            cell_rows = having(cell_rows, {"target": ASKED})
            near(axes[2 * i, j], cell_rows, results.colour(simulator))
            saved(axes[2 * i + 1, j], cell_rows, new, results.colour(simulator))
        lowest = min(row["lower"] for row in having(results.hybrids, {"discrepancy": discrepancy}))
        axes[2 * i, 0].set_ylim(bottom=0.6 * lowest)
        axes[2 * i, 0].set_ylabel(style.broken(f"mean {label}", TALL - 0.3))
        axes[2 * i + 1, 0].set_ylabel("interviews\nsaved")
    for axis, title in zip(axes[0], titles, strict=True):
        axis.set_title(title)
    for axis in axes[-1]:
        axis.set_xlabel("people interviewed")
    style.legend(figure, legend(results, names))
    return figure, notes(results, names)


def chosen(results: Results, most: int) -> list[str]:
    """Return the simulators drawn: the closest under test, and the uniform guess last."""
    cell = {"discrepancy": next(iter(results.pairs)), "source": SIMULATOR}
    rows = grouped(results.as_shown(having(results.hybrids, cell)), "simulator")
    alone = {
        name: np.mean([row["upper"] for row in rows[name]])
        for name in results.shown
        if name in rows
    }
    tested = sorted((name for name in alone if name != GUESS), key=alone.__getitem__)
    guess = [name for name in alone if name == GUESS]
    return [*tested[: most - len(guess)], *guess]


def near(axis, rows: list[dict], colour: str) -> None:
    """Draw mean discrepancies against n₀: middles of the bounds, and intervals of all but one."""
    for source, line in lines(colour).items():
        points = having(rows, {"source": source})
        if not points:
            continue
        n = [row["n0"] for row in points]
        ends = [[row[name] for row in points] for name in ("ci_lower", "ci_upper")]
        axis.plot(n, [(row["lower"] + row["upper"]) / 2 for row in points], **line)
        if source != CORRECTED:
            axis.fill_between(n, *np.array(ends, float), color=line["color"], **BAND)
    axis.set_yscale("log")
    steps = [step * 10.0**e for e in range(-4, 3) for step in (1, 2, 5)]
    style.number(axis.yaxis, FixedLocator(steps), "{x:g}")


def saved(axis, rows: list[dict], new: list[dict], colour: str) -> None:
    """Draw interviews saved and their intervals; thin those for new scenarios.

    A triangle where they may be more than was measured.
    """
    by_source = {source: having(rows, {"source": source}) for source in (HYBRID, CORRECTED)}
    there = {source: points for source, points in by_source.items() if points}
    for source, points in there.items():
        apart = 1.0 if len(there) == 1 else 1.09 if source == CORRECTED else 1 / 1.09
        line = lines(colour)[source]
        for row in having(new, {"source": source}):
            x = row["n0"] * apart
            axis.plot([x, x], [row["saved_lower"], row["saved_upper"]], color=line["color"], lw=0.6)
        for row in points:
            x, shown = row["n0"] * apart, row["verdict"] != "no gain"
            axis.plot([x, x], [row["saved_lower"], row["saved_upper"]], color=line["color"], lw=2.2)
            face = {"mfc": line["color"] if shown else "white", "marker": line["marker"]}
            axis.plot(x, row["saved"], color=line["color"], **POINT, **face)
            if row["saved_upper"] >= row["most"] - row["n0"] - 0.5:
                axis.plot(x, row["saved_upper"], color=line["color"], marker="^", ms=4, lw=0)
    axis.axhline(0.0, color="#777777", lw=0.8)
    axis.set_yscale("symlog", linthresh=NEAR_ZERO, linscale=0.6)
    low, high = axis.get_ylim()
    ticks = [-100, -20, -5, 0, 5, 20, 100, 500]
    shown = FixedLocator([tick for tick in ticks if low <= tick <= high])
    style.number(axis.yaxis, shown, lambda value, _: f"{value:+.0f}" if value else "0")
    axis.set_xscale("log")
    style.number(axis.xaxis, FixedLocator(TICKS))


def lines(colour: str) -> dict[str, dict]:
    """Return how each source is drawn, for a simulator of a colour."""
    return {
        ALONE: {"color": GREY, "lw": 1.3},
        SIMULATOR: {"color": colour, "ls": "--", "lw": 1.1},
        HYBRID: {"color": colour, "lw": 1.8, "marker": "o", "ms": 3.5},
        CORRECTED: {"color": colour, "lw": 1.0, "ls": ":", "marker": "s", "ms": 3.0},
    }


def legend(results: Results, names: list[str]) -> list:
    """Return the legend's entries, in the colour of the simulator if there is one only."""
    colour = results.colour(names[0]) if len(names) == 1 else "#555555"
    labels = {
        ALONE: "people alone",
        SIMULATOR: "simulator alone",
        HYBRID: "both together",
        CORRECTED: "both, the simulator corrected by the people seen",
    }
    there = {row["source"] for row in results.hybrids}
    return [
        Line2D([], [], **line, label=labels[source])
        for source, line in lines(colour).items()
        if source in there
    ]


def notes(results: Results, names: list[str]) -> list[str]:
    """Return the notes on the data behind the figure."""
    rows = [row for row in results.hybrids if row["simulator"] in names]
    new = having(rows, {"target": NEW})
    split = "; ".join(sorted({row["method"].partition(", ")[2] for row in new}))
    warned = sorted({row["warning"] for row in rows if row["warning"]})
    left_out = len({row["simulator"] for row in results.hybrids}) - len(names)
    return [
        f"m = {span([row['m'] for row in rows])} {results.nouns}; {rows[0]['splits']} random"
        f" splits ({split}).",
        *(f"New {results.nouns}: {warning}." for warning in warned),
        f"hybrids.csv has {left_out} more simulators." if left_out > 0 else "",
    ]


def nothing(results: Results) -> str:
    """Say why there is nothing to draw."""
    return (
        f"No simulator can be judged. It needs answers to at least 10 {results.nouns} in at least"
        " two clusters, each answered by three times as many people as the fewest to be"
        " interviewed. It must not be fitted to the same people's other answers."
    )
