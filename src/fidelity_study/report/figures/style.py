"""What all figures share: size, fonts, colours, names, axes and legends, as journals want them.

A figure is 89 or 183 mm wide, one column or two, with texts of 5 to 7 points. It has no title and
no notes inside: these are its caption.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import matplotlib
import numpy as np
from fontTools import subset
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, findSystemFonts, fontManager, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Polygon
from matplotlib.ticker import Locator, NullLocator

from fidelity_study.report import palette
from fidelity_study.report.figures.source import NARROW as NARROW
from fidelity_study.report.figures.source import WIDE as WIDE
from fidelity_study.report.plot import Plot, apart, shorten
from fidelity_study.tables.read_write import complete

LIKE_HELVETICA = {
    "Helvetica": "helvetica",
    "Arial": "arial",
    "Arimo": "arimo",
    "Liberation Sans": "liberationsans-",
    "Nimbus Sans": "nimbussans-",
    "TeX Gyre Heros": "texgyreheros-",
}
OTHER = "DejaVu Sans"
IN_SVG = "Helvetica, Arial, Arimo, 'Liberation Sans', sans-serif"


@cache
def font() -> str:
    """Return the font that texts have: of those like Helvetica the first that is installed."""
    for again in (False, True):
        there = set(fontManager.get_font_names())
        for name in LIKE_HELVETICA:
            if name in there:
                return name
        if not again:  # Matplotlib does not see fonts that were installed after its first start.
            for path in findSystemFonts():
                if Path(path).name.lower().startswith(tuple(LIKE_HELVETICA.values())):
                    fontManager.addfont(path)
    return OTHER


def font_note() -> str:
    """Say that no font with the widths of Helvetica is installed; empty if one is."""
    if font() != OTHER:
        return ""
    return (
        f"texts are in {OTHER}, which is wider than journals want: no font like Helvetica is "
        "installed; install one, for example the package fonts-liberation"
    )


SMALL, NORMAL = 5.5, 6.5
INK, SOFT, GRID, COMPARED = palette.PEOPLE, "#59626d", "#e4e7ea", "#9aa1a9"
SETTINGS: dict = {
    "font.family": [font(), OTHER],  # the other for signs that the first lacks
    "font.size": NORMAL,
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": NORMAL,
    "axes.labelsize": NORMAL,
    "axes.labelpad": 2.0,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "legend.frameon": False,
    "legend.fontsize": SMALL,
    "legend.title_fontsize": NORMAL,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.5,
    "legend.borderaxespad": 0.0,
    "lines.linewidth": 1.0,
    "lines.solid_capstyle": "butt",
    "mathtext.fontset": "custom",
    "mathtext.rm": font(),
    "mathtext.it": f"{font()}:italic",
    "mathtext.bf": f"{font()}:bold",
    "mathtext.cal": font(),
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "fidelity",
}
for axis in "xy":
    SETTINGS |= {f"{axis}tick.labelsize": SMALL, f"{axis}tick.color": SOFT}
    SETTINGS |= {f"{axis}tick.labelcolor": INK, f"{axis}tick.major.size": 2.0}
    SETTINGS |= {f"{axis}tick.major.width": 0.5, f"{axis}tick.major.pad": 2.0}
matplotlib.rcParams.update(SETTINGS)
# A PDF places each sign by itself: its fonts need no tables of layout, which take long to cut out.
subset.Options._drop_tables_default = [
    *getattr(subset.Options, "_drop_tables_default", []),
    *("GDEF", "GPOS", "GSUB"),
]

SCREEN, PRINT = 130, 600
BANDS = {"effects": GRID}  # green is within a limit, and these are not
COLUMN = 1.75
HEADING = 0.12
PAD, AROUND_LABEL = 0.03, 0.35
BESIDE: dict[str, Any] = {
    "xytext": (4, 0),
    "textcoords": "offset points",
    "va": "center_baseline",
    "fontsize": SMALL,
    "color": SOFT,
}


def new(width: float, height: float) -> Figure:
    """Return a figure of a size in inches."""
    layout = ConstrainedLayoutEngine(w_pad=PAD, h_pad=PAD)
    return Figure(figsize=(width, height), layout=layout)


@cache
def width_of(text: str, points: float) -> float:
    """Return how wide a text is, in inches."""
    face = get_font(findfont(FontProperties(family=font())))
    face.set_size(points, 72)
    face.set_text(text)
    return face.get_width_height()[0] / 64 / 72


def names(labels: Sequence[str], inches: float, points: float = NORMAL) -> list[str]:
    """Return labels of a figure, cut where they are longer, but not where they differ."""
    return [plain(text) for text in shorten(labels, lambda text: width_of(text, points) <= inches)]


def squares(width: float, titles: Sequence[str], plots: Sequence[Plot]) -> Figure:
    """Return a figure with charts as square panels side by side on the same axes.

    Several have letters.
    """
    side = min(width / len(plots), NARROW)
    figure = new(width, side)
    axes = figure.subplots(1, len(plots), squeeze=False, sharex=True, sharey=True)[0]
    shown = names(titles, side - 0.6)
    for axis, title, plot, letter in zip(axes, shown, plots, ascii_lowercase, strict=False):
        axis.set_box_aspect(1)
        axis.set_title(title, loc="right", color=plot.colour)
        axis.set_title(letter if len(plots) > 1 else "", loc="left", weight="bold")
        panel(axis, plot)
        axis.label_outer()
    return figure


def panel(axis: Axes, plot: Plot) -> None:
    """Draw a chart into a panel, as the page does, with the names of lines at their ends."""
    axis.set(xlim=(plot.x.low, plot.x.high), ylim=(plot.y.low, plot.y.high))
    axis.set(xlabel=plot.x.label, ylabel=plot.y.label)
    axis.set_xticks(*zip(*plot.x.ticks, strict=True))
    axis.set_yticks(*zip(*plot.y.ticks, strict=True))
    if plot.band:
        shade = BANDS.get(plot.name, palette.BAND)
        axis.add_patch(Polygon(plot.band, color=shade, lw=0, zorder=0.5))
    for line in plot.lines:
        colour, style = line.colour or COMPARED, ":" if line.is_bound else "-"
        axis.plot(line.x, [np.nan if y is None else y for y in line.y], style, color=colour)
    for dot in plot.dots:
        thin: dict[str, Any] = {"lw": 0.4, "alpha": 0.4} if dot.wide else {"lw": 0.8}
        if dot.ends:
            axis.plot([dot.x, dot.x], dot.ends, color=plot.colour, **thin)
        if dot.wide:
            axis.plot(dot.wide, [dot.y, dot.y], color=plot.colour, **thin)
    marks: dict[str, Any] = {"mew": 0, "alpha": 0.6, "clip_on": False}
    marks["color"] = plot.colour or COMPARED
    small = [(dot.x, dot.y) for dot in plot.dots if dot.size is None]
    if small:
        axis.plot(*zip(*small, strict=True), "o", ms=2.0, **marks)
    for dot in plot.dots:
        if dot.size is not None:
            axis.plot(dot.x, dot.y, "o", ms=1.8 + 4 * dot.size, **marks)


def name_lines(axis: Axes, plot: Plot, inches: float) -> None:
    """Write lines' names, as of :func:`names`, to the right of a panel so many inches high."""
    named = [line for line in plot.lines if line.label]
    room = 1.15 * NORMAL / 72 / inches * plot.y.high
    places = apart([line.points[-1][1] for line in named], room, plot.y.high)
    for line, place in zip(named, places, strict=True):
        colour = SOFT if line.colour in palette.GREYS else line.colour
        how = BESIDE | {"va": "center", "color": colour, "fontsize": NORMAL}
        axis.annotate(line.label, (plot.x.high, place), **how)


