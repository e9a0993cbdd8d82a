"""What the page says of how answers to different questions go together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from fidelity.structure.twins import HITS
from fidelity_study.report.formats import DASH, number, percent, upper_first
from fidelity_study.report.page.charts import chart
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.plot import Plot, relations
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import ComparisonTable
from fidelity_study.report.tables import having
from fidelity_study.steps.arrays import ENDS
from fidelity_study.steps.structure import (
    FEW_COMMON,
    NO_SCORES,
    ONE_QUESTION,
    PEOPLE_UNKNOWN,
    REPLICATES,
    RUNS_UNKNOWN,
)
from fidelity_study.tables.ingest import BETWEEN

BRING = {
    PEOPLE_UNKNOWN: "give people's answers with a row for each person, or with a column respondent",
    REPLICATES: "it never is with replicate weights, but by a study without them",
    RUNS_UNKNOWN: "give simulators' answers with a row for each run, or with a column respondent",
    FEW_COMMON: "it takes 30 people, and 30 runs, who answered the same two questions",
    NO_SCORES: "it takes options in an order (kind: ordinal)",
    ONE_QUESTION: "it takes a second question",
}
OTHER_PATTERN = 0.9
MOST_DRAWN, MOST_DOTS, MOST_TOPICS = 6, 1500, 12
FEWEST_P = 0.001


class Panel(NamedTuple):
    """The picture of one simulator: its label, a line of text, and the drawing."""

    label: str
    text: str
    drawing: Markup


class Row(NamedTuple):
    """A row of a table: its label, and a text and a number to sort by for each cell."""

    label: str
    cells: list[tuple[str, float | None]]


@dataclass(frozen=True)
class Structure:
    """The section.

    Attributes:
        labels: of the simulators.
        panels: the pictures of the closest simulators whose strength can be told.
        topics: whose relations, besides all.
        kept: these with the strength that they keep, in all and by topic, and more.
        alphas: scales with Cronbach's alpha of people and of each simulator.
        apart: how far simulators' answers, and groups of people, lie apart.
        twins: simulators with what their twins know of their persons; empty without twins.
        unmeasured: what was not measured of others, and what to bring; may be empty.
        cautions: what is left out, and what errors do not know, as the table says.
        drawn: how many pairs are drawn, where not all are; else 0.
    """

    labels: list[str]
    panels: list[Panel]
    topics: list[str]
    kept: list[Row]
    alphas: list[Row]
    apart: list[str]
    twins: list[Row]
    unmeasured: str
    cautions: list[str]
    drawn: int


def structure(table: ComparisonTable) -> Structure | None:
    """Return the section; None where it was measured of no simulator."""
    results = table.results
    measured = [summary for summary in table.tested if results.relations(summary.name)]
    if not measured:
        return None
    names = [summary.name for summary in measured]
    rows = {name: having(results.structure, {"simulator": name}) for name in names}
    topics = [row["topic"] for row in rows[names[0]] if row["topic"]]
    topics = topics if len(topics) <= MOST_TOPICS else []
    scales = dict.fromkeys(row["scale"] for row in results.scales)
    known = [name for name in names if results.relations(name)["slope"] is not None]
    return Structure(
        [results.named(name) for name in names],
        _panels(results, known[:MOST_DRAWN]),
        topics,
        [_kept(results, name, rows[name], topics) for name in known],
        [_alphas(results, scale, names) for scale in scales],
        [said for name in names if (said := _apart(results, name))],
        [_twins(results, row) for row in having(results.twins, {"measure": HITS})],
        unmeasured(results),
        _cautions(results),
        MOST_DOTS if results.relations(names[0])["pairs"] > MOST_DOTS else 0,
    )


def _cautions(results: Results) -> list[str]:
    warnings = [row["warning"] for row in results.structure if row["warning"]]
    parts = dict.fromkeys(part for warning in warnings for part in warning.split("; "))
    return [f"{upper_first(part)}." for part in parts]


def unmeasured(results: Results) -> str:
    """Say that it was not measured, of all or some simulators, and what to bring; may be empty."""
    lacking = [row["lacking"] for row in results.structure if row["lacking"]]
    if results.structure and not lacking:
        return ""
    simulators = {row["simulator"] for row in results.structure}
    whose = " of some" if len(lacking) < len(simulators) else ""
    why = "".join(f"; {BRING[code]}" for code in dict.fromkeys(lacking))
    return f"Whether a simulator's answers go together as people's do was not measured{whose}{why}."


def sentences(results: Results, name: str) -> Iterator[str]:
    """Say what a simulator keeps of people's relations; nothing where it was not measured."""
    row = results.relations(name)
    if not row:
        return
    who = named(results.named(name))
    turned = [at["grouping"] for at in _by_grouping(results, name) if is_turned(at)]
    if turned:
        alone = [grouping for grouping in turned if BETWEEN not in grouping] or turned
        yield f"{who} turns people's differences between groups by {listed(alone)} round."
        return
    if row["slope"] is None:
        yield (
            f"People's answers to different {results.nouns} hardly go together, so that what"
            f" {who} keeps of that cannot be told."
        )
        return
    yield (
        f"{who} keeps {percent_ends(row, 'slope')} of the strength of people's relations between"
        f" {results.nouns}."
    )
    if row["congruence"] is not None and row["congruence_upper"] < OTHER_PATTERN:
        yield f"And it has another pattern: the congruence is {row['congruence']:.2f}."


def percent_ends(row: dict, name: str) -> str:
    """Return an estimate in per cent with its interval: "49 % [47 to 51 %]", "[47 % or more]"."""
    estimate, lower, upper = (row[f"{name}{end}"] for end in ENDS)
    if lower is None:
        return f"{_percent(estimate)} % [interval unknown]"
    to = "% or more" if upper is None else f"to {_percent(upper)} %"
    return f"{_percent(estimate)} % [{_percent(lower)} {to}]"


