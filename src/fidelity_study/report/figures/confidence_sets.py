"""Confidence sets compared

The same upper curves with each confidence set, and the oracle: the discrepancy from the answers of
all people. All sets aim at the same coverage; of those that reach it, the lower curve is the
tighter bound.
"""

from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.report.figures import style
from fidelity_study.report.results import Results


def draw(results: Results):
    """Return the figure."""
    n, gamma = style.largest_sample(results), results.gammas[0]
    names = list(dict.fromkeys(name for sets in results.pairs.values() for name in sets))
    lines = style.distinct(names, [CONFIDENCE_SETS[name].label for name in names])

    def panel(axis, discrepancy, simulator):
        form = results.main_form(simulator)
        for name in results.pairs[discrepancy]:
            curve = results.curve(n, simulator, form, name, gamma, discrepancy)
            axis.plot(curve["tau"], curve["upper"], **lines[name])
        axis.plot(curve["tau"], curve["oracle"], **style.ORACLE)

    return style.curve_panels(
        results,
        "what does the confidence set change?",
        rows=style.by_discrepancy(results),
        columns=style.by_simulator(results, results.shown),
        sharey=False,
        panel=panel,
        notes=[
            f"{style.sizes(results, n, gamma)}.",
            style.asymptotic(results),
            "All sets promise the same coverage.",
            style.form_note(results, results.shown),
            results.notes.shown,
        ],
    )