def save(figure: Figure, made: str, *paths: str, dpi: float = SCREEN) -> None:
    """Save a figure in each format, with one layout.

    What it was ``made`` from goes into the files' metadata; no date does, so that the same figure
    gives the same files.
    """
    metadata = {
        ".png": {"Description": made},
        ".pdf": {"Subject": made, "CreationDate": None},
        ".svg": {"Description": made, "Date": None},
    }
    if engine := figure.get_layout_engine():
        figure.set_dpi(dpi)
        engine.execute(figure)
        figure.set_layout_engine(None)  # with one, Matplotlib draws each file twice
    for path in paths:
        with complete(path) as partial:
            figure.savefig(partial, metadata=metadata[partial.suffix], dpi=dpi)
            if partial.suffix == ".svg":
                text = partial.read_text(encoding="utf-8")
                partial.write_text(text.replace(f"'{font()}'", IN_SVG), encoding="utf-8")


def plain(text: str) -> str:
    """Return ``text`` so that matplotlib does not read its dollar signs as mathematics."""
    return text.replace("$", r"\$")


def broken(text: str, inches: float, points: float = NORMAL) -> str:
    """Break a text between words so that it fits a width; a longer word is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, points) > inches:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(names([line], inches, points)[0] for line in lines)


def number(scale: Axis, locator: Locator, form: Any = "{x:,.0f}") -> None:
    """Write numbers at some places of an axis, and none between them."""
    scale.set_major_locator(locator)
    scale.set_minor_locator(NullLocator())
    scale.set_major_formatter(form)


def name_rows(axis: Axes, names: Sequence[str]) -> None:
    """Write the names of rows, of height 1 from the top, to their left."""
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_yticks(range(len(names)), names)
    axis.tick_params(axis="y", length=0)
    axis.grid(False, axis="y")


def show_zero(axis: Axes) -> None:
    """Let the x axis of intervals begin at 0 or below, so that none is cut off there."""
    low, high = axis.get_xlim()
    axis.set_xlim(left=min(low, -0.02 * high))
    axis.axvline(0.0, color="#999999", lw=0.6, zorder=0.5)


def legend(figure: Figure, handles: list[Artist]) -> None:
    """Put a legend above a figure, which grows by that."""
    if not handles:
        return
    longest = max(width_of(str(handle.get_label()), SMALL) for handle in handles)
    many = max(1, min(len(handles), int(figure.get_figwidth() / (longest + AROUND_LABEL))))
    rows = -(-len(handles) // many)
    columns = -(-len(handles) // rows)
    figure.legend(handles=handles, ncols=columns, alignment="left", loc="outside upper left")
    figure.set_figheight(figure.get_figheight() + HEADING * rows + PAD)


def name_cells(axis: Axes, rows: list[str], columns: list[str], **how: Any) -> None:
    """Write the names of a grid's rows to its left, and those of its columns above it.

    Args:
        axis: cells of width and height 1 are drawn on it, from 0 on.
        rows, columns: their names.
        how: the names of columns are written.
    """
    axis.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=NORMAL)
    axis.set_xticks(np.arange(len(columns)) + 0.5, columns, **how)
    axis.tick_params(length=0, labeltop=True, labelbottom=False)
    axis.grid(False)
    axis.spines[:].set_visible(False)


def words(width: float, reason: str) -> Figure:
    """Return a figure that says why there is nothing to draw."""
    text = broken(reason, width - 0.2)
    height = 0.2 + 0.12 * (1 + text.count("\n"))
    figure = Figure(figsize=(width, height))  # no panels to lay out
    figure.text(0.5, 0.5, text, ha="center", va="center")
    return figure
