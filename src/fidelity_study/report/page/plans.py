"""What a more precise study costs."""

from fidelity_study.report.summaries import ComparisonTable
from fidelity_study.report.tables import having


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
