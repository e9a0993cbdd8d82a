"""Mean scores with error bars, and the ranks that they leave open."""

import numpy as np
from matplotlib.figure import Figure

from fidelity_study import style
from fidelity_study.results import Results

SCORES = {"plugin": "plug-in discrepancy", "upper": "upper discrepancy"}
ROW = 0.3
ENOUGH_CLUSTERS = 8


def draw(results: Results):
    """Return the figure."""
    n, gamma = results.ns[-1], results.gammas[0]
    rows = style.by_discrepancy_and_form(results)
    names = [
        [name for name in results.simulators if results.means(form, each, gamma, name, "plugin")]
        for _, (each, form) in rows
    ]
    heights = [ROW * len(each) + 0.5 for each in names]
    margin = 0.075 * max(map(len, results.simulators))
    size = (6.4 + margin, sum(heights) + 0.5 * len(rows) + 1.2)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(
        len(rows), len(SCORES), squeeze=False, sharex="row", height_ratios=heights
    )
    for line, (label, (discrepancy, form)), there in zip(axes, rows, names, strict=True):
        for axis, score in zip(line, SCORES, strict=True):
            panel(axis, results, there, form, discrepancy, gamma, score)
            axis.set_xlabel(f"mean {label.partition(chr(10))[0]}")
            axis.set_title(f"{SCORES[score]}, {style.form_title(form)}")
        line[0].set_xlim(left=0)
        line[1].set_yticklabels([])
    style.dress(
        figure,
        results,
        "how sure is the mean?",
        [],
        [
            style.settings(results, n, gamma),
            "First replicate. Bars: 95 % intervals of the mean over scenarios, robust to clusters "
            "(CR1, thick) and for independent scenarios (thin). Numbers: ranks that are left "
            "open when all pairs are compared at once at level 0.05, on the scenarios that all "
            "answer.",
            few_clusters(results),
        ],
    )
    return figure


def few_clusters(results: Results) -> str:
    """Say why ranks stay open if there are too few clusters to draw from."""
    n_clusters = len(set(results.clusters))
    if n_clusters >= ENOUGH_CLUSTERS:
        return ""
    return (
        f"With {n_clusters} clusters too many resamples draw nearly the same ones, so that "
        "more ranks stay open than with many."
    )


def panel(axis, results: Results, names, form, discrepancy, gamma, score) -> None:
    """Draw one score of all simulators, in the order of the config."""
    for y, name in enumerate(names):
        row = results.means(form, discrepancy, gamma, name, score)
        if not row:
            continue
        own, thin = style.COLOURS[0], 1.96 * row["se_clt"]
        axis.plot([row["estimate"] - thin, row["estimate"] + thin], [y, y], color=own, lw=1)
        axis.plot([row["lower"], row["upper"]], [y, y], color=own, lw=3.5, alpha=0.45)
        axis.plot(row["estimate"], y, "o", color=own, ms=4)
        rank = results.rank(form, discrepancy, gamma, name, score)
        if rank:
            first, last = rank["first"], rank["last"]
            text = f"{first}" if first == last else f"{first} to {last}"
            axis.annotate(
                text, (1.01, y), xycoords=("axes fraction", "data"), fontsize=7.5, va="center"
            )
    axis.set_yticks(np.arange(len(names)), [style.plain(name) for name in names])
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.grid(False, axis="y")
