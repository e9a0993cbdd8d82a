"""What all figures share: colours, names, axes, and the line of settings below each."""

import textwrap
from collections.abc import Callable

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fidelity_study.results import DISCREPANCIES, STATED, Results

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 9,
        "axes.labelsize": 9,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e4e4e4",
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": 8.5,
        "lines.linewidth": 1.7,
        "pdf.fonttype": 42,
        "savefig.dpi": 130,
    }
)

COLOURS = [
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#000000", "#8C6D1F"),
]
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
SETS = {
    "witness": "witness",
    "multinomial_kl_paper": "multinomial KL ball (paper)",
    "bernoulli_kl": "Bernoulli KL (paper)",
    "clopper_pearson": "Clopper-Pearson",
    "hoeffding": "Hoeffding (paper)",
    "multinomial_kl": "multinomial KL ball",
    "w1": "W1 ball (DKW)",
    "w1_subgaussian": "W1 ball (paper)",
    "empirical_bernstein": "empirical Bernstein",
    "betting": "betting",
    "bootstrap_percentile": "bootstrap, percentile (approximate)",
    "bootstrap_bca": "bootstrap, BCa (approximate)",
    "witness_betting": "witness, betting",
}
ORACLE = ("oracle", {"color": "#555555", "ls": "--", "lw": 1})
ASYMPTOTIC = "Curves: index map, an asymptotic guarantee."
EXACT = (
    "Dotted: exact guarantee at η = 0.05, each point holds with probability 0.95 if scenarios are "
    "independent; it ends where m is too small."
)


def plain(text: str) -> str:
    """Return ``text`` so that matplotlib does not read its dollar signs as mathematics."""
    return text.replace("$", r"\$")


def colour(results: Results, simulator: str) -> str:
    """Return the simulator's colour, the same in every figure of the dataset."""
    return COLOURS[results.simulators.index(simulator) % len(COLOURS)]


def form_title(form: str) -> str:
    """Name a form of answering."""
    return "stated probabilities" if form == STATED else f"k = {form} draws"


def gamma_title(label: str) -> str:
    """Write a coverage as a formula."""
    upper, comma, lower = label.partition(", lower ")
    if comma:
        return f"{gamma_title(upper)} above, {gamma_title(lower)} below"
    if not label.startswith("1-n^"):
        return f"γ = {label}"
    exponent, _, floor = label.removeprefix("1-n^").partition(",floor=")
    return f"γ = 1 - n$^{{{exponent}}}$" + (f", at least {floor}" if floor else "")


def simulator_lines(results: Results) -> list[tuple[str, dict]]:
    """Return the legend entries of all simulators."""
    return [(plain(name), {"color": colour(results, name)}) for name in results.simulators]


def by_discrepancy(results: Results) -> list[tuple[str, tuple]]:
    """Return a row of panels for each discrepancy: (label, (discrepancy,))."""
    return [(DISCREPANCIES[each], (each,)) for each in results.pairs]


def by_discrepancy_and_form(results: Results) -> list[tuple[str, tuple]]:
    """Return a row for each discrepancy and main form: (label, (discrepancy, form))."""
    return [
        (f"{DISCREPANCIES[each]}\n{form_title(form)}", (each, form))
        for each in results.pairs
        for form in results.main_forms
    ]


def by_simulator(results: Results) -> list[tuple[str, tuple]]:
    """Return a column for each simulator, in its main form: (label, (simulator,))."""
    return [
        (f"{plain(name)}\n{form_title(results.main_form(name))}", (name,))
        for name in results.simulators
    ]


def sizes(results: Results, n: str | None = None, gamma: str | None = None) -> str:
    """Say how many scenarios and people a figure speaks of, and at which coverage."""
    parts = [plain(results.scenarios_text)]
    parts += [results.sizes(n)] if n else []
    parts += [gamma_title(gamma)] if gamma else []
    return ", ".join(parts)


def settings(results: Results, n: str | None = None, gamma: str | None = None) -> str:
    """Say what a figure was computed with, for all its panels."""
    sets = sorted({SETS[results.headline_set(each)] for each in results.pairs})
    return f"{sizes(results, n, gamma)}, confidence set: {', '.join(sets)}."


def level_note(results: Results, n: str, gamma: str) -> str:
    """Say what the curve at τ = 0.9 really covers at this number of scenarios."""
    rows = results.summary_rows(n=n, gamma=gamma)
    levels = [
        float(row["guarantee_level"])
        for row in rows
        if row["confidence_set"] == results.headline_set(row["discrepancy"])
    ]
    low, high = f"{min(levels):.0%}", f"{max(levels):.0%}"
    between = low if low == high else f"{low} to {high}"
    return f"At τ = 0.9 they cover {between} of the scenarios with probability 0.95."


def largest_sample(results: Results) -> str:
    """Return the largest n that is not ``all``: there, people beyond it serve as the oracle."""
    return ([each for each in results.ns if each != "all"] or results.ns)[-1]


def curve_panels(
    results: Results,
    title: str,
    *,
    rows: list[tuple[str, tuple]],
    columns: list[tuple[str, tuple]],
    panel: Callable,
    lines: list[tuple[str, dict]],
    notes: list[str],
    sharey: str | bool = "row",
) -> Figure:
    """Return a figure of quantile curves: a panel for each row and column.

    ``rows`` and ``columns`` are (label, key); ``panel(axis, *row key, *column key)`` draws one.
    ``lines`` are the legend's, ``notes`` the sentences below; ``sharey`` as in matplotlib.
    """
    size = (max(6.4, 2.6 * len(columns) + 1.9), 2.3 * len(rows) + 1.5)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(rows), len(columns), squeeze=False, sharex=True, sharey=sharey)
    for row, (label, row_key) in zip(axes, rows, strict=True):
        row[0].set_ylabel(label)
        for axis, (_, column_key) in zip(row, columns, strict=True):
            panel(axis, *row_key, *column_key)
    for axis, (label, _) in zip(axes[0], columns, strict=True):
        axis.set_title(label)
    for axis in axes[-1]:
        axis.set_xlabel("share of scenarios τ")
    for axis in axes.flat:
        axis.set_xlim(0, 1)
        axis.set_ylim(bottom=0)
    dress(figure, results, title, lines, notes)
    return figure


def dress(figure: Figure, results: Results, title: str, lines: list, notes: list[str]) -> None:
    """Add title, legend and the settings below."""
    figure.suptitle(
        f"{plain(results.step['title'])}: {title}",
        fontsize=10.5,
        fontweight="bold",
        x=0.01,
        ha="left",
    )
    handles = [Line2D([], [], label=name, **properties) for name, properties in lines]
    if handles:
        figure.legend(handles=handles, loc="outside right center")
    text = " ".join(each for each in [*notes, results.smoothing_note, results.weights_note] if each)
    text = textwrap.fill(text, int(figure.get_figwidth() * 17))
    figure.supxlabel(text, x=0.01, ha="left", fontsize=7.5, color="#444444")
