"""Sensitivity to the coverage γ

The same upper curves at every coverage γ of the grid, and the oracle: the discrepancy from the
answers of all people. γ has to be fixed before looking, since choosing the lowest curve voids the
guarantee.
"""

from fidelity_study.figures import style
from fidelity_study.report.results import Results

DASHES = ["-", "--", "-.", ":"]


def draw(results: Results):
    """Return the figure."""
    n = style.largest_sample(results)
    lines = {
        gamma: {"color": style.LINES[i % len(style.LINES)], "ls": DASHES[i % len(DASHES)]}
        for i, gamma in enumerate(results.gammas)
    }

    def panel(axis, discrepancy, simulator):
        chosen, form = results.headline_set(discrepancy), results.main_form(simulator)
        for gamma, line in lines.items():
            curve = results.curve(n, simulator, form, chosen, gamma, discrepancy)
            axis.plot(curve["tau"], curve["upper"], **line)
        axis.plot(curve["tau"], curve["oracle"], **style.ORACLE[1])

    return style.curve_panels(
        results,
        "what does the coverage γ change?",
        rows=style.by_discrepancy(results),
        columns=style.by_simulator(results, results.shown),
        sharey=False,
        panel=panel,
        lines=[*((style.gamma_title(each), line) for each, line in lines.items()), style.ORACLE],
        notes=[
            style.settings(results, n),
            style.asymptotic(results),
            "Fix γ before you look: choosing the lowest curve voids the guarantee.",
            results.shown_note,
        ],
    )
