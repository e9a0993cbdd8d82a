"""Scores of models for papers: their means, or the differences of two, as a table and a figure."""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import nan
from typing import TYPE_CHECKING

from fidelity_study.errors import DataError
from fidelity_study.report.formats import percent
from fidelity_study.report.paper_tables import PaperTable
from fidelity_study.report.units import PLAIN, Unit
from fidelity_study.verdict_file import Evaluation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEANS, DIFFERENCES = "ranking", "pairs"
WHAT = {
    MEANS: "Mean scores of models, each with its own {} interval.",
    DIFFERENCES: "Mean score of a model less that of the other, on the questions of both, each"
    " with its own {} interval. Settled: it differs from 0, allowing for all pairs of an eval.",
}
LINE = 0.17
SETTLED = {True: "yes", False: "no"}


def table(evaluations: Sequence[Evaluation], kind: str) -> PaperTable:
    """Return a row for each model or pair of models on each eval.

    Args:
        evaluations: as ``verdict.json`` has them.
        kind: ``ranking`` or ``pairs``.

    Raises:
        DataError: there is no such table, or nothing in it.
    """
    if kind not in WHAT:
        what = "is of distances from people; of scores there are"
        raise DataError(f"{kind}: {what} {' and '.join(WHAT)}")
    rows = [*chain.from_iterable(map(_means if kind == MEANS else _differences, evaluations))]
    if not rows:
        raise DataError(f"{kind}: no two models have scores on the same eval")
    level = percent(evaluations[0].confidence)
    unit = Unit(PLAIN, "", 1.0, 3, (nan, nan))
    ends = {f"{level} interval": ("lower", "upper")}
    return PaperTable(rows, ends, unit, WHAT[kind].format(level), kind == DIFFERENCES)


def _means(evaluation: Evaluation) -> Iterator[dict]:
    for row in evaluation.scores:
        about = {"eval": row.eval, "model": row.model, "score": row.estimate}
        yield about | {"lower": row.lower, "upper": row.upper, "questions": row.questions}


def _differences(evaluation: Evaluation) -> Iterator[dict]:
    for row in evaluation.differences:
        about = {"eval": row.eval, "model": row.model, "other": row.baseline}
        ends = {"difference": row.estimate, "lower": row.lower, "upper": row.upper}
        yield about | ends | {"settled": SETTLED[row.settled]}


def figure(evaluations: Sequence[Evaluation], kind: str, width: float) -> tuple["Figure", str]:
    """Return a line for each row of :func:`table` that has an interval, and the caption.

    Raises:
        DataError: there is no such figure, or nothing to draw.
    """
    from fidelity_study.report.figures import style

    made = table(evaluations, kind)
    rows = [row for row in made.rows if None not in (row["lower"], row["upper"])]
    if not rows:
        raise DataError(f"{kind}: no interval is known")
    several = len({row["eval"] for row in rows}) > 1
    labels = [
        (f"{row['eval']}: " if several else "")
        + row["model"]
        + (f" − {row['other']}" if "other" in row else "")
        for row in rows
    ]
    drawn = style.new(width, LINE * len(rows) + 0.45)
    axis, middle_of = drawn.subplots(), "difference" if kind == DIFFERENCES else "score"
    for place, row in enumerate(rows):
        is_open = row.get("settled") == SETTLED[False]
        colour = style.COMPARED if is_open else style.INK
        low, middle, high = (row[name] for name in ("lower", middle_of, "upper"))
        axis.hlines(place, low, high, color=colour, lw=1.2)
        face = "white" if is_open else colour
        axis.plot([middle], [place], "o", ms=3.2, color=colour, mfc=face)
    style.name_rows(axis, style.names(labels, width / 2))
    if kind == DIFFERENCES:
        style.show_zero(axis)
    axis.set_xlabel("difference of mean scores" if kind == DIFFERENCES else "mean score")
    more = " Hollow: not settled." if any("settled" in row for row in rows) else ""
    return drawn, f"{made.caption}{more}"
