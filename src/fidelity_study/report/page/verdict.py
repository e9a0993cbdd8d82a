"""Whether simulators can stand in for people, in a few sentences that hold together.

The rule is in docs/method/verdict.md. All its bounds fail with probability at most alpha for all
simulators of a dataset together, since the closest one is chosen after looking.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.levels import rational
from fidelity_study.report.formats import number, percent, range_text, share, span
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
from fidelity_study.steps.arrays import numbers
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
        alike: the same for a sentence about several simulators, none of which can stand in.
    """

    verdict: str
    because: str
    alike: str


class Verdict(NamedTuple):
    """The answer to the page's question with its words, which page, findings and JSON read.

    Attributes:
        verdict: the best of all simulators under test; empty where there are only baselines.
        first: the simulator that the headline names first; of baselines the closest.
        of_effects: the headline on effects; empty where none were measured.
        of_levels: the headline on answers; empty of a conjoint, whose shares are close by design.
        why: why that is not settled although it looks so, and why no question is; may be empty.
        todo: what to do next.
        sentences: what it rests on.
        open: what is not settled.
        judgements: simulator -> its own; empty where there are baselines only.
    """

    verdict: str
    first: str
    of_effects: str
    of_levels: str
    why: str
    todo: str
    sentences: list[str]
    open: list[str]
    judgements: dict[str, Judgement]

    @property
    def headline(self) -> str:
        """The answer in one sentence, or in one on effects and one on levels."""
        levels = f"Levels: {self.of_levels}" if self.of_effects and self.of_levels else ""
        return " ".join(filter(None, [self.of_effects, levels])) or self.of_levels


def judge(table: ComparisonTable, summary: SimulatorSummary) -> Judgement:
    """Return whether one simulator can stand in for people."""
    nouns, tolerance = table.results.nouns, table.tolerance
    if not summary.answers:
        return Judgement(
            NOT,
            f"left {percent(summary.unanswered)} of what it was asked unanswered",
            f"left more than {percent(MOST_UNANSWERED)} of what they were asked unanswered",
        )
    certified = summary.share_within or 0.0
    within = "" if tolerance is None else f"within {number(tolerance)} of people"
    if _is_stand_in(table, summary):
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
    if _is_mean_beyond(table, summary):
        return _judged(NOT, "too far on average")
    text = f"may or may not be {within} on average and on {percent(SHARE)} of {nouns}"
    if is_mean_within(table, summary):
        text = f"is {within} on average, but may not be on {percent(SHARE)} of {nouns}"
    elif certified >= SHARE:
        text = f"is {within} on at least {share(certified)} of {nouns}, but may not be on average"
    return Judgement(OPEN, text, text)


def _judged(kind: str, text: str) -> Judgement:
    return Judgement(kind, f"is {text}", f"are {text}")


def is_mean_within(table: ComparisonTable, summary: SimulatorSummary) -> bool:
    """Return whether a simulator's mean distance is certainly within the tolerance."""
    upper = summary.mean.get("familywise_upper")
    return table.tolerance is not None and upper is not None and upper <= table.tolerance


def _is_mean_beyond(table: ComparisonTable, summary: SimulatorSummary) -> bool:
    """Return whether it is certainly beyond, and not by the chance in few draws."""
    lower, tolerance = summary.mean.get("familywise_lower") or 0.0, table.tolerance
    return tolerance is not None and lower > tolerance and not _may_be_chance(summary, tolerance)


def _is_stand_in(table: ComparisonTable, summary: SimulatorSummary) -> bool:
    """Return whether it is certainly within on average, and on nearly all such scenarios."""
    return is_mean_within(table, summary) and (summary.share_within or 0.0) >= SHARE


def _unless_apart(
    table: ComparisonTable, summary: SimulatorSummary, judgement: Judgement
) -> Judgement:
    """Return a judgement, unless a simulator loses how people's answers go together."""
    if not loses_relations(table.results, summary.name):
        return judgement
    upper = table.results.relations(summary.name)["slope_familywise_upper"]
    strength = f"of the strength of people's relations between {table.results.nouns}"
    text = f"{judgement.because}, but keeps at most {percent(max(upper, 0.0))} {strength}"
    return Judgement(APART, text, text)


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


def needs_draws(table: ComparisonTable, summary: SimulatorSummary) -> bool:
    """Return whether chance in a simulator's draws alone may put it beyond the tolerance."""
    if table.tolerance is None or summary.interval is None:
        return False
    return _may_be_chance(summary, table.tolerance) and summary.interval[1] > table.tolerance


