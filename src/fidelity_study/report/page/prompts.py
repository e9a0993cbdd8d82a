"""What the page says of language models that were asked in several prompts."""

from collections.abc import Iterator
from math import sqrt

from fidelity_study.report.formats import number, range_text
from fidelity_study.report.page.words import named
from fidelity_study.report.summaries import ComparisonTable, interval_of
from fidelity_study.report.tables import having


def prompts(table: ComparisonTable) -> Iterator[list[str]]:
    """Yield sentences on each simulator's prompts, in the form in which these are shown."""
    forms = dict.fromkeys(map(table.results.main_form, table.results.simulators))
    for row in having(table.results.prompts, {"discrepancy": table.discrepancy}):
        if row["k"] in forms:
            yield [*_of_means(table, row), *_of_variance(table, row)]


def _deviation(variance: float | None) -> float | None:
    """Return a standard deviation; 0 where the estimate of the variance is negative."""
    return None if variance is None else sqrt(max(variance, 0.0))


def _of_means(table: ComparisonTable, row: dict) -> Iterator[str]:
    at_once = interval_of(row, "worst_")
    if row["worst"] and at_once:
        settled = "certain" if row["worst_is_settled"] else "not settled"
        yield (
            f"Of the {row['prompts']} prompts of {named(row['simulator'])} the farthest from people"
            f" is {named(table.results.named(row['worst']))}: {range_text(at_once)} on average,"
            f" with {table.results.level} confidence for all simulators at once. That it is the"
            f" farthest is {settled}."
        )
    if average := interval_of(row, "average_ci_"):
        yield f"The average prompt is {range_text(average)} from people."


def _of_variance(table: ComparisonTable, row: dict) -> Iterator[str]:
    noun = table.results.noun
    if row["between"] is None:
        yield f"How much the prompt moves a {noun}'s distance is not known: {row['reason']}."
        return
    these = f"On these {row['m_variance']} {table.results.nouns} the prompt"
    if row["between"] <= 0.0:
        yield f"{these} moves the distance by no more than chance does."
    else:
        yield (
            f"{these} moves a {noun}'s distance by a standard deviation of"
            f" {number(_deviation(row['between']))} beyond chance, and the mean by"
            f" {number(_deviation(row['of_means']))}."
        )
    if ends := interval_of(row, "between_"):
        limits = range_text([_deviation(end) or 0.0 for end in ends])
        new = f"On new {table.results.nouns} that standard deviation is"
        yield f"{new} {limits}, with {table.results.level} confidence."
