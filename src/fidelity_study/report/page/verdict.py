"""Whether simulators can stand in for people, in a few sentences that hold together.

The rule is in docs/method/verdict.md. All its bounds fail with probability at most alpha for all
simulators of a dataset together, since the closest one is chosen after looking.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.levels import rational
from fidelity_study.report.formats import number, percent, range_text, share
from fidelity_study.report.page import effect_verdict, groups, structure
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import (
    MOST_UNANSWERED,
    ComparisonTable,
    Counts,
    SimulatorSummary,
    interval_of,
)
from fidelity_study.steps.draws import is_from_people

STAND_IN, ON_THESE, NOT, OPEN = "stand-in", "on these questions", "not a stand-in", "not settled"
APART = "question by question"
KINDS = STAND_IN, ON_THESE, APART, OPEN, NOT
SHARE, KEPT = 0.9, 0.5
GUESS = "uniform"
FEW_NAMED = 4
FEW_POINTS = 0.1


class Judgement(NamedTuple):
    """What is settled about one simulator.

    Attributes:
        verdict: one of ``KINDS``.
        because: the reason, as the end of a sentence that begins with the simulator's name.
        alike: the same for a sentence about several simulators.
    """

    verdict: str
    because: str
    alike: str


class Verdict(NamedTuple):
    """The answer to the page's question.

    Attributes:
        verdict: the best of all simulators under test.
        headline: the answer in one sentence.
        sentences: what it rests on.
        open: what is not settled.
        judgements: simulator -> its own; empty where there are baselines only.
    """

    verdict: str
    headline: str
    sentences: list[str]
    open: list[str]
    judgements: dict[str, Judgement]


def judge(table: ComparisonTable, summary: SimulatorSummary) -> Judgement:
    """Return whether one simulator can stand in for people."""
    nouns, tolerance = table.results.nouns, table.tolerance
    if not summary.answers:
        return Judgement(
            NOT,
            f"left {percent(summary.unanswered)} of what it was asked unanswered",
            f"left more than {percent(MOST_UNANSWERED)} of what they were asked unanswered",
        )
    certified = summary.certified.get("familywise_share") or 0.0
    lower = summary.mean.get("familywise_lower")
    within = "" if tolerance is None else f"within {number(tolerance)} of people"
    if is_mean_within(table, summary) and certified >= SHARE:
        text = f"{within} on at least {share(certified)} of {nouns}"
        return _unless_apart(table, summary, _judged(STAND_IN, text))
    guess = [baseline for baseline in table.baselines if baseline.name == GUESS]
    if guess and table.certainly_closer(GUESS, summary.name):
        return _judged(NOT, f"farther from people than a {guess[0].label}")
    if tolerance is None:
        return _judged(OPEN, f"not judged, since {_no_tolerance(table)}")
    counts = table.counts(summary)
    if counts is not None and _is_for_these(table, summary, counts):
        text = f"{within} on {counts.within} of {summary.m} {nouns}, and beyond on {counts.beyond}"
        return _unless_apart(table, summary, _judged(ON_THESE, text))
    if lower is not None and lower > tolerance and not _may_be_chance(summary, tolerance):
        return _judged(NOT, f"farther than {number(tolerance)} from people on average")
    text = f"may or may not be {within}, {_criterion(table)}"
    return Judgement(OPEN, text, text)


def _judged(kind: str, text: str) -> Judgement:
    return Judgement(kind, f"is {text}", f"are {text}")


def is_mean_within(table: ComparisonTable, summary: SimulatorSummary) -> bool:
    """Return whether a simulator's mean distance is certainly within the tolerance."""
    upper = summary.mean.get("familywise_upper")
    return table.tolerance is not None and upper is not None and upper <= table.tolerance


def _unless_apart(
    table: ComparisonTable, summary: SimulatorSummary, judgement: Judgement
) -> Judgement:
    """Return a judgement, unless a simulator loses how people's answers go together."""
    if not loses_relations(table.results, summary.name):
        return judgement
    upper = table.results.relations(summary.name)["slope_familywise_upper"]
    strength = f"of the strength of people's relations between {table.results.nouns}"
    return Judgement(
        APART,
        f"{judgement.because}, but keeps at most {percent(max(upper, 0.0))} {strength}",
        f"{judgement.alike}, but keep less than {percent(KEPT)} {strength}",
    )


def loses_relations(results: Results, name: str) -> bool:
    """Return whether a simulator certainly keeps less than half of people's relations."""
    upper = results.relations(name).get("slope_familywise_upper")
    return upper is not None and upper < KEPT


def _is_for_these(table: ComparisonTable, summary: SimulatorSummary, counts: Counts) -> bool:
    """Return whether it is within on enough of these scenarios, and on more than it is beyond."""
    enough = rational(table.results.step["stand_in_share"]) * summary.m
    return counts.within > counts.beyond and counts.within >= enough


def _no_tolerance(table: ComparisonTable) -> str:
    if DISCREPANCIES[table.discrepancy].is_maximum:
        return "the config names no tolerance, the distance that is still close enough"
    return f"a tolerance can be set for {listed(discrepancies_with('is_maximum'), last='or')} only"


