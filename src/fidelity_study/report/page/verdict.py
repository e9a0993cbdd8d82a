"""What simulators may be used for, and what is known of the closest one, in sentences.

The headline is the summary of the card of uses, whose verdicts hold together for all simulators of
a dataset; see docs/method/verdict.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.report.formats import number, percent, range_text
from fidelity_study.report.page import effect_verdict, groups, structure
from fidelity_study.report.page.uses import Card
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import (
    MOST_UNANSWERED,
    ComparisonTable,
    SimulatorSummary,
    comparison_tables,
)
from fidelity_study.report.units import Unit
from fidelity_study.steps.draws import is_from_people

FEW_NAMED = 4
FEW_POINTS = 0.1


class Verdict(NamedTuple):
    """The answer to the page's question with its words, which page, findings and JSON read.

    Attributes:
        first: the simulator that the headline names: the closest one under test, of an experiment
            that with people's effects; of baselines the closest.
        headline: what it may be used for.
        todo: what to do next.
        sentences: what is known of it.
        open: what is not settled.
    """

    first: str
    headline: str
    todo: str
    sentences: list[str]
    open: list[str]


def verdict(table: ComparisonTable) -> Verdict:
    """Return the verdict on the simulators of a dataset, by one discrepancy."""
    results, best = table.results, table.best
    effects = effect_verdict.effect_rows(results)
    first = effect_verdict.first(effects)["simulator"] if effects else best.name
    sentences = [*filter(None, _sentences(table, best))]
    open_ = [*filter(None, _open(table))]
    if not table.tested:
        nearest = f"of the baselines {named(best.label)} has the smallest distance"
        headline = f"No simulator is tested{f'; {nearest}' if best.interval else ''}."
        return Verdict(best.name, headline, "add a simulator of your own.", sentences, open_)
    card = card_of(table, first)
    return Verdict(first, card.headline(_name(table, first)), card.todo, sentences, open_)


def card_of(table: ComparisonTable, name: str) -> Card:
    """Return the card of a simulator, whose shares are by the first discrepancy."""
    results = table.results
    if table.discrepancy != next(iter(results.pairs)):
        table = next(comparison_tables(results))
    return Card(results, name, table, Unit.of(results, table.discrepancy))


def translated(table: ComparisonTable, ends: Sequence[float]) -> str:
    """Return what values of the discrepancy mean, to follow in brackets; empty if plain already."""
    measure = DISCREPANCIES[table.discrepancy]
    if measure.is_in_points(table.results.kind):
        digits = 0 if max(ends) >= FEW_POINTS else 1
        return f"; {' to '.join(f'{100 * end:.{digits}f}' for end in ends)} percentage points"
    if measure.on == "mean" and measure.is_square:
        unit = Unit.of(table.results, table.discrepancy)
        gap = " to ".join(f"{unit.value(end):.2f}" for end in ends)
        low, high = unit.scale
        return f"; a gap of {gap} on a scale from {low:g} to {high:g}"
    return ""


def in_pairs(results: Results) -> str:
    """Say what ranks rest on: no intervals of single means, and no luck of draws."""
    return f"Compared in pairs{' without the luck of draws' if results.drawing else ''}"


def about(results: Results) -> str:
    """Return the word before a confidence, where weights of people make it approximate."""
    return "about " if results.weighted else ""


def _name(table: ComparisonTable, name: str) -> str:
    return named(table.named(name).label)


def _sentences(table: ComparisonTable, best: SimulatorSummary) -> list[str]:
    """Return how far the closest simulator is, how it compares, and what was left unanswered."""
    return [
        _average(table, best),
        _beside(table, best),
        _most(table, best),
        _within(table, best),
        *effect_verdict.sentences(table.results),
        *_relations(table, best),
        *groups.sentences(table.results, table.discrepancy, best.name, most=1),
        _missing(table),
    ]


def _relations(table: ComparisonTable, best: SimulatorSummary) -> list[str]:
    """Say what the closest simulators keep of people's relations between questions."""
    names = [best.name, *(summary.name for summary in table.tested if summary is not best)]
    return [text for name in names[:FEW_NAMED] for text in structure.sentences(table.results, name)]


