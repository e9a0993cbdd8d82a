"""Tightness against the oracle

The same upper curves at each coverage γ, and the oracle: the discrepancy from the answers of all
people. The distance between the two is what bounds cost: people's true shares are known with
coverage γ only, from n people per scenario. Where the config asks for the envelope, the last panels
show it from all people, and beside it the mean between bounds that need no γ.
"""

from fidelity_study.report.figures import style
from fidelity_study.report.figures.curves import FIRST_BAR, NEXT_BAR, mark
from fidelity_study.report.results import Results

ENVELOPE = "envelope"


def draw(results: Results):
    """Return the figure."""
    n = style.largest_sample(results)

    def panel(axis, discrepancy, gamma):
        chosen, bars = results.headline_set(discrepancy), FIRST_BAR
        for simulator in results.shown:
            cell = (simulator, results.main_form(simulator), chosen)
            of_all = results.first_curve(results.ns[-1], *cell, results.gammas[0], discrepancy)
            curve = results.curve(n, *cell, gamma, discrepancy)
            if gamma == ENVELOPE and of_all:
                curve = {**results.envelope[(*cell, discrepancy)], "oracle": of_all["oracle"]}
                mean = results.mean_of(simulator, cell[1], discrepancy)
                mark(axis, mean, style.colour(results, simulator), bars)
                bars += NEXT_BAR
            if curve:
                show(axis, curve, style.line(results, simulator))

    columns = [(style.gamma_title(gamma), (gamma,)) for gamma in results.gammas]
    envelope = [("envelope, all people", (ENVELOPE,))] if results.envelope else []
    return style.curve_panels(
        results,
        "how tight are the curves?",
        rows=style.by_discrepancy(results),
        columns=[*columns, *envelope],
        panel=panel,
        same=False,
        also=[style.ORACLE],
        notes=[
            style.settings(results, n),
            style.asymptotic(results),
            "The envelope's panels show the first." if envelope and results.replicates > 1 else "",
            "Dashed, the oracle: the discrepancy from the answers of all people. Shaded: the "
            "distance between the two.",
            "Bars beside the envelope: the mean, without any γ." if envelope else "",
            style.form_note(results, results.shown),
            results.notes.shown,
        ],
    )


def show(axis, curve: dict, line: dict) -> None:
    """Draw a curve, the oracle, and the area between the two."""
    tau, colour = curve["tau"], line["color"]
    axis.fill_between(tau, curve["oracle"], curve["upper"], color=colour, alpha=0.13, lw=0)
    axis.plot(tau, curve["upper"], **line)
    axis.plot(tau, curve["oracle"], color=colour, ls="--", lw=1)
