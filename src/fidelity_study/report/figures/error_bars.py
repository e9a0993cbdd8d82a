"""Error bars and ranks

Mean plug-in and mean upper discrepancy over scenarios with intervals for new scenarios: thick for
scenarios of new clusters, thin as if all scenarios were independent. At the right, the ranks by
mean discrepancy over these scenarios that are left open when all pairs are compared at once.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.special import stdtrit

from fidelity.comparison.few_clusters import has_test
from fidelity_study.report.figures import style
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import ComparisonTable
from fidelity_study.steps.cluster_warning import FEW

SCORES = {"plugin": "plug-in discrepancy", "upper": "upper discrepancy"}
LAST = "upper"
ROW, NAMES, SMALLEST = 0.3, 1.6, 1.15


def draw(results: Results):
    """Return the figure."""
    n, gamma, alpha = results.ns[-1], results.gammas[0], results.step["test"]["alpha"]
    rows = style.by_discrepancy(results)
    names = [
        [name for name in results.simulators if results.means(discrepancy, gamma, name, "plugin")]
        for _, (discrepancy,) in rows
    ]
    heights = [max(SMALLEST, ROW * len(row_names) + 0.2) for row_names in names]
    size = (style.WIDTH, sum(heights) + 0.75 * len(rows))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(
        len(rows), len(SCORES), squeeze=False, sharex="row", height_ratios=heights
    )
    for line, (label, (discrepancy,)), there in zip(axes, rows, names, strict=True):
        for axis, score in zip(line, SCORES, strict=True):
            ranks = ComparisonTable(results, discrepancy, None) if score == LAST else None
            panel(axis, results, there, (discrepancy, gamma), score, alpha, ranks)
            axis.set_xlabel(f"mean {label.partition(', ')[0]}")
            axis.set_title(SCORES[score])
        style.show_zero(line[0])
        line[1].set_yticklabels([])
    nouns = results.nouns
    style.dress(
        figure,
        results,
        "how sure is the mean?",
        [],
        [
            style.settings(results, n, gamma),
            f"First replicate. Bars: {style.level(results)} intervals of the mean over new "
            f"{nouns}; thick for {nouns} of new clusters, where there are clusters (CR2, "
            f"Student's t), thin as if all {nouns} were independent. Plug-in discrepancies are too "
            "large by people's noise, and not alike for all simulators: the figure means compares "
            "the true ones. Numbers at the right are ranks by these, as on the page: they are left "
            f"open when all pairs are compared at once at level {alpha:g}, on these {nouns}.",
            style.form_note(results, results.simulators),
            results.notes.dependence,
            few_clusters(results, names, rows, gamma),
        ],
    )
    return figure


def few_clusters(results: Results, names, rows, gamma: str) -> str:
    """Warn if there are fewer effective clusters than show how their means are distributed."""
    effective = [
        results.means(discrepancy, gamma, name, "plugin")["effective_clusters"]
        for there, (_, (discrepancy,)) in zip(names, rows, strict=True)
        for name in there
    ]
    if not results.clustered or min(effective, default=FEW) >= FEW:
        return ""
    few = f"Few clusters ({min(effective):.3g} effective ones): thick bars"
    if not has_test(min(effective)):
        return f"{few} may be far too short."
    return (
        f"{few} hold if the clusters' means are about normally distributed, which so few clusters "
        "cannot show."
    )


def panel(
    axis,
    results: Results,
    names,
    cell: tuple[str, str],
    score: str,
    alpha: float,
    ranks: ComparisonTable | None,
) -> None:
    """Draw one score of all simulators, in the order of the config, and their ranks."""
    for y, name in enumerate(names):
        row = results.means(*cell, name, score)
        if not row:
            continue
        colour, thin = style.COLOURS[0], stdtrit(row["m"] - 1, 1 - alpha / 2) * row["se_clt"]
        axis.plot([row["estimate"] - thin, row["estimate"] + thin], [y, y], color=colour, lw=1)
        if row["lower"] is not None:
            axis.plot([row["lower"], row["upper"]], [y, y], color=colour, lw=3.5, alpha=0.45)
        axis.plot(row["estimate"], y, "o", color=colour, ms=4)
        if ranks:
            place = {"xycoords": ("axes fraction", "data"), "va": "center"}
            axis.annotate(ranks.ranks(name), (1.01, y), fontsize=style.SMALL, **place)
    labels = [style.wrapped(style.name(results, name), NAMES) for name in names]
    axis.set_yticks(np.arange(len(names)), labels)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.grid(False, axis="y")
