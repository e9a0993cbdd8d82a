"""Subsample n people in each scenario, in every replicate; all of them where there are no more.

Tables:
    HUMAN_SAMPLE: human subsamples: `scenario`, `replicate`, `n_j` (people in it), `count` (list
        over the options)
"""

import pyarrow as pa

from fidelity.resampling import resample, subsample
from fidelity.stream import stream
from fidelity_study.steps.arrays import Scenarios, human
from fidelity_study.tables.common import LABEL, NUMBERS
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, write_rows

HUMAN_SAMPLE = pa.schema(
    [("scenario", LABEL), ("replicate", pa.int16()), ("n_j", pa.float64()), ("count", NUMBERS)]
)


def main(snakemake):
    """Subsample n people in each scenario."""
    step = snakemake.params.step
    described = read(snakemake.input.scenarios, SCENARIOS)
    outcomes = read(snakemake.input.outcomes, OUTCOMES)
    scenarios = Scenarios.from_table(described)
    rows = []
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
            row = {"scenario": name, "replicate": replicate, "n_j": float(sample.sum())}
            rows.append({**row, "count": sample.astype(float)})
    write_rows(snakemake.output[0], rows, HUMAN_SAMPLE, step)
