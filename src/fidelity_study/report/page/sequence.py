"""What the page says of a study that is looked at while data come in."""

from collections.abc import Iterator

from fidelity_study.report.formats import number, range_text
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.summaries import ComparisonTable, interval_of
from fidelity_study.report.tables import grouped, having
from fidelity_study.steps.sequence import OF_FILE, SCENARIO


def sequence(table: ComparisonTable) -> list[str]:
    """Return what may be concluded now; nothing if the config doesn't ask, or no data tell."""
    cell = {"discrepancy": table.discrepancy}
    drift = table.results.as_shown(having(table.results.drift, cell))
    if not drift:
        return []
    known = [row for row in drift if row["reason"] is None]
    return [*_of_means(table, known), *_of_drift(table, known), *_without(table, drift)]


def _row(table: ComparisonTable, simulator: str) -> dict:
    cell = {"simulator": simulator, "other": None, "discrepancy": table.discrepancy}
    rows = having(table.results.sequence, {**cell, "k": table.results.main_form(simulator)})
    return next(iter(rows), {})


def _of_means(table: ComparisonTable, known: list[dict]) -> Iterator[str]:
    rows = grouped(known, "simulator")
    names = [summary.name for summary in table.every if summary.name in rows]
    if not names:
        return
    first = rows[names[0]][0]
    what, alike = table.results.nouns, ""
    if first["unit_is"] != SCENARIO:
        what = f"clusters by {table.results.step['cluster']}"
        alike = " Each cluster has the same weight."
    means = [
        f"{named(table.results.named(name))} {range_text(ends)}"
        for name in names
        if (ends := interval_of(_row(table, name)))
    ]
    yield (
        f"After {first['units']} {what}, these intervals hold the mean distance over all that they"
        f" were drawn from, with {table.results.level} confidence for all simulators at once:"
        f" {listed(means)}.{alike}"
    )
    yield from _of_order(table, first)
    yield from _of_tolerance(table, names)
    yield from _of_pairs(table, names)


def _of_tolerance(table: ComparisonTable, names: list[str]) -> Iterator[str]:
    if table.tolerance is None:
        return
    said: dict[str, list[str]] = {"within": [], "farther than": [], "not settled against": []}
    for name in names:
        if ends := interval_of(_row(table, name)):
            key = "within" if ends[1] <= table.tolerance else "farther than"
            is_open = ends[0] <= table.tolerance < ends[1]
            said["not settled against" if is_open else key].append(named(table.results.named(name)))
    parts = [
        f"{listed(group)} {words} {number(table.tolerance)}"
        for words, group in said.items()
        if group
    ]
    yield f"On average: {'; '.join(parts)}."


def _of_pairs(table: ComparisonTable, names: list[str]) -> Iterator[str]:
    rows = [
        row
        for row in having(table.results.sequence, {"discrepancy": table.discrepancy})
        if row["other"] is not None
        and row["simulator"] in names
        and row["other"] in names
        and row["k"] == table.results.compared_at(row["simulator"], row["other"])
        and interval_of(row)
    ]
    for other, pairs in grouped(rows, "other").items():
        settled = [table.results.named(row["simulator"]) for row in pairs if row["ci_lower"] > 0.0]
        still = [table.results.named(row["simulator"]) for row in pairs if row["ci_lower"] <= 0.0]
        parts = [f"certainly closer than {listed([*map(named, settled)])}"] if settled else []
        parts += [f"not yet settled against {listed([*map(named, still)])}"] if still else []
        yield f"{named(table.results.named(other))}, the closest so far, is {', and '.join(parts)}."


def _of_order(table: ComparisonTable, row: dict) -> Iterator[str]:
    order = "of the data" if row["order"] == OF_FILE else f"of the column {row['order']}"
    if row["at_random"]:
        yield (
            f"The order (that {order}) was drawn at random, as the config says. These intervals"
            " hold at every look: you may stop now, or go on and look again."
        )
    elif row["at_random"] is None:
        yield (
            f"Whether the order (that {order}) was drawn at random is not stated in the config"
            " (sequential.at_random). If it was, these intervals hold at every look, and you may"
            " stop now; if not, they guarantee nothing."
        )
    else:
        yield (
            f"The order (that {order}) was not drawn at random, as the config says. These intervals"
            " guarantee nothing, because later data may differ."
        )
    if table.results.respondents_repeat is None:
        yield (
            "The intervals also assume that different people answered each of these; whether that"
            " is so is not known."
        )


def _of_drift(table: ComparisonTable, known: list[dict]) -> Iterator[str]:
    tested = [row for row in known if row["p_value"] is not None]
    level = table.results.step["test"]["alpha"] / max(len(tested), 1)
    drifting = [row for row in tested if row["p_value"] <= level]
    for row in drifting:
        yield (
            f"For {named(table.results.named(row['simulator']))} the second half differs from the"
            f" first: {number(row['second'])} after {number(row['first'])}, p ="
            f" {row['p_value']:.2g}. The order matters, so don't rely on these intervals."
        )
    if tested and not drifting:
        yield "Tests find no difference between the first and the second half."


def _without(table: ComparisonTable, drift: list[dict]) -> Iterator[str]:
    lacking = [row for row in drift if row["reason"]]
    for why, rows in grouped(lacking, "reason").items():
        names = [named(table.results.named(row["simulator"])) for row in rows]
        yield f"{listed(names)} {'has' if len(names) == 1 else 'have'} no such interval: {why}."
