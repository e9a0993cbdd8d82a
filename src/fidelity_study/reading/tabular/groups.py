"""The group of people that each row of a file belongs to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fidelity_study.reading.tabular.columns import Joined, as_label, as_text, in_order
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.tally import Coded
from fidelity_study.tables.ingest import BETWEEN

BAR, OTHER_BAR = "|", "\u00a6"
NONE = ""


@dataclass(frozen=True)
class Grouping:
    """The group of each row of a sheet.

    Attributes:
        entries: the groups; the first one, without a name, holds the rows that lack a value.
        of_row: the position of each row's group among them.
    """

    entries: list[str]
    of_row: np.ndarray

    @classmethod
    def of(cls, sheet: Sheet, columns: Sequence[str], *, needed: bool) -> "Grouping | None":
        """Read the groups of a sheet, None if it has none of the columns.

        Raises:
            DataError: if it has some of them only, or they are ``needed``.
        """
        absent = [name for name in columns if name not in sheet.columns]
        if len(absent) == len(columns) and not needed:
            return None
        sheet.refuse_absent(absent, "groups")
        groups = Joined(list(columns), _value, _joined).coded(sheet, [NONE])
        return cls(groups.entries, groups.of_row)

    @property
    def lacking(self) -> int:
        """How many rows are in no group."""
        return int((self.of_row == 0).sum())

    def within(self, scenario: Coded) -> Coded:
        """Return codes that differ between the groups of a question; see :meth:`parted`."""
        size = len(self.entries)
        codes = scenario.codes[:, np.newaxis] * size + np.arange(size)
        return Coded(codes.ravel(), scenario.text * size + self.of_row)

    def parted(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return sums by such codes, with the code of the question and the name of the group.

        Rows in no group are left out.
        """
        question, group = np.divmod(table["scenario"].to_numpy(), len(self.entries))
        rows = table.assign(scenario=question, group=in_order(group, self.entries))
        return rows[group > 0].reset_index(drop=True)


def _value(text: str | None) -> str:
    return as_label(as_text(text) or NONE).replace(BAR, OTHER_BAR)  # bars join groups


def _joined(values: tuple[str, ...]) -> str:
    return BETWEEN.join(values) if all(values) else NONE


def split(name: str, parts: int) -> tuple[str, str]:
    """Return the question and the group that make the name of a scenario; no group: no name."""
    pieces = re.split(r"\s*\|\s*", name)
    question, group = pieces[:-parts], pieces[-parts:]
    known = question and all(group)
    return BETWEEN.join(question), BETWEEN.join(map(as_label, group)) if known else NONE


def scenario_names(rows: pd.DataFrame) -> pd.Series:
    """Return the name of the scenario of each row with a question, ``scenario``, and ``group``."""
    names = rows["scenario"].astype(str) + BETWEEN + rows["group"].astype(str)
    return names.astype(object).astype("category")
