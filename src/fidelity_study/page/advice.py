"""What to do next: where a simulator may be used, and what a more precise study costs."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fidelity.comparison.selection import FARTHEST
from fidelity.planning.pilot import planned
from fidelity_study.page.corrections import Corrections
from fidelity_study.page.standings import Standing, Standings, limits
from fidelity_study.page.verdict import GUESS, NOT, ON_THESE, OPEN, STAND_IN, Verdict
from fidelity_study.page.words import listed, named, number
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.cluster_warning import FEW
from fidelity_study.steps.draws import STATED_FORM


class Plan(NamedTuple):
    """The cheapest next study that brings a calibrated mean within a width of the truth.

    Attributes:
        simulator: its label.
        width: how near it comes to the truth, with ``probability``.
        m, n, k: scenarios, people in each, draws in each; None where no study comes so near.
        answers: of people, altogether.
        cost: in the unit of the config's prices.
        nearest: how near a study can come at most.
    """

    simulator: str
    width: float
    probability: float
    m: int | None
    n: int | None
    k: str | None
    answers: int | None
    cost: float | None
    nearest: float


def advice(of: Standings, found: Verdict) -> list[str]:
    """Return what to do next, in sentences."""
    results = of.results
    if not of.tested:
        return [
            "Add a simulator of your own to the config, and see whether it is closer than these"
            " baselines.",
        ]
    best = of.tested[0]
    said = [*_use(of, found, best), *_correct(of), *_ask_again(of)]
    if of.tolerance is None and of.discrepancy in FARTHEST:
        said.append(
            "State the distance that is still close enough in the config (comparison: tolerance);"
            f" then each of the {results.nouns} is tested for it."
        )
    elif of.tolerance is None:
        said.append(
            "For a verdict, add a discrepancy to the config that can have a tolerance:"
            f" {listed(sorted(FARTHEST), last='or')}."
        )
    if results.clustered and results.has_few_clusters:
        said.append(
            f"To learn what holds for other clusters (by {results.step['cluster']}), study at least"
            f" {FEW:g} of them, of about equal size; this study has {results.n_clusters}."
        )
    said += _more_draws(of, best)
    if found.verdict == NOT:
        return said
    said += _more_people(of, best)
    if results.step["plan"] is None and of.discrepancy in planned():
        said.append("For a plan of the next study, put plan: {} in the dataset's config.")
    return said


def _use(of: Standings, found: Verdict, best: Standing) -> Iterator[str]:
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


def _correct(of: Standings) -> Iterator[str]:
    if gains := Corrections(of).gains_on_new:
        yield (
            f"Where people cannot be asked, the correction brings {gains[0].name} closer to them;"
            " the corrected shares are in correct/stated.parquet."
        )


def _ask_again(of: Standings) -> Iterator[str]:
    if of.lacking:
        names = listed([named(each.label) for each in of.lacking], most=4)
        yield (
            f"Before you use the answers of {names}, find out why so many are missing (see"
            " nonresponse.csv)."
        )


def _more_draws(of: Standings, best: Standing) -> Iterator[str]:
    """Ask for more draws where these alone may put the closest simulator beyond the tolerance."""
    behind = limits(best.behind)
    if of.tolerance is None or behind is None or best.interval is None:
        return
    if behind[0] <= of.tolerance < best.interval[1]:
        yield (
            f"Ask {named(best.label)} more often than {best.draws} times for each"
            f" {of.results.noun}, which needs no people: part of its distance is chance."
        )


def _more_people(of: Standings, best: Standing) -> Iterator[str]:
    """Say how precisely the mean is known, and what it takes to halve its interval."""
    known = _known_within(best)
    if known is None:
        return
    people = of.results.people_in_all if of.results.respondents_repeat else None
    answers = float(np.nansum(numbers(of.results.scenarios["n_human"])))
    plan = of.results.step["plan"]
    price = "" if plan is None else f", at {plan['costs']['answer']:g} each"
    yield (
        f"The mean distance of {named(best.label)} over these {best.m} {of.results.nouns} is known"
        f" to within {number(known)}. With four times as many people in each, drawn as these were,"
        f" about half of that would remain: it takes {thrice(answers, people)}{price}."
    )


def thrice(answers: float, people: float | None) -> str:
    """Return three times as many answers in words, and in how many interviews they are given.

    Args:
        answers: of people, altogether.
        people: how many of these there are at least, if they answered several; else None.
    """
    more = f"{int(3 * answers):,} more answers"
    return more if people is None else f"at least {int(3 * people):,} more interviews with {more}"


def _known_within(own: Standing) -> float | None:
    """Return half the length of the mean's interval; None without one."""
    return None if own.interval is None else (own.interval[1] - own.interval[0]) / 2


def plans(of: Standings) -> list[Plan]:
    """Return the cheapest plan of each simulator under test, for each width.

    A width that this study has reached for its own scenarios already is left out.
    """
    results = of.results
    found: dict[tuple[str, float], dict] = {}
    wanted = [each.name for each in of.tested or of.every]
    for row in results.plans:
        known = _known_within(of.named(row["simulator"])) or np.inf
        wanting = row["simulator"] in wanted and row["width"] < known
        if row["discrepancy"] == of.discrepancy and wanting:
            key = row["simulator"], row["width"]
            if key not in found or row["cheapest"]:
                found[key] = row
    return [
        _plan(of, found[key])
        for key in sorted(found, key=lambda key: (wanted.index(key[0]), -key[1]))
    ]


def _plan(of: Standings, row: dict) -> Plan:
    reached = row["cheapest"]
    return Plan(
        simulator=of.named(row["simulator"]).label,
        width=row["width"],
        probability=row["probability"],
        m=row["m"] if reached else None,
        n=row["n"] if reached else None,
        k=None if not reached or row["k"] == STATED_FORM else row["k"],
        answers=row["m"] * row["n"] if reached else None,
        cost=row["cost"] if reached else None,
        nearest=row["smallest_width"],
    )
