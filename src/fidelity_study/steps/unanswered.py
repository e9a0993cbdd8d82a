"""Simulators' answers, as a step's table has them, and the questions that they left open."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means.unanswered import Unanswered
from fidelity.resampling import smoothed
from fidelity.responses import Responses
from fidelity_study.steps.arrays import cell_slices, codes, first_replicate, numbers
from fidelity_study.steps.draws import STATED_FORM


@dataclass(frozen=True)
class Answered:
    """A simulator's answers in the scenarios at ``rows``, positions among all scenarios.

    Attributes:
        simulator: its name.
        k: how many draws, as in tables.
        rows: positions of the scenarios, (N,).
        q: shares or stated probabilities, NaN where there is no such option, (N, d).
        draws: how many draws each scenario has, (N,); NaN if it states probabilities.
        unanswered: the share of each scenario's questions that it left open, (m,): of all.
    """

    simulator: str
    k: str
    rows: np.ndarray
    q: np.ndarray
    draws: np.ndarray
    unanswered: np.ndarray

    @property
    def most(self) -> float:
        """How many draws there are; infinitely many if it states probabilities."""
        return np.inf if self.k == STATED_FORM else float(self.k)

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return the positions of the scenarios ``rows`` among those that it answers."""
        order = np.argsort(self.rows)
        return order[np.searchsorted(self.rows, rows, sorter=order)]

    def is_smoothed(self, discrepancy: str, wanted: list[str]) -> bool:
        """Return whether a discrepancy is of smoothed answers: if wanted, and there are draws."""
        return self.k != STATED_FORM and discrepancy in wanted

    def measured(self, is_smoothed: bool) -> np.ndarray:
        """Return the shares that are compared with people's, (N, d)."""
        return smoothed(self.q, self.draws) if is_smoothed else self.q

    @cached_property
    def asked(self) -> np.ndarray:
        """Positions of all scenarios in which it was asked, those without an answer last, (A,)."""
        return np.append(self.rows, np.setdiff1d(np.flatnonzero(self.unanswered == 1.0), self.rows))

    def effect(self, people: Responses, discrepancy: str, q: np.ndarray) -> Unanswered:
        """Return how much the questions it left open could change, in all scenarios asked.

        Args:
            people: in all scenarios.
            discrepancy: its name.
            q: the shares that are compared with people's, (N, d).
        """
        shares = np.full((len(self.asked), people.exists.shape[1]), np.nan)
        shares[: len(q)] = q
        measure, some = DISCREPANCIES[discrepancy], people.only(self.asked)
        return Unanswered(shares, self.unanswered[self.asked], measure, some)


def padded(lists: list[list[float]]) -> np.ndarray:
    """Return lists as the rows of an array, NaN after the end of the shorter ones."""
    table = np.full((len(lists), max(map(len, lists), default=0)), np.nan)
    for row, values in zip(table, lists, strict=True):
        row[: len(values)] = values
    return table


def answered(
    simulated: pa.Table,
    names: list[str],
    options: int,
    unanswered: dict[str, np.ndarray] | None = None,
) -> list[Answered]:
    """Return each simulator's answers at each number of draws, of the first replicate."""
    lost, simulators = unanswered or {}, []
    ordered, cells = cell_slices(first_replicate(simulated), ["simulator", "k"])
    for cell, at in cells:
        part = ordered.slice(at.start, at.stop - at.start)
        rows = codes(part["scenario"], names)
        q = np.full((len(rows), options), np.nan)
        share = padded(part["share"].to_pylist())
        q[:, : share.shape[1]] = share
        missing = lost.get(cell["simulator"], np.zeros(len(names)))
        form = cell["simulator"], cell["k"]
        simulators.append(Answered(*form, rows, q, numbers(part["k_j"]), missing))
    return simulators


def fullest(given: Iterable[Answered]) -> list[Answered]:
    """Return each simulator's best answers: stated probabilities, else the most draws."""
    forms: dict[str, list[Answered]] = {}
    for answers in given:
        forms.setdefault(answers.simulator, []).append(answers)
    return [max(several, key=lambda answers: answers.most) for several in forms.values()]


def unanswered(table: pa.Table, names: list[str]) -> dict[str, np.ndarray]:
    """Return each source's share of unanswered questions by scenario, (m,); 0 where none were."""
    shares = {}
    ordered, cells = cell_slices(table, ["source"])
    asked, gave = numbers(ordered["asked"]), numbers(ordered["answered"])
    place = codes(ordered["scenario"], names)
    for cell, at in cells:
        share = np.zeros(len(names))
        share[place[at]] = 1.0 - gave[at] / asked[at]
        shares[cell["source"]] = share
    return shares
