"""What all figures share: colours, names, axes, and the line of settings below each."""

import textwrap
from collections.abc import Callable
from itertools import product
from typing import Literal

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.report.results import Results
from fidelity_study.report.single_answers import figure_note
from fidelity_study.steps.draws import STATED_FORM, is_from_people
from fidelity_study.tables.read_write import complete

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
    }
)

SCREEN = 130
COLOURS = [
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#000000", "#8C6D1F"),
]
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
MOST_COLUMNS = 5
ORACLE = ("oracle", {"color": "#555555", "ls": "--", "lw": 1})
EXACT = (
    "Dotted: exact guarantee at η = 0.05, each point holds with probability 0.95; it ends where m "
    "is too small."
)


def save(figure: Figure, made: str, *paths: str, dpi: float = SCREEN) -> None:
    """Save a figure in each format; the layout of the first one is kept.

    What it was ``made`` from goes into the files' metadata; no date does, so that the same figure
    gives the same files.
    """
    told = {".png": {"Description": made}, ".pdf": {"Subject": made, "CreationDate": None}}
    for path in paths:
        with complete(path) as partial:
            figure.savefig(partial, metadata=told[partial.suffix], dpi=dpi)
            figure.set_layout_engine("none")


def undressed(figure: Figure) -> tuple[str, str]:
    """Take title and notes off a figure, and return them as texts of one line each."""
    taken = figure.get_suptitle(), figure.get_supxlabel()
    for text in figure.texts:
        if text.get_text() in taken:
            text.set(visible=False, in_layout=False)
    title, notes = (" ".join(text.replace(r"\$", "$").split()) for text in taken)
    return title, notes


def plain(text: str) -> str:
    """Return ``text`` so that matplotlib does not read its dollar signs as mathematics."""
    return text.replace("$", r"\$")


def colour(results: Results, simulator: str) -> str:
    """Return the simulator's colour, the same in every figure of the dataset.

    Also in the study's other datasets, unless more simulators are studied than there are colours:
    then one whose colour another simulator before it has takes the first that is free.
    """
    places = results.step["places"]
    chosen: dict[str, int] = {}
    late = []
    for name in sorted(results.shown, key=places.get):
        own = places[name] % len(COLOURS)
        if own in chosen.values():
            late.append(name)
        else:
            chosen[name] = own
    free = (place for place in range(len(COLOURS)) if place not in chosen.values())
    return COLOURS[(chosen | dict(zip(late, free, strict=False)))[simulator]]


def form_title(form: str) -> str:
    """Name a form of answering."""
    return "stated probabilities" if form == STATED_FORM else f"k = {int(form):,} draws"


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
    """Return the legend entries of the simulators shown."""
    return [(plain(name), {"color": colour(results, name)}) for name in results.shown]


def by_discrepancy(results: Results) -> list[tuple[str, tuple]]:
    """Return a row of panels for each discrepancy: (label, (discrepancy,))."""
    return [(DISCREPANCIES[each].label, (each,)) for each in results.pairs]


def by_discrepancy_and_form(results: Results) -> list[tuple[str, tuple]]:
    """Return a row for each discrepancy and main form: (label, (discrepancy, form))."""
    return [
        (f"{DISCREPANCIES[each].label}\n{form_title(form)}", (each, form))
        for each in results.pairs
        for form in results.main_forms
    ]


def by_simulator(results: Results, names: list[str]) -> list[tuple[str, tuple]]:
    """Return a column for each of the simulators, in its main form: (label, (simulator,))."""
    return [(f"{plain(name)}\n{form_title(results.main_form(name))}", (name,)) for name in names]


def sizes(results: Results, n: str | None = None, gamma: str | None = None) -> str:
    """Say how many scenarios and people a figure speaks of, and at which coverage."""
    parts = [plain(results.scenarios_text)]
    parts += [results.sizes(n)] if n else []
    parts += [gamma_title(gamma)] if gamma else []
    return ", ".join(parts)


