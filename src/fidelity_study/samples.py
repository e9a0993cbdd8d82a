"""Lining up people's samples, and what is known from them, with simulators' answers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.discrepancy import DISCREPANCIES, Bounds
from fidelity_study.arrays import Scenarios, among, codes, dense, join, numbers


@dataclass(frozen=True)
class Family:
    """Rows that belong together: one answer scale, one discrepancy.

    Attributes:
        members: positions of the scenarios among all scenarios.
        names: their names.
        scores: the options' scores, or None.
        discrepancy: its name.
        bounds: rows of the confidence-set table.
        simulated: rows of the simulators' answers.
    """

    members: np.ndarray
    names: list[str]
    scores: np.ndarray | None
    discrepancy: str
    bounds: pa.Table
    simulated: pa.Table

    def with_bounds(self, simulated: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        """Return (i, j): each set and coverage ``i`` of the sample that answer ``j`` meets."""
        return join(self.sample(self.bounds), self.sample(simulated))

    def sample(self, table: pa.Table) -> np.ndarray:
        """Number the (scenario, replicate) of each row."""
        replicate = table["replicate"].to_numpy().astype(np.int64)
        return codes(table["scenario"], self.names) + len(self.names) * replicate

    def known(self) -> Bounds:
        """Return the rows of ``bounds`` as arrays."""
        return Bounds(
            dense(self.bounds["share"]),
            dense(self.bounds["support"]),
            *(numbers(self.bounds[name]) for name in ("lower", "upper", "radius")),
        )


def families(
    scenarios: Scenarios, bounds: pa.Table, simulated: pa.Table, pairs: dict[str, list[str]]
) -> Iterator[Family]:
    """Yield a family for each answer scale and each discrepancy with its confidence sets."""
    for members, scores in scenarios.groups():
        names = [scenarios.names[j] for j in members]
        of_scale = bounds.filter(among(bounds["scenario"], names))
        answers = simulated.filter(among(simulated["scenario"], names))
        for discrepancy, sets in pairs.items():
            functionals = among(of_scale["functionals"], [DISCREPANCIES[discrepancy].on])
            chosen = of_scale.filter(pc.and_(functionals, among(of_scale["confidence_set"], sets)))
            yield Family(members, names, scores, discrepancy, chosen, answers)
