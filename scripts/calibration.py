"""Whether stated probabilities come true: scores, calibration errors and reliability diagrams."""

from fidelity_study.run.script import run
from fidelity_study.steps.arrays import human
from fidelity_study.steps.calibration import calibrated
from fidelity_study.tables.calibration import CALIBRATION, RELIABILITY
from fidelity_study.tables.ingest import OUTCOMES, PERSONAS, SCENARIOS, STATED, STATED_BY_PERSONA
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    scenarios, personas = read(files.scenarios, SCENARIOS), read(files.personas, PERSONAS)
    people = human(read_all(files.outcomes, OUTCOMES))
    stated = [read_all(files.stated, STATED), read_all(files.stated_by_persona, STATED_BY_PERSONA)]
    scores, bins = calibrated(scenarios, people, personas, stated, step)
    write_rows(snakemake.output.scores, scores, CALIBRATION, step)
    write_rows(snakemake.output.reliability, bins, RELIABILITY, step)
    write_csv(snakemake.output.csv, scores, CALIBRATION.names)


run(main, snakemake)
