"""What simulators may be used for, and what is known of the closest one, in sentences.

The headline is the summary of the card of uses, whose verdicts hold together for all simulators of
a dataset; see docs/method/verdict.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.report.formats import percent, range_text
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
    open_ = [*filter(None, [_clusters(table)])]
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


def about(results: Results) -> str:
    """Return the word before a confidence, where weights of people make it approximate."""
    return "about " if results.weighted else ""


def _name(table: ComparisonTable, name: str) -> str:
    return named(table.named(name).label)


def _sentences(table: ComparisonTable, best: SimulatorSummary) -> list[str]:
    """Return how far the closest simulator is, and how it compares."""
    return [
        _average(table, best),
        _beside(table, best),
        *effect_verdict.sentences(table.results),
        *_relations(table, best),
        *groups.sentences(table.results, table.discrepancy, best.name, most=1),
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
    these = f"this 1 {results.noun}" if best.m == 1 else f"these {best.m} {results.nouns}"
    far = (
        f"{range_text(best.interval)} from people on average over {these}"
        f"{by} ({about(results)}{results.level} confidence{translated(table, best.interval)})"
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
        f" Compared in pairs{' without the luck of draws' if results.drawing else ''},"
        f" {listed(near, most=FEW_NAMED, last='or')} may be as close."
    )


def _beside(table: ComparisonTable, best: SimulatorSummary) -> str:
    """Say how the closest simulator compares with the baselines."""
    farther, closer, open_ = list[str](), list[str](), list[str]()
    for baseline in [one for one in table.baselines if one is not best]:
        name = named(baseline.label)
        among = f" over {baseline.m} {table.results.nouns}" if baseline.m != best.m else ""
        text = f"{name} ({range_text(baseline.interval)}{among})" if baseline.interval else name
        is_closer = table.certainly_closer(best.name, baseline.name)
        is_farther = table.certainly_closer(baseline.name, best.name)
        (farther if is_farther else closer if is_closer else open_).append(text)
    said = [f"farther from people than {listed(farther)}"] if farther else []
    said += [f"closer than {listed(closer)}"] if closer else []
    sentence = f"{named(best.label)} is {', and '.join(said)}." if said else ""
    if open_:
        sentence += f" Whether it is closer than {listed(open_, last='or')} is not settled."
    return sentence.strip()


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