def verdict(table: ComparisonTable) -> Verdict:
    """Return the verdict on all simulators of a dataset, by one discrepancy."""
    results = table.results
    judgements = {summary.name: judge(table, summary) for summary in table.tested}
    kinds = [judgement.verdict for judgement in judgements.values()]
    overall = next((kind for kind in KINDS if kind in kinds), "")
    leading = [one for one in table.tested if judgements[one.name].verdict == overall]
    leading.sort(key=lambda one: -(results.relations(one.name).get("slope") or 0.0))
    best, (first, *_) = table.best, leading or [table.best]
    of_effects = effect_verdict.headline(results)
    is_of_effects = of_effects and results.is_conjoint
    return Verdict(
        overall,
        first.name,
        of_effects,
        "" if is_of_effects else _headline(table, judgements, overall, leading),
        " ".join(filter(None, [_only_by_itself(table, first), why_open(table, first)])),
        effect_verdict.todo(results) if of_effects else _todo(table, overall, first),
        [*filter(None, _sentences(table, best, counted=overall == ON_THESE and first is best))],
        [*filter(None, _open(table))],
        judgements,
    )


def _headline(
    table: ComparisonTable,
    judgements: dict[str, Judgement],
    overall: str,
    leading: list[SimulatorSummary],
) -> str:
    """Return the headline on answers, of the simulators that have the best verdict."""
    names = [named(summary.label) for summary in leading]
    who, is_one = listed(names, most=2), len(names) == 1
    if not leading:
        nearest = f"of the baselines {named(table.best.label)} has the smallest distance"
        return f"No simulator is tested{f'; {nearest}' if table.best.interval else ''}."
    if overall == NOT:
        return _none(table, judgements)
    if overall == STAND_IN:
        return f"{who} {'comes' if is_one else 'come'} close enough to stand in for people."
    if overall in (ON_THESE, APART):
        return _close_on(table, leading, overall)
    if table.tolerance is None:
        are = "is" if is_one else "are"
        return f"Whether {who} {are} close enough is not judged: {_no_tolerance(table)}."
    return _not_settled(table, leading[0])


def _none(table: ComparisonTable, judgements: dict[str, Judgement]) -> str:
    """Say why no simulator can stand in for people."""
    if len(judgements) == 1:
        ((name, only),) = judgements.items()
        return f"{_name(table, name)} cannot stand in for people: it {only.because}."
    why = []
    for alike in dict.fromkeys(judgement.alike for judgement in judgements.values()):
        names = [name for name, judgement in judgements.items() if judgement.alike == alike]
        who = listed([_name(table, name) for name in names], most=2)
        if len(names) == len(judgements):
            who = "both" if len(names) == 2 else f"all {len(names)}"
        why.append(f"{who} {judgements[names[0]].because if len(names) == 1 else alike}")
    return f"No simulator can stand in for people: {', '.join(why)}."


def _close_on(table: ComparisonTable, leading: list[SimulatorSummary], overall: str) -> str:
    """Say on which scenarios simulators come close to people, and what does not hold."""
    first, *others = [named(summary.label) for summary in leading]
    where, *elsewhere = [_where(table, summary) for summary in leading]
    text = f"{first} comes close to people {where}"
    if others and {where} == {*elsewhere}:
        text = f"{listed([first, *others], most=2)} come close to people {where}"
    elif others:
        come = "comes" if len(others) == 1 else "come"
        text += f", and {listed(others, most=2)} {come} close on some"
    if overall == APART:
        their = "their" if others else "its"
        return f"{text}, but {their} answers do not go together as people's do."
    return f"{text}."


def _where(table: ComparisonTable, summary: SimulatorSummary) -> str:
    """Say on how many scenarios a simulator is listed as within the tolerance, and as beyond."""
    counts, these = table.counts(summary), _these(table, summary)
    if counts is None or _is_stand_in(table, summary):
        return f"on at least {share(summary.share_within or 0.0)} of {table.results.nouns}"
    if counts.within == summary.m:
        return f"on all {these}" if summary.m > 1 else f"on the {these}"
    far = [f"on {counts.beyond}"] if counts.beyond else []
    far += ["on average"] if _is_mean_beyond(table, summary) else []
    too_far = f" (too far {listed(far)})" if far else ""
    return f"on {counts.within} of {these}{too_far}"


def _these(table: ComparisonTable, summary: SimulatorSummary) -> str:
    """Return how many scenarios a simulator answered: 12 questions asked, or answered."""
    results = table.results
    noun = results.noun if summary.m == 1 else results.nouns
    return f"{summary.m} {noun} {'answered' if summary.m < results.m else 'asked'}"


def _not_settled(table: ComparisonTable, summary: SimulatorSummary) -> str:
    """Say what is not settled of a simulator, as far as its mean or its counts say anything."""
    who, counts = named(summary.label), table.counts(summary)
    upper = summary.interval[1] if summary.interval else None
    assert table.tolerance is not None
    if is_mean_within(table, summary):
        far = f"{who} is close enough on average"
    elif upper is not None and upper <= table.tolerance:
        far = f"{who} looks close enough on average"
    else:
        return f"It is not settled whether {who} is close enough to people."
    if counts is None:
        return f"{far}; not settled {table.results.noun} by {table.results.noun}."
    if counts.beyond:
        return f"{far}, but too far on {counts.beyond} of {_these(table, summary)}."
    return f"{far}; not settled on {counts.open} of {_these(table, summary)}."


