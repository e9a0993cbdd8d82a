"""Survey weights: weighted counts, and how many unweighted people they are worth."""

import numpy as np
import pandas as pd


def effective_number(weight: np.ndarray, count: np.ndarray) -> float:
    """Return Kish's effective sample size, (Σ w)² / Σ w², of ``count`` people of each weight.

    It is the number of equally weighted people whose mean has the same variance, if the weights
    don't depend on the answers. Kish (1965), Survey Sampling, section 11.7.
    """
    return float((count @ weight) ** 2 / (count @ weight**2))


def weighted(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Weight people's answers, so that in each scenario their sum stays the number of people.

    Args:
        rows: columns ``scenario, number, weight``; the weights of a scenario are not all 0.

    Returns:
        The weighted count of each row, and the effective number of people of each scenario.
    """
    total = rows["number"] * rows["weight"]
    people = rows["number"].groupby(rows["scenario"], observed=True).transform("sum")
    weights = total.groupby(rows["scenario"], observed=True).transform("sum")
    effective = {
        name: effective_number(each["weight"].to_numpy(), each["number"].to_numpy())
        for name, each in rows.groupby("scenario", observed=True)
    }
    return total * people / weights, pd.Series(effective, dtype=float)
