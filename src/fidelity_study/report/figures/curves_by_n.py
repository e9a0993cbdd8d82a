"""Curves by number of people

The same upper curves with n people per scenario, and the oracle: the discrepancy from the answers
of all people. As a rule more people bring the curve down. It stays above the oracle even with all
of them, since their answers are a sample, too.
"""

from matplotlib.figure import Figure

from fidelity_study.report import notes
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results = source.results
    gamma = results.gammas[0]

    def panel(axis, discrepancy, n):
        for simulator in results.shown:
            if curve := results.shown_curve(n, simulator, gamma, discrepancy):
                line = style.line(results, simulator)
                axis.plot(curve["tau"], curve["upper"], **line)
                axis.plot(curve["tau"], curve["oracle"], color=line["color"], ls="--", lw=1)

    sizes = "; ".join(results.sizes(n) for n in results.ns)
    figure = style.curve_panels(
        results,
        source.width,
        columns={n: "all people" if n == "all" else f"n = {n}" for n in results.ns},
        panel=panel,
        same=False,
        also=[style.ORACLE],
    )
    return figure, [
        style.settings(results, gamma=gamma),
        f"{sizes}.",
        style.ESTIMATED,
        style.form_note(results, results.shown),
        notes.shown(results),
    ]
