"""Lines up people's samples, and the bounds from them, with simulators' answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES, Bounds, Extrema
from fidelity.resampling import smoothed
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.steps.arrays import (
    Scale,
    Scenarios,
    among,
    codes,
    dense,
    first_replicate,
    join,
    labels,
    numbers,
    only,
    where,
)

ROWS_AT_ONCE = 50_000


@dataclass(frozen=True)
class Family:
    """Rows that belong together: one answer scale, one discrepancy, one confidence set.

    Attributes:
        members: positions of the scenarios among all scenarios.
        names: their names.
        scale: how they are answered.
        discrepancy: its name.
        confidence_set: its name.
        bounds: rows of the confidence-set table.
        simulated: rows of the simulators' answers.
    """

    members: np.ndarray
    names: list[str]
    scale: Scale
    discrepancy: str
    confidence_set: str
    bounds: pa.Table
    simulated: pa.Table

    @property
    def measure(self) -> dict:
        """Return the library's arguments on what to measure."""
        return {"discrepancy": self.discrepancy, "scores": self.scale.scores}

    def with_bounds(self, simulated: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        """Return (i, j): each set and coverage ``i`` of the sample of answer ``j``."""
        return join(self.sample(self.bounds), self.sample(simulated))

    def sample(self, table: pa.Table) -> np.ndarray:
        """Number the (scenario, replicate) of each row."""
        replicate = table["replicate"].to_numpy().astype(np.int64)
        return codes(table["scenario"], self.names) + len(self.names) * replicate

    def shares(self, simulated: pa.Table, smooth: list[str]) -> np.ndarray:
        """Return the simulators' answers, (N, d), smoothed for a discrepancy among ``smooth``.

        N is 0 where no simulator answers.
        """
        share = dense(simulated["share"]).reshape(len(simulated), self.scale.n_options)
        if self.discrepancy in smooth:
            return smoothed(share, numbers(simulated["k_j"]))
        return share

    def keys(self, i: np.ndarray, simulated: pa.Table) -> dict:
        """Return the columns that name the set and coverage ``i``, and the answer, of a row."""
        sample = self.bounds.select(["n_j", "confidence_set", "gamma", "gamma_j"]).take(i)
        return {
            "scenario": labels(self.names, codes(simulated["scenario"], self.names)),
            "discrepancy": labels([self.discrepancy], np.zeros(len(i), int)),
            **{key: sample[key] for key in sample.column_names},
            **{key: simulated[key] for key in ("replicate", "k")},
        }

    def extrema(
        self, extrema_of: Callable[..., Extrema], i: np.ndarray, *shares: np.ndarray
    ) -> np.ndarray:
        """Return lower, upper and gap, (3, N), of shares at each set and coverage ``i``.

        A row needs memory for all functionals, so that not all rows are taken at once.

        Args:
            extrema_of: one of :mod:`fidelity.pseudo_discrepancies`.
            i: rows of ``bounds``, (N,).
            shares: what ``extrema_of`` takes, (N, d) each.
        """
        known, ends = self.known(), np.empty((3, len(i)))
        for start in range(0, len(i), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            shares_now = (share[rows] for share in shares)
            ends[:, rows] = extrema_of(known.take(i[rows]), *shares_now, **self.measure)
        return ends

    def known(self) -> Bounds:
        """Return the rows of ``bounds`` as arrays."""
        lower, upper, radius, n = (
            numbers(self.bounds[name]) for name in ("lower", "upper", "radius", "n_j")
        )
        return Bounds(
            dense(self.bounds["share"]),
            dense(self.bounds["support"]),
            *(lower, upper, radius),
            CONFIDENCE_SETS[self.confidence_set].ball,
            self.scale.limits,
            n,
        )


def families(
    scenarios: Scenarios, bounds: pa.Table, simulated: pa.Table, pairs: dict[str, list[str]]
) -> Iterator[Family]:
    """Yield a family for each answer scale and each discrepancy with each of its sets."""
    for members, scale in scenarios.groups():
        names = [scenarios.names[j] for j in members]
        of_scale = where(bounds, among(bounds["scenario"], names))
        answers = where(simulated, among(simulated["scenario"], names))
        for discrepancy, sets in pairs.items():
            known = only(of_scale, functionals=DISCREPANCIES[discrepancy].on)
            for name in sets:
                rows = only(known, confidence_set=name)
                yield Family(members, names, scale, discrepancy, name, rows, answers)


def first_samples(table, scenarios: Scenarios) -> list[np.ndarray]:
    """Return people's shares in each scenario, of the first replicate."""
    first = first_replicate(table)
    place = dict(zip(first["scenario"].to_pylist(), first["count"].to_pylist(), strict=True))
    counts = [np.array(place[name]) for name in scenarios.names]
    return [count / count.sum() for count in counts]
