"""Curves of all simulators

How far each simulator is from people at most, on a share τ of the scenarios. Lower is closer. Solid
curves are estimates from above, which are right as scenarios become many. With few scenarios they
are often too low. Dotted curves are bounds: each point holds at this number of scenarios with
probability 0.95, for more scenarios of the same clusters. Where the config asks for the envelope,
no coverage γ has to be chosen. Bars at the right: the mean discrepancy over these very scenarios,
between bounds that need no γ at all.
"""

import numpy as np
from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import interval_of

WIDE = 2
PANEL = 2.3
OTHERS = {"color": "#cfcfcf", "lw": 0.7, "label": "the others"}
OWN = {"color": style.COLOURS[0], "label": "this simulator"}
CERTIFIED = {"ls": ":", "lw": 1}
MEAN = {"lw": 4}
ESTIMATE = {"color": "#555555", "label": "estimate"}
BOUND = {"color": "#555555", "label": "bound, 95 % confidence", **CERTIFIED}
MEANS = {"color": "#555555", "label": "mean", **MEAN}
FIRST_BAR, NEXT_BAR = 1.03, 0.03


def draw(results: Results):
    """Return the figure; simulators too many for one panel have one each, before all others."""
    n, gamma = results.ns[-1], results.gammas[0]
    of_envelope = [
        style.settings(results, n),
        f"Curves: the smallest over coverages γ from 0.1 to 0.99{first_of(results)}.",
        style.ESTIMATED,
    ]
    of_gamma = [
        style.settings(results, n, gamma),
        f"Curves: index map{first_of(results)}.",
        style.ESTIMATED,
        style.level_note(results, n, gamma),
    ]
    notes = [
        *(of_envelope if results.envelope else of_gamma),
        style.EXACT if BOUND in also_drawn(results, n, gamma) else "",
        f"Bars: {style.level(results)} intervals of the mean over these {results.nouns}, without"
        " any γ.",
        style.form_note(results, results.simulators),
        results.notes.dependence,
        results.notes.fitted,
        results.notes.clusters,
    ]
    shape = together if results.shown == results.simulators else one_by_one
    return shape(results, n, gamma, "how far is each simulator from people?", notes)


def first_of(results: Results) -> str:
    """Say that all is of the first replicate, unless there is one only."""
    return f", first of {results.replicates} replicates" if results.replicates > 1 else ""


def curve(results: Results, n: str, simulator: str, gamma: str, discrepancy: str):
    """Return the envelope's curve, that of the first γ if no envelope is wanted; or None."""
    chosen, form = results.headline_set(discrepancy), results.main_form(simulator)
    if results.envelope:
        return results.envelope.get((simulator, form, chosen, discrepancy))
    return results.first_curve(n, simulator, form, chosen, gamma, discrepancy)


def together(results: Results, n: str, gamma: str, heading: str, notes: list[str]) -> Figure:
    """Return a panel for each discrepancy with all simulators."""
    rows = style.by_discrepancy(results)
    wide = min(WIDE, len(rows))
    high = -(-len(rows) // wide)
    inches = style.WIDTH if wide > 1 else style.NARROW
    figure = Figure(figsize=(inches, 1.0), layout="constrained")
    alike = len(results.pairs) == 1
    axes = figure.subplots(high, wide, squeeze=False, sharey="row" if alike else False)
    for axis, (label, (discrepancy,)) in zip(axes.flat, rows, strict=False):
        bars = FIRST_BAR
        for simulator in results.simulators:
            simulator_curve = curve(results, n, simulator, gamma, discrepancy)
            if simulator_curve:
                line = style.line(results, simulator)
                show(axis, simulator_curve, line)
                mean = results.mean_of(simulator, results.main_form(simulator), discrepancy)
                mark(axis, mean, line["color"], bars)
                bars += NEXT_BAR
        if axis in axes[:, 0] or not alike:
            axis.set_ylabel(label.partition(", ")[0])
    panels = axes.flat[: len(rows)]
    same = style.same_lines(panels)
    grown = [
        style.head(axis, label, not same, inches / wide - 0.7)
        for axis, (label, _) in zip(panels, rows, strict=True)
    ]
    figure.set_figheight(high * (PANEL + style.HEADING + max(grown)))
    for axis in axes.flat[len(rows) :]:
        axis.set_visible(False)
    style.dress_curves(axes, results.nouns)
    also = also_drawn(results, n, gamma)
    handles = [*(style.entries(panels[:1]) if same else []), *map(style.sample, also)]
    style.dress(figure, results, heading, handles, notes)
    return figure


def one_by_one(results: Results, n: str, gamma: str, heading: str, notes: list[str]) -> Figure:
    """Return a panel for each simulator, before all others."""

    def panel(axis, discrepancy, simulator):
        curves = {name: curve(results, n, name, gamma, discrepancy) for name in results.simulators}
        for name, other in curves.items():
            if other and name != simulator:
                axis.plot(other["tau"], other["upper"], **OTHERS)
        show(axis, curves[simulator], OWN)
        mean = results.mean_of(simulator, results.main_form(simulator), discrepancy)
        mark(axis, mean, OWN["color"], FIRST_BAR)

    return style.curve_panels(
        results,
        heading,
        rows=style.by_discrepancy(results),
        columns=style.by_simulator(results, results.simulators),
        panel=panel,
        also=also_drawn(results, n, gamma),
        notes=notes,
    )


def also_drawn(results: Results, n: str, gamma: str) -> list[dict]:
    """Return the legend's lines for what is drawn of each simulator: bounds if there are any."""
    drawn = (
        curve(results, n, simulator, gamma, discrepancy)
        for discrepancy in results.pairs
        for simulator in results.simulators
    )
    certain = any(
        drawn_curve and np.isfinite(drawn_curve["certified_upper"][1:]).any()
        for drawn_curve in drawn
    )
    return [ESTIMATE, BOUND, MEANS] if certain else [ESTIMATE, MEANS]


def show(axis, curve: dict, line: dict) -> None:
    """Draw a simulator's estimated curve, and the bound."""
    axis.plot(curve["tau"], curve["upper"], **line)
    certified = {"color": line["color"], **CERTIFIED}
    axis.plot(curve["tau"][1:], curve["certified_upper"][1:], **certified)


def mark(axis, mean: dict, colour: str, x: float) -> None:
    """Draw the interval of a mean beside the panel, at ``x`` in units of the panel's width."""
    if ends := interval_of(mean):
        beside = axis.get_yaxis_transform()
        axis.plot([x, x], ends, transform=beside, clip_on=False, color=colour, **MEAN)
