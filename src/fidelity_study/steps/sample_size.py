"""The equivalent human sample size, over scenarios with different scales.

Tables:
    SAMPLE_SIZE: how many people a simulator is worth (binary and ordinal outcomes): `k_hat` (the
        answers that may be used as if people had given them; `k_max` is the most that were tried),
        `kappa_hat` (in people), `certified_k` (with probability 1 - η), `threshold` (for the share
        of missed scenarios), `interval`, `m`
"""

import numpy as np
import pyarrow as pa

from fidelity.comparison.equivalent_sample_size import (
    certified_sample_size,
    equivalent_human_sample_size,
    pooled_sample_size,
)
from fidelity_study.steps.arrays import Scenarios, human, numbers, only, row_of
from fidelity_study.steps.design import Sizes
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, read_all, write_rows

WITH_KNOWN_SCORES = {"binary", "ordinal"}

SAMPLE_SIZE = pa.schema(
    [
        *columns(LABEL, "simulator", "interval"),
        *columns(pa.int32(), "m", "k_max"),
        ("threshold", pa.float64()),
        ("k_hat", pa.int32()),
        ("kappa_hat", pa.float64()),
        ("certified_k", pa.int32()),
    ]
)

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


def main(snakemake):
    """Find how many people each simulator is worth."""
    step = snakemake.params.step
    described = read(snakemake.input.scenarios, SCENARIOS)
    outcomes = read_all(snakemake.input.outcomes, OUTCOMES)
    scenarios = Scenarios.from_table(described)
    effective = Sizes.of(described).at(numbers(described["n_effective"]), GAMMA)
    people = scenarios.counts(human(outcomes), "count")
    applies = set(described["kind"].to_pylist()) <= WITH_KNOWN_SCORES
    rows = []
    for simulator in step["simulators"] if applies else []:
        answers = scenarios.counts(only(outcomes, source=simulator), "count")
        parts = list(by_scale(scenarios, people, effective, answers, step["seed"]))
        if parts:
            size = pooled_sample_size(parts)
            known = {"simulator": simulator, "interval": INTERVAL, "m": len(size.scenario_miss)}
            known |= {"k_max": size.k[-1], "certified_k": certified_sample_size(size, step["eta"])}
            rows.append(row_of(SAMPLE_SIZE, size, **known))
    write_rows(snakemake.output[0], rows, SAMPLE_SIZE, step)
