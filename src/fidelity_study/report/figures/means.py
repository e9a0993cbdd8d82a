"""Mean discrepancies by simulator and topic

How far each simulator is from people on average, between two bounds that need no coverage γ. The
first line is the mean over all these very scenarios, with the mean over new ones as a thin bar
where it can be told. Below it are the clusters, the one that is farthest on average first: where
does each simulator fail? The intervals of the clusters hold all together.
"""

import numpy as np
from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import interval_of
from fidelity_study.report.tables import having

MOST_CLUSTERS = 20
LINE, THIN, SMALLEST = 0.18, 0.065, 0.95
HAIRLINE = 0.3


def draw(results: Results):
    """Return the figure."""
    rows = style.by_discrepancy(results)
    clusters = {key: farthest(results, *key) for _, key in rows}
    heights = [
        max(SMALLEST, max(LINE, THIN * len(results.shown)) * (len(clusters[key]) + 1))
        for _, key in rows
    ]
    figure = Figure(figsize=(style.WIDTH, sum(heights) + 0.65 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (label, key) in zip(axes, rows, strict=True):
        panel(axis, results, clusters[key], *key)
        axis.set_xlabel(f"mean {label.partition(', ')[0]}")
    same = style.same_lines(axes)
    for axis, (label, _) in zip(axes, rows, strict=True):
        grown = style.head(axis, label, not same, style.WIDTH - 1.2)
        figure.set_figheight(figure.get_figheight() + grown)
    left_out = results.n_clusters - MOST_CLUSTERS
    style.dress(
        figure,
        results,
        "how far on average, and where?",
        style.entries(axes[:1]) if same else [],
        [
            style.sizes(results, results.ns[-1]) + ".",
            f"Thick: {style.level(results)} intervals of the mean over these {results.nouns}, "
            f"between bounds that hold in expectation; thin: over new {results.nouns}, of new "
            "clusters if there are any.",
            f"The {MOST_CLUSTERS} clusters that are farthest; by_cluster.csv has {left_out} more."
            if results.clustered and left_out > 0
            else "",
            style.form_note(results, results.shown),
            results.notes.dependence,
            results.notes.shown,
        ],
    )
    return figure


def farthest(results: Results, discrepancy: str) -> list[str]:
    """Return clusters by the mean upper bound of the first simulator under test, largest first."""
    lead = results.under_test(results.shown)[0]
    cell = {"simulator": lead, "k": results.main_form(lead), "discrepancy": discrepancy}
    rows = sorted(having(results.cluster_means, cell), key=lambda row: -row["upper"])
    return [row["cluster"] for row in rows[:MOST_CLUSTERS]]


def panel(axis, results: Results, clusters: list[str], discrepancy: str) -> None:
    """Draw the intervals of all scenarios and of each cluster, a simulator beside the other."""
    apart = 0.75 / len(results.shown)
    for i, name in enumerate(results.shown):
        line, form = style.line(results, name), results.main_form(name)
        shift = (i - (len(results.shown) - 1) / 2) * apart
        new = results.mean_of(name, form, discrepancy, "new")
        bar(axis, new, shift, {"color": line["color"], "lw": 0.9})
        cell = {"simulator": name, "k": form, "discrepancy": discrepancy}
        by_cluster = {row["cluster"]: row for row in having(results.cluster_means, cell)}
        lines = [
            results.mean_of(name, form, discrepancy),
            *(by_cluster.get(c, {}) for c in clusters),
        ]
        for y, row in enumerate(lines):
            bar(axis, row, y + shift, {**line, "lw": 3})
    axis.axhline(0.5, color="#999999", lw=0.6)
    labels = [style.wrapped(style.plain(cluster), 1.6) for cluster in clusters]
    axis.set_yticks(np.arange(len(clusters) + 1), [f"all {results.nouns}", *labels])
    axis.set_ylim(len(clusters) + 0.5, -0.5)
    style.show_zero(axis)
    axis.grid(False, axis="y")


def bar(axis, row: dict, y: float, line: dict) -> None:
    """Draw the interval of one mean, if there is one; a hairline, if it is too short to be seen."""
    if ends := interval_of(row):
        axis.plot(ends, [y, y], **line)
        hairline = {"color": line["color"], "ms": line["lw"], "mew": HAIRLINE}
        axis.plot(np.mean(ends), y, "|", **hairline)
