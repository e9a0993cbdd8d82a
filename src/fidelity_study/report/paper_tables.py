"""Tables of a dataset: its ranking, pairs, questions and curves, in four formats."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fidelity_study.errors import DataError, there_are
from fidelity_study.reading.tabular.kept import HOW_TO_INSTALL
from fidelity_study.report.formats import DASH, lower_first, with_sign
from fidelity_study.report.page import explorer
from fidelity_study.report.page.dataset import Dataset, View
from fidelity_study.report.units import Unit
from fidelity_study.tables.read_write import inert

if TYPE_CHECKING:
    import pandas as pd

TEXTS = {"eval", "model", "settled", "simulator", "other", "closer", "question", "topic", "list"}
DIGITS = 6
OF_SCORES = ("proper_scores", "calibration_scores", "intervals", "distances")


class PaperTable(NamedTuple):
    """A table.

    Attributes:
        rows: by column a number, a text, or None; the ends of an interval stand in two columns.
        intervals: names of columns whose two ends are written as one, "4–6".
        unit: of the distances.
        is_signed: whether these are differences.
        caption: what it shows.
    """

    rows: list[dict]
    intervals: dict[str, tuple[str, str]]
    unit: Unit
    caption: str
    is_signed: bool = False


def ranking(view: View) -> PaperTable:
    """Return all simulators by their distance, with other people among them."""
    screen, results = view.screen, view.results
    rows = [
        {
            "simulator": row.label,
            "distance": row.estimate,
            "lower": row.lower,
            "upper": row.upper,
            "rank": row.rank,
            **(row.counts._asdict() if row.counts else {}),
            "questions": row.questions,
        }
        for row in screen.ranking
    ]
    limit = "" if screen.limit is None else f" Tolerance: {screen.unit.text(screen.limit)}."
    return PaperTable(
        rows,
        {f"{results.level} interval": ("lower", "upper")},
        screen.unit,
        "Simulators by their distance from people, in"
        f" {lower_first(screen.unit.axis_of_means)}.{limit} Each rank is all that the"
        f" data allow. {results.m:,} {results.nouns}.",
    )


def pairs(view: View) -> PaperTable:
    """Return the difference of every two simulators, the closer of the ranking first."""
    screen, results = view.screen, view.results
    labels = {row.name: row.label for row in screen.ranking if row.name}
    factor = screen.unit.factor if screen.unit.is_linear else 1.0
    rows = [
        {
            "simulator": labels[one],
            "other": labels[two],
            "lower": factor * lower,
            "upper": factor * upper,
            "closer": {-1: labels[one], 0: "", 1: labels[two]}[sign],
        }
        for one, two, (lower, upper), sign in view.of.differences(labels)
    ]
    return PaperTable(
        rows,
        {"difference": ("lower", "upper")},
        screen.unit,
        "Mean distance of a simulator less that of the other, in"
        f" {lower_first(screen.unit.axis_of_differences)}, as intervals that hold at once with"
        f" {results.level} confidence. {results.m:,} {results.nouns}.",
        is_signed=True,
    )


def questions(view: View, simulator: str) -> PaperTable:
    """Return the questions with one simulator's distances, the farthest first."""
    screen, results = view.screen, view.results
    has_lists = bool(view.of.lists[simulator])
    rows = [
        {
            "question": card.heading + (f" ({card.beside})" if card.beside else ""),
            **({"topic": card.topic} if results.clustered else {}),
            "people": round(card.people),
            "distance": card.distance,
            "lower": card.lower,
            "upper": card.upper,
            **({"list": card.listed or ""} if has_lists else {}),
        }
        for card in screen.cards(simulator)
    ]
    return PaperTable(
        rows,
        {f"{results.bound_level} bounds": ("lower", "upper")},
        screen.unit,
        f"Distance of {results.named(simulator)} from people, in"
        f" {lower_first(screen.unit.axis)}, the farthest {results.noun} first."
        f" Bounds hold for each {results.noun} by itself"
        f"{', lists for all at once' * has_lists}.",
    )


def curve(view: View) -> PaperTable:
    """Return the points of every simulator's curve, and of the bound on it.

    Raises:
        DataError: no simulator has a curve.
    """
    screen, results = view.screen, view.results
    shares, curves = explorer.curves(view.of)
    if not curves:
        raise DataError("table: no simulator has a curve; ranking, pairs and questions are there")
    rows = [
        {
            "simulator": screen.row(name).label,
            "percent": round(100 * share),
            "distance": distance,
            "bound": bound,
        }
        for name, (values, bounds) in curves.items()
        for share, distance, bound in zip(
            shares,
            screen.unit.values(values),
            screen.unit.values(bounds or [None] * len(shares)),
            strict=True,
        )
    ]
    return PaperTable(
        rows,
        {},
        screen.unit,
        f"The distance from people that so many percent of all {results.nouns} are within, in"
        f" {lower_first(screen.unit.axis)}: an estimated bound. The column bound has one that"
        f" holds for all simulators at once with {results.bound_level} confidence."
        f" {results.m:,} {results.nouns}.",
    )


