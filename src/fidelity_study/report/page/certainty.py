"""How certain a dataset's numbers are: their assumptions, and those of each statement."""

from collections.abc import Iterator
from typing import NamedTuple

from fidelity_study.report.formats import number, percent, range_text, share
from fidelity_study.report.page.words import listed
from fidelity_study.report.results import FEWEST_FOR_90, Results
from fidelity_study.report.summaries import ComparisonTable, SimulatorSummary, interval_of
from fidelity_study.report.tables import first
from fidelity_study.tables.ingest import HUMAN

HOLDS, ALLOWED, UNKNOWN, FAILS = "holds", "allowed for", "cannot be checked", "does not hold"
ABOVE = {
    "exact": "exact, for this point of the curve",
    "simultaneous": "exact, for all points of the curve at once",
    "paper": "the paper's Theorem 3.1",
    "dkw": "by the Dvoretzky-Kiefer-Wolfowitz inequality",
    "design_effect": "approximate, for new clusters, by the design effect",
    "new_cluster": "exact, for new clusters",
}


class Assumption(NamedTuple):
    """One assumption, and whether it holds for this dataset."""

    state: str
    text: str


class Statement(NamedTuple):
    """One statement about a simulator.

    Attributes:
        what: the quantity.
        value: its bound.
        about: of which scenarios.
        confidence: of the statement.
        rests_on: the method, and what makes it approximate.
    """

    what: str
    value: str
    about: str
    confidence: str
    rests_on: str


def assumptions(results: Results) -> list[Assumption]:
    """Return what the numbers of a dataset assume."""
    nouns = results.nouns
    assumed = [
        Assumption(
            UNKNOWN,
            f"Statements about further {nouns} assume that these {results.m} were drawn at random"
            f" from those that you care about. Statements about these {results.m} alone don't.",
        ),
        Assumption(
            UNKNOWN,
            "The people who answered are a random sample of the people whom they stand for.",
        ),
        *_people(results),
        *unanswered(results),
        *_clusters(results),
    ]
    notes = [
        (ALLOWED, beside_options(results)),
        (ALLOWED, _rescaled(results)),
        (ALLOWED, _answering(results)),
        (FAILS, _weights(results)),
        (ALLOWED, results.notes.fitted),
        (FAILS, _drawn(results)),
        (ALLOWED, results.notes.draws),
        (ALLOWED, results.notes.smoothing),
    ]
    assumed += [Assumption(state, note) for state, note in notes if note]
    if results.replicates > 1 and results.subsampled:
        assumed.append(
            Assumption(
                ALLOWED,
                f"Where numbers use a part of the {listed(results.subsampled, last='or')}, that"
                f" part was drawn at random {results.replicates} times. This page shows the first"
                " draw; summary.csv has the means over all.",
            )
        )
    return assumed


def of_outcomes(results: Results) -> list[Assumption]:
    """Return what scores of single outcomes assume."""
    nouns = results.nouns
    notes = [(ALLOWED, beside_options(results)), (FAILS, _weights(results))]
    return [
        Assumption(
            UNKNOWN,
            f"Intervals and tests take these {results.m:,} {nouns} for a random sample of those"
            " that you care about"
            + (
                f", drawn in clusters by {results.step['cluster']}."
                if results.clustered
                else ", and their outcomes for independent; name what groups them as cluster in the"
                " config if they are not."
            ),
        ),
        *unanswered(results),
        *_clusters(results),
        *(Assumption(state, note) for state, note in notes if note),
    ]


def beside_options(results: Results) -> str:
    """Say how much of its probability a language model gave to none of the options."""
    shares = [
        f"{results.named(row['source'])} {percent(float(row['elsewhere']))}"
        for row in results.nonresponse
        if row["elsewhere"]
    ]
    if not shares:
        return ""
    return (
        "Stated probabilities are those of the options' letters, divided by their sum. The mean"
        f" probability of all other tokens was: {listed(shares)}."
    )


def _drawn(results: Results) -> str:
    """Say what numbers on simulators that draw their answers are about; empty if none draws."""
    if not results.drawing:
        return ""
    return (
        "What a simulator draws its answers from is known exactly. Numbers on simulators that draw"
        " are about the answers that they gave, unless they say otherwise: other answers of the"
        " same simulator would differ by chance."
    )


def _weights(results: Results) -> str:
    """Say what weights of people change; empty if there are none."""
    note = results.notes.weights
    return f"Exact coverage asks that all people count the same. {note}" if note else ""


def _rescaled(results: Results) -> str:
    """Say how many answers that state shares don't sum to 100, and what was done with them."""
    shares = [
        f"{results.named(row['source'])} {percent(float(row['rescaled']))}"
        for row in results.nonresponse
        if float(row.get("rescaled") or 0.0)
    ]
    if not shares:
        return ""
    return (
        "A model that is asked for the shares of all people may round them, so that they sum to 99"
        " or 101. Such shares were divided by their sum. Their part of the usable answers:"
        f" {listed(shares)}."
    )


def _answering(results: Results) -> str:
    """Say who answers in some scenarios only."""
    if not results.answering_fewer:
        return ""
    return (
        f"Some simulators answer only some of the {results.nouns}:"
        f" {listed(results.answering_fewer)}. Two simulators are compared on the {results.nouns}"
        " that both answer."
    )


