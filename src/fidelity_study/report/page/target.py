"""What the page says of the questions that will be asked next."""

from fidelity_study.report.formats import range_text
from fidelity_study.report.page.words import named
from fidelity_study.report.summaries import ComparisonTable, interval_of
from fidelity_study.report.tables import having


def target(table: ComparisonTable) -> list[str]:
    """Return sentences on the mean of each simulator under test; none without such questions."""
    cell = {"discrepancy": table.discrepancy}
    rows = [
        row
        for summary in table.tested
        for row in having(table.results.target_means, {**cell, **summary.cell})
    ]
    sentences = [_sentence(table, row) for row in rows]
    if any(row["reason"] is None for row in rows):
        method = rows[0]["method"].partition(": ")[2]
        sentences.append(
            f"This rests on the {table.results.nouns} asked, weighted until their means of {method}"
            f" are those of the {table.results.nouns} to come. It is approximate: the two may"
            " differ in what was not balanced."
        )
    return sentences


def _sentence(table: ComparisonTable, row: dict) -> str:
    who = named(table.results.named(row["simulator"]))
    if row["reason"] is not None:
        return f"Nothing is said of {who}: {row['reason']}."
    ends = interval_of(row)
    if ends is None:
        return f"How far {who} is from people there cannot be told: too few people or draws."
    return (
        f"The mean distance of {who} is {range_text(ends)} there, with {table.results.level}"
        f" confidence; {row['effective_scenarios']:.0f} of {row['m']} {table.results.nouns} would"
        " tell as much."
    )
