"""On what share of the scenarios each simulator is at least as close as each other one."""

import numpy as np
from matplotlib.figure import Figure

from fidelity_study import style
from fidelity_study.results import Results


def draw(results: Results):
    """Return the figure."""
    scope = results.step["comparison"]
    n, gamma = str(scope["n"][-1]), results.label(scope["gamma"][0])
    rows = [(each, style.DISCREPANCIES[each]) for each in results.pairs]
    margin = 0.075 * max(map(len, results.simulators))
    width = margin + (2.0 + 0.6 * margin) * len(results.forms)
    size = (max(7.0, width), (2.2 + 0.6 * margin) * len(rows) + 1.0)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(rows), len(results.forms), squeeze=False, sharey=True)
    for row, (discrepancy, label) in zip(axes, rows, strict=True):
        for axis, form in zip(row, results.forms, strict=True):
            *shares, chosen = win_map(results, n, form, discrepancy)
            image = show(axis, *shares, results.simulators)
            axis.set_title(style.form_title(form))
        row[0].set_ylabel(f"{label}\n{style.SETS[chosen]}\n\nthis simulator …")
    figure.colorbar(image, ax=axes, shrink=0.7, label="share of scenarios")
    style.dress(
        figure,
        results,
        "which simulator is closer?",
        [],
        [
            f"{style.sizes(results, n, gamma)}.",
            "A cell: the largest share of scenarios on which the simulator of the row is at least "
            "as close to people as that of the column; asymptotic guarantee for each cell by "
            "itself, on the scenarios that both answer; in brackets the same by plug-in, with no "
            "guarantee. Empty: one does not answer in this form.",
        ],
    )
    return figure


def win_map(results: Results, n: str, form: str, discrepancy: str):
    """Return guaranteed and plug-in shares, (simulator, other) each, and the confidence set."""
    rows = results.pair_rows(n, form, discrepancy)
    chosen = rows[0]["confidence_set"] if rows else results.headline_set(discrepancy)
    place = {name: i for i, name in enumerate(results.simulators)}
    shares, plugin = np.full((2, len(place), len(place)), np.nan)
    for row in rows:
        cell = place[row["simulator"]], place[row["other"]]
        shares[cell], plugin[cell] = float(row["share"]), float(row["plugin_share"])
    return shares, plugin, chosen


def show(axis, shares: np.ndarray, plugin: np.ndarray, names: list[str]):
    """Draw one map with its numbers."""
    image = axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for i, j in np.argwhere(~np.isnan(shares)):
        dark = shares[i, j] > 0.55
        text = f"{shares[i, j]:.0%}\n({plugin[i, j]:.0%})"
        axis.text(j, i, text, ha="center", va="center", fontsize=7, color="w" if dark else "k")
    shown = [style.plain(name) for name in names]
    axis.set_xticks(range(len(names)), shown, rotation=40, ha="right")
    axis.set_yticks(range(len(names)), shown)
    axis.set_xlabel("… than this one")
    axis.grid(False)
    return image
