"""The largest and smallest discrepancy that each confidence set allows, for every simulator."""

import pyarrow as pa

from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, human
from fidelity_study.steps.pseudo_discrepancy import pseudo_discrepancies
from fidelity_study.steps.samples import families
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.confidence_set import CONFIDENCE_SET
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    scenarios = Scenarios.from_table(read(files.scenarios, SCENARIOS))
    counts = scenarios.counts(human(read(files.outcomes, OUTCOMES)), "count")
    bounds = read(files.confidence_set, CONFIDENCE_SET)
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    parts = [
        pseudo_discrepancies(family, counts, step["smoothed"])
        for family in families(scenarios, bounds, simulated, step["pairs"])
    ]
    write(snakemake.output[0], pa.concat_tables(parts), PSEUDO_DISCREPANCY, step)


run(main, snakemake)
