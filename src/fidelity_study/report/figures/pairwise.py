"""Which simulator is closer

Colour and number: the share of this sample's scenarios on which the simulator of the row is at
least as close to people as that of the column, by plug-in. Where a share is certified for other
scenarios, it stands below in brackets.
"""

from string import ascii_uppercase

import numpy as np
from matplotlib.figure import Figure

from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.report.figures import style
from fidelity_study.report.results import Results

NEEDS = {"simulators": 2}
MOST_CERTIFIED = 8
CELL_CERTIFIED, CELL_WIDE, CELL = 0.5, 0.36, 0.23
NAMES, LONG_NAMES, BETWEEN = 1.55, 2.5, 0.35
SMALLEST = 1.0
LABEL = 0.5


def draw(results: Results):
    """Return the figure."""
    scope = results.step["comparison"]
    n, gamma = str(scope["n"][-1]), results.label(scope["gamma"][0])
    rows = {pair: pair_rows for pair in results.pairs if (pair_rows := results.pair_rows(pair))}
    if not rows:
        return nobody(results)
    maps = {discrepancy: win_map(results, pair_rows) for discrepancy, pair_rows in rows.items()}
    most = max(len(names) for names, *_ in maps.values())
    room = most <= MOST_CERTIFIED
    some = room and any(certified(shares).any() for _, shares, _ in maps.values())
    margin = NAMES if room else LONG_NAMES
    wanted = (CELL_CERTIFIED if some else CELL_WIDE if room else CELL) * most
    side = min(max(SMALLEST, wanted), style.WIDTH - margin - LABEL)
    wide = min(len(maps), max(1, int(style.WIDTH // (margin + side + BETWEEN))))
    high = -(-len(maps) // wide)
    inches = style.WIDTH if wide > 1 or side + margin > style.NARROW else style.NARROW
    figure = Figure(figsize=(inches, high * (side + 0.75)), layout="constrained")
    axes = figure.subplots(high, wide, squeeze=False)
    for axis in axes.flat[len(maps) :]:
        axis.set_visible(False)
    for axis, (discrepancy, shown) in zip(axes.flat, maps.items(), strict=False):
        names, shares, plugin = shown
        show(axis, results, names, shares, plugin, room, margin)
        chosen = CONFIDENCE_SETS[rows[discrepancy][0]["confidence_set"]].label
        axis.set_title(f"{results.discrepancy_name(discrepancy)},\n{chosen}")
    style.dress(
        figure,
        results,
        "which simulator is closer?",
        [],
        [
            f"{style.sizes(results, n, gamma)}. First replicate.",
            *notes(results, room, some),
            style.form_note(results, results.simulators),
        ],
    )
    return figure


def nobody(results: Results) -> Figure:
    """Return the figure of simulators that have nothing in common."""
    note = f"No two simulators answer the same {results.nouns}: there is nothing to compare."
    return style.words(results, "which simulator is closer?", note)


def notes(results: Results, room: bool, some: bool) -> list[str]:
    """Say what a cell shows; certified shares only if some are, and if there is room."""
    sample = (
        f"Colour and number: the share of the sample's {results.nouns} on which the simulator of "
        "the row is at least as close to people as that of the column, by plug-in; of those that "
        "both answer."
    )
    if not room:
        return [sample, "shares.csv has the certified shares."]
    if not some:
        return [sample, "No share is certified.", results.notes.dependence, results.notes.fitted]
    new = results.clustered and results.shared_people == 1
    whose = f"of all {results.nouns}{' of new clusters' if new else results.of_clusters}"
    return [
        sample,
        f"In brackets: the share {whose} that is certified at least, with probability 0.95 "
        "for all cells of a map at once. No brackets: no share is certified.",
        results.notes.dependence,
        results.notes.fitted,
    ]


def win_map(results: Results, rows: list[dict]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the simulators compared in some rows, and the certified and plug-in shares."""
    compared = {row[key] for row in rows for key in ("simulator", "other")}
    names = [name for name in results.simulators if name in compared]
    place = {name: i for i, name in enumerate(names)}
    shares, plugin = np.full((2, len(place), len(place)), np.nan)
    for row in rows:
        cell = place[row["simulator"]], place[row["other"]]
        shares[cell], plugin[cell] = float(row["certified_share"]), float(row["plugin_share"])
    return names, shares, plugin


def certified(shares: np.ndarray) -> np.ndarray:
    """Return the shares in whole per cent, rounded down; 0 where none is known."""
    return np.floor(100 * np.nan_to_num(shares))


def show(
    axis, results: Results, names: list[str], shares, plugin, room: bool, margin: float
) -> None:
    """Draw one map with its numbers; those that are certified only if there is room for them."""
    axis.imshow(plugin, cmap="Blues", vmin=0, vmax=1)
    below = certified(shares)
    for i, j in np.argwhere(~np.isnan(plugin)):
        ink = "w" if plugin[i, j] > 0.55 else "k"
        text = f"{100 * plugin[i, j]:.0f}" + (" %" if room else "")
        if room and below[i, j]:
            text = f"{text}\n({below[i, j]:.0f} %)"
        axis.text(j, i, text, ha="center", va="center", fontsize=style.SMALL, color=ink)
    letters = list(ascii_uppercase[: len(names)])
    if len(names) > len(letters):
        letters = [str(i + 1) for i in range(len(names))]
    shown = [style.wrapped(style.name(results, name), margin - 0.25) for name in names]
    axis.set_xticks(range(len(names)), letters)
    labels = [f"{label}  {key}" for label, key in zip(shown, letters, strict=True)]
    axis.set_yticks(range(len(names)), labels, fontsize=style.SMALL)
    axis.set_xlabel("… than this one")
    axis.set_ylabel("this simulator …")
    axis.grid(False)
