"""What all figures share: size, fonts, colours, names, axes, legends, and the notes below each.

A figure is as wide as a page of a journal, 7.2 inches, and no text in it is smaller than 7 points.
"""

import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Literal

import matplotlib
import numpy as np
from fontTools import subset
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.report.formats import span
from fidelity_study.report.page.words import listed
from fidelity_study.report.palette import COLOURS
from fidelity_study.report.results import Results
from fidelity_study.report.single_answers import figure_note
from fidelity_study.steps.draws import STATED_FORM, is_from_people
from fidelity_study.tables.read_write import complete

SETTINGS: dict = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "legend.title_fontsize": 8,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.5,
    "legend.borderaxespad": 0.0,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "butt",
    "pdf.fonttype": 42,
}
matplotlib.rcParams.update(SETTINGS)
# A PDF places each sign by itself: its fonts need no tables of layout, which take long to cut out.
subset.Options._drop_tables_default = [
    *getattr(subset.Options, "_drop_tables_default", []),
    *("GDEF", "GPOS", "GSUB"),
]

SCREEN = 130
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
WIDTH, NARROW = 7.2, 4.8
SMALL = 7.0
LETTER = 0.54
MOST_COLUMNS = 4
PANEL, LOW_PANEL, HEADING = 1.75, 1.05, 0.17
UNLABELLED = re.compile(r"_child\d+|_nolegend_")
TITLE, NOTES, PAD = "title", "notes", 0.06
ORACLE = {"color": "#555555", "ls": "--", "lw": 1, "label": "oracle"}
ESTIMATED = "Solid: estimates, which may be too low where m is small."
EXACT = (
    "Dotted: exact bounds, each point holds with probability 0.95; they end where m is too small."
)


def save(figure: Figure, made: str, *paths: str, dpi: float = SCREEN) -> None:
    """Save a figure in each format; the layout of the first one is kept.

    What it was ``made`` from goes into the files' metadata; no date does, so that the same figure
    gives the same files.
    """
    metadata = {".png": {"Description": made}, ".pdf": {"Subject": made, "CreationDate": None}}
    for path in paths:
        with complete(path) as partial:
            figure.savefig(partial, metadata=metadata[partial.suffix], dpi=dpi)
            figure.set_layout_engine("none")


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
        place = places[name] % len(COLOURS)
        if place in chosen.values():
            late.append(name)
        else:
            chosen[name] = place
    free = (place for place in range(len(COLOURS)) if place not in chosen.values())
    return COLOURS[(chosen | dict(zip(late, free, strict=False)))[simulator]]


def form_title(results: Results, simulator: str) -> str:
    """Name a simulator's form of answering, with the draws that it really gave."""
    form = results.main_form(simulator)
    if form == STATED_FORM:
        return "stated probabilities"
    rows = results.summary_rows(simulator=simulator, k=form)
    draws = [row[name] for row in rows for name in ("k_fewest", "k_most")] or [int(form)]
    return f"k = {span(draws)} draws"


def gamma_title(label: str) -> str:
    """Write a coverage as a formula."""
    upper, comma, lower = label.partition(", lower ")
    if comma:
        return f"{gamma_title(upper)} above, {gamma_title(lower)} below"
    if not label.startswith("1-n^"):
        return f"γ = {label}"
    exponent, _, floor = label.removeprefix("1-n^").partition(",floor=")
    return f"γ = 1 - n$^{{{exponent}}}$" + (f", at least {floor}" if floor else "")


def name(results: Results, simulator: str) -> str:
    """Return a simulator's plain name as figures show it."""
    return plain(results.named(simulator))


def line(results: Results, simulator: str) -> dict:
    """Return colour and legend entry of a simulator."""
    return {"color": colour(results, simulator), "label": name(results, simulator)}


def distinct(keys: Iterable[str], labels: Iterable[str]) -> dict[str, dict]:
    """Return a line for each of some curves that may coincide: each thinner than that below it."""
    both = list(zip(keys, labels, strict=True))
    return {
        key: {
            "color": LINES[i % len(LINES)],
            "lw": 1.0 + 2.2 * (len(both) - 1 - i) / max(len(both) - 1, 1),
            "label": label,
        }
        for i, (key, label) in enumerate(both)
    }


def wrapped(text: str, inches: float) -> str:
    """Break the lines of a title between words to fit a width."""
    fits = letters(inches, 8)
    return "\n".join(textwrap.fill(part, fits, break_on_hyphens=False) for part in text.split("\n"))


def letters(inches: float, points: float) -> int:
    """Return about how many letters of a size fit into a width."""
    return int(72 * inches / (LETTER * points))


def by_discrepancy(results: Results) -> list[tuple[str, tuple]]:
    """Return a row of panels for each discrepancy: (label, (discrepancy,))."""
    return [(DISCREPANCIES[pair].label, (pair,)) for pair in results.pairs]


def by_simulator(results: Results, names: list[str]) -> list[tuple[str, tuple]]:
    """Return a column for each of the simulators: (label, (simulator,))."""
    return [(name(results, simulator), (simulator,)) for simulator in names]


