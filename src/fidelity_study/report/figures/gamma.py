"""Sensitivity to the coverage γ

The same upper curves at every coverage γ of the grid, and the oracle: the discrepancy from the
answers of all people. γ has to be fixed before looking, since choosing the lowest curve voids the
guarantee.
"""

from matplotlib.figure import Figure

from fidelity_study.report import notes
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results = source.results
    # People beyond the largest n that is not ``all`` serve as the oracle.
    n = ([size for size in results.ns if size != "all"] or results.ns)[-1]
    lines = style.distinct(results.gammas, map(style.gamma_title, results.gammas))

    def panel(axis, discrepancy, simulator):
        for gamma, line in lines.items():
            curve = results.shown_curve(n, simulator, gamma, discrepancy)
            axis.plot(curve["tau"], curve["upper"], **line)
        axis.plot(curve["tau"], curve["oracle"], **style.ORACLE)

    figure = style.curve_panels(
        results,
        source.width,
        columns={simulator: style.name(results, simulator) for simulator in results.shown},
        sharey=False,
        panel=panel,
    )
    return figure, [
        style.settings(results, n),
        style.ESTIMATED,
        style.form_note(results, results.shown),
        notes.shown(results),
    ]
