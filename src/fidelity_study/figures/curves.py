"""Calibrated quantile curves of all simulators, one panel for each form of answering."""

from fidelity_study import style
from fidelity_study.results import Results


def draw(results: Results):
    """Return the figure."""
    n, gamma = results.ns[-1], results.gammas[0]

    def panel(axis, discrepancy, form):
        chosen = results.headline_set(discrepancy)
        for simulator in results.simulators:
            curve = results.curve(n, simulator, form, chosen, gamma, discrepancy)
            if curve:
                colour = style.colour(results, simulator)
                axis.plot(curve["tau"], curve["upper"], color=colour)
                certified = curve["certified_upper"][1:]
                axis.plot(curve["tau"][1:], certified, color=colour, ls=":", lw=1)

    return style.curve_panels(
        results,
        "how far is each simulator from people?",
        rows=style.by_discrepancy(results),
        columns=[(style.form_title(form), (form,)) for form in results.forms],
        panel=panel,
        lines=[
            *style.simulator_lines(results),
            ("exact, η = 0.05", {"color": "#555555", "ls": ":", "lw": 1}),
        ],
        notes=[
            style.settings(results, n, gamma),
            style.ASYMPTOTIC,
            style.level_note(results, n, gamma),
            style.EXACT,
        ],
    )