def settings(results: Results, n: str | None = None, gamma: str | None = None) -> str:
    """Say what a figure was computed with, for all its panels."""
    sets = sorted({CONFIDENCE_SETS[results.headline_set(each)].label for each in results.pairs})
    return f"{sizes(results, n, gamma)}, confidence set: {', '.join(sets)}."


def asymptotic(results: Results) -> str:
    """Say what guarantee curves by the index map have, and what they are means of."""
    means = f", means of {results.replicates} replicates" if results.replicates > 1 else ""
    return f"Curves: index map, an asymptotic guarantee{means}."


def level_note(results: Results, n: str, gamma: str) -> str:
    """Say what the curve at τ = 0.9 really covers at this number of scenarios, if it is known.

    Of simulators that are not fitted to people's answers.
    """
    rows = results.summary_rows(n=n, gamma=gamma)
    levels = [
        row["guarantee_level"]
        for row in rows
        if row["confidence_set"] == results.headline_set(row["discrepancy"])
        and not is_from_people(row["simulator"])
    ]
    if not levels or np.isnan(levels).any() or max(levels) < 0.01:
        return ""
    low, high = (f"{np.floor(100 * end(levels)):.0f}" for end in (min, max))
    between = f"{low} %" if low == high else f"{low} to {high} %"
    same = results.of_clusters
    return (
        f"At τ = 0.9 they cover at least {between} of all scenarios{same}, with probability 0.95."
    )


def largest_sample(results: Results) -> str:
    """Return the largest n that is not ``all``: there, people beyond it serve as the oracle."""
    return ([each for each in results.ns if each != "all"] or results.ns)[-1]


def curve_panels(
    results: Results,
    heading: str,
    *,
    rows: list[tuple[str, tuple]],
    columns: list[tuple[str, tuple]],
    panel: Callable,
    lines: list[tuple[str, dict]],
    notes: list[str],
    sharey: Literal["row"] | bool = "row",
) -> Figure:
    """Return a figure of quantile curves: a panel for each row and column.

    Columns that don't fit side by side go on in a further line of panels.
    ``rows`` and ``columns`` are (label, key); ``panel(axis, *row key, *column key)`` draws one.
    ``lines`` are the legend's, ``notes`` the sentences below; ``sharey`` as in matplotlib.
    """
    wide = -(-len(columns) // -(-len(columns) // MOST_COLUMNS))
    blocks = [columns[i : i + wide] for i in range(0, len(columns), wide)]
    high = len(rows) * len(blocks)
    size = (max(6.4, 2.6 * wide + 1.9), 2.3 * high + 1.5)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(high, wide, squeeze=False, sharex=True, sharey=sharey)
    for line, ((label, row_key), block) in zip(axes, product(rows, blocks), strict=True):
        line[0].set_ylabel(label)
        for axis, (title, column_key) in zip(line, block, strict=False):
            panel(axis, *row_key, *column_key)
            axis.set_title(title)
            axis.set_xlim(0, 1)
        for axis in line[len(block) :]:
            axis.set_visible(False)
        for axis in line:
            axis.set_ylim(bottom=0)
    for column in axes.T:
        lowest = [axis for axis in column if axis.get_visible()][-1]
        lowest.set_xlabel("share of scenarios τ")
        lowest.tick_params(labelbottom=True)
    dress(figure, results, heading, lines, notes)
    return figure


def dress(figure: Figure, results: Results, title: str, lines: list, notes: list[str]) -> None:
    """Add title, legend and the settings below."""
    figure.suptitle(
        f"{plain(results.step['title'])}: {title}",
        wrap=True,
        fontsize=10.5,
        fontweight="bold",
        x=0.01,
        ha="left",
    )
    handles = [Line2D([], [], label=name, **properties) for name, properties in lines]
    if handles:
        figure.legend(handles=handles, loc="outside right center")
    notes = [
        figure_note(results),
        *notes,
        results.draws_note,
        results.smoothing_note,
        results.weights_note,
    ]
    text = " ".join(each for each in notes if each)
    text = textwrap.fill(text, int(figure.get_figwidth() * 17))
    figure.supxlabel(text, x=0.01, ha="left", fontsize=7.5, color="#444444")
