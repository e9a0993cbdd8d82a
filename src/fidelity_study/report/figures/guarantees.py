"""What is certain

How far the upper curve under every guarantee lies above the asymptotic one, which is 0 here.
Asymptotic: holds as scenarios become many, also for a target population of scenarios where the
config has one. Exact: each point holds with probability 0.95 at this number of scenarios, for more
scenarios of the same clusters; without clusters also all points together. Marginal: a new scenario,
or with clusters a scenario of a new one, lies below with probability τ on average. Where the same
people answer several scenarios, only the asymptotic curve and the exact one for each point are
drawn. Nothing more than the asymptotic curve is certain of baselines that are fitted to people's
answers in other scenarios: they have no panel.
"""

import numpy as np

from fidelity_study.report.figures import style
from fidelity_study.report.results import Results

TITLE = "what does certainty cost?"
GUARANTEES = {
    "asymptotic": ("asymptotic (index map)", {"color": "#000000", "lw": 0.8}),
    "target": ("target population, asymptotic", {"color": "#CC79A7", "lw": 3.2}),
    "marginal": ("marginal (conformal)", {"color": "#009E73", "lw": 2.4}),
    "exact": ("exact, each point", {"color": "#0072B2", "lw": 1.8}),
    "simultaneous": ("exact, all points (Berk-Jones)", {"color": "#56B4E9", "lw": 1.3}),
    "one_per_cluster": ("marginal, new cluster", {"color": "#D55E00", "lw": 1.0, "ls": "--"}),
}


def draw(results: Results):
    """Return the figure."""
    gamma = results.gammas[0]
    certain = {
        simulator
        for (simulator, *_, name), curve in results.guarantee_curves.items()
        if name != "asymptotic" and np.isfinite(curve["upper"][1:]).any()
    }
    names = [name for name in results.shown if name in certain]
    if not names:
        few = f"Nothing is certain with this number of {results.nouns}."
        notes = [results.notes.dependence, results.notes.fitted]
        return style.words(results, TITLE, *([] if results.all_share_people else [few]), *notes)

    def panel(axis, discrepancy, simulator):
        chosen, form = results.headline_set(discrepancy), results.main_form(simulator)
        cell = (simulator, form, chosen, gamma, discrepancy)
        asymptotic = results.guarantee_curves[*cell, "asymptotic"]["upper"]
        for name, (label, line) in GUARANTEES.items():
            if curve := results.guarantee_curves.get((*cell, name)):
                axis.plot(curve["tau"][1:], (curve["upper"] - asymptotic)[1:], label=label, **line)

    return style.curve_panels(
        results,
        TITLE,
        rows=[(f"{label}:\nabove asymptotic", key) for label, key in style.by_discrepancy(results)],
        columns=style.by_simulator(results, names),
        panel=panel,
        bottom=None,
        notes=[
            style.settings(results, results.ns[-1], gamma),
            f"First replicate, η = 0.05. Curves end where {results.nouns} or clusters are too few.",
            results.notes.dependence,
            results.notes.fitted,
            results.notes.clusters,
            style.form_note(results, names),
            results.notes.shown,
        ],
    )
