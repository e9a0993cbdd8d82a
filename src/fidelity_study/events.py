"""Stated probabilities beside what people answered, as rows for the measures of calibration.

An option of a scenario is an event with a stated probability: of the scenario's people, those
who chose it are cases in which it happened, the others cases in which it didn't. Of two options
one is enough: with both, whatever is stated of one is right of both together.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Events:
    """Events of all scenarios in which a simulator states probabilities; N rows.

    Attributes:
        confidence: stated probability, (N,).
        outcome: 1 where the event happened, else 0, (N,).
        counts: people, whole numbers, (N,).
        weights: of each of them, (N,); 1 where people are not weighted.
        scenario: number of the scenario, (N,).
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


def events_of(people: list[np.ndarray], stated: list[np.ndarray]) -> Events:
    """Return the events of scenarios, two rows for each option; of two options the second is taken.

    Args:
        people: counts of each scenario's options, fractional if weighted.
        stated: probabilities of the same options.
    """
    taken = [slice(len(each) == 2, None) for each in people]
    confidence = np.concatenate([each[own] for each, own in zip(stated, taken, strict=True)])
    events = [each[own] for each, own in zip(people, taken, strict=True)]
    chosen, sizes = np.concatenate(events), [len(each) for each in events]
    total = np.repeat([each.sum() for each in people], sizes)
    scenario = np.repeat(np.arange(len(people)), sizes)
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


def answers_of(people: list[np.ndarray], stated: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return a row for each option that somebody chose: probability (N, K), truth, counts, weights.

    All scenarios must have K options.
    """
    chosen = np.array(people)
    scenario, truth = np.nonzero(chosen)
    mass = chosen[scenario, truth]
    counts = np.ceil(mass - 1e-9).astype(np.int64)
    return {
        "probability": np.array(stated)[scenario],
        "truth": truth,
        "counts": counts,
        "weights": mass / counts,
    }
