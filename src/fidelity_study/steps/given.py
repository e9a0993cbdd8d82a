"""Distributions of numbers that simulators state, lined up with scenarios and people's answers."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.calibration.predictive import density_log_score, normal_crps
from fidelity_study.steps.arrays import codes, numbers, only
from fidelity_study.tables.ingest import GIVEN
from fidelity_study.tables.read_write import read

CRPS, LOG = "crps", "log"


@dataclass(frozen=True)
class Distributions:
    """The distributions that one simulator states, in F families.

    Attributes:
        families: family -> position of the scenario -> (location, scale).
    """

    families: dict[str, dict[int, tuple[float, float]]]

    @property
    def scores(self) -> list[str]:
        """The proper scores that it has: the CRPS of a Cauchy distribution is infinite."""
        return [CRPS, LOG] if set(self.families) == {"normal"} else [LOG]


def given(paths: list[str]) -> pa.Table:
    """Return the distributions that simulators gave; an empty table where there are none."""
    return read(paths[0], GIVEN) if paths else GIVEN.empty_table()


def distributions(table: pa.Table, simulator: str, names: list[str]) -> Distributions:
    """Return a simulator's distributions for the scenarios ``names``."""
    rows = only(table.filter(pc.is_valid(table["scale"])), source=simulator)
    families: dict[str, dict[int, tuple[float, float]]] = {}
    columns = (codes(rows["scenario"], names), numbers(rows["loc"]), numbers(rows["scale"]))
    for family, j, loc, scale in zip(
        rows["family"].cast(pa.string()).to_pylist(), *columns, strict=True
    ):
        families.setdefault(family, {})[int(j)] = (float(loc), float(scale))
    return Distributions(families)


def lined_up(asked: list[int], parameters: dict, people: dict) -> tuple:
    """Return how many answers scenarios have, and location, scale, value and count of each.

    Args:
        asked: positions of the scenarios.
        parameters, people: as of :class:`Distributions`, and :func:`scored`.
    """
    sizes = [len(people[j][0]) for j in asked]
    stated = (np.repeat([parameters[j][i] for j in asked], sizes) for i in (0, 1))
    return sizes, *stated, *(np.concatenate([people[j][i] for j in asked]) for i in (0, 1))


def scored(
    score: str, stated: Distributions, people: dict[int, tuple[np.ndarray, np.ndarray]], m: int
) -> np.ndarray:
    """Return the mean score over the answers to each scenario, (m,), NaN where nothing is stated.

    Args:
        score: ``crps`` or ``log``.
        stated: of one simulator.
        people: position of the scenario -> distinct values and how often each was given.
        m: number of scenarios.
    """
    mean = np.full(m, np.nan)
    for family, parameters in stated.families.items():
        asked = [j for j in parameters if j in people]
        sizes, loc, scale, outcome, counts = lined_up(asked, parameters, people)
        if score == CRPS:
            score_of_answer = normal_crps(loc, scale, outcome)
        else:
            score_of_answer = density_log_score(loc, scale, outcome, family)
        place = np.repeat(np.arange(len(asked)), sizes)
        mean[asked] = np.bincount(place, counts * score_of_answer) / np.bincount(place, counts)
    return mean
