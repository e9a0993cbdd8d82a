"""Take k of each simulator's answers in each scenario; all where it gave fewer there.

:mod:`fidelity_study.steps.draws` chooses k. Stated probabilities are taken as they are.

Tables:
    SIMULATED_SAMPLE: simulators' answers: `scenario`, `simulator`, `replicate`, `k` (label: a
        number of draws, or `stated`), `k_j` (draws taken: k, or all where the simulator gave fewer;
        empty if stated). A simulator that gave fewer than a k of the config everywhere has the most
        that it gave in a scenario for k, as with `k: all`; and all simulators have the number of
        the one that gave fewest, so that they can be compared. Baselines are there at every k of
        the others, and take no more draws in a scenario than a simulator beside them gave, `share`
        (list)
"""

from itertools import product

import numpy as np
import pyarrow as pa

from fidelity.resampling import subsample
from fidelity.stream import stream
from fidelity_study.steps.arrays import Scenarios, only
from fidelity_study.steps.draws import STATED_FORM, levels, usable
from fidelity_study.tables.common import LABEL, NUMBERS, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.read_write import read, read_all, write_rows

SIMULATED_SAMPLE = pa.schema(
    [
        *columns(LABEL, "scenario", "simulator"),
        ("replicate", pa.int16()),
        ("k", LABEL),
        ("k_j", pa.float64()),
        ("share", NUMBERS),
    ]
)


def main(snakemake):
    """Take k answers of each simulator in each scenario."""
    step = snakemake.params.step
    scenarios = Scenarios.from_table(read(snakemake.input.scenarios, SCENARIOS))
    outcomes = read_all(snakemake.input.outcomes, OUTCOMES)
    stated = read_all(snakemake.input.stated, STATED)
    answers, probabilities = (
        {name: scenarios.counts(only(table, source=name), number) for name in step["simulators"]}
        for table, number in ((outcomes, "count"), (stated, "probability"))
    )
    given = {name: np.array([count.sum() for count in counts]) for name, counts in answers.items()}
    most = {name: many for name, many in usable(given).items() if many.any()}
    studied_with = levels({name: int(many.max()) for name, many in most.items()}, step["k"])
    rows = []
    for simulator in step["simulators"]:
        for j, k in product(np.flatnonzero(given[simulator]), studied_with.get(simulator, [])):
            name, counts = scenarios.names[j], answers[simulator][j]
            size = int(min(k, most[simulator][j]))
            key = (step["seed"], step["dataset"], name, simulator, f"k={size}")
            for replicate in range(step["replicates"]):
                sample = subsample(counts, size, stream(*key, replicate))
                rows.append((name, simulator, replicate, str(k), float(size), sample / size))
        for name, share in zip(scenarios.names, probabilities[simulator], strict=True):
            for replicate in range(step["replicates"]) if share.any() else []:
                rows.append((name, simulator, replicate, STATED_FORM, None, share))
    table = [dict(zip(SIMULATED_SAMPLE.names, row, strict=True)) for row in rows]
    write_rows(snakemake.output[0], table, SIMULATED_SAMPLE, step)
