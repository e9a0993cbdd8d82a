"""The cluster of each scenario, if the people's own file has it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fidelity_study.reading.tabular.columns import Labels, as_name
from fidelity_study.reading.tabular.files import Grid
from fidelity_study.reading.tabular.tally import Coded, Groups


def clusters_of(grid: Grid, column: str, scenarios: Sequence[str], scenario: Coded) -> pd.DataFrame:
    """Return the column ``cluster`` by scenario; raise DataError if one has two clusters.

    Args:
        grid: the rows of a long file.
        column: that of the clusters.
        scenarios: their names.
        scenario: codes of the scenario of each row.
    """
    clusters, cluster_of = Labels(as_name), dict[str, str]()
    groups = Groups(scenario, clusters.codes(grid, column))
    for group in np.argsort(groups.first):
        name, cluster = (int(codes[group]) for codes in groups.codes)
        asked, named = scenarios[name], clusters.entries[cluster]
        if cluster_of.setdefault(asked, named) != named:
            raise grid.fault(
                "scenario-in-two-clusters",
                f"scenario {asked!r} is in a second cluster; give it one",
                at=int(groups.first[group]),
                column=column,
            )
    return pd.Series(cluster_of, dtype=object).to_frame("cluster")