def _average(table: ComparisonTable, best: SimulatorSummary) -> str:
    results = table.results
    if best.interval is None:
        return f"How far {named(best.label)} is from people on average cannot be told here."
    by = f" with {best.draws} answers to each" if best.draws and not best.is_baseline else ""
    these = f"{'this' if best.m == 1 else 'these'} {_counted(best.m, results)}"
    far = (
        f"{range_text(best.interval)} from people on average over {these}"
        f"{by} ({about(table.results)}{table.level} confidence{translated(table, best.interval)})"
    )
    rivals = [rival for rival in table.answering if rival is not best and rival.interval]
    if best.is_baseline or not rivals:
        return f"{named(best.label)} is {far}."
    among = f"{len(table.answering)} simulators"
    if len(table.answering) < len(table.tested):
        among += f" that answered at least {percent(1 - MOST_UNANSWERED)} of what they were asked"
    near = [
        named(rival.label) for rival in rivals if not table.certainly_closer(best.name, rival.name)
    ]
    if not near:
        return f"{named(best.label)} is the closest of {among}: {far}."
    return (
        f"{named(best.label)} has the smallest distance of {among}: {far}."
        f" {in_pairs(table.results)}, {listed(near, most=FEW_NAMED, last='or')} may be as close."
    )


def _counted(many: int, results: Results) -> str:
    """Return a number of scenarios: "1 question", "54 questions"."""
    return f"{many} {results.noun if many == 1 else results.nouns}"


def _beside(table: ComparisonTable, best: SimulatorSummary) -> str:
    """Say how the closest simulator compares with the baselines."""
    parts: dict[str, list[str]] = {"farther from people than": [], "closer than": [], "": []}
    for baseline in table.baselines:
        if baseline is best:
            continue
        name = named(baseline.label)
        among = f" over {baseline.m} {table.results.nouns}" if baseline.m != best.m else ""
        text = f"{name} ({range_text(baseline.interval)}{among})" if baseline.interval else name
        if table.certainly_closer(baseline.name, best.name):
            parts["farther from people than"].append(text)
        elif table.certainly_closer(best.name, baseline.name):
            parts["closer than"].append(text)
        else:
            parts[""].append(text)
    said = [f"{how} {listed(names)}" for how, names in parts.items() if names and how]
    sentence = f"{named(best.label)} is {', and '.join(said)}." if said else ""
    if parts[""]:
        sentence += f" Whether it is closer than {listed(parts[''], last='or')} is not settled."
    return sentence.strip()


def _most(table: ComparisonTable, best: SimulatorSummary) -> str:
    """Say within what the closest simulator is on 90 % of the scenarios."""
    bound = best.sure
    if bound is None:
        return ""
    more = " like these" if best.certified["scenarios"] == "new" else table.results.of_clusters
    level = table.results.bound_level
    return (
        f"On 90 % of all {table.results.nouns}{more} it is at most {number(bound)} from people"
        f" ({about(table.results)}{level} confidence{translated(table, [bound])})."
    )


def no_bound(table: ComparisonTable) -> str:
    """Say why nothing is sure of 90 % of the scenarios for the closest simulator; else nothing."""
    best, nouns = table.best, table.results.nouns
    if best.sure is not None:
        return ""
    if best.m == 1:
        return f"No bound on 90 % of other {nouns} is certain: 1 {table.results.noun} is too few."
    alike = table.results.clustered or table.results.respondents_repeat is not False
    alone = ", some of which may depend on each other," if alike else ""
    why = f"{best.m} {nouns}{alone} are too few"
    if is_from_people(best.name):
        why = f"{named(best.label)} is made of people's answers to other {nouns}"
    elif not best.certified:
        why = "the config asks for none; write gamma: envelope in its grid"
    elif DISCREPANCIES[table.discrepancy].infinite_at_zero:
        why += ", or the distance is infinite on some of them"
    return f"No bound on 90 % of other {nouns} is certain: {why}."