def _todo(table: ComparisonTable, overall: str, first: SimulatorSummary) -> str:
    """Return what to do next."""
    nouns, counts = table.results.nouns, table.counts(first)
    texts = {
        "": "add a simulator of your own.",
        STAND_IN: f"use it for {nouns} like these, and check again when the model changes.",
        APART: f"use it for shares of single {nouns}, not for relations, scales or segments.",
    }
    if overall in texts:
        return texts[overall]
    if overall == ON_THESE and counts is not None:
        these = f"those {counts.within} {nouns}" if counts.within > 1 else "that one"
        return f"use it on {these} only."
    if overall == NOT:
        return _instead(table)
    if table.tolerance is None:
        return "choose a distance that can have a limit."
    if needs_draws(table, first):
        return f"ask {named(first.label)} more often, which needs no people; or more people."
    return "ask more people: four times as many halve the uncertainty."


def _instead(table: ComparisonTable) -> str:
    """Return what to do where no simulator can stand in for people."""
    lacking = [named(summary.label) for summary in table.tested if not summary.answers]
    if lacking:
        return f"find out why so many answers of {listed(lacking, most=FEW_NAMED)} are missing."
    nearer = [
        baseline
        for baseline in table.baselines
        if table.certainly_closer(baseline.name, GUESS)
        and all(table.certainly_closer(baseline.name, one.name) for one in table.tested)
    ]
    if not nearer:
        return "keep asking people."
    limit, ends = table.tolerance, nearer[0].interval
    far = ", though too far" if limit is not None and ends and ends[0] > limit else ""
    return f"keep asking people. Nearer than any simulator: {named(nearer[0].label)}{far}."


def why_open(table: ComparisonTable, summary: SimulatorSummary) -> str:
    """Say why lists can say nothing of any scenario; empty where they say something."""
    counts, results = table.counts(summary), table.results
    if counts is None or counts.within or counts.beyond or summary.is_baseline:
        return ""
    many = span(numbers(results.scenarios["n_human"]))
    reasons = [f"{many} people leave room for chance"]
    if summary.unanswered:
        reasons.append(f"what {named(summary.label)} left out could be anything")
    if summary.m > 1:
        reasons.append(f"{summary.m} are tested at once")
    return f"No {results.noun} is settled by itself: {listed(reasons)}."


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


def in_pairs(results: Results) -> str:
    """Say what ranks rest on: no intervals of single means, and no luck of draws."""
    return f"Compared in pairs{' without the luck of draws' if results.drawing else ''}"


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


def _behind(best: SimulatorSummary) -> str:
    """Say how far what a simulator draws from is from people, without the chance in its draws."""
    ends = interval_of(best.behind)
    if ends is None:
        return ""
    return (
        f"These answers vary by chance: what {named(best.label)} draws them from is"
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
        who = named(best.label)
        who = f"{best.draws} answers of {who} to each are" if best.draws else f"{who} is"
        said.append(
            f"{who} within the tolerance of {number(table.tolerance)} on {near} of"
            f" {_counted(best.m, table.results)}, beyond it on {far}, and the rest is open."
        )
    if near or far:
        alpha = percent(table.results.step["test"]["alpha"])
        said.append(
            f"Of the {nouns} so counted, at most {about(table.results)}{alpha} of each kind are"
            " expected to be wrong."
        )
        if best.draws:
            said.append(f"Other answers than these {best.draws} to each would differ by chance.")
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
    best = table.best
    said = [_only_by_itself(table, best), why_open(table, best), _clusters(table)]
    return [*said, _linked(table) or no_bound(table)]


def _only_by_itself(table: ComparisonTable, summary: SimulatorSummary) -> str:
    """Say why a mean beyond the tolerance does not settle the verdict on a simulator."""
    lower, tolerance = summary.mean.get("familywise_lower") or 0.0, table.tolerance
    if summary.is_baseline or tolerance is None or judge(table, summary).verdict == NOT:
        return ""
    if summary.interval is None or summary.interval[0] <= tolerance:
        return ""
    if _is_mean_beyond(table, summary):
        return ""
    if lower > tolerance:
        return (
            f"With {summary.draws} answers to each, {named(summary.label)} is too far on average,"
            " but that may be the chance in so few answers."
        )
    missing = ", whatever its missing answers were" if summary.unanswered else ""
    return (
        f"By itself, {named(summary.label)} is too far on average; for all simulators at"
        f" once{missing}, that is open."
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
