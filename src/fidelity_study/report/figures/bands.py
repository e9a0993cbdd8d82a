"""Bands of two simulators

Lower and upper curve of two simulators, and the plug-in curve between them, which has no guarantee.
The two are the first simulator under test and, of the others under test, the one whose upper curve
is lowest; where there is no other, the lowest baseline but a uniform guess. Lower and upper curve
are estimates from below and above, right as scenarios become many, each by itself.
"""

from matplotlib.figure import Figure

from fidelity_study.report import notes
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.results import Results

UNIFORM = "uniform"


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results = source.results
    n = results.ns[-1]

    def panel(axis, discrepancy, gamma):
        for simulator in two(results, n, gamma, discrepancy):
            curve = results.shown_curve(n, simulator, gamma, discrepancy)
            line, tau = style.line(results, simulator), curve["tau"]
            axis.fill_between(tau, curve["lower"], curve["upper"], alpha=0.3, lw=0, **line)
            axis.plot(tau, curve["plugin"], color=line["color"], lw=1.2)

    figure = style.curve_panels(
        results,
        source.width,
        columns={gamma: style.gamma_title(gamma) for gamma in results.gammas},
        panel=panel,
        same=False,
        also=[{"color": "#555555", "lw": 1.2, "label": "plug-in"}],
    )
    return figure, [
        style.settings(results, n),
        style.form_note(results, results.shown),
        notes.dependence(results),
    ]


def two(results: Results, n, gamma, discrepancy) -> list[str]:
    """Return the first simulator under test, and the closest of the others.

    Of the others under test if there are any, else of the baselines; a uniform guess is the last.
    """
    area = results.areas(n, gamma, discrepancy)
    there = [name for name in results.shown if name in area]
    tested = results.under_test(there)
    informed = [name for name in tested if name != UNIFORM] or tested
    first = informed[0]
    others = [name for name in tested if name != first] or [name for name in there if name != first]
    return [first, *sorted(others, key=lambda name: (name == UNIFORM, area[name]))[:1]]
