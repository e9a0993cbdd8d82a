"""Stated probabilities beside what people answered, as rows for the measures of calibration.

What is stated holds for a group of people: the respondents of one persona in a scenario, or all
of a scenario's. An option is an event with a stated probability: of the group, those who chose it
are cases in which it happened, the others cases in which it didn't. Of two options one is enough:
with both, whatever is stated of one is right of both together.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity_study.arrays import Scenarios, codes, numbers

PERSONA, SCENARIO = "persona", "scenario"


@dataclass(frozen=True)
class Groups:
    """What a simulator states of groups of people, and what these answered; G groups.

    Attributes:
        stated_for: ``persona`` or ``scenario``: whom a statement speaks of.
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
        return np.array([each.sum() for each in self.people])

    def of_options(self) -> list["Groups"]:
        """Return the groups apart by their number of options, the fewest first."""
        d = np.array([len(each) for each in self.stated], int)
        return [self._only(np.flatnonzero(d == options)) for options in np.unique(d)]

    def _only(self, kept: np.ndarray) -> "Groups":
        people, stated = ([parts[g] for g in kept] for parts in (self.people, self.stated))
        return Groups(self.stated_for, self.scenario[kept], people, stated)


def groups_of(
    scenarios: Scenarios,
    people: pa.Table,
    personas: pa.Table,
    stated: pa.Table,
    stated_by_persona: pa.Table,
) -> Groups:
    """Return what a simulator states of personas if it does, else of whole scenarios.

    Groups of whom nothing is stated, or in which nobody answered, are left out.

    Args:
        scenarios: of the dataset.
        people: what people answered, columns ``scenario, value, count``.
        personas: the same with a column ``persona``.
        stated, stated_by_persona: what this simulator states.
    """
    known = sorted(set(stated_by_persona["persona"].unique().to_pylist()))
    found = _grouped(PERSONA, scenarios, known, personas, stated_by_persona)
    if len(found.scenario):
        return found
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


@dataclass(frozen=True)
class Events:
    """Events of all groups; N rows.

    Attributes:
        confidence: stated probability, (N,).
        outcome: 1 where the event happened, else 0, (N,).
        counts: people, whole numbers, (N,).
        weights: of each of them, (N,); 1 where people are not weighted.
        scenario: position of the scenario, (N,).
    """

    confidence: np.ndarray
    outcome: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    scenario: np.ndarray

    @property
    def mass(self) -> dict[str, np.ndarray]:
        """Return counts and weights as the library takes them."""
        return {"counts": self.counts, "weights": self.weights}


def events_of(groups: Groups) -> Events:
    """Return the events of groups, two rows for each option; of two options the second is taken."""
    taken = [slice(len(each) == 2, None) for each in groups.people]
    confidence = np.concatenate([each[own] for each, own in zip(groups.stated, taken, strict=True)])
    events = [each[own] for each, own in zip(groups.people, taken, strict=True)]
    chosen, sizes = np.concatenate(events), [len(each) for each in events]
    total, scenario = np.repeat(groups.sizes, sizes), np.repeat(groups.scenario, sizes)
    mass = np.concatenate([chosen, np.maximum(total - chosen, 0.0)])
    counts = np.ceil(mass - 1e-9).astype(np.int64)
    there = counts > 0
    both = np.tile(confidence, 2)[there]
    happened = np.repeat([1.0, 0.0], len(chosen))[there]
    return Events(
        confidence=np.clip(both, 0.0, 1.0),
        outcome=happened,
        counts=counts[there],
        weights=mass[there] / counts[there],
        scenario=np.tile(scenario, 2)[there],
    )


def answers_of(groups: Groups) -> dict[str, np.ndarray]:
    """Return a row for each option that somebody chose: probability (N, K), truth, counts, weights.

    All groups must have K options.
    """
    chosen = np.array(groups.people)
    group, truth = np.nonzero(chosen)
    mass = chosen[group, truth]
    counts = np.ceil(mass - 1e-9).astype(np.int64)
    return {
        "probability": np.array(groups.stated)[group],
        "truth": truth,
        "counts": counts,
        "weights": mass / counts,
    }