def _within(table: ComparisonTable, best: SimulatorSummary) -> str:
    """Say on how many scenarios the closest simulator is listed as within the tolerance."""
    counts = table.counts(best)
    if counts is None or best.is_baseline:
        return ""
    nouns, near, far = table.results.nouns, counts.within, counts.beyond
    who = named(best.label)
    who = f"{best.draws} answers of {who} to each are" if best.draws else f"{who} is"
    said = [
        f"{who} within the tolerance of {number(table.tolerance)} on {near} of"
        f" {_counted(best.m, table.results)}, beyond it on {far}, and the rest is open."
    ]
    if near or far:
        alpha = percent(table.results.step["test"]["alpha"])
        said.append(
            f"Of the {nouns} so counted, at most {about(table.results)}{alpha} of each kind are"
            " expected to be wrong."
        )
        if best.draws:
            said.append(f"Other answers than these {best.draws} to each would differ by chance.")
    return " ".join(said)


def _missing(table: ComparisonTable) -> str:
    """Say which simulators left answers out, and which have none at all to some scenarios."""
    lacking = sorted(
        (summary for summary in table.tested if summary.unanswered),
        key=lambda summary: -summary.unanswered,
    )
    much = [summary for summary in lacking if not summary.answers]
    partial = [
        summary
        for summary in table.tested
        if summary.m < table.results.m and not summary.unanswered
    ]
    if not (lacking or partial):
        return "Every simulator answered all that it was asked." if table.tested else ""
    return " ".join(
        filter(None, [_left_open(much or lacking, bool(much)), _partial(table, partial)])
    )


def _left_open(lacking: Sequence[SimulatorSummary], much: bool) -> str:
    if not lacking:
        return ""
    names = listed(
        [f"{named(summary.label)} ({percent(summary.unanswered)})" for summary in lacking],
        most=FEW_NAMED,
    )
    part = f"more than {percent(MOST_UNANSWERED)}" if much else "some"
    who = "it was" if len(lacking) == 1 else "they were"
    return f"{names} left {part} of what {who} asked unanswered."


def _partial(table: ComparisonTable, partial: Sequence[SimulatorSummary]) -> str:
    """Say on how many scenarios simulators are judged of which the files have no answer to some."""
    if not partial:
        return ""
    (first, *others), every = partial, table.results.m
    lacks = [f"{named(first.label)} has no answer to {every - first.m}"]
    lacks += [f"{named(one.label)} none to {every - one.m}" for one in others]
    its = "their" if others else "its"
    return (
        f"Of the {every} {table.results.nouns}, {listed(lacks, most=FEW_NAMED)};"
        f" {its} numbers are about the others."
    )


def _open(table: ComparisonTable) -> list[str]:
    """Return what the study leaves open."""
    return [_clusters(table), _linked(table) or no_bound(table)]


def _linked(table: ComparisonTable) -> str:
    """Say what follows for other scenarios where all have people in common."""
    results = table.results
    if not results.all_share_people:
        return ""
    nouns = results.nouns
    open_is = f"no bound on 90 % of other {nouns} is certain"
    said = f"The same people answered several {nouns}, and all may depend on each other: {open_is}."
    if results.respondents_repeat is None:
        said = (
            f"It is not known whether the same people answered several {nouns}, so that {open_is}."
            " If nobody did, write respondents_repeat: false in the config."
        )
    ranges = [row for row in results.predictions if row["discrepancy"] == table.discrepancy]
    if any(row["bound"] is not None for row in ranges):
        said += f" The ranges of the new {nouns} allow for that."
    return said


def _clusters(table: ComparisonTable) -> str:
    results = table.results
    cluster = results.step["cluster"]
    if results.one_cluster:
        return f"All {results.nouns} are of one cluster (by {cluster}): nothing is known of others."
    if not results.clustered or not results.has_few_clusters:
        return ""
    return (
        f"The {results.m} {results.nouns} come from {results.clusters_text}:"
        " too few to say what holds for other clusters."
    )
