"""Compare simulators in pairs: the extrema of L(u, q¹) - L(u, q²) over the confidence sets."""

import pyarrow.compute as pc

from fidelity.sets.gamma import parse_coverage
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, among
from fidelity_study.steps.pairwise import all_pairs
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
    together = families(scenarios, bounds, simulated, step["compared"])
    pairs = all_pairs(together, step["simulators"], step["smoothed"])
    write(snakemake.output[0], pairs, PAIRWISE, step)


run(main, snakemake)
