"""Stated probabilities beside people's answers, as rows for the measures of calibration.

A probability is stated for a group of people: the respondents of one persona in a scenario, or all
of a scenario's. A row is the people of a group who chose the same option. Scenarios with fewer
options than others get columns of zeros: nobody chose these, and 0 is stated of them. They change
neither a proper score nor the most likely option.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity.calibration import Choices
from fidelity_study.steps.arrays import Scenarios, codes, numbers

PERSONA, SCENARIO = "persona", "scenario"


@dataclass(frozen=True)
class Groups:
    """A simulator's probabilities for groups of people, and the groups' answers; G groups.

    Attributes:
        stated_for: ``persona`` or ``scenario``: the group that a statement is about.
        scenario: position of each group's scenario, (G,).
        people: counts of the scenario's options, fractional if weighted; a vector each.
        stated: probabilities of the same options.
    """

    stated_for: str
    scenario: np.ndarray
    people: list[np.ndarray]
    stated: list[np.ndarray]

    @property
    def sizes(self) -> np.ndarray:
        """People in each group, (G,)."""
        return np.array([counts.sum() for counts in self.people])

    def only(self, kept: np.ndarray) -> "Groups":
        """Return the groups in a mask, (G,)."""
        places = np.flatnonzero(kept)
        people, stated = ([parts[g] for g in places] for parts in (self.people, self.stated))
        return Groups(self.stated_for, self.scenario[places], people, stated)


def groups_of(
    scenarios: Scenarios,
    people: pa.Table,
    personas: pa.Table,
    stated: pa.Table,
    stated_by_persona: pa.Table,
) -> Groups:
    """Return a simulator's statements for personas if it has any, else for whole scenarios.

    Groups without a statement, or without an answer, are left out.

    Args:
        scenarios: of the dataset.
        people: people's answers, columns ``scenario, value, count``.
        personas: the same with a column ``persona``.
        stated, stated_by_persona: this simulator's probabilities.
    """
    known = sorted(set(stated_by_persona["persona"].unique().to_pylist()))
    by_persona = _grouped(PERSONA, scenarios, known, personas, stated_by_persona)
    if len(by_persona.scenario):
        return by_persona
    return _grouped(SCENARIO, scenarios, None, people, stated)


def _grouped(
    stated_for: str,
    scenarios: Scenarios,
    personas: list[str] | None,
    people: pa.Table,
    stated: pa.Table,
) -> Groups:
    """Line up both tables by (scenario, persona), or by scenario if ``personas`` is None."""
    many = 1 if personas is None else max(1, len(personas))

    def places(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        scenario, option = scenarios.places(table)
        if personas is None:
            return scenario, option
        persona = np.nan_to_num(codes(table["persona"], personas), nan=-1).astype(np.int64)
        return np.where(persona < 0, -1, scenario * many + persona), option

    (said, option), (asked, answer) = places(stated), places(people)
    keys = np.intersect1d(said, asked)
    keys = keys[keys >= 0]
    scenario = (keys // many).astype(int)
    sizes = np.array([len(scenarios.values[j]) for j in scenario], int)
    start = np.cumsum(sizes) - sizes

    def vectors(key: np.ndarray, option: np.ndarray, number: np.ndarray) -> list[np.ndarray]:
        kept = np.isin(key, keys)
        at = start[np.searchsorted(keys, key[kept])] + option[kept]
        flat = np.bincount(at, weights=number[kept], minlength=sizes.sum())
        return np.split(flat, start[1:]) if len(keys) else []

    return Groups(
        stated_for,
        scenario,
        vectors(asked, answer, numbers(people["count"])),
        vectors(said, option, numbers(stated["probability"])),
    )


def choices_of(groups: Groups, clusters: np.ndarray, several: bool) -> Choices:
    """Return a row for each option that somebody of a group chose.

    Args:
        groups: whose answers.
        clusters: of all scenarios.
        several: whether the same people may have answered several scenarios.
    """
    options = [len(counts_of_group) for counts_of_group in groups.people]
    there = np.arange(max(options, default=0)) < np.array(options)[:, None]
    chosen, stated = np.zeros((2, *there.shape))
    chosen[there], stated[there] = np.concatenate(groups.people), np.concatenate(groups.stated)
    group, truth = np.nonzero(chosen)
    mass, scenario = chosen[group, truth], groups.scenario[group]
    counts = np.ceil(mass - 1e-9).astype(np.int64)
    samples = scenario if several else None
    return Choices(stated[group], truth, counts, mass / counts, clusters[scenario], samples)
