"""Curves by number of people

The same upper curves with n people per scenario, and the oracle: the discrepancy from the answers
of all people. As a rule more people bring the curve down. It stays above the oracle even with all
of them, since their answers are a sample, too.
"""

from fidelity_study.report.figures import style
from fidelity_study.report.results import Results


def draw(results: Results):
    """Return the figure."""
    gamma = results.gammas[0]

    def panel(axis, discrepancy, n):
        chosen = results.headline_set(discrepancy)
        for simulator in results.shown:
            form = results.main_form(simulator)
            curve = results.curve(n, simulator, form, chosen, gamma, discrepancy)
            if curve:
                line = style.line(results, simulator)
                axis.plot(curve["tau"], curve["upper"], **line)
                axis.plot(curve["tau"], curve["oracle"], color=line["color"], ls="--", lw=1)

    sizes = "; ".join(results.sizes(n) for n in results.ns)
    return style.curve_panels(
        results,
        "how many people are needed?",
        rows=style.by_discrepancy(results),
        columns=[("all people" if n == "all" else f"n = {n}", (n,)) for n in results.ns],
        panel=panel,
        same=False,
        also=[style.ORACLE],
        notes=[
            style.settings(results, gamma=gamma),
            f"{sizes}.",
            style.asymptotic(results),
            "Dashed, the oracle: the discrepancy from the answers of all people, for orientation.",
            style.form_note(results, results.shown),
            results.notes.shown,
        ],
    )
