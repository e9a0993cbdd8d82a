"""Curves of all simulators

Upper curves of the discrepancy between people and each simulator. Read a point (τ, t) as: on a
share τ of the scenarios, the simulator is at most t away from people. Lower is closer. Solid curves
hold as scenarios become many. Dotted curves hold at this number of scenarios, each point with
probability 0.95, for more scenarios of the same clusters. Where the config asks for the envelope,
they hold whatever coverage γ would have been best. Bars at the right: the mean discrepancy over
these very scenarios, between bounds that need no γ at all.
"""

from fidelity_study.figures import style
from fidelity_study.report.results import Results

OTHERS = {"color": "#cfcfcf", "lw": 0.8}
OWN = {"color": style.COLOURS[0]}
CERTIFIED = {"ls": ":", "lw": 1}
EXACT = {"color": "#555555", **CERTIFIED}
MEAN = {"color": "#555555", "lw": 4, "solid_capstyle": "butt"}
FIRST_BAR, NEXT_BAR = 1.03, 0.035


def draw(results: Results):
    """Return the figure; simulators too many for one panel have one each, before all others."""
    n, gamma = results.ns[-1], results.gammas[0]
    everybody = results.shown == results.simulators
    level = 100 * (1 - results.step["test"]["alpha"])
    of_envelope = [
        style.settings(results, n),
        f"Curves: the smallest over coverages γ from 0.1 to 0.99{first_of(results)}.",
    ]
    of_gamma = [
        style.settings(results, n, gamma),
        f"Curves: index map, an asymptotic guarantee{first_of(results)}.",
        style.level_note(results, n, gamma),
    ]
    return style.curve_panels(
        results,
        "how far is each simulator from people?",
        rows=style.by_discrepancy(results),
        **(together if everybody else one_by_one)(results, n, gamma),
        notes=[
            *(of_envelope if results.envelope else of_gamma),
            style.EXACT,
            f"Bars: {level:g}\xa0% intervals of the mean over these scenarios, without any γ.",
            results.dependence_note,
            results.fitted_note,
            results.cluster_note,
        ],
    )


def first_of(results: Results) -> str:
    """Say that all is of the first replicate, unless there is one only."""
    return f", first of {results.replicates} replicates" if results.replicates > 1 else ""


def curve(results: Results, n: str, simulator: str, form: str, gamma: str, discrepancy: str):
    """Return the envelope's curve, that of the first γ if no envelope is wanted; or None."""
    chosen = results.headline_set(discrepancy)
    if results.envelope:
        return results.envelope.get((simulator, form, chosen, discrepancy))
    return results.first_curve(n, simulator, form, chosen, gamma, discrepancy)


def together(results: Results, n: str, gamma: str) -> dict:
    """Return columns, panel and legend with all simulators in one panel."""

    def panel(axis, discrepancy, form):
        bars = FIRST_BAR
        for simulator in results.simulators:
            own = curve(results, n, simulator, form, gamma, discrepancy)
            if own:
                colour = style.colour(results, simulator)
                show(axis, own, colour)
                mark(axis, results.mean_of(simulator, form, discrepancy), colour, bars)
                bars += NEXT_BAR

    return {
        "columns": [(style.form_title(form), (form,)) for form in results.forms],
        "panel": panel,
        "lines": [
            *style.simulator_lines(results),
            ("exact, η = 0.05", EXACT),
            ("mean", MEAN),
        ],
    }


def one_by_one(results: Results, n: str, gamma: str) -> dict:
    """Return columns, panel and legend with a panel for each simulator in its main form.

    Behind it are those who answer in this form, too.
    """

    def panel(axis, discrepancy, simulator):
        form = results.main_form(simulator)
        curves = {
            each: curve(results, n, each, form, gamma, discrepancy) for each in results.simulators
        }
        for each, other in curves.items():
            if other and each != simulator:
                axis.plot(other["tau"], other["upper"], **OTHERS)
        show(axis, curves[simulator], OWN["color"])
        mark(axis, results.mean_of(simulator, form, discrepancy), OWN["color"], FIRST_BAR)

    return {
        "columns": style.by_simulator(results, results.simulators),
        "panel": panel,
        "lines": [
            ("this simulator", OWN),
            ("exact, η = 0.05", {**OWN, **CERTIFIED}),
            ("mean", {**MEAN, **OWN}),
            ("the others", OTHERS),
        ],
    }


def show(axis, curve: dict, colour: str) -> None:
    """Draw a simulator's curve and the exact one."""
    axis.plot(curve["tau"], curve["upper"], color=colour)
    axis.plot(curve["tau"][1:], curve["certified_upper"][1:], color=colour, **CERTIFIED)


def mark(axis, mean: dict, colour: str, x: float) -> None:
    """Draw the interval of a mean beside the panel, at ``x`` in units of the panel's width."""
    if mean and mean["ci_lower"] is not None:
        ends, beside = [mean["ci_lower"], mean["ci_upper"]], axis.get_yaxis_transform()
        axis.plot([x, x], ends, transform=beside, clip_on=False, **{**MEAN, "color": colour})
