"""Which simulator is closer

Colour: the share of this sample's scenarios on which the simulator of the row is at least as close
to people as that of the column, by plug-in. In cells with two numbers, this share is the one in
brackets; above it stands the share that is certified for other scenarios, or that none is.
"""

from collections.abc import Iterable

import numpy as np
from matplotlib.figure import Figure

from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.figures import style
from fidelity_study.report.results import Results

NEEDS = {"simulators": 2}
MOST_CERTIFIED = 8
CELL_CERTIFIED, CELL = 0.65, 0.33
SMALLEST = 2.0


def draw(results: Results):
    """Return the figure."""
    scope = results.step["comparison"]
    n, gamma = str(scope["n"][-1]), results.label(scope["gamma"][0])
    forms = [form for form in results.forms if pairs_of(results, n, [form], results.pairs)]
    if not forms:
        return nobody(results)
    maps = {
        discrepancy: [win_map(results, n, form, discrepancy) for form in forms]
        for discrepancy in results.pairs
    }
    widest = [max(len(row[i][0]) for row in maps.values()) for i in range(len(forms))]
    margin = 0.075 * max(map(len, results.simulators))
    room = max(widest) <= MOST_CERTIFIED
    cell = CELL_CERTIFIED if room else CELL
    sides = [max(SMALLEST, cell * many) for many in widest]
    size = (
        max(7.0, sum(sides) + len(sides) * (margin + 0.5) + 1.0),
        (max(sides) + 0.6 * margin + 0.6) * len(maps) + 1.3,
    )
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(maps), len(sides), squeeze=False, width_ratios=sides)
    for row, (discrepancy, of_form) in zip(axes, maps.items(), strict=True):
        for axis, form, (names, certified, plugin) in zip(row, forms, of_form, strict=True):
            image = show(axis, names, certified, plugin, room)
            axis.set_title(style.form_title(form))
        (first, *_) = pairs_of(results, n, forms, [discrepancy])
        chosen = CONFIDENCE_SETS[first["confidence_set"]].label
        row[0].set_ylabel(f"{results.discrepancy_name(discrepancy)}\n{chosen}\n\nthis simulator …")
    figure.colorbar(image, ax=axes, shrink=0.7, label="share of the sample's scenarios")
    style.dress(
        figure,
        results,
        "which simulator is closer?",
        [],
        [f"{style.sizes(results, n, gamma)}. First replicate.", *notes(results, room)],
    )
    return figure


def nobody(results: Results) -> Figure:
    """Return the figure of simulators that answer each in a form of its own."""
    figure = Figure(figsize=(7.0, 1.4), layout="constrained")
    note = "No two simulators answer in the same form and scenarios: there is nothing to compare."
    style.dress(figure, results, "which simulator is closer?", [], [note])
    return figure


def notes(results: Results, room: bool) -> list[str]:
    """Say what a cell shows; what is certified only if there is room for it."""
    shown = "Colour, and number in brackets" if room else "Colour, and number in per cent"
    sample = (
        f"{shown}: the share of the sample's scenarios on which the simulator of the row is at "
        "least as close to people as that of the column, by plug-in; of those that both answer."
    )
    if not room:
        return [sample, "shares.csv has what is certified."]
    new = results.clustered and results.shared_people == 1
    whose = f"of all scenarios{' of new clusters' if new else results.of_clusters}"
    return [
        sample,
        f"Above it: the share {whose} that is certified at least, with probability 0.95 for all "
        "cells of a map at once.",
        results.dependence_note,
        results.fitted_note,
    ]


def pairs_of(results: Results, n: str, forms: Iterable[str], discrepancies: Iterable[str]) -> list:
    """Return the rows of all pairs that are shown."""
    return [
        row
        for form in forms
        for discrepancy in discrepancies
        for row in results.pair_rows(n, form, discrepancy)
    ]


def win_map(results: Results, n: str, form: str, discrepancy: str):
    """Return the simulators that answer in this form, and the certified and plug-in shares."""
    rows = results.pair_rows(n, form, discrepancy)
    compared = {row[key] for row in rows for key in ("simulator", "other")}
    names = [name for name in results.simulators if name in compared]
    place = {name: i for i, name in enumerate(names)}
    shares, plugin = np.full((2, len(place), len(place)), np.nan)
    for row in rows:
        cell = place[row["simulator"]], place[row["other"]]
        shares[cell], plugin[cell] = float(row["certified_share"]), float(row["plugin_share"])
    return names, shares, plugin


def show(axis, names: list[str], shares: np.ndarray, plugin: np.ndarray, room: bool):
    """Draw one map with its numbers; those that are certified only if there is room for them."""
    image = axis.imshow(plugin, cmap="Blues", vmin=0, vmax=1)
    for i, j in np.argwhere(~np.isnan(plugin)):
        dark = plugin[i, j] > 0.55
        text = f"{100 * plugin[i, j]:.0f}"
        if room:
            certified = np.floor(100 * shares[i, j])
            text = f"{certified:.0f} %" if certified else "not\ncertified"
            text += f"\n({100 * plugin[i, j]:.0f} %)"
        axis.text(j, i, text, ha="center", va="center", fontsize=7, color="w" if dark else "k")
    shown = [style.plain(name) for name in names]
    axis.set_xticks(range(len(names)), shown, rotation=40, ha="right")
    axis.set_yticks(range(len(names)), shown)
    axis.set_xlabel("… than this one")
    axis.grid(False)
    return image