def _may_be_chance(summary: SimulatorSummary, tolerance: float) -> bool:
    """Return whether a mean beyond the tolerance may be the chance in few draws alone."""
    behind = interval_of(summary.behind)
    return behind is not None and behind[0] <= tolerance


def _criterion(table: ComparisonTable) -> str:
    """Say where a simulator has to be within the tolerance to stand in for people."""
    return f"on average and on {percent(SHARE)} of {table.results.nouns}"


def verdict(table: ComparisonTable) -> Verdict:
    """Return the verdict on all simulators of a dataset, by one discrepancy."""
    judgements = {summary.name: judge(table, summary) for summary in table.tested}
    shown = table.tested or table.every
    best = shown[0]
    kinds = [judgement.verdict for judgement in judgements.values()]
    overall = next((kind for kind in KINDS if kind in kinds), NOT)
    is_counted = bool(judgements) and overall == judgements[best.name].verdict == ON_THESE
    return Verdict(
        overall if judgements else "",
        _with_effects(table, _headline(table, judgements, overall)),
        [sentence for sentence in _sentences(table, best, counted=is_counted) if sentence],
        [sentence for sentence in _open(table) if sentence],
        judgements,
    )


def _with_effects(table: ComparisonTable, levels: str) -> str:
    """Return the headline: of effects first, where they were measured, then of levels.

    A conjoint is about effects alone: shares of its levels are close by design.
    """
    of_effects = effect_verdict.headline(table.results)
    if not of_effects:
        return levels
    return of_effects if table.results.is_conjoint else f"{of_effects} Of levels: {levels}"


def _headline(table: ComparisonTable, judgements: dict[str, Judgement], overall: str) -> str:
    nouns, tolerance = table.results.nouns, table.tolerance
    if not judgements:
        return "No simulator is tested here: these are baselines to compare simulators with."
    if overall == NOT:
        if len(judgements) == 1:
            ((name, only),) = judgements.items()
            return f"No, {_name(table, name)} cannot stand in for people here: it {only.because}."
        reasons = Counter(judgement.alike for judgement in judgements.values())
        alone = {judgement.alike: judgement.because for judgement in judgements.values()}
        why = ", ".join(
            f"1 {alone[reason]}"
            if many == 1
            else f"{'all' if len(reasons) == 1 else many} {reason}"
            for reason, many in reasons.most_common()
        )
        return f"No, none of the {len(judgements)} simulators can stand in for people here: {why}."
    who = [name for name, judgement in judgements.items() if judgement.verdict == overall]
    names = listed([_name(table, name) for name in who], most=FEW_NAMED)
    if overall == STAND_IN:
        return f"Yes: {names} can stand in for people here, within {number(tolerance)}."
    if overall == ON_THESE:
        where = listed([_where(table, name) for name in who], most=FEW_NAMED)
        return (
            f"On some {nouns} only: {where} can stand in for people, within {number(tolerance)}."
            f"{_farther_on_average(table, who)}"
        )
    if overall == APART:
        best = judgements[who[0]]
        why = best.because if len(who) == 1 else best.alike
        return f"For each {table.results.noun} by itself only: {names} {why}."
    if tolerance is None:
        return f"Not judged: {_no_tolerance(table)}."
    return (
        f"Not settled: {names} may or may not be within {number(tolerance)} of people,"
        f" {_criterion(table)}."
    )


def _where(table: ComparisonTable, name: str) -> str:
    """Name a simulator, and where it is listed as within the tolerance, or beyond."""
    summary = table.named(name)
    counts = table.counts(summary)
    assert counts is not None
    where = f"on {counts.within} of {summary.m}, beyond on {counts.beyond}"
    return f"{named(summary.label)} ({where})"


def _farther_on_average(table: ComparisonTable, who: list[str]) -> str:
    """Say so where simulators are not within the tolerance on average; else nothing."""
    every = [table.named(name) for name in who]
    lower = [summary.mean.get("familywise_lower") or 0.0 for summary in every]
    if table.tolerance is None or min(lower) <= table.tolerance:
        return ""
    if any(_may_be_chance(summary, table.tolerance) for summary in every):
        return ""
    are = "it is" if len(who) == 1 else "they are"
    return f" On average {are} farther."


def translated(table: ComparisonTable, ends: Sequence[float]) -> str:
    """Return what values of the discrepancy mean, to follow in brackets; empty if plain already."""
    measure = DISCREPANCIES[table.discrepancy]
    if measure.is_in_points(table.results.kind):
        digits = 0 if max(ends) >= FEW_POINTS else 1
        return f"; {' to '.join(f'{100 * end:.{digits}f}' for end in ends)} percentage points"
    if measure.on == "mean" and measure.is_square:
        gap = " to ".join(f"{measure.to_metric(max(end, 0.0)):.2f}" for end in ends)
        low, high = table.results.scale
        return f"; a gap of {gap} on a scale from {low:g} to {high:g}"
    return ""


