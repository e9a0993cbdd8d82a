"""What the curves guarantee at this number of scenarios and clusters; for the first replicate."""

from fidelity_study.run.script import run
from fidelity_study.steps.arrays import first_replicate
from fidelity_study.steps.guarantee import curves_and_levels
from fidelity_study.tables.guarantee import GUARANTEE, LEVEL
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.read_write import read, write, write_rows


def main(snakemake):
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    table = first_replicate(read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY))
    curves, levels = curves_and_levels(table, scenarios, step)
    write(snakemake.output.curves, curves, GUARANTEE, step)
    write_rows(snakemake.output.levels, levels, LEVEL, step)


run(main, snakemake)
