"""What to do next, beside what the first screen says: what a more precise study costs."""

from collections.abc import Iterator

import numpy as np

from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity_study.report.formats import number
from fidelity_study.report.page.corrections import Corrections
from fidelity_study.report.page.verdict import needs_draws
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import ComparisonTable, SimulatorSummary
from fidelity_study.report.tables import having
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.cluster_warning import FEW


def advice(table: ComparisonTable) -> list[str]:
    """Return what to do next, in sentences."""
    results = table.results
    if not table.tested:
        return [
            "Add a simulator of your own to the config, and see whether it is closer than these"
            " baselines.",
        ]
    best = table.tested[0]
    said = []
    if gains := Corrections(table).gains_on_new:
        said.append(
            f"Where people cannot be asked, the correction brings {gains[0].name} closer to them;"
            " the corrected shares are in correct/stated.parquet."
        )
    if table.tolerance is None and DISCREPANCIES[table.discrepancy].is_maximum:
        said.append(
            "State the distance that is still close enough in the config (comparison: tolerance);"
            f" then each of the {results.nouns} is tested for it."
        )
    elif table.tolerance is None:
        said.append(
            "For a verdict, add a discrepancy to the config that can have a tolerance:"
            f" {listed(discrepancies_with('is_maximum'), last='or')}."
        )
    said += _more_clusters(results)
    if needs_draws(table, best):
        said.append(
            f"Ask {named(best.label)} more often than {best.draws} times for each"
            f" {results.noun}, which needs no people: part of its distance is chance."
        )
    said += _more_people(table, best)
    if results.step["plan"] is None and DISCREPANCIES[table.discrepancy].is_planned:
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


def more_answers(table: ComparisonTable) -> int:
    """Return how many more of people's answers make four times as many."""
    answers = np.nansum(numbers(table.results.scenarios["n_human"])) / table.results.levels_shown
    return int(3 * answers)


def _more_people(table: ComparisonTable, best: SimulatorSummary) -> Iterator[str]:
    """Say how precisely the mean is known, and what it takes to halve its interval."""
    if best.interval is None:
        return
    known = (best.interval[1] - best.interval[0]) / 2
    results = table.results
    people = results.people_in_all if results.respondents_repeat else None
    plan = table.results.step["plan"]
    price = "" if plan is None else f", at {plan['costs']['answer']:g} each"
    in_psus = ", in four times as many primary sampling units" if results.has_design else ""
    if results.is_conjoint:
        people, in_psus = results.persons, ""
    more = interviews(more_answers(table), people, exact=results.is_conjoint)
    yield (
        f"The mean distance of {named(best.label)} over these {best.m} {table.results.nouns} is"
        f" known to within {number(known)}. With four times as many people in each, drawn as these"
        f" were{in_psus}, about half of that, or less, would remain: it takes"
        f" {more}{price}."
    )


def interviews(answers: int, people: float | None, *, exact: bool = False) -> str:
    """Return more answers in words, and in how many interviews they are given.

    Args:
        answers: of people.
        people: how many people there are at least, if they answered several; else None.
        exact: whether there are just so many.
    """
    more = f"{answers:,} more answers"
    least = "" if exact else "at least "
    return more if people is None else f"{least}{int(3 * people):,} more interviews with {more}"


def plans(table: ComparisonTable) -> list[dict]:
    """Return the rows of the people that each simulator's mean takes, for each width.

    A width that this study has reached already is left out. None of a conjoint, whose rows count
    profiles of each level.
    """
    if table.results.is_conjoint:
        return []
    forms = {one.name: one.form for one in table.tested or table.every}
    wanted = [
        row
        for row in having(table.results.mean_plans, {"discrepancy": table.discrepancy})
        if forms.get(row["simulator"]) == row["k"] and row["width"] < row["half_length"]
    ]
    order = list(forms)
    return sorted(wanted, key=lambda row: (order.index(row["simulator"]), -row["width"]))
