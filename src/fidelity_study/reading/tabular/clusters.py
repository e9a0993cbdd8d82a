"""The cluster of each scenario, if the people's own file has it."""

import numpy as np
import pandas as pd

from fidelity_study.reading.tabular.columns import Labels, Numbered, as_name
from fidelity_study.reading.tabular.files import Batch
from fidelity_study.reading.tabular.tally import Coded, Groups


class Clusters:
    """The cluster in each row of a long file, and so that of each scenario."""

    def __init__(self, column: str, scenarios: Numbered):
        """Name the column of the clusters, and what the codes of scenarios mean."""
        self._column, self._scenarios = column, scenarios
        self._clusters = Labels(as_name)
        self._of: dict[int, int] = {}

    def add(self, batch: Batch, scenario: Coded) -> None:
        """Add the rows of these scenarios; raise DataError if one has two clusters."""
        groups = Groups(scenario, self._clusters.codes(batch, self._column))
        for group in np.argsort(groups.first):
            pair = tuple(int(codes[group]) for codes in groups.codes)
            if self._of.setdefault(*pair) != pair[1]:
                raise batch.fault(
                    "scenario-in-two-clusters",
                    f"scenario {self._scenarios.entries[pair[0]]!r} is in a second cluster; give "
                    "it one",
                    at=int(groups.first[group]),
                    column=self._column,
                )

    def described(self) -> pd.DataFrame:
        """Return the column ``cluster``; the scenarios are the index."""
        cluster_of = {
            self._scenarios.entries[scenario]: self._clusters.entries[cluster]
            for scenario, cluster in self._of.items()
        }
        return pd.Series(cluster_of, dtype=object).to_frame("cluster")
