"""What the page says of a few people and a simulator together."""

from collections.abc import Iterator
from typing import NamedTuple

from fidelity.correction.gain import GAIN, LOSS, NO_GAIN
from fidelity.means.average import ASKED, NEW
from fidelity_study.report.formats import span
from fidelity_study.report.page.uses import GUESS
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.summaries import ComparisonTable, SimulatorSummary
from fidelity_study.report.tables import having
from fidelity_study.steps.hybrids import CORRECTED, HYBRID

TOLD = 3
OR_MORE = " or more"
NOTHING = 1e-9
WHOLE = 10.0


class Hybrids(NamedTuple):
    """The section.

    Attributes:
        said: for each of the closest simulators under test, and the uniform guess, its sentences.
        note: the data that the section rests on.
    """

    said: list[list[str]]
    note: str


def hybrids(table: ComparisonTable) -> Hybrids | None:
    """Return the section; None where the config doesn't ask for it, or nobody can be judged."""
    there = {summary.name: _rows(table, summary, HYBRID, ASKED) for summary in table.every}
    standing = [summary for summary in table.every if there[summary.name]]
    if not standing:
        return None
    tested = [summary for summary in standing if not summary.is_baseline][:TOLD]
    described = tested + [summary for summary in standing if summary.name == GUESS]
    rows = [row for simulator_rows in there.values() for row in simulator_rows]
    return Hybrids([list(_sentences(table, one)) for one in described], _note(table, rows))


def _rows(
    table: ComparisonTable, summary: SimulatorSummary, source: str, target: str
) -> list[dict]:
    cell = {"discrepancy": table.discrepancy, "source": source, "target": target}
    return having(table.results.hybrids, {**cell, **summary.cell})


def _sentences(table: ComparisonTable, summary: SimulatorSummary) -> Iterator[str]:
    rows = _rows(table, summary, HYBRID, ASKED)
    noun, name = table.results.noun, named(summary.label)
    if summary.name == GUESS:
        yield from _of_guess(rows, noun, name)
        return
    gains, losses, none = (
        [row["n0"] for row in rows if row["verdict"] == verdict]
        for verdict in (GAIN, LOSS, NO_GAIN)
    )
    if gains:
        first, *more = [row for row in rows if row["n0"] in gains]
        also = "".join(f"; with {row['n0']}, {_both(row)}" for row in more)
        yield (
            f"With {first['n0']} interviews for each {noun}, {name} saves {_text(first)}"
            f" interviews, {_text(first, 'beyond')} of them beyond a uniform guess{also}."
        )
    if len(none) == len(rows):
        yield f"{name} shows no gain at any number of interviews."
    elif none and gains and none == [row["n0"] for row in rows if row["n0"] > max(gains)]:
        yield f"With {none[0]} interviews or more, no gain is shown."
    elif none:
        yield (
            f"With {listed(list(map(str, none)), 'or')} interviews, neither a gain nor a loss by"
            f" {name} is shown."
        )
    if losses:
        yield (
            f"With {listed(list(map(str, losses)), 'or')} interviews for each {noun}, people alone"
            f" come nearer to all others than together with {name}."
        )
    corrected = having(_rows(table, summary, CORRECTED, ASKED), {"verdict": GAIN})
    if corrected:
        at = "; ".join(f"{_text(row)} with {row['n0']}" for row in corrected)
        yield f"Corrected by the people interviewed, it saves {at}."
    if gains and not having(_rows(table, summary, HYBRID, NEW), {"verdict": GAIN}):
        yield f"For new {table.results.nouns} no gain is shown."


def _of_guess(rows: list[dict], noun: str, name: str) -> Iterator[str]:
    """Say what a uniform guess saves, which is no merit of a simulator."""
    saving = [row for row in rows if row["saved_lower"] > NOTHING]
    if not saving:
        yield f"{name} saves no interviews for certain."
        return
    first, *more = saving
    also = "".join(f"; with {row['n0']}, {_text(row)}" for row in more)
    yield (
        f"With {first['n0']} interviews for each {noun}, {name}, which knows nothing of people,"
        f" saves {_text(first)} interviews{also}."
    )


def _note(table: ComparisonTable, rows: list[dict]) -> str:
    left_out = max(row["left_out"] for row in rows)
    split = listed(sorted({row["method"] for row in rows}))
    without = (
        f" Up to {left_out:,} are left out, because fewer than three times as many people"
        " answered them as are interviewed."
    )
    return (
        f"Measured on {span([row['m'] for row in rows])} {table.results.nouns},"
        f" {rows[0]['splits']} random splits ({split}).{without if left_out else ''}"
    )


def _both(row: dict) -> str:
    return f"{_text(row)}, {_text(row, 'beyond')} beyond"


def _text(row: dict, name: str = "saved") -> str:
    return f"{_count(row, name)} ({_limits(row, name)})"


def _limits(row: dict, name: str) -> str:
    lower, upper = _count(row, f"{name}_lower"), _count(row, f"{name}_upper")
    return f"{lower} to {upper}" if lower != upper else f"at least {lower.removesuffix(OR_MORE)}"


def _count(row: dict, name: str) -> str:
    """Return a number of interviews; "or more" where more people alone were not measured."""
    value = row[name]
    text = f"{value:,.0f}" if abs(value) >= WHOLE else f"{round(value, 1) + 0.0:.1f}"
    most = row["most"] - row["n0"]
    return f"{text}{OR_MORE}" if value > most - 1e-6 else text
