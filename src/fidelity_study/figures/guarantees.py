"""What is certain

The upper curve under every guarantee. Asymptotic: holds as scenarios become many, also for a target
population of scenarios where the config has one. Exact: each point holds with probability 0.95 at
this number of scenarios, for more scenarios of the same clusters; without clusters also all points
together. Marginal: a new scenario, or with clusters a scenario of a new one, lies below with
probability τ on average. Where the same people answer several scenarios, only the asymptotic curve
and the exact one for each point are drawn; of baselines that are fitted to people's answers in
other scenarios, only the asymptotic one.
"""

from fidelity_study.figures import style
from fidelity_study.report.results import Results

GUARANTEES = {
    "asymptotic": ("asymptotic (index map)", {"color": "#000000"}),
    "target": ("target population, asymptotic", {"color": "#CC79A7"}),
    "marginal": ("marginal (conformal)", {"color": "#009E73", "ls": "-."}),
    "exact": ("exact, each point", {"color": "#0072B2", "ls": "--"}),
    "simultaneous": ("exact, all points (Berk-Jones)", {"color": "#56B4E9", "ls": "--"}),
    "one_per_cluster": ("marginal, new cluster", {"color": "#D55E00", "ls": ":"}),
}


def draw(results: Results):
    """Return the figure."""
    gamma = results.gammas[0]
    there = {key[-1] for key in results.guarantee_curves}
    shown = {name: line for name, line in GUARANTEES.items() if name in there}

    def panel(axis, discrepancy, simulator):
        chosen, form = results.headline_set(discrepancy), results.main_form(simulator)
        for name, (_, line) in shown.items():
            cell = (simulator, form, chosen, gamma, discrepancy, name)
            if cell in results.guarantee_curves:
                tau, upper = results.guarantee_curves[cell]
                axis.plot(tau[1:], upper[1:], **line)

    return style.curve_panels(
        results,
        "what is certain at this number of scenarios?",
        rows=style.by_discrepancy(results),
        columns=style.by_simulator(results, results.shown),
        panel=panel,
        lines=list(shown.values()),
        notes=[
            style.settings(results, results.ns[-1], gamma),
            "First replicate, η = 0.05. Curves end where there are too few scenarios or clusters.",
            results.dependence_note,
            results.fitted_note,
            results.cluster_note,
            results.shown_note,
        ],
    )
