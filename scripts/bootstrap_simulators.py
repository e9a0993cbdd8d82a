"""Take k of each simulator's answers in each scenario, all where there are fewer.

Stated probabilities are taken as they are.
"""

import pyarrow as pa

from fidelity.bootstrap import subsample
from fidelity.stream import stream
from fidelity_study import tables
from fidelity_study.arrays import Scenarios, among
from fidelity_study.script import run

STATED = "stated"


def main(snakemake):
    step = snakemake.params.step
    scenarios = Scenarios.from_table(tables.read(snakemake.input.scenarios, tables.SCENARIOS))
    outcomes = tables.read_all(snakemake.input.outcomes, tables.OUTCOMES)
    stated = tables.read_all(snakemake.input.stated, tables.STATED)
    rows = []
    for simulator in step["simulators"]:
        for name, counts in present(scenarios, outcomes, simulator, "count"):
            for k in step["k"]:
                size = int(counts.sum()) if k == "all" else min(k, int(counts.sum()))
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


run(main, snakemake)
