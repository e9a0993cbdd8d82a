"""Calibration of stated probabilities

Each panel takes the event, of outcomes with two options, or else the option that the simulator
states as most likely. Drawn is the share of people who chose it, against the probability stated, in
bins. On the diagonal what is stated comes true; below it the simulator is too sure. The expected
calibration error (ECE) above is the mean distance from the diagonal. Histograms: how many people
each probability is stated for.
"""

from math import isfinite

from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.results import Results

NEEDS = {"calibration": "options"}
DIAGONAL = {"color": "#999999", "lw": 0.8, "ls": "--"}


def draw(results: Results):
    """Return the figure."""
    calibrated = {
        name: results.calibration[name]
        for name in results.shown
        if name in results.calibration and results.calibration[name][1]
    }
    lines = -(-len(calibrated) // style.MOST_COLUMNS) or 1
    wide = -(-len(calibrated) // lines) or 1
    inches = style.WIDTH if wide > 2 else style.NARROW
    figure = Figure(figsize=(inches, 3.2 * lines), layout="constrained")
    heights = [3, 1] * lines
    axes = figure.subplots(
        2 * lines, wide, squeeze=False, sharex=True, sharey="row", height_ratios=heights
    )
    for axis in axes.flat:
        axis.set_visible(False)
    for i, (name, (scores, bins)) in enumerate(calibrated.items()):
        line, column = divmod(i, wide)
        diagram, spread = axes[2 * line, column], axes[2 * line + 1, column]
        show(diagram, spread, bins, style.colour(results, name))
        label = style.wrapped(style.name(results, name), inches / wide - 0.5)
        diagram.set_title(f"{label}\n{heading(scores, results.noun)}")
        if column == 0:
            diagram.set_ylabel("share who chose it")
            spread.set_ylabel("share of\npeople")
        spread.set_xlabel(style.wrapped(f"stated for {style.plain(results.diagrammed)}", 1.3))
    style.dress(
        figure,
        results,
        "does what is stated come true?",
        [],
        [
            f"{style.sizes(results)}. {explanation(calibrated, results)} A simulator that "
            "states the same probabilities everywhere can be calibrated and still tell nothing.",
            results.notes.shown,
        ],
    )
    return figure


def heading(scores: dict, noun: str) -> str:
    """Return the error above a diagram, which is that of its thick line."""
    ends = (scores["ece_lower"], scores["ece_upper"])
    interval = "" if None in ends else f"({ends[0]:.3f} to {ends[1]:.3f})\n"
    unit = noun if scores["stated_for"] == "scenario" else scores["stated_for"]
    return f"ECE {scores['ece']:.3f}\n{interval}stated for each {unit}"


def explanation(calibrated: dict[str, tuple[dict, list[dict]]], results: Results) -> str:
    """Say what is drawn, no more than there is."""
    nouns, event = results.nouns, style.plain(results.event)
    rows = [row for _, bins in calibrated.values() for row in bins if row["people"]]
    drawn = event or "the option stated as most likely (the first of equals)"
    words = [f"Thick: {drawn}; its ECE is above."]
    if any(row["value"] is not None for row in rows):
        words.append("Thin: each option by itself.")
    if any(row["value"] is None and has_bar(row) for row in rows):
        clusters = sorted({scores["n_clusters"] for scores, _ in calibrated.values()})
        grouped = any(scores["n_clusters"] < scores["m"] for scores, _ in calibrated.values())
        of_whom = f" clusters of {nouns}; there are {' or '.join(map(str, clusters))}"
        words.append(
            "Bars, and numbers in parentheses: 95 % intervals for new"
            f"{of_whom if grouped else f' {nouns}'}."
        )
    return " ".join(words)


def has_bar(row: dict) -> bool:
    """Whether the observed share of a bin has an interval."""
    return row["frequency_lower"] is not None and isfinite(row["frequency_lower"])


def show(diagram, spread, bins: list[dict], colour: str) -> None:
    """Draw one simulator: a thin line for each option, a thick one for the event or likeliest."""
    for option in sorted({row["value"] for row in bins if row["value"] is not None}):
        of_option = [row for row in bins if row["value"] == option and row["people"]]
        points = [row["confidence"] for row in of_option], [row["frequency"] for row in of_option]
        diagram.plot(*points, "o-", color=colour, ms=1.5, lw=0.6, alpha=0.45)
    bins = [row for row in bins if row["value"] is None]
    filled = [row for row in bins if row["people"]]
    x = [row["confidence"] for row in filled]
    y = [row["frequency"] for row in filled]
    diagram.plot([0, 1], [0, 1], **DIAGONAL)
    diagram.plot(x, y, "o-", ms=3.5, lw=1.6, color=colour)
    barred = [row for row in filled if has_bar(row)]
    diagram.vlines(
        [row["confidence"] for row in barred],
        [row["frequency_lower"] for row in barred],
        [row["frequency_upper"] for row in barred],
        color=colour,
        lw=1.1,
    )
    diagram.set_xlim(0, 1)
    diagram.set_ylim(0, 1)
    for row in bins:
        width = row["upper"] - row["lower"]
        spread.bar(row["lower"], row["share"], width, align="edge", color=colour, alpha=0.5)
    for axis in (diagram, spread):
        axis.set_visible(True)
