"""The parts of a comparison's variance, and how many scenarios show a difference."""

from fidelity_study.run.script import run
from fidelity_study.steps.variance import variance_rows
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows
from fidelity_study.tables.variance import VARIANCE


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    rows = variance_rows(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        read(files.simulated, SIMULATED_SAMPLE),
        read_all(files.outcomes, OUTCOMES),
        step,
    )
    write_rows(snakemake.output.variance, rows, VARIANCE, step)
    write_csv(snakemake.output.csv, rows, VARIANCE.names)


run(main, snakemake)
