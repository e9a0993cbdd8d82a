"""How certain a dataset's numbers are: what they assume."""

from collections.abc import Iterator
from typing import NamedTuple

from fidelity_study.reading.codebook.tables import ACCEPTED, USER
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.report import notes
from fidelity_study.report.formats import percent
from fidelity_study.report.page.words import listed
from fidelity_study.report.results import Results
from fidelity_study.tables.ingest import HUMAN

MOST_CELLS = 12
HOLDS, ALLOWED, UNKNOWN, FAILS = "holds", "allowed for", "cannot be checked", "does not hold"


class Assumption(NamedTuple):
    """One assumption, and whether it holds for this dataset."""

    state: str
    text: str


def assumptions(results: Results) -> list[Assumption]:
    """Return what the numbers of a dataset assume."""
    drawn = (
        f"Statements about further {results.nouns} assume that these {results.m} were drawn at"
        f" random from those that you care about. Statements about these {results.m} alone don't."
    )
    people = "The people who answered are a random sample of the people whom they stand for."
    stated = [
        (ALLOWED, beside_options(results)),
        (ALLOWED, _rescaled(results)),
        (ALLOWED, _answering(results)),
        (FAILS, _weights(results)),
        (ALLOWED, notes.fitted(results)),
        (UNKNOWN, decided(results)),
        (FAILS, _drawn(results)),
        (ALLOWED, notes.draws(results)),
        (ALLOWED, notes.smoothing(results)),
        (ALLOWED, _replicates(results)),
    ]
    return [
        Assumption(UNKNOWN, drawn),
        Assumption(UNKNOWN, people),
        *_people(results),
        *unanswered(results),
        *_clusters(results),
        *(Assumption(state, note) for state, note in stated if note),
    ]


def of_outcomes(results: Results) -> list[Assumption]:
    """Return what scores of single outcomes assume."""
    stated = [
        (UNKNOWN, decided(results)),
        (ALLOWED, beside_options(results)),
        (FAILS, _weights(results)),
    ]
    how = (
        f"drawn in clusters by {results.step['cluster']}"
        if results.clustered
        else "and their outcomes for independent; name what groups them as cluster in the config if"
        " they are not"
    )
    drawn = (
        f"Intervals and tests take these {results.m:,} {results.nouns} for a random sample of those"
        f" that you care about, {how}."
    )
    return [
        Assumption(UNKNOWN, drawn),
        *unanswered(results),
        *_clusters(results),
        *(Assumption(state, note) for state, note in stated if note),
    ]


def beside_options(results: Results) -> str:
    """Say how much of its probability a language model gave to none of the options."""
    shares = _shares(results, "elsewhere")
    if not shares:
        return ""
    return (
        "Stated probabilities are those of the options' letters, divided by their sum. The mean"
        f" probability of all other tokens was: {listed(shares)}."
    )


def decided(results: Results) -> str:
    """Say which cells of the codebook neither rules nor files decided; empty if there are none."""
    by = results.step.get("decided", {})
    said = {USER: "as whoever made the study says", ACCEPTED: "as was proposed, unchanged"}
    parts = [
        f"{who} ({len(by[name])}): {shown(by[name], MOST_CELLS, str)}"
        for name, who in said.items()
        if by.get(name)
    ]
    return (
        f"Files were read {'; '.join(parts)}. The rest is as files or rules say." if parts else ""
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
    note = notes.weights(results)
    if results.is_conjoint and not results.has_weights:
        return note
    return f"Exact coverage asks that all people count the same. {note}" if note else ""


def _rescaled(results: Results) -> str:
    """Say how many answers that state shares don't sum to 100, and what was done with them."""
    shares = _shares(results, "rescaled")
    if not shares:
        return ""
    return (
        "A model that is asked for the shares of all people may round them, so that they sum to 99"
        " or 101. Such shares were divided by their sum. Their part of the usable answers:"
        f" {listed(shares)}."
    )


def _shares(results: Results, column: str) -> list[str]:
    """Return the simulators that have a share of nonresponse, each with it."""
    return [
        f"{results.named(row['source'])} {percent(float(row[column]))}"
        for row in results.nonresponse
        if float(row.get(column) or 0.0)
    ]


def _replicates(results: Results) -> str:
    """Say of which of several draws of people or answers numbers are; empty of one draw."""
    if results.replicates == 1 or not results.subsampled:
        return ""
    return (
        f"Where numbers use a part of the {listed(results.subsampled, last='or')}, that part was"
        f" drawn at random {results.replicates} times. This page shows the first draw; summary.csv"
        " has the means over all."
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
        yield Assumption(UNKNOWN, notes.dependence(results))
    elif not results.respondents_repeat:
        yield Assumption(HOLDS, f"Different people answered each of the {results.nouns}.")
    else:
        shared = results.all_share_people
        asked = f"The {results.nouns} do not depend on each other. " if shared else ""
        yield Assumption(FAILS if shared else ALLOWED, asked + notes.dependence(results))


def unanswered(results: Results) -> Iterator[Assumption]:
    """Say how many of people's answers are missing, which may not have been asked for."""
    for row in results.nonresponse:
        asked, answered = (float(row[x]) / results.levels_shown for x in ("asked", "answered"))
        left = asked - answered
        if row["source"] == HUMAN and left:
            yield Assumption(
                UNKNOWN,
                f"{left:,.0f} of people's {asked:,.0f} possible answers are missing"
                f" ({percent(left / asked)}; at most {percent(float(row['worst_nonresponse']))} of"
                f" one {results.noun}, {row['worst_scenario']}), left out or not asked for. Shares"
                " are those of the others, as if the missing ones would have been like them.",
            )


def _clusters(results: Results) -> Iterator[Assumption]:
    asked = f"The {results.nouns} stand for those of other clusters, too. "
    if results.one_cluster:
        yield Assumption(FAILS, asked + notes.clusters(results))
    elif results.clustered and not results.has_few_clusters:
        yield Assumption(UNKNOWN, notes.clusters(results))
    elif results.clustered:
        few = f"{notes.clusters(results)} They are too few to tell of new clusters."
        yield Assumption(FAILS, asked + few)
