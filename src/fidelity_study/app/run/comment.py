"""What was checked, as Markdown for a pull request: tables, and pictures in letters."""

from collections.abc import Iterable, Iterator

from fidelity_study.report.formats import DASH, number, range_text, rank_range
from fidelity_study.report.page.words import cell, markdown, plain
from fidelity_study.verdict_file import Simulator, View

WIDTH, LABEL = 60, 30


BEGIN = "### "


def text(study: str, findings: Iterable[str], why: str, sections: Iterable[str]) -> str:
    """Return the comment.

    Args:
        study: its name.
        findings: a line for each condition.
        why: what the exit status is, and why.
        sections: lines of :func:`sections`.
    """
    rows = [f"- {markdown(line)}" for line in findings]
    return "\n".join([f"{BEGIN}{cell(study)}: {markdown(why)}", "", *rows, *sections])


def sections(views: Iterable[tuple[str, View]]) -> Iterator[str]:
    """Yield the lines on each dataset: a table of its simulators, and their intervals drawn."""
    for dataset, view in views:
        yield from _section(dataset, view)


def _section(dataset: str, view: View) -> Iterator[str]:
    """Yield a table of a dataset's simulators, and a picture of their intervals in letters."""
    yield from ("", f"**{cell(dataset)}** ({view.discrepancy}): {markdown(view.headline)}", "")
    yield "| simulator | mean | interval, for all at once | rank | within | beyond |"
    yield "|---|---|---|---|---|---|"
    for one in view.simulators:
        rank, ends = rank_range(one.first_rank, one.last_rank), range_text(one.familywise)
        lists = (DASH if names is None else str(len(names)) for names in (one.within, one.beyond))
        yield f"| {' | '.join([cell(one.label), number(one.estimate), ends, rank, *lists])} |"
    yield from ("", "```text", *_picture(view.simulators, view.tolerance), "```", "")


def _picture(simulators: list[Simulator], tolerance: float | None) -> Iterator[str]:
    """Yield a line for each simulator that has an interval, which is drawn on one scale from 0."""
    drawn = [
        (plain(one.label)[:LABEL], *one.familywise, one.estimate)
        for one in simulators
        if one.familywise
    ]
    end = max([upper for _, _, upper, _ in drawn] + [tolerance or 0.0]) or 1.0
    wide = max((len(name) for name, *_ in drawn), default=0)

    def place(value: float | None) -> int:
        return round((WIDTH - 1) * (value or 0.0) / end)

    for name, *numbers in drawn:
        low, high, dot = map(place, numbers)
        marks = ["─" if low <= i <= high else " " for i in range(WIDTH)]
        if tolerance is not None:
            marks[place(tolerance)] = "┼" if low <= place(tolerance) <= high else "│"
        marks[dot] = "●"
        yield f"{name:<{wide}} {''.join(marks).rstrip()}"
    limit = "" if tolerance is None else f"; │ is the tolerance, {tolerance:g}"
    yield f"{'':<{wide}} 0 to {end:.3g}{limit}"
