"""Bands of two simulators

Lower and upper curve of two simulators, and the plug-in curve between them, which has no guarantee.
The two are the first simulator under test that answers in this form, and the one beside it whose
upper curve is lowest. Both curves hold as scenarios become many, each by itself.
"""

from fidelity_study.figures import style
from fidelity_study.report.results import Results


def draw(results: Results):
    """Return the figure."""
    n = results.ns[-1]

    def panel(axis, discrepancy, form, gamma):
        chosen = results.headline_set(discrepancy)
        for simulator in first_and_closest(results, n, form, chosen, gamma, discrepancy):
            curve = results.curve(n, simulator, form, chosen, gamma, discrepancy)
            colour, tau = style.colour(results, simulator), curve["tau"]
            axis.fill_between(tau, curve["lower"], curve["upper"], color=colour, alpha=0.25, lw=0)
            axis.plot(tau, curve["plugin"], color=colour, lw=1.2)

    pairs = [
        first_and_closest(results, n, form, results.headline_set(each), gamma, each)
        for each in results.pairs
        for form in results.main_forms
        for gamma in results.gammas
    ]
    shown = {simulator for pair in pairs for simulator in pair}
    bands = [
        (name, properties | {"lw": 6, "alpha": 0.4})
        for name, properties in style.simulator_lines(results)
        if name in map(style.plain, shown)
    ]
    return style.curve_panels(
        results,
        "between which curves is the truth?",
        rows=style.by_discrepancy_and_form(results),
        columns=[(style.gamma_title(gamma), (gamma,)) for gamma in results.gammas],
        panel=panel,
        lines=[*bands, ("plug-in", {"color": "#555555", "lw": 1.2})],
        notes=[
            style.settings(results, n),
            f"Bands: lower and upper curve. {style.asymptotic(results)} Each holds by itself.",
            "In each panel: the first simulator that is no baseline, or else the first of all, and "
            "the lowest upper curve beside it."
            if len(results.simulators) > 2
            else "",
        ],
    )


def first_and_closest(results: Results, n, form, chosen, gamma, discrepancy) -> list[str]:
    """Return the first simulator under test in this form, and the smallest AUC of the others."""
    rows = results.summary_rows(
        n=n, k=form, confidence_set=chosen, gamma=gamma, discrepancy=discrepancy
    )
    area = {row["simulator"]: row["auc"] for row in rows}
    there = [name for name in results.shown if name in area]
    first = results.under_test(there)[0]
    return [first, *sorted(set(there) - {first}, key=area.__getitem__)[:1]]
