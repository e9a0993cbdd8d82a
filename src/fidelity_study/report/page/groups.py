"""What the page says of groups of people: from which a simulator is farther, or which it resembles.

Of a simulator that draws it is about the probabilities that it draws from, where bounds on these
are known: a group with fewer draws is not farther for that.
"""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from fidelity_study.report.page.words import listed, named, plain
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import ComparisonTable, estimate_of, interval_of
from fidelity_study.report.tables import grouped, having
from fidelity_study.report.units import Unit
from fidelity_study.steps.cases import TRUE
from fidelity_study.steps.groups import MOST_COMPARED
from fidelity_study.tables.ingest import BETWEEN

MOST_DRAWN, MOST_NAMED = 4, 5
ROOM = 1.25


class Group(NamedTuple):
    """A group of people, and how far a simulator is from it, in people's units."""

    label: str
    estimate: float
    lower: float
    upper: float


class GroupPanel(NamedTuple):
    """One simulator.

    Attributes:
        name, label: as in the config.
        sentences: what is settled between groups, by each grouping.
        groupings: the name of each, and its groups; none of a grouping that is too long to draw.
    """

    name: str
    label: str
    sentences: list[str]
    groupings: dict[str, list[Group]]


class GroupSection(NamedTuple):
    """The section: its simulators, and the end of their axis."""

    panels: list[GroupPanel]
    drawn_to: float


def group_section(table: ComparisonTable) -> GroupSection | None:
    """Return the closest simulators, group by group; None where questions are put to no groups."""
    results, unit = table.results, Unit.of(table.results, table.discrepancy)
    panels = []
    for summary in table.tested[:MOST_DRAWN]:
        if groupings := _rows(results, results.by_group, table.discrepancy, summary.name):
            said = list(sentences(results, table.discrepancy, summary.name))
            drawn_by = {
                _title(grouping): list(_groups(rows, unit))
                for grouping, rows in groupings.items()
                if 1 < len(rows) <= MOST_COMPARED
            }
            panels.append(GroupPanel(summary.name, summary.label, said, drawn_by))
    drawn = [group for panel in panels for rows in panel.groupings.values() for group in rows]
    largest = max((group.upper for group in drawn), default=0.0) or 1.0
    return GroupSection(panels, ROOM * largest) if panels else None


def sentences(
    results: Results, discrepancy: str, simulator: str, *, most: int | None = None
) -> Iterator[str]:
    """Say from which groups a simulator is farther, or which may be nearest, by each grouping.

    Args:
        most: how many columns of groups a grouping has at most; None for any number.
    """
    pairs = _rows(results, results.between_groups, discrepancy, simulator)
    for grouping, rows in _rows(results, results.by_group, discrepancy, simulator).items():
        if len(rows) > 1 and (most is None or len(grouping.split(BETWEEN)) <= most):
            yield _sentence(results.named(simulator), grouping, rows, pairs.get(grouping, []))


def _rows(
    results: Results, table: Sequence[dict], discrepancy: str, simulator: str
) -> dict[str, list[dict]]:
    """Return a simulator's rows by grouping: of what it draws from, where that is known.

    Conditions of an experiment are not groups of people, nor are levels of a conjoint's attributes.
    """
    if results.is_conjoint:
        return {}
    form = {"simulator": simulator, "discrepancy": discrepancy, "k": results.main_form(simulator)}
    rows = having(list(table), form)
    rows = having(rows, {"answers": TRUE}) or rows
    rows = [row for row in rows if results.condition not in row["grouping"].split(BETWEEN)]
    parts = grouped(rows, "grouping")
    return {name: sorted(part, key=itemgetter("group")) for name, part in parts.items()}


def _sentence(label: str, grouping: str, rows: Sequence[dict], pairs: Sequence[dict]) -> str:
    who, by = named(label), _title(grouping)
    if not pairs:
        return f"By {by}, the groups that {who} answers for are not compared with each other."
    near = [row["group"] for row in rows if row["may_be_nearest"] is True]
    far = [row["group"] for row in rows if row["may_be_nearest"] is False]
    is_alike = rows[0]["alike"]
    if is_alike:
        who += " (the same answers for all)"
    if not far:
        which, does = ("Which", "resembles") if is_alike else ("From which", "is farther")
        return f"{which} group by {by} {who} {does} is not settled."
    if is_alike:
        nearest, others = (_listed(groups, last="or") for groups in (near, far))
        return f"By {by}, {who} may be nearest to {nearest}, not to {others}."
    farther = {(row["farther"], row[other]) for row in pairs for other in ("group", "other")}
    if all((one, other) in farther for one in far for other in near):
        return f"By {by}, {who} is farther from {_listed(far)} than from {_listed(near)}."
    return (
        f"By {by}, {who} is farther from {_listed(far)} than from some other group;"
        f" {_listed(near, last='or')} may be nearest."
    )


def _listed(groups: Sequence[str], last: str = "and") -> str:
    return listed([named(_label(group)) for group in groups], last=last, most=MOST_NAMED)


def _title(grouping: str) -> str:
    return plain(grouping.replace(BETWEEN, " × "))


def _label(group: str) -> str:
    return plain(group.replace(BETWEEN, " · "))


def _groups(rows: Sequence[dict], unit: Unit) -> Iterator[Group]:
    """Yield the groups that have an interval."""
    for row in rows:
        estimate, ends = estimate_of(row), interval_of(row)
        if estimate is not None and ends is not None:
            yield Group(_label(row["group"]), *map(unit.value, (estimate, *ends)))