def _percent(value: float) -> str:
    return f"{round(100.0 * value) + 0:d}".replace("-", "−")


def _panels(results: Results, names: Sequence[str]) -> list[Panel]:
    """Return the pictures of simulators, with what they say."""
    panels = []
    for name, plot in plots(results, names).items():
        slope, _ = bracketed(results.relations(name), "slope")
        panels.append(Panel(results.named(name), f"slope {slope}", chart(plot)))
    return panels


def plots(results: Results, names: Sequence[str]) -> dict[str, Plot]:
    """Return the pictures of simulators, on the same axes."""
    known = [pair for pair in results.associations if None not in (pair["people_r"], pair["r"])]
    dots = {
        name: [(pair["people_r"], pair["r"]) for pair in having(known, {"simulator": name})]
        for name in names
    }
    ends = [r for pairs in dots.values() for pair in pairs for r in pair]
    axis = min([0.0, *ends]), max([0.2, *ends])
    drawn = {}
    for name, pairs in dots.items():
        row = results.relations(name)
        slope = None if row["slope"] is None else [row[f"slope{end}"] for end in ENDS]
        step = -(-len(pairs) // MOST_DOTS)
        drawn[name] = relations(pairs[::step], slope, axis, results.colour(name))
    return drawn


def _kept(results: Results, name: str, rows: Sequence[dict], topics: Sequence[str]) -> Row:
    by_topic = {row["topic"]: row for row in rows}
    whole = by_topic[None]
    congruence, same = whole["congruence"], whole["same_sign"]
    capped = None if congruence is None else min(congruence, 1.0)  # beyond 1 by noise alone
    slopes = [by_topic[topic]["slope"] for topic in topics]
    return Row(
        results.named(name),
        [
            _share(whole, "slope"),
            *((DASH if slope is None else f"{_percent(slope)} %", slope) for slope in slopes),
            (DASH if capped is None else f"{capped:.2f}", capped),
            (DASH if same is None else f"{percent(same)} of {whole['clear']:,}", same),
        ],
    )


def _alphas(results: Results, scale: str, names: Sequence[str]) -> Row:
    rows = {row["simulator"]: row for row in results.scales if row["scale"] == scale}
    one = rows[names[0]] if names[0] in rows else next(iter(rows.values()))
    reversed_ = f", {one['reversed']} reversed" if one["reversed"] else ""
    cells = [bracketed(one, "people_alpha")]
    cells += [bracketed(rows.get(name, {}), "alpha") for name in names]
    return Row(f"{scale} ({one['questions']} {results.nouns}{reversed_})", cells)


def _apart(results: Results, name: str) -> str:
    """Say whether answers, and groups, lie as far apart as people's; may be empty."""
    (spread,) = having(results.dispersion, {"simulator": name, "question": None})
    scales = having(results.scales, {"simulator": name})
    parts = {"the variance of people's answers": spread}
    parts |= {f"that of the sum {row['scale']}": row for row in scales}
    said = [
        f"{percent_ends(row, 'variance_ratio')} of {what}"
        for what, row in parts.items()
        if row["variance_ratio"] is not None
    ]
    about = [f"has {', '.join(said)}"] if said else []
    about += filter(None, map(_between_groups, _by_grouping(results, name)))
    return f"{named(results.named(name))} {'. It '.join(about)}." if about else ""


def _by_grouping(results: Results, name: str) -> list[dict]:
    """Return how a simulator's groups lie apart, over all questions, by each grouping."""
    return having(results.group_differences, {"simulator": name, "question": None})


def is_turned(row: dict) -> bool:
    """Return whether the simulator's differences between groups go against people's for sure."""
    return row["slope_upper"] is not None and row["slope_upper"] < 0.0


def _between_groups(row: dict) -> str:
    """Say what is kept of people's differences between groups; may be empty."""
    if row["slope"] is None:
        return ""
    what = f"people's differences between groups by {row['grouping'].replace(BETWEEN, ' × ')}"
    slope = percent_ends(row, "slope")
    said = f"turns {what} round ({slope} of them)" if is_turned(row) else f"keeps {slope} of {what}"
    if row["ratio"] is not None:
        said += f"; the variance between these groups is {percent_ends(row, 'ratio')} of people's"
    return f"{said}, by few answers" if row["few_answers"] else said


def _twins(results: Results, row: dict) -> Row:
    p_value = f"{row['p_value']:.2g}" if row["p_value"] >= FEWEST_P else f"< {FEWEST_P}"
    cells: list[tuple[str, float | None]] = [
        (percent(row["own"]), row["own"]),
        (percent(row["others"]), row["others"]),
        _share(row, "excess"),
        (p_value, row["p_value"]),
        _share(row, "most_frequent"),
    ]
    about = f": {row['topic']}" if row["topic"] else ""
    return Row(f"{results.named(row['simulator'])}{about}", cells)


def _share(row: dict, name: str) -> tuple[str, float | None]:
    return DASH if row[name] is None else percent_ends(row, name), row[name]


def bracketed(row: dict, name: str, unknown: str = DASH) -> tuple[str, float | None]:
    """Return an estimate with its interval, "0.49 [0.47, 0.51]", and a number to sort by."""
    if row.get(name) is None:
        return unknown, None
    values = [row[f"{name}{end}"] for end in ENDS]
    texts = ("…" if value is None else number(value, 2).replace("-", "−") for value in values)
    return "{} [{}, {}]".format(*texts), row[name]