def made(dataset: Dataset, kind: str, simulator: str | None = None) -> PaperTable:
    """Return a table of a dataset by its first discrepancy.

    Raises:
        DataError: there is no such simulator, or nothing to show.
    """
    if not dataset.views:
        files = dataset.results.files
        scores = [Path(path).with_suffix(".csv") for name in OF_SCORES for path in files[name]]
        where = [str(path) for path in scores if path.is_file()] or ["its report"]
        raise DataError(
            f"table: {dataset.name} has no distances to show; its scores are in {', '.join(where)}"
        )
    view = dataset.views[0]
    if simulator not in (None, *(known := dataset.results.simulators)):
        raise DataError(f"--simulator: {there_are(str(simulator), known)}")
    if kind == "questions":
        return questions(view, simulator or view.of.best.name)
    return {"ranking": ranking, "pairs": pairs, "curve": curve}[kind](view)


def write(table: PaperTable, path: Path) -> None:
    """Write a table; the end of the path is its format.

    Raises:
        DataError: the format is unknown, or its package is not installed.
    """
    formats = {".csv": _csv, ".tex": _latex, ".html": _html, ".docx": _word}
    if path.suffix not in formats:
        raise DataError(f"--output: {path} names no format; end it in {', '.join(formats)}")
    formats[path.suffix](table, path)


def _csv(table: PaperTable, path: Path) -> None:
    import pandas as pd

    pd.DataFrame(map(inert, table.rows)).round(DIGITS).convert_dtypes().to_csv(path, index=False)


def shown(table: PaperTable) -> "pd.DataFrame":
    """Return the cells as they are printed: intervals in one column, a dash for nothing."""
    import pandas as pd

    ends = {end: (name, pair) for name, pair in table.intervals.items() for end in pair}
    names = dict.fromkeys(name for row in table.rows for name in row)
    columns = dict.fromkeys(ends[name][0] if name in ends else name for name in names)
    rows = [
        {
            name: _interval(table, row, table.intervals[name])
            if name in table.intervals
            else _cell(table, row.get(name))
            for name in columns
        }
        for row in table.rows
    ]
    return pd.DataFrame(rows, columns=list(columns))


def _cell(table: PaperTable, value: object) -> str:
    if value is None:
        return DASH
    if isinstance(value, float):
        return table.unit.text(value).replace("-", "−")
    return f"{value:,}" if isinstance(value, int) else str(value)


def _interval(table: PaperTable, row: dict, pair: tuple[str, str]) -> str:
    lower, upper = (row.get(end) for end in pair)
    if lower is None or upper is None:
        return DASH
    if table.is_signed:
        return " to ".join(map(with_sign, table.unit.ends(lower, upper)))
    return table.unit.range(lower, upper)


def _latex(table: PaperTable, path: Path) -> None:
    styler = shown(table).style.hide(axis="index").format(escape="latex")
    frame = styler.data
    align = "".join("l" if name in TEXTS else "r" for name in frame.columns)
    caption = table.caption.replace("%", r"\%")
    styler.format_index(escape="latex", axis=1)
    text = styler.to_latex(hrules=True, caption=caption, column_format=align)
    path.write_text(f"% needs \\usepackage{{booktabs}}\n{text}", encoding="utf-8")


def _html(table: PaperTable, path: Path) -> None:
    styler = shown(table).style.hide(axis="index").format(escape="html")
    styler.format_index(escape="html", axis=1).set_caption(table.caption)
    path.write_text(styler.to_html(doctype_html=True), encoding="utf-8")


def _word(table: PaperTable, path: Path) -> None:
    try:
        import docx
    except ImportError:
        raise DataError(f"--format docx needs the package python-docx; {HOW_TO_INSTALL}") from None
    frame, document = shown(table), docx.Document()
    document.add_paragraph(table.caption, style="Caption")
    grid = document.add_table(rows=0, cols=len(frame.columns), style="Light List")
    for cells in (frame.columns, *frame.itertuples(index=False)):
        for cell, text in zip(grid.add_row().cells, cells, strict=True):
            cell.text = text
    document.save(str(path))
