"""What was checked, as Markdown for a pull request: tables, and pictures in letters."""

from collections.abc import Iterable, Iterator

from fidelity_study.report.formats import DASH, number, range_text
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
        rank = "–".join(dict.fromkeys(map(str, (one.first_rank, one.last_rank))))
        ends = range_text(_ends(one))
        lists = (DASH if names is None else str(len(names)) for names in (one.within, one.beyond))
        yield f"| {' | '.join([cell(one.label), number(one.estimate), ends, rank, *lists])} |"
    drawn = [one for one in view.simulators if _ends(one)]
    yield from ("", "```text", *_picture(drawn, view.tolerance), "```", "")


def _ends(one: Simulator) -> tuple[float, float] | None:
    """Return the interval that decides on conditions: it holds for all simulators at once."""
    lower, upper = one.familywise_lower, one.familywise_upper
    return None if lower is None or upper is None else (lower, upper)


def _picture(drawn: list[Simulator], tolerance: float | None) -> Iterator[str]:
    """Yield a line for each simulator, its interval on one scale from 0."""
    end = max([one.familywise_upper or 0.0 for one in drawn] + [tolerance or 0.0]) or 1.0
    names = [plain(one.label)[:LABEL] for one in drawn]
    wide = max(map(len, names), default=0)

    def place(value: float | None) -> int:
        return round((WIDTH - 1) * (value or 0.0) / end)

    for name, one in zip(names, drawn, strict=True):
        low, high, dot = map(place, (one.familywise_lower, one.familywise_upper, one.estimate))
        marks = ["─" if low <= i <= high else " " for i in range(WIDTH)]
        if tolerance is not None:
            marks[place(tolerance)] = "┼" if low <= place(tolerance) <= high else "│"
        marks[dot] = "●"
        yield f"{name:<{wide}} {''.join(marks).rstrip()}"
    limit = "" if tolerance is None else f"; │ is the tolerance, {tolerance:g}"
    yield f"{'':<{wide}} 0 to {end:.3g}{limit}"
