"""How many people each simulator is worth: its equivalent human sample size."""

import numpy as np

from fidelity.comparison.equivalent_sample_size import (
    EquivalentSampleSize,
    certified_sample_size,
    equivalent_human_sample_size,
    pooled_sample_size,
)
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, among, human, numbers
from fidelity_study.steps.certified import ETA
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, read_all, write_rows
from fidelity_study.tables.sample_size import SAMPLE_SIZE

INTERVAL = "hoeffding"
ORDERS = 20
FEWEST, MOST = 3, 500
WITH_KNOWN_SCORES = {"binary", "ordinal"}


def main(snakemake):
    step = snakemake.params.step
    described = read(snakemake.input.scenarios, SCENARIOS)
    outcomes = read_all(snakemake.input.outcomes, OUTCOMES)
    scenarios = Scenarios.from_table(described)
    effective = numbers(described["n_effective"])
    people = scenarios.counts(human(outcomes), "count")
    applies = set(described["kind"].to_pylist()) <= WITH_KNOWN_SCORES
    rows = []
    for simulator in step["simulators"] if applies else []:
        own = outcomes.filter(among(outcomes["source"], [simulator]))
        answers = scenarios.counts(own, "count")
        parts = list(by_scale(scenarios, people, effective, answers, step["seed"]))
        rows += [row(simulator, pooled_sample_size(parts))] if parts else []
    write_rows(snakemake.output[0], rows, SAMPLE_SIZE, step)


def by_scale(scenarios: Scenarios, people: list, effective: np.ndarray, answers: list, seed: int):
    """Yield the result for each scale with scores, on the scenarios with enough answers."""
    for members, scale in scenarios.groups():
        there = [j for j in members if answers[j].sum() >= FEWEST]
        if not there:
            continue
        both = (np.stack([counts[j] for j in there]) for counts in (people, answers))
        most = min(MOST, int(min(answers[j].sum() for j in there)))
        scores = np.array(scale.scores)
        yield equivalent_human_sample_size(
            *both,
            scores,
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


run(main, snakemake)
