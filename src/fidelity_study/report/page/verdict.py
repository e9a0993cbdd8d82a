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
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import (
    MOST_UNANSWERED,
    ComparisonTable,
    SimulatorSummary,
    interval_of,
)
from fidelity_study.steps.draws import is_from_people

STAND_IN, ON_THESE, NOT, OPEN = "stand-in", "on these questions", "not a stand-in", "not settled"
SHARE = 0.9
GUESS = "uniform"
FEW_NAMED = 4
FEW_POINTS = 0.1


class Judgement(NamedTuple):
    """What is settled about one simulator.

    Attributes:
        verdict: one of the four above.
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


def judge(of: ComparisonTable, own: SimulatorSummary) -> Judgement:
    """Return whether one simulator can stand in for people."""
    nouns, tolerance = of.results.nouns, of.tolerance
    if not own.answers:
        return Judgement(
            NOT,
            f"left {percent(own.unanswered)} of what it was asked unanswered",
            f"left more than {percent(MOST_UNANSWERED)} of what they were asked unanswered",
        )
    certified = own.certified.get("familywise_share") or 0.0
    upper, lower = own.mean.get("familywise_upper"), own.mean.get("familywise_lower")
    within = "" if tolerance is None else f"within {number(tolerance)} of people"
    is_close = tolerance is not None and upper is not None and upper <= tolerance
    if is_close and certified >= SHARE:
        text = f"{within} on at least {share(certified)} of {nouns}"
        return Judgement(STAND_IN, f"is {text}", f"are {text}")
    guess = [each for each in of.baselines if each.name == GUESS]
    if guess and of.certainly_closer(GUESS, own.name):
        text = f"farther from people than a {guess[0].label}"
        return Judgement(NOT, f"is {text}", f"are {text}")
    if tolerance is None:
        text = f"not judged, since {_no_tolerance(of)}"
        return Judgement(OPEN, f"is {text}", f"are {text}")
    if _is_for_these(of, own):
        near, far = _counts(of, own)
        text = f"surely {within} on {near} of {own.m} {nouns}, and surely beyond on {far}"
        return Judgement(ON_THESE, f"is {text}", f"are {text}")
    if lower is not None and lower > tolerance and not _may_be_chance(own, tolerance):
        text = f"farther than {number(tolerance)} from people on average"
        return Judgement(NOT, f"is {text}", f"are {text}")
    text = f"may or may not be {within}, {_criterion(of)}"
    return Judgement(OPEN, text, text)


def _counts(of: ComparisonTable, own: SimulatorSummary) -> tuple[int, int]:
    """Return on how many scenarios a simulator is surely within the tolerance, and beyond it."""
    return len(of.surely_within(own.name)), len(of.surely_beyond(own.name))


def _is_for_these(of: ComparisonTable, own: SimulatorSummary) -> bool:
    """Return whether it is within on enough of these scenarios, and on more than it is beyond."""
    near, far = _counts(of, own)
    return near > far and near >= rational(of.results.step["stand_in_share"]) * own.m


def _no_tolerance(of: ComparisonTable) -> str:
    if DISCREPANCIES[of.discrepancy].is_maximum:
        return "the config names no tolerance, the distance that is still close enough"
    return f"a tolerance can be set for {listed(discrepancies_with('is_maximum'), last='or')} only"


def _may_be_chance(own: SimulatorSummary, tolerance: float) -> bool:
    """Return whether a mean beyond the tolerance may be the chance in few draws alone."""
    behind = interval_of(own.behind)
    return behind is not None and behind[0] <= tolerance


def _criterion(of: ComparisonTable) -> str:
    """Say where a simulator has to be within the tolerance to stand in for people."""
    return f"on average and on {percent(SHARE)} of {of.results.nouns}"


def verdict(of: ComparisonTable) -> Verdict:
    """Return the verdict on all simulators of a dataset, by one discrepancy."""
    judgements = {each.name: judge(of, each) for each in of.tested}
    shown = of.tested or of.every
    best = shown[0]
    kinds = [each.verdict for each in judgements.values()]
    found = next((kind for kind in (STAND_IN, ON_THESE, OPEN) if kind in kinds), NOT)
    is_counted = bool(judgements) and found == judgements[best.name].verdict == ON_THESE
    return Verdict(
        found if judgements else "",
        _headline(of, judgements, found),
        [each for each in _sentences(of, best, counted=is_counted) if each],
        [each for each in _open(of) if each],
        judgements,
    )


def _headline(of: ComparisonTable, judgements: dict[str, Judgement], found: str) -> str:
    nouns, tolerance = of.results.nouns, of.tolerance
    if not judgements:
        return "No simulator is tested here: these are baselines to compare simulators with."
    if found == NOT:
        if len(judgements) == 1:
            ((name, only),) = judgements.items()
            return f"No, {_name(of, name)} cannot stand in for people here: it {only.because}."
        reasons = Counter(each.alike for each in judgements.values())
        alone = {each.alike: each.because for each in judgements.values()}
        why = ", ".join(
            f"1 {alone[each]}" if many == 1 else f"{'all' if len(reasons) == 1 else many} {each}"
            for each, many in reasons.most_common()
        )
        return f"No, none of the {len(judgements)} simulators can stand in for people here: {why}."
    who = [name for name, each in judgements.items() if each.verdict == found]
    names = listed([_name(of, name) for name in who], most=FEW_NAMED)
    if found == STAND_IN:
        return f"Yes: {names} can stand in for people here, within {number(tolerance)}."
    if found == ON_THESE:
        where = listed([_where(of, name) for name in who], most=FEW_NAMED)
        return (
            f"On some {nouns} only: {where} can stand in for people, within {number(tolerance)}."
            f"{_farther_on_average(of, who)}"
        )
    if tolerance is None:
        return f"Not judged: {_no_tolerance(of)}."
    return (
        f"Not settled: {names} may or may not be within {number(tolerance)} of people,"
        f" {_criterion(of)}."
    )


def _where(of: ComparisonTable, name: str) -> str:
    """Name a simulator, and on how many scenarios it is surely within the tolerance, or farther."""
    own = of.named(name)
    near, far = _counts(of, own)
    return f"{named(own.label)} (on {near} of {own.m}, surely farther on {far})"


def _farther_on_average(of: ComparisonTable, who: list[str]) -> str:
    """Say so where simulators are surely not within the tolerance on average; else nothing."""
    every = [of.named(name) for name in who]
    lower = [each.mean.get("familywise_lower") or 0.0 for each in every]
    if of.tolerance is None or min(lower) <= of.tolerance:
        return ""
    if any(_may_be_chance(each, of.tolerance) for each in every):
        return ""
    are = "it is" if len(who) == 1 else "they are"
    return f" On average {are} farther."


def translated(of: ComparisonTable, ends: Sequence[float]) -> str:
    """Return what values of the discrepancy mean, to follow in brackets; empty if plain already."""
    measure = DISCREPANCIES[of.discrepancy]
    if measure.is_in_points(of.results.kind):
        digits = 0 if max(ends) >= FEW_POINTS else 1
        return f"; {' to '.join(f'{100 * end:.{digits}f}' for end in ends)} percentage points"
    if measure.on == "mean" and measure.is_square:
        gap = " to ".join(f"{measure.to_metric(max(end, 0.0)):.2f}" for end in ends)
        low, high = of.results.scale
        return f"; a gap of {gap} on a scale from {low:g} to {high:g}"
    return ""


def about(results: Results) -> str:
    """Return the word before a confidence, where weights of people make it approximate."""
    return "about " if results.weighted else ""


def _name(of: ComparisonTable, name: str) -> str:
    return named(of.named(name).label)


def _sentences(of: ComparisonTable, best: SimulatorSummary, *, counted: bool) -> list[str]:
    """Return how far the closest simulator is, how it compares, and what was left unanswered.

    ``counted`` as in :func:`_within`.
    """
    return [
        _average(of, best),
        _behind(best),
        _beside(of, best),
        _most(of, best),
        _elsewhere(of, best),
        _within(of, best, counted=counted),
        _sureness(of, best),
        _missing(of),
    ]


def _average(of: ComparisonTable, best: SimulatorSummary) -> str:
    results = of.results
    if best.interval is None:
        return f"How far {named(best.label)} is from people on average cannot be told here."
    by = f" with {best.draws} answers to each" if best.draws and not best.is_baseline else ""
    far = (
        f"{range_text(best.interval)} from people on average over these {best.m} {results.nouns}"
        f"{by} ({about(of.results)}{of.level} confidence{translated(of, best.interval)})"
    )
    rivals = [each for each in of.answering if each is not best and each.interval]
    if best.is_baseline or not rivals:
        return f"{named(best.label)} is {far}."
    among = f"{len(of.answering)} simulators"
    if len(of.answering) < len(of.tested):
        among += f" that answered at least {percent(1 - MOST_UNANSWERED)} of what they were asked"
    near = [named(each.label) for each in rivals if not of.certainly_closer(best.name, each.name)]
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


def _beside(of: ComparisonTable, best: SimulatorSummary) -> str:
    """Say how the closest simulator compares with the baselines."""
    parts: dict[str, list[str]] = {"farther from people than": [], "closer than": [], "": []}
    for each in of.baselines:
        if each is best:
            continue
        name = named(each.label)
        among = f" over {each.m} {of.results.nouns}" if each.m != best.m else ""
        told = f"{name} ({range_text(each.interval)}{among})" if each.interval else name
        if of.certainly_closer(each.name, best.name):
            parts["farther from people than"].append(told)
        elif of.certainly_closer(best.name, each.name):
            parts["closer than"].append(told)
        else:
            parts[""].append(told)
    said = [f"{how} {listed(names)}" for how, names in parts.items() if names and how]
    sentence = f"It is {', and '.join(said)}." if said else ""
    if parts[""]:
        sentence += f" Whether it is closer than {listed(parts[''], last='or')} is not settled."
    return sentence.strip()


def _most(of: ComparisonTable, best: SimulatorSummary) -> str:
    """Say within what the closest simulator surely is on 90 % of the scenarios."""
    bound = best.sure
    if bound is None:
        return ""
    more = " like these" if best.certified["scenarios"] == "new" else of.results.of_clusters
    return (
        f"On 90 % of all {of.results.nouns}{more} it is at most {number(bound)} from people"
        f" ({about(of.results)}95 % confidence{translated(of, [bound])})."
    )


def no_bound(of: ComparisonTable) -> str:
    """Say why nothing is sure of 90 % of the scenarios for the closest simulator; else nothing."""
    best, nouns = of.every[0], of.results.nouns
    if best.sure is not None:
        return ""
    alike = of.results.clustered or of.results.respondents_repeat is not False
    alone = ", some of which may depend on each other," if alike else ""
    why = f"{best.m} {nouns}{alone} are too few"
    if is_from_people(best.name):
        why = f"{named(best.label)} is made of people's answers to other {nouns}"
    elif not best.certified:
        why = "the config asks for none; write gamma: envelope in its grid"
    elif DISCREPANCIES[of.discrepancy].infinite_at_zero:
        why += ", or the distance is infinite on some of them"
    return f"No bound on 90 % of other {nouns} is certain: {why}."


def _elsewhere(of: ComparisonTable, best: SimulatorSummary) -> str:
    """Say how far it is from people on average in other clusters, where many were asked."""
    results, ends = of.results, interval_of(best.new)
    if ends is None or not results.clustered or results.has_few_clusters:
        return ""
    return (
        f"For {results.nouns} of other clusters (by {results.step['cluster']}) it is"
        f" {range_text(ends)} from people on average ({of.level} confidence)."
    )


def _within(of: ComparisonTable, best: SimulatorSummary, *, counted: bool) -> str:
    """Say on how many scenarios the closest simulator is surely within the tolerance.

    ``counted``: whether the headline says on how many.
    """
    if not of.lists[best.name] or best.is_baseline:
        return ""
    nouns, (near, far) = of.results.nouns, _counts(of, best)
    said = []
    if not counted:
        who = f"Its {best.draws} answers to each are" if best.draws else "It is"
        said.append(
            f"{who} surely within the tolerance of {number(of.tolerance)} on {near} of {best.m}"
            f" {nouns}, and surely beyond it on {far}."
        )
    if near or far:
        alpha = percent(of.results.step["test"]["alpha"])
        said.append(
            f"Of the {nouns} so counted, at most {about(of.results)}{alpha} of each kind are wrong"
            " on average."
        )
        if best.draws:
            said.append(f"Other answers than its {best.draws} to each would differ by chance.")
    return " ".join(said)


def _sureness(of: ComparisonTable, best: SimulatorSummary) -> str:
    """Say whether the closest simulator is too sure of its most likely option, or too unsure."""
    row = of.results.calibrated.get(best.name)
    if row is None or best.is_baseline or row["overconfidence_lower"] is None:
        return ""
    stated = row["accuracy"] + row["overconfidence"]
    lower, upper = row["overconfidence_lower"], row["overconfidence_upper"]
    if lower <= 0.0 <= upper:
        return ""
    return (
        f"It is too {'sure' if lower > 0.0 else 'unsure'}: it states {percent(stated)} for its most"
        f" likely option on average, and {percent(row['accuracy'])} of people choose that option ("
        f"{100 * lower:.0f} to {100 * upper:.0f} percentage points apart, 95 % confidence)."
    )


def _missing(of: ComparisonTable) -> str:
    """Say which simulators left answers out, and which have none at all to some scenarios."""
    lacking = sorted(
        (each for each in of.tested if each.unanswered), key=lambda each: -each.unanswered
    )
    much = [each for each in lacking if not each.answers]
    partial = [each for each in of.tested if each.m < of.results.m and not each.unanswered]
    if not (lacking or partial):
        return "Every simulator answered all that it was asked." if of.tested else ""
    return " ".join(filter(None, [_left_open(much or lacking, bool(much)), _partial(of, partial)]))


def _left_open(lacking: Sequence[SimulatorSummary], much: bool) -> str:
    if not lacking:
        return ""
    names = listed(
        [f"{named(each.label)} ({percent(each.unanswered)})" for each in lacking], most=FEW_NAMED
    )
    part = f"more than {percent(MOST_UNANSWERED)}" if much else "some"
    who = "it was" if len(lacking) == 1 else "they were"
    return f"{names} left {part} of what {who} asked unanswered."


def _partial(of: ComparisonTable, partial: Sequence[SimulatorSummary]) -> str:
    """Say on how many scenarios simulators are judged of which the files have no answer to some."""
    if not partial:
        return ""
    names = listed(
        [f"{named(each.label)} (none to {of.results.m - each.m})" for each in partial],
        most=FEW_NAMED,
    )
    has, its = ("has", "its") if len(partial) == 1 else ("have", "their")
    return (
        f"Of the {of.results.m} {of.results.nouns}, {names} {has} answers to some only; "
        f"{its} numbers are about these."
    )


def _open(of: ComparisonTable) -> list[str]:
    """Return what the study leaves open."""
    return [_only_by_itself(of), _clusters(of), _linked(of) or no_bound(of)]


def _only_by_itself(of: ComparisonTable) -> str:
    """Say why a mean beyond the tolerance does not settle the verdict on the closest simulator."""
    best = of.every[0]
    lower, upper = best.mean.get("familywise_lower"), best.mean.get("familywise_upper")
    if best.is_baseline or of.tolerance is None or judge(of, best).verdict == NOT:
        return ""
    if best.interval is None or best.interval[0] <= of.tolerance:
        return ""
    if (lower or 0.0) > of.tolerance:
        if not _may_be_chance(best, of.tolerance):
            return ""
        return (
            f"With {best.draws} answers to each, {named(best.label)} is farther than"
            f" {number(of.tolerance)} on average. But that may be the chance in so few answers."
        )
    told = (
        "cannot be told" if lower is None or upper is None else f"is {range_text((lower, upper))}"
    )
    missing = " and whatever its missing answers were" if best.unanswered else ""
    return (
        f"By itself, {named(best.label)} is farther than {number(of.tolerance)} on average. But the"
        f" verdict needs an interval that holds for all simulators at once{missing}, which {told}."
    )


def _linked(of: ComparisonTable) -> str:
    """Say what follows for other scenarios where all have people in common."""
    results = of.results
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
    ranges = [row for row in results.predictions if row["discrepancy"] == of.discrepancy]
    if any(row["bound"] is not None for row in ranges):
        said += f" The ranges of the new {nouns} allow for that."
    return said


def _clusters(of: ComparisonTable) -> str:
    results = of.results
    cluster = results.step["cluster"]
    if results.one_cluster:
        return f"All {results.nouns} are of one cluster (by {cluster}): nothing is known of others."
    if not results.clustered or not results.has_few_clusters:
        return ""
    return (
        f"The {results.m} {results.nouns} come from {results.clusters_text}:"
        " too few to say what holds for other clusters."
    )