def form_note(results: Results, names: list[str]) -> str:
    """Say in which form simulators answered: all alike, or which in which."""
    answering: dict[str, list[str]] = {}
    for simulator in names:
        answering.setdefault(form_title(results, simulator), []).append(name(results, simulator))
    if len(answering) == 1:
        return f"All simulators: {next(iter(answering))}."
    sentence = "; ".join(
        f"{form} of {listed(simulators)}" for form, simulators in answering.items()
    )
    return f"{sentence[:1].upper()}{sentence[1:]}."


def sizes(results: Results, n: str | None = None, gamma: str | None = None) -> str:
    """Say how many scenarios and people a figure speaks of, and at which coverage."""
    parts = [plain(results.scenarios_text)]
    parts += [results.sizes(n)] if n else []
    parts += [gamma_title(gamma)] if gamma else []
    return ", ".join(parts)


def settings(results: Results, n: str | None = None, gamma: str | None = None) -> str:
    """Say what a figure was computed with, for all its panels."""
    sets = sorted({CONFIDENCE_SETS[results.headline_set(pair)].label for pair in results.pairs})
    return f"{sizes(results, n, gamma)}, confidence set: {', '.join(sets)}."


def level(results: Results) -> str:
    """Return the confidence of intervals, which no line break parts."""
    return results.level.replace(" ", "\xa0")


def asymptotic(results: Results) -> str:
    """Say that curves by the index map are estimates, and what they are means of."""
    means = f", means of {results.replicates} replicates" if results.replicates > 1 else ""
    return f"Curves: index map{means}. They are estimates, which may be too low where m is small."


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
    between = span(np.floor(np.multiply(levels, 100)))
    same = results.of_clusters
    return (
        f"At τ = 0.9 they cover at least {between} % of all {results.nouns}{same}, with probability"
        " 0.95."
    )


def largest_sample(results: Results) -> str:
    """Return the largest n that is not ``all``: there, people beyond it serve as the oracle."""
    return ([size for size in results.ns if size != "all"] or results.ns)[-1]


