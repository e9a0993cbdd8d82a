"""Survey weights: weighted counts, and the number of unweighted people that they are worth."""

import pandas as pd


def effective_number(weights, squares):
    """Return Kish's effective sample size, (Σ w)² / Σ w², of people with weights w.

    It is the number of equally weighted people whose mean has the same variance, if the weights
    don't depend on the answers. Kish (1965), Survey Sampling, section 11.7.
    """
    return weights**2 / squares


def by_scenario(rows: pd.DataFrame) -> pd.DataFrame:
    """Add up ``number, weight, square`` of the rows of each scenario, which is the index."""
    columns = ["number", "weight", "square"]
    return rows.groupby(rows["scenario"].astype(object), sort=False)[columns].sum()


def weighted(rows: pd.DataFrame, people: pd.DataFrame) -> pd.Series:
    """Return the weighted count of each row; in a scenario they sum to the number of people.

    Args:
        rows: columns ``scenario`` and ``weight``, the sum of the weights of a row's people.
        people: ``number`` and ``weight`` of each scenario; its weights are not all 0.
    """
    here = people.loc[rows["scenario"]].set_index(rows.index)
    return rows["weight"] * here["number"] / here["weight"]
