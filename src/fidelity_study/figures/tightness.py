"""Tightness against the oracle

The same upper curves at each coverage γ, and the oracle: the discrepancy from the answers of all
people. The distance between the two is what bounds cost: people's true shares are known with
coverage γ only, from n people per scenario.
"""

from fidelity_study.figures import style
from fidelity_study.report.results import Results


def draw(results: Results):
    """Return the figure."""
    n = style.largest_sample(results)

    def panel(axis, discrepancy, form, gamma):
        chosen = results.headline_set(discrepancy)
        for simulator in results.shown:
            curve = results.curve(n, simulator, form, chosen, gamma, discrepancy)
            if curve:
                colour, tau = style.colour(results, simulator), curve["tau"]
                axis.fill_between(
                    tau, curve["oracle"], curve["upper"], color=colour, alpha=0.13, lw=0
                )
                axis.plot(tau, curve["upper"], color=colour)
                axis.plot(tau, curve["oracle"], color=colour, ls="--", lw=1)

    return style.curve_panels(
        results,
        "how tight are the curves?",
        rows=style.by_discrepancy_and_form(results),
        columns=[(style.gamma_title(gamma), (gamma,)) for gamma in results.gammas],
        panel=panel,
        lines=[*style.simulator_lines(results), style.ORACLE],
        notes=[
            style.settings(results, n),
            style.asymptotic(results),
            "Oracle: the discrepancy from the answers of all people. Shaded: the distance between "
            "the two.",
            results.shown_note,
        ],
    )
