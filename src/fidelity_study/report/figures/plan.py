"""Plan of a next study's curve

How many scenarios and how many people in each bring the mean of the upper curve, or of its worst
part, within a width of the truth: every point of a line will do. Circles are the cheapest studies.
Approximate: this study is taken for the population.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.notes import shown
from fidelity_study.report.results import Results
from fidelity_study.report.tables import having
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.plan import MOST_PEOPLE

NEEDS = {"plan": True}
WIDE = 2
LINE = 8.0


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, a panel for each simulator, and the notes of its caption.

    All have the confidence set and coverage of the headline plans.
    """
    results = source.results
    plan = results.step["plan"]
    forms = [results.plan_form(discrepancy) for discrepancy in plan["pairs"]]
    names = [
        [name for name in results.shown if having(results.plans, {**form, "simulator": name})]
        for form in forms
    ]
    most = max(map(len, names)) or 1
    wide = min(most, WIDE if source.width > style.NARROW else 1)
    heights = [-(-len(there) // wide) or 1 for there in names]
    tall = 1.8 + LINE / 72 * len(plan["width"])
    figure = style.new(source.width, tall * sum(heights) + 0.2)
    axes = figure.subplots(sum(heights), wide, squeeze=False)
    for axis in axes.flat:
        axis.set_visible(False)
    ends = np.cumsum(heights)
    for form, there, lines in zip(forms, names, np.split(axes, ends[:-1]), strict=True):
        block(lines, results, form, there)
    style.legend(figure, style.entries(figure.axes), figure)
    forms_text = "; ".join(map(form_title, forms))
    return figure, [f"Of the {estimated(plan['tail'])}: {forms_text}.", *notes(results)]


def lines_of(widths: list[float]) -> list[tuple[float, dict]]:
    """Return how the line of each width is drawn."""
    return [
        (width, {"color": style.LINES[i % len(style.LINES)], "label": f"within {width:g}"})
        for i, width in enumerate(widths)
    ]


def form_title(form: dict) -> str:
    """Name discrepancy, set and coverage."""
    what = DISCREPANCIES[form["discrepancy"]].label
    chosen = CONFIDENCE_SETS[form["confidence_set"]].label
    return f"{what}, {chosen}, {style.gamma_title(form['gamma'])}"


def estimated(tail: float) -> str:
    """Name what is estimated."""
    return "mean of the curve (AUC)" if tail == 1 else f"worst {100 * tail:g} % of the curve (CVaR)"


def block(axes: np.ndarray, results: Results, form: dict, names: list[str]) -> None:
    """Draw the simulators' panels for one discrepancy, all to the same scale."""
    planned = [row["m"] for row in having(results.plans, form) if row["m"]]
    low, high = (min(planned) / 3, max(planned) * 30) if planned else (1, 1000)
    people = [point["n"] for point in having(results.iso_width, form)] or [10, MOST_PEOPLE]
    for i, (axis, name) in enumerate(zip(axes.flat, names, strict=False)):
        axis.set_visible(True)
        axis.set(xscale="log", yscale="log", ylim=(low, high))
        axis.set_xlim(min(people) / 1.3, max(people) * 1.3)
        panel(axis, results, {**form, "simulator": name})
        for scale, room in ((axis.xaxis, 500), (axis.yaxis, 10_000)):
            first, last = scale.get_view_interval()
            labelled = (1, 3) if last / first <= room else (1,)
            style.number(scale, LogLocator(subs=labelled, numticks=9))
        if i % axes.shape[1] == 0:
            axis.set_ylabel(f"{results.nouns} m")
        if i + axes.shape[1] >= len(names):
            axis.set_xlabel(f"people per {results.noun} n")


def panel(axis, results: Results, cell: dict) -> None:
    """Draw one simulator's lines, and say above them what is cheapest."""
    widths = results.step["plan"]["width"]
    what = style.name(results, cell["simulator"])
    if len(results.step["plan"]["pairs"]) > 1:
        what = f"{what}: {DISCREPANCIES[cell['discrepancy']].label}"
    axis.set_title(style.wrapped(what, 2.6), pad=LINE * len(widths) + 6)
    for i, (width, line) in enumerate(lines_of(widths)):
        (row,) = having(results.plans, {**cell, "width": width})
        points = having(results.iso_width, {**cell, "width": width})
        axis.plot([point["n"] for point in points], [point["m"] for point in points], **line)
        if row["m"]:
            circle = {"ms": 3.5, "mec": "white", "color": line["color"]}
            axis.plot(row["n"], row["m"], "o", zorder=3, **circle)
        axis.annotate(
            f"{width:g}: {study(row)}",
            (0, 1),
            xytext=(0, 4 + LINE * (len(widths) - 1 - i)),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=style.SMALL,
            color=line["color"],
        )


def study(row: dict) -> str:
    """Put a plan into words."""
    if not row["m"]:
        return f"by no curve, {row['smallest_width']:.2g} at best"
    draws = "" if row["k"] == STATED_FORM else f", k = {int(row['k']):,}"
    return f"m = {row['m']:,}, n = {row['n']:,}{draws}; cost {row['cost']:,.0f}"


def notes(results: Results) -> list[str]:
    """Say what the figure is based on, and what it assumes."""
    plan = results.step["plan"]
    prices = ", ".join(f"{what} {price:g}" for what, price in plan["costs"].items())
    scenarios = max((row["pilot_scenarios"] for row in results.plans), default=0)
    return [
        f"Each study on a line comes within its width with probability {plan['probability']:g}, "
        f"approximately. Prices: {prices}.",
        f"Pilot: {scenarios} of this study's {results.m} {results.nouns}. The {results.nouns} and"
        " people of the next study are independent of it.",
        "n: effective number of people." if results.weighted else "",
        shown(results),
    ]
