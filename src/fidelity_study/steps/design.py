"""The number of people that a design's sample is worth, for a statement of given certainty."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity.designs.sizes import korn_graubard_ratio
from fidelity_study.steps.arrays import numbers


@dataclass(frozen=True)
class Sizes:
    """The numbers of people of m scenarios.

    Attributes:
        people: how many answered, (m,).
        effective: how many they would be worth if the variance were known, (m,).
        df: degrees of freedom of that variance, (m,); NaN without a design.
    """

    people: np.ndarray
    effective: np.ndarray
    df: np.ndarray

    @classmethod
    def of(cls, scenarios: pa.Table) -> "Sizes":
        """Take over the columns of ``scenarios.parquet``."""
        return cls(*(numbers(scenarios[name]) for name in ("n_human", "n_effective", "df")))

    def of_rows(self, scenario: np.ndarray) -> "Sizes":
        """Return the numbers of some scenarios, which may repeat."""
        return Sizes(self.people[scenario], self.effective[scenario], self.df[scenario])

    def at(self, there: np.ndarray, level: np.ndarray | float) -> np.ndarray:
        """Return the numbers for sets with coverage ``level``, Korn and Graubard's n*.

        Args:
            there: effective numbers of samples, (m,); they stay as they are without a design.
            level: coverage, (m,) or one for all.
        """
        surely = self.effective * korn_graubard_ratio(self.people, self.df, level)
        known = np.minimum(there, np.maximum(surely, 1.0))
        return np.where(np.isnan(self.df), there, known)
