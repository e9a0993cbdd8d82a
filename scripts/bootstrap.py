"""Subsample n people in each scenario, in every replicate; all of them where there are no more."""

import numpy as np
import pyarrow as pa

from fidelity.resampling import resample, subsample
from fidelity.stream import stream
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, human
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    step = snakemake.params.step
    described = read(snakemake.input.scenarios, SCENARIOS)
    outcomes = read(snakemake.input.outcomes, OUTCOMES)
    scenarios = Scenarios.from_table(described)
    rows = {"scenario": [], "replicate": [], "n_j": [], "count": []}
    for name, counts, effective, weighted in zip(
        scenarios.names,
        scenarios.counts(human(outcomes), "count"),
        described["n_effective"].to_pylist(),
        described["weighted"].to_pylist(),
        strict=True,
    ):
        whole = counts * (effective / counts.sum())
        size = effective if step["n"] == "all" else min(step["n"], effective)
        draw = resample if weighted else subsample
        for replicate in range(step["replicates"]):
            if size < effective:
                key = (step["seed"], step["dataset"], name, "human", f"n={size}", replicate)
                sample = draw(counts, int(size), stream(*key))
            else:
                sample = whole
            rows["scenario"].append(name)
            rows["replicate"].append(replicate)
            rows["n_j"].append(float(sample.sum()))
            rows["count"].append(np.asarray(sample, float))
    write(snakemake.output[0], pa.table(rows), HUMAN_SAMPLE, step)


run(main, snakemake)