def _people(results: Results) -> Iterator[Assumption]:
    if results.respondents_repeat is None:
        yield Assumption(UNKNOWN, results.notes.dependence)
    elif not results.respondents_repeat:
        yield Assumption(HOLDS, f"Different people answered each of the {results.nouns}.")
    else:
        shared = results.all_share_people
        asked = f"The {results.nouns} do not depend on each other. " if shared else ""
        yield Assumption(FAILS if shared else ALLOWED, asked + results.notes.dependence)


def unanswered(results: Results) -> Iterator[Assumption]:
    """Say how many of people's answers are missing."""
    for row in results.nonresponse:
        asked, left = float(row["asked"]), float(row["asked"]) - float(row["answered"])
        if row["source"] == HUMAN and left:
            yield Assumption(
                UNKNOWN,
                f"People left {left:,.0f} of {asked:,.0f} answers out"
                f" ({percent(left / asked)}; at most {percent(float(row['worst_nonresponse']))} of"
                f" one {results.noun}, {row['worst_scenario']}). Shares leave them out, as if"
                " they would have been like the others.",
            )


def _clusters(results: Results) -> Iterator[Assumption]:
    asked = f"The {results.nouns} stand for those of other clusters, too. "
    if results.one_cluster:
        yield Assumption(FAILS, asked + results.notes.clusters)
    elif results.clustered and not results.has_few_clusters:
        yield Assumption(UNKNOWN, results.notes.clusters)
    elif results.clustered:
        few = f"{results.notes.clusters} They are too few to tell of new clusters."
        yield Assumption(FAILS, asked + few)


def statements(table: ComparisonTable, summary: SimulatorSummary) -> list[Statement]:
    """Return each known statement on a simulator's distance, with the assumptions it needs."""
    return [*_means(table, summary), *_curve(table, summary)]


def _means(table: ComparisonTable, summary: SimulatorSummary) -> Iterator[Statement]:
    results = table.results
    level = results.level
    new = f"new {results.nouns}" + (" of new clusters" if results.clustered else "")
    of_new = {} if results.clustered and results.has_few_clusters else summary.new
    who = "answered" if results.respondents_repeat else "may have answered"
    common = f"approximate, as the same people {who} all: their common error is added"
    rows = [
        ("mean", summary.mean, summary.interval, f"these {summary.m} {results.nouns}", ""),
        ("mean", of_new, interval_of(of_new), new, common if results.all_share_people else ""),
        (
            "mean of the worst 10 %",
            summary.tail,
            summary.worst,
            f"these {summary.m} {results.nouns}",
            "",
        ),
    ]
    for what, row, ends, about, note in rows:
        if ends:
            remarks = filter(None, [row["method"], row.get("warning"), note])
            yield Statement(what, range_text(ends), about, level, "; ".join(remarks))
    lower, upper = summary.mean.get("familywise_lower"), summary.mean.get("familywise_upper")
    if lower is not None and upper is not None:
        yield Statement(
            "mean, all simulators at once",
            range_text((lower, upper)),
            f"these {summary.m} {results.nouns}",
            level,
            f"{summary.mean['method']}; holds whatever the unanswered questions would have got as"
            " answers",
        )


def _curve(table: ComparisonTable, summary: SimulatorSummary) -> Iterator[Statement]:
    results = table.results
    more = f"all {results.nouns}{results.of_clusters}"
    if summary.sure is not None:
        yield Statement(
            f"90 % of {results.nouns} at most, all simulators at once",
            number(summary.sure),
            more,
            "95 %",
            "exact: the envelope; holds whatever the unanswered questions would have got as"
            " answers",
        )
    chosen = results.headline_set(table.discrepancy)
    for guarantee, how in ABOVE.items():
        row = _level(table, summary, guarantee)
        if row and row["level"] >= 0.01:
            yield Statement(
                f"{share(row['level'])} of {results.nouns} at most",
                number(row["var_90"]),
                "new clusters" if "cluster" in how else more,
                "95 %",
                f"{how}; confidence set {chosen}, γ = {results.gammas[0]}",
            )


def held_out(table: ComparisonTable, summary: SimulatorSummary) -> str:
    """Say how often the curve covered scenarios that were held out; empty if not measured."""
    row = _level(table, summary, "held_out")
    if not row or summary.m < 2 * FEWEST_FOR_90 or not table.results.curve_tells(summary.name):
        return ""
    return (
        f"Checked on {table.results.nouns} held out at random: the curve at 90 %, made from one"
        f" half of them, was high enough for {percent(row['level'])} of the other half."
    )


def _level(table: ComparisonTable, summary: SimulatorSummary, guarantee: str) -> dict:
    """Return the level of a guarantee at V̂(0.9), of the headline set and the first coverage."""
    return first(
        table.results.levels,
        simulator=summary.name,
        k=summary.form,
        confidence_set=table.results.headline_set(table.discrepancy),
        gamma=table.results.gammas[0],
        discrepancy=table.discrepancy,
        guarantee=guarantee,
    )
