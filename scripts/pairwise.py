"""Compare simulators in pairs: the extrema of L(u, q¹) - L(u, q²) over the confidence sets."""

from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from fidelity.sets.gamma import parse_coverage
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, among, only
from fidelity_study.steps.pairwise import both_ways
from fidelity_study.steps.samples import families
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.confidence_set import CONFIDENCE_SET
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pairwise import PAIRWISE
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    step = snakemake.params.step
    scope = step["comparison"]
    scenarios = Scenarios.from_table(read(snakemake.input.scenarios, SCENARIOS))
    bounds = read(snakemake.input.confidence_set, CONFIDENCE_SET)
    simulated = read(snakemake.input.simulated, SIMULATED_SAMPLE)
    coverages = [parse_coverage(gamma).label for gamma in scope["gamma"]]
    bounds = bounds.filter(among(bounds["gamma"], coverages))
    simulated = simulated.filter(pc.less(simulated["replicate"], scope["replicates"]))
    parts = [PAIRWISE.empty_table()]
    for family in families(scenarios, bounds, simulated, step["compared"]):
        for k in family.simulated["k"].unique().to_pylist():
            answers = only(family.simulated, k=k)
            for pair in combinations(step["simulators"], 2):
                parts += both_ways(family, answers, pair, step["smoothed"])
    write(snakemake.output[0], pa.concat_tables(parts), PAIRWISE, step)


run(main, snakemake)
