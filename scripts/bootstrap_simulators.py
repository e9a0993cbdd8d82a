"""Take k of each simulator's answers in each scenario; stated probabilities as they are."""

import numpy as np
import pyarrow as pa

from fidelity.bootstrap import subsample
from fidelity.stream import stream
from fidelity_study import tables
from fidelity_study.arrays import Scenarios, among
from fidelity_study.errors import DataError
from fidelity_study.script import run

STATED = "stated"


def main(snakemake):
    step = snakemake.params.step
    scenarios = Scenarios.from_table(tables.read(snakemake.input.scenarios, tables.SCENARIOS))
    outcomes = tables.read(snakemake.input.outcomes, tables.OUTCOMES)
    stated = tables.read(snakemake.input.stated, tables.STATED)
    rows = []
    for simulator in step["simulators"]:
        for name, counts in present(scenarios, outcomes, simulator, "count"):
            for k in step["k"]:
                size = draws(counts, k, simulator, name)
                key = (step["seed"], step["dataset"], name, simulator, f"k={size}")
                for replicate in range(step["replicates"]):
                    sample = subsample(counts, size, stream(*key, replicate))
                    rows.append((name, simulator, replicate, str(k), float(size), sample / size))
        for name, share in present(scenarios, stated, simulator, "probability"):
            for replicate in range(step["replicates"]):
                rows.append((name, simulator, replicate, STATED, None, share))
    columns = dict(zip(tables.SIMULATED_SAMPLE.names, zip(*rows, strict=True), strict=True))
    tables.write(snakemake.output[0], pa.table(columns), tables.SIMULATED_SAMPLE, step)


def present(scenarios: Scenarios, table: pa.Table, simulator: str, number: str):
    """Yield (scenario, vector over its options) wherever the simulator answers."""
    own = table.filter(among(table["source"], [simulator]))
    for name, vector in zip(scenarios.names, scenarios.counts(own, number), strict=True):
        if vector.any():
            yield name, vector


def draws(counts: np.ndarray, k: int | str, simulator: str, scenario: str) -> int:
    """Return how many answers to take."""
    there = int(counts.sum())
    if k == "all":
        return there
    if k > there:
        raise DataError(
            f"simulator {simulator!r} has {there} answers in scenario {scenario!r}, but grid.k "
            f"asks for {k}; lower k, or let the simulator answer more often (draws)"
        )
    return k


run(main, snakemake)
