"""Sensitivity to the coverage γ

The same upper curves at every coverage γ of the grid, and the oracle: the discrepancy from the
answers of all people. γ has to be fixed before looking, since choosing the lowest curve voids the
guarantee.
"""

from fidelity_study.report.figures import style
from fidelity_study.report.results import Results


def draw(results: Results):
    """Return the figure."""
    n = style.largest_sample(results)
    lines = style.distinct(results.gammas, map(style.gamma_title, results.gammas))

    def panel(axis, discrepancy, simulator):
        chosen, form = results.headline_set(discrepancy), results.main_form(simulator)
        for gamma, line in lines.items():
            curve = results.curve(n, simulator, form, chosen, gamma, discrepancy)
            axis.plot(curve["tau"], curve["upper"], **line)
        axis.plot(curve["tau"], curve["oracle"], **style.ORACLE)

    return style.curve_panels(
        results,
        "what does the coverage γ change?",
        rows=style.by_discrepancy(results),
        columns=style.by_simulator(results, results.shown),
        sharey=False,
        panel=panel,
        notes=[
            style.settings(results, n),
            style.asymptotic(results),
            "Fix γ before you look: choosing the lowest curve voids the guarantee.",
            style.form_note(results, results.shown),
            results.notes.shown,
        ],
    )
