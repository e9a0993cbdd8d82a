"""What to do next: where a simulator may be used, and what a more precise study costs."""

from collections.abc import Iterator

import numpy as np

from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity_study.report.formats import number
from fidelity_study.report.page.corrections import Corrections
from fidelity_study.report.page.verdict import GUESS, NOT, ON_THESE, OPEN, STAND_IN, Verdict
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import ComparisonTable, SimulatorSummary, interval_of
from fidelity_study.report.tables import having
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.cluster_warning import FEW


def advice(of: ComparisonTable, found: Verdict) -> list[str]:
    """Return what to do next, in sentences."""
    results = of.results
    if not of.tested:
        return [
            "Add a simulator of your own to the config, and see whether it is closer than these"
            " baselines.",
        ]
    best = of.tested[0]
    said = [*_use(of, found, best), *_correct(of), *_ask_again(of)]
    if of.tolerance is None and DISCREPANCIES[of.discrepancy].is_maximum:
        said.append(
            "State the distance that is still close enough in the config (comparison: tolerance);"
            f" then each of the {results.nouns} is tested for it."
        )
    elif of.tolerance is None:
        said.append(
            "For a verdict, add a discrepancy to the config that can have a tolerance:"
            f" {listed(discrepancies_with('is_maximum'), last='or')}."
        )
    said += _more_clusters(results)
    said += _more_draws(of, best)
    if found.verdict == NOT:
        return said
    said += _more_people(of, best)
    if results.step["plan"] is None and DISCREPANCIES[of.discrepancy].is_planned:
        said.append(
            "To read how many people a width takes, put plan: {width: [0.05]} in the dataset's"
            " config."
        )
    return said


def _more_clusters(results: Results) -> Iterator[str]:
    """Ask for more clusters where they are few; not for more groups of people than there are."""
    if results.clustered and results.has_few_clusters and not results.clusters_are_of_people:
        yield (
            f"To learn what holds for other clusters (by {results.step['cluster']}), study at least"
            f" {FEW:g} of them, of about equal size; this study has {results.n_clusters}."
        )


def _use(of: ComparisonTable, found: Verdict, best: SimulatorSummary) -> Iterator[str]:
    nouns, verdict = of.results.nouns, found.verdict
    name = named(best.label)
    if verdict == STAND_IN:
        yield f"Use {name} for {nouns} like these; ask people again when the model changes."
    elif verdict == ON_THESE:
        yield (
            f"Use a simulator only for the {nouns} on which it is surely close; the list of {nouns}"
            " shows which these are."
        )
    elif verdict == OPEN and of.tolerance is not None:
        yield "Ask more people. A tolerance chosen after looking at these answers proves nothing."
    elif verdict != OPEN:
        yield f"Don't replace people by {name} on {nouns} like these."
        nearer = [
            each.label
            for each in of.baselines
            if of.certainly_closer(each.name, best.name) and of.certainly_closer(each.name, GUESS)
        ]
        if nearer:
            yield f"Where people cannot be asked, closer than that: {listed(nearer, last='or')}."


def _correct(of: ComparisonTable) -> Iterator[str]:
    if gains := Corrections(of).gains_on_new:
        yield (
            f"Where people cannot be asked, the correction brings {gains[0].name} closer to them;"
            " the corrected shares are in correct/stated.parquet."
        )


def _ask_again(of: ComparisonTable) -> Iterator[str]:
    if of.lacking:
        names = listed([named(each.label) for each in of.lacking], most=4)
        yield (
            f"Before you use the answers of {names}, find out why so many are missing (see"
            " nonresponse.csv)."
        )


def _more_draws(of: ComparisonTable, best: SimulatorSummary) -> Iterator[str]:
    """Ask for more draws where these alone may put the closest simulator beyond the tolerance."""
    behind = interval_of(best.behind)
    if of.tolerance is None or behind is None or best.interval is None:
        return
    if behind[0] <= of.tolerance < best.interval[1]:
        yield (
            f"Ask {named(best.label)} more often than {best.draws} times for each"
            f" {of.results.noun}, which needs no people: part of its distance is chance."
        )


def _more_people(of: ComparisonTable, best: SimulatorSummary) -> Iterator[str]:
    """Say how precisely the mean is known, and what it takes to halve its interval."""
    if best.interval is None:
        return
    known = (best.interval[1] - best.interval[0]) / 2
    people = of.results.people_in_all if of.results.respondents_repeat else None
    answers = float(np.nansum(numbers(of.results.scenarios["n_human"])))
    plan = of.results.step["plan"]
    price = "" if plan is None else f", at {plan['costs']['answer']:g} each"
    in_psus = ", in four times as many primary sampling units" if of.results.has_design else ""
    yield (
        f"The mean distance of {named(best.label)} over these {best.m} {of.results.nouns} is known"
        f" to within {number(known)}. With four times as many people in each, drawn as these were"
        f"{in_psus}, about half of that, or less, would remain: it takes"
        f" {thrice(answers, people)}{price}."
    )


def thrice(answers: float, people: float | None) -> str:
    """Return three times as many answers in words, and in how many interviews they are given.

    Args:
        answers: of people, altogether.
        people: how many of these there are at least, if they answered several; else None.
    """
    more = f"{int(3 * answers):,} more answers"
    return more if people is None else f"at least {int(3 * people):,} more interviews with {more}"


def plans(of: ComparisonTable) -> list[dict]:
    """Return the rows of the people that each simulator's mean takes, for each width.

    A width that this study has reached already is left out.
    """
    forms = {one.name: one.form for one in of.tested or of.every}
    wanted = [
        row
        for row in having(of.results.mean_plans, {"discrepancy": of.discrepancy})
        if forms.get(row["simulator"]) == row["k"] and row["width"] < row["half_length"]
    ]
    order = list(forms)
    return sorted(wanted, key=lambda row: (order.index(row["simulator"]), -row["width"]))
