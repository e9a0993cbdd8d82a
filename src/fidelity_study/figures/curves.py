"""Curves of all simulators

Upper curves of the discrepancy between people and each simulator. Read a point (τ, t) as: on a
share τ of the scenarios, the simulator is at most t away from people. Lower is closer. Solid curves
hold as scenarios become many. Dotted curves hold at this number of scenarios, each point with
probability 0.95, for more scenarios of the same clusters.
"""

from fidelity_study.figures import style
from fidelity_study.report.results import Results

OTHERS = {"color": "#cfcfcf", "lw": 0.8}
OWN = {"color": style.COLOURS[0]}
CERTIFIED = {"ls": ":", "lw": 1}


def draw(results: Results):
    """Return the figure; simulators too many for one panel have one each, before all others."""
    n, gamma = results.ns[-1], results.gammas[0]
    everybody = results.shown == results.simulators
    return style.curve_panels(
        results,
        "how far is each simulator from people?",
        rows=style.by_discrepancy(results),
        **(together if everybody else one_by_one)(results, n, gamma),
        notes=[
            style.settings(results, n, gamma),
            f"Curves: index map, an asymptotic guarantee{first_of(results)}.",
            style.level_note(results, n, gamma),
            style.EXACT,
            results.dependence_note,
            results.fitted_note,
            results.cluster_note,
        ],
    )


def first_of(results: Results) -> str:
    """Say that all is of the first replicate, unless there is one only."""
    return f", first of {results.replicates} replicates" if results.replicates > 1 else ""


def together(results: Results, n: str, gamma: str) -> dict:
    """Return columns, panel and legend with all simulators in one panel."""

    def panel(axis, discrepancy, form):
        chosen = results.headline_set(discrepancy)
        for simulator in results.simulators:
            curve = results.first_curve(n, simulator, form, chosen, gamma, discrepancy)
            if curve:
                show(axis, curve, style.colour(results, simulator))

    return {
        "columns": [(style.form_title(form), (form,)) for form in results.forms],
        "panel": panel,
        "lines": [
            *style.simulator_lines(results),
            ("exact, η = 0.05", {"color": "#555555", **CERTIFIED}),
        ],
    }


def one_by_one(results: Results, n: str, gamma: str) -> dict:
    """Return columns, panel and legend with a panel for each simulator in its main form.

    Behind it are those who answer in this form, too.
    """

    def panel(axis, discrepancy, simulator):
        chosen, form = results.headline_set(discrepancy), results.main_form(simulator)
        curves = {
            each: results.first_curve(n, each, form, chosen, gamma, discrepancy)
            for each in results.simulators
        }
        for each, curve in curves.items():
            if curve and each != simulator:
                axis.plot(curve["tau"], curve["upper"], **OTHERS)
        show(axis, curves[simulator], OWN["color"])

    return {
        "columns": style.by_simulator(results, results.simulators),
        "panel": panel,
        "lines": [
            ("this simulator", OWN),
            ("exact, η = 0.05", {**OWN, **CERTIFIED}),
            ("the others", OTHERS),
        ],
    }


def show(axis, curve: dict, colour: str) -> None:
    """Draw a simulator's curve and the exact one."""
    axis.plot(curve["tau"], curve["upper"], color=colour)
    axis.plot(curve["tau"][1:], curve["certified_upper"][1:], color=colour, **CERTIFIED)
