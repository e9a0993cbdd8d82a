"""The equivalent human sample size, over scenarios with different scales."""

import numpy as np

from fidelity.comparison.equivalent_sample_size import (
    EquivalentSampleSize,
    certified_sample_size,
    equivalent_human_sample_size,
)
from fidelity_study.steps.arrays import Scenarios
from fidelity_study.steps.certified import ETA

INTERVAL = "hoeffding"
GAMMA = 0.5
ORDERS = 20
FEWEST, MOST = 3, 500


def by_scale(scenarios: Scenarios, people: list, effective: np.ndarray, answers: list, seed: int):
    """Yield the result for each scale with scores, on the scenarios with enough answers."""
    for members, scale in scenarios.groups():
        there = [j for j in members if answers[j].sum() >= FEWEST]
        if not there:
            continue
        human, simulated = (np.stack([counts[j] for j in there]) for counts in (people, answers))
        most = min(MOST, int(min(answers[j].sum() for j in there)))
        scores = np.array(scale.scores)
        yield equivalent_human_sample_size(
            human,
            simulated,
            scores,
            gamma=GAMMA,
            interval=INTERVAL,
            k_min=FEWEST,
            k_max=most,
            orders=ORDERS,
            seed=seed,
            human_sizes=effective[there],
        )


def row(simulator: str, found: EquivalentSampleSize) -> dict:
    """Return a row of the table."""
    return {
        "simulator": simulator,
        "interval": INTERVAL,
        "m": len(found.scenario_miss),
        "k_max": int(found.k[-1]),
        "threshold": found.threshold,
        "k_hat": found.k_hat,
        "kappa_hat": found.kappa_hat,
        "certified_k": certified_sample_size(found, ETA),
    }
