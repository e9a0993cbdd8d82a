"""Reliability diagrams of what simulators state, and how their probabilities are spread."""

from matplotlib.figure import Figure

from fidelity_study import style
from fidelity_study.results import Results

DIAGONAL = {"color": "#999999", "lw": 0.8, "ls": "--"}


def draw(results: Results):
    """Return the figure."""
    found = {
        name: results.calibration[name] for name in results.shown if name in results.calibration
    }
    wide = min(len(found), style.MOST_COLUMNS) or 1
    lines = -(-len(found) // wide) or 1
    figure = Figure(figsize=(max(6.4, 2.5 * wide + 0.8), 3.6 * lines + 1.0), layout="constrained")
    heights = [3, 1] * lines
    axes = figure.subplots(
        2 * lines, wide, squeeze=False, sharex=True, sharey="row", height_ratios=heights
    )
    for axis in axes.flat:
        axis.set_visible(False)
    for i, (name, (scores, bins)) in enumerate(found.items()):
        line, column = divmod(i, wide)
        diagram, spread = axes[2 * line, column], axes[2 * line + 1, column]
        show(diagram, spread, bins, style.colour(results, name))
        diagram.set_title(
            f"{style.plain(name)}\nECE {scores['ece']:.3f}, stated for each {scores['stated_for']}"
        )
        if column == 0:
            diagram.set_ylabel("observed share")
            spread.set_ylabel("mass")
        spread.set_xlabel("stated probability")
    style.dress(
        figure,
        results,
        "does what is stated come true?",
        [],
        [
            f"{style.sizes(results)}. Every option of a scenario is an event (of two, the "
            "second); thin: each option by itself. Bars: 95 % intervals for independent people. A "
            "simulator that states the same everywhere can be calibrated and still tell nothing.",
            results.shown_note,
        ],
    )
    return figure


def show(diagram, spread, bins: list[dict], colour: str) -> None:
    """Draw one simulator: a thin line for each option, a thick one for all together."""
    for option in sorted({each["value"] for each in bins if each["value"] is not None}):
        own = [each for each in bins if each["value"] == option and each["people"]]
        points = [each["confidence"] for each in own], [each["frequency"] for each in own]
        diagram.plot(*points, "o-", color=colour, ms=1.5, lw=0.6, alpha=0.45)
    bins = [each for each in bins if each["value"] is None]
    filled = [each for each in bins if each["people"]]
    x = [each["confidence"] for each in filled]
    y = [each["frequency"] for each in filled]
    errors = [
        [each["frequency"] - each["frequency_lower"] for each in filled],
        [each["frequency_upper"] - each["frequency"] for each in filled],
    ]
    diagram.plot([0, 1], [0, 1], **DIAGONAL)
    diagram.errorbar(x, y, yerr=errors, fmt="o-", ms=3.5, lw=1.2, color=colour)
    diagram.set_xlim(0, 1)
    diagram.set_ylim(0, 1)
    for each in bins:
        width = each["upper"] - each["lower"]
        spread.bar(each["lower"], each["share"], width, align="edge", color=colour, alpha=0.5)
    for axis in (diagram, spread):
        axis.set_visible(True)