def about(results: Results) -> str:
    """Return the word before a confidence, where weights of people make it approximate."""
    return "about " if results.weighted else ""


def _name(table: ComparisonTable, name: str) -> str:
    return named(table.named(name).label)


def _sentences(table: ComparisonTable, best: SimulatorSummary, *, counted: bool) -> list[str]:
    """Return how far the closest simulator is, how it compares, and what was left unanswered.

    ``counted`` as in :func:`_within`.
    """
    return [
        _average(table, best),
        _behind(best),
        _beside(table, best),
        _most(table, best),
        _elsewhere(table, best),
        _within(table, best, counted=counted),
        _sureness(table, best),
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
    far = (
        f"{range_text(best.interval)} from people on average over these {best.m} {results.nouns}"
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
        f" {listed(near, most=FEW_NAMED, last='or')} may be as close."
    )


def _behind(best: SimulatorSummary) -> str:
    """Say how far what a simulator draws from is from people, without the chance in its draws."""
    ends = interval_of(best.behind)
    if ends is None:
        return ""
    return (
        f"Part of that is the chance in these answers: what {named(best.label)} draws them from is"
        f" {range_text(ends)} from people."
    )


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


def _elsewhere(table: ComparisonTable, best: SimulatorSummary) -> str:
    """Say how far it is from people on average in other clusters, where many were asked."""
    results, ends = table.results, interval_of(best.new)
    if ends is None or not results.clustered or results.has_few_clusters:
        return ""
    return (
        f"For {results.nouns} of other clusters (by {results.step['cluster']}) it is"
        f" {range_text(ends)} from people on average ({table.level} confidence)."
    )


def _within(table: ComparisonTable, best: SimulatorSummary, *, counted: bool) -> str:
    """Say on how many scenarios the closest simulator is listed as within the tolerance.

    ``counted``: whether the headline says on how many.
    """
    counts = table.counts(best)
    if counts is None or best.is_baseline:
        return ""
    nouns, near, far = table.results.nouns, counts.within, counts.beyond
    said = []
    if not counted:
        who = f"Its {best.draws} answers to each are" if best.draws else "It is"
        said.append(
            f"{who} within the tolerance of {number(table.tolerance)} on {near} of {best.m}"
            f" {nouns}, beyond it on {far}, and the rest is open."
        )
    if near or far:
        alpha = percent(table.results.step["test"]["alpha"])
        said.append(
            f"Of the {nouns} so counted, at most {about(table.results)}{alpha} of each kind are"
            " expected to be wrong."
        )
        if best.draws:
            said.append(f"Other answers than its {best.draws} to each would differ by chance.")
    return " ".join(said)


def _sureness(table: ComparisonTable, best: SimulatorSummary) -> str:
    """Say whether the closest simulator is too sure of its most likely option, or too unsure."""
    row = table.results.calibrated.get(best.name)
    if row is None or best.is_baseline or row["overconfidence_lower"] is None:
        return ""
    stated = row["accuracy"] + row["overconfidence"]
    lower, upper = row["overconfidence_lower"], row["overconfidence_upper"]
    if lower <= 0.0 <= upper:
        return ""
    return (
        f"It is too {'sure' if lower > 0.0 else 'unsure'}: it states {percent(stated)} for its most"
        f" likely option on average, and {percent(row['accuracy'])} of people choose that option ("
        f"{100 * lower:.0f} to {100 * upper:.0f} percentage points apart, {table.level}"
        " confidence)."
    )


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
    names = listed(
        [f"{named(summary.label)} (none to {table.results.m - summary.m})" for summary in partial],
        most=FEW_NAMED,
    )
    has, its = ("has", "its") if len(partial) == 1 else ("have", "their")
    return (
        f"Of the {table.results.m} {table.results.nouns}, {names} {has} answers to some only; "
        f"{its} numbers are about these."
    )


def _open(table: ComparisonTable) -> list[str]:
    """Return what the study leaves open."""
    return [_only_by_itself(table), _clusters(table), _linked(table) or no_bound(table)]


def _only_by_itself(table: ComparisonTable) -> str:
    """Say why a mean beyond the tolerance does not settle the verdict on the closest simulator."""
    best = table.best
    lower, upper = best.mean.get("familywise_lower"), best.mean.get("familywise_upper")
    if best.is_baseline or table.tolerance is None or judge(table, best).verdict == NOT:
        return ""
    if best.interval is None or best.interval[0] <= table.tolerance:
        return ""
    if (lower or 0.0) > table.tolerance:
        if not _may_be_chance(best, table.tolerance):
            return ""
        return (
            f"With {best.draws} answers to each, {named(best.label)} is farther than"
            f" {number(table.tolerance)} on average. But that may be the chance in so few answers."
        )
    state = (
        "cannot be told" if lower is None or upper is None else f"is {range_text((lower, upper))}"
    )
    missing = " and whatever its missing answers were" if best.unanswered else ""
    return (
        f"By itself, {named(best.label)} is farther than {number(table.tolerance)} on average. But"
        f" the verdict needs an interval that holds for all simulators at once{missing}, which"
        f" {state}."
    )


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