def curve_panels(
    results: Results,
    heading: str,
    *,
    rows: list[tuple[str, tuple]],
    columns: list[tuple[str, tuple]],
    panel: Callable,
    notes: list[str],
    also: Iterable[dict] = (),
    same: bool = True,
    bottom: float | None = 0.0,
    sharey: Literal["row"] | bool = "row",
) -> Figure:
    """Return a figure of quantile curves: a panel for each row and column.

    Columns that don't fit side by side go on in a further line of panels. ``rows`` and ``columns``
    are (label, key); ``panel(axis, *row key, *column key)`` draws one, and labels its lines. One
    legend is for all rows if they show the ``same`` lines, else each row has its own. ``notes`` are
    the sentences below, ``also`` further lines of the figure's legend; ``bottom`` and ``sharey``
    as in matplotlib.
    """
    high = -(-len(columns) // MOST_COLUMNS)
    wide = -(-len(columns) // high)
    titles = [wrapped(title, WIDTH / wide - 0.5) for title, _ in columns]
    tall = PANEL if high * len(rows) <= 3 else LOW_PANEL
    tall += HEADING * (1 + max(title.count("\n") for title in titles))
    size = (WIDTH if wide > 1 else NARROW, (tall * high + 0.3) * len(rows))
    figure = Figure(figsize=size, layout="constrained")
    parts = figure.subfigures(len(rows), 1, squeeze=False)[:, 0]
    for part, (label, row_key) in zip(parts, rows, strict=True):
        axes = part.subplots(high, wide, squeeze=False, sharex=True, sharey=sharey)
        for axis, title, (_, column_key) in zip(axes.flat, titles, columns, strict=False):
            panel(axis, *row_key, *column_key)
            axis.set_title(title)
        for axis in axes.flat[len(columns) :]:
            axis.set_visible(False)
        for line_of_axes in axes:
            line_of_axes[0].set_ylabel(wrapped(label.partition(", ")[0], tall - 0.2))
        dress_curves(axes, results.nouns, bottom)
        if not same:
            how = {"title": label, "loc": "outside upper left"}
            grown = legend(part, entries(part.axes), size[0], **how)
            figure.set_figheight(figure.get_figheight() + grown)
    handles = [*(entries(figure.axes) if same else []), *map(sample, also)]
    dress(figure, results, heading, handles, notes)
    return figure


def dress_curves(axes: np.ndarray, nouns: str, bottom: float | None = 0.0) -> None:
    """Set the limits and labels that quantile curves have, for panels (lines, columns)."""
    for axis in axes.flat:
        axis.set_xlim(0, 1)
        axis.set_ylim(bottom=bottom)
        if axes.shape[1] > 2:
            axis.set_xticks([0, 0.5, 1])
    for column in axes.T:
        lowest = [axis for axis in column if axis.get_visible()][-1]
        lowest.set_xlabel(f"share of {nouns} τ")
        lowest.tick_params(labelbottom=True)


def show_zero(axis: Axes) -> None:
    """Let the x axis of intervals begin at 0 or below, so that none is cut off there."""
    low, high = axis.get_xlim()
    axis.set_xlim(left=min(low, -0.02 * high))
    axis.axvline(0.0, color="#999999", lw=0.6, zorder=0.5)


def sample(line: dict) -> Artist:
    """Return an artist for the legend that is in no panel."""
    return Line2D([], [], **line)


def entries(axes: Iterable[Axes]) -> list[Artist]:
    """Return one artist for each label in some panels, in the order of drawing.

    Matplotlib's own search leaves out names with an underscore in front.
    """
    artists: dict[str, Artist] = {}
    for axis in axes:
        for artist in (*axis.collections, *axis.lines):
            if not UNLABELLED.fullmatch(label := str(artist.get_label())):
                artists.setdefault(label, artist)
    return list(artists.values())


def legend(place, handles: list[Artist], inches: float, **how) -> float:
    """Add a legend in as many columns as fit a width; return its height, both in inches."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    many = max(1, min(len(handles), letters(inches, 7.5) // (longest + 6)))
    rows = -(-len(handles) // many)
    place.legend(handles=handles, ncols=-(-len(handles) // rows), alignment="left", **how)
    return HEADING * (rows + bool(how.get("title"))) + PAD


def same_lines(axes: Iterable[Axes]) -> bool:
    """Whether a legend for one panel is right for all."""
    return len({tuple(str(entry.get_label()) for entry in entries([axis])) for axis in axes}) == 1


def head(axis: Axes, title: str, legend_too: bool, inches: float) -> float:
    """Put a title and, if wanted, a legend above a panel; return the legend's height in inches."""
    if not (legend_too and entries([axis])):
        axis.set_title(title, loc="left")
        return 0.0
    how = {"title": title, "loc": "lower left", "bbox_to_anchor": (0, 1.02)}
    return legend(axis, entries([axis]), inches, **how)


def dress(
    figure: Figure, results: Results, title: str, handles: list[Artist], notes: list[str]
) -> None:
    """Add title and legend above the panels and the settings below them; the figure grows."""
    inches = figure.get_figwidth()
    whole = f"{plain(results.step['title'])}: {title}"
    above = {"fontsize": 9, "fontweight": "bold", "va": "top", "wrap": True}
    figure.suptitle(whole, x=PAD / inches, ha="left", **above).set_gid(TITLE)
    if handles:
        legend(figure, handles, inches - 0.1, loc="upper left")
    notes = [
        figure_note(results),
        *notes,
        results.notes.draws,
        results.notes.smoothing,
        results.notes.weights,
    ]
    text = textwrap.fill(
        " ".join(filter(None, notes)), letters(inches - 0.1, SMALL), break_on_hyphens=False
    )
    below = {"fontsize": SMALL, "color": "#444444", "va": "bottom"}
    figure.supxlabel(text, x=PAD / inches, ha="left", **below).set_gid(NOTES)
    arrange(figure, figure.get_figheight())


def words(results: Results, title: str, *notes: str) -> Figure:
    """Return a figure that says why there is nothing to draw."""
    figure = Figure(figsize=(WIDTH, 0.2), layout="constrained")
    dress(figure, results, title, [], list(notes))
    return figure


def undressed(figure: Figure) -> tuple[str, str]:
    """Take title and notes off a figure, and return them as texts of one line each."""
    taken = {text.get_gid(): text for text in figure.texts if text.get_gid() in (TITLE, NOTES)}
    if taken:
        panels = figure.get_figheight() - sum(map(sum, furniture(figure)))
        for text in taken.values():
            text.set_visible(False)
        arrange(figure, panels)
    title, notes = (
        " ".join(taken[part].get_text().replace(r"\$", "$").split()) if part in taken else ""
        for part in (TITLE, NOTES)
    )
    return title, notes


def arrange(figure: Figure, panels: float) -> None:
    """Make room for title, legend and notes around panels that are so high, in inches."""
    (title, key), (notes,) = furniture(figure)
    whole = title + key + panels + notes
    figure.set_figheight(whole)
    left = PAD / figure.get_figwidth()
    for text in figure.texts:
        text.set_in_layout(False)
        if text.get_gid() in (TITLE, NOTES):
            y = 1 - PAD / whole if text.get_gid() == TITLE else PAD / whole
            text.set_position((left, y))
    for legend in figure.legends:
        legend.set_in_layout(False)
        legend.set_bbox_to_anchor((left, 1 - (title + PAD) / whole), figure.transFigure)
    figure.set_layout_engine("constrained", rect=(0, notes / whole, 1, panels / whole))


def furniture(figure: Figure) -> tuple[tuple[float, float], tuple[float]]:
    """Return the heights of (title, legend) above and (notes) below the panels, in inches."""
    renderer = FigureCanvasAgg(figure).get_renderer()

    def height(artist: Artist) -> float:
        return artist.get_window_extent(renderer).height / figure.dpi + 2 * PAD

    texts = {text.get_gid(): height(text) for text in figure.texts if text.get_visible()}
    return (texts.get(TITLE, 0.0), sum(map(height, figure.legends))), (texts.get(NOTES, 0.0),)
