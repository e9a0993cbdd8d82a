"""Bound what people answer: each confidence set, at each coverage, for each human sample."""

import numpy as np
import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.gamma import parse_sides
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, codes
from fidelity_study.steps.confidence_set import bounds_table, refuse_many_options
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.confidence_set import CONFIDENCE_SET
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    step = snakemake.params.step
    scenarios = Scenarios.from_table(read(snakemake.input.scenarios, SCENARIOS))
    samples = read(snakemake.input.human, HUMAN_SAMPLE)
    refuse_many_options(scenarios, step["pairs"])
    sides = [parse_sides(gamma) for gamma in step["gamma"]]
    coverages = list(dict.fromkeys(each for pair in sides for each in (pair.upper, pair.lower)))
    position = codes(samples["scenario"], scenarios.names)
    wanted = {
        (DISCREPANCIES[discrepancy].on, chosen): discrepancy
        for discrepancy, sets in step["pairs"].items()
        for chosen in sets
    }
    key = (step["seed"], step["dataset"], f"n={step['n']}")
    parts = [
        bounds_table(
            samples.take(np.flatnonzero(np.isin(position, members))), scale, coverages, key, *each
        )
        for members, scale in scenarios.groups()
        for each in wanted.items()
    ]
    write(snakemake.output[0], pa.concat_tables(parts), CONFIDENCE_SET, step)


run(main, snakemake)
