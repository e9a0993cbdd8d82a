"""What was known after each unit, where a study is looked at while data come in."""

from fidelity_study.run.script import run
from fidelity_study.steps import mean_discrepancy, sequence
from fidelity_study.steps.arrays import repeating
from fidelity_study.steps.unanswered import answered
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_csv, write_rows
from fidelity_study.tables.sequence import DRIFT, SEQUENCE


def main(snakemake):
    step, files, output = snakemake.params.step, snakemake.input, snakemake.output
    scenarios = read(files.scenarios, SCENARIOS)
    people = mean_discrepancy.People.of(scenarios, read(files.human, HUMAN_SAMPLE), step)
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    given = list(answered(simulated, people.names, people.counts.shape[1], {}))
    cases, repeat = list(mean_discrepancy.cases(people, given, step)), repeating(scenarios)
    rows = list(sequence.sequence_rows(cases, step["test"]["alpha"], repeat))
    drift = list(sequence.drift_rows(cases, step["sequential"], repeat))
    write_rows(output.sequence, rows, SEQUENCE, step)
    write_rows(output.drift, drift, DRIFT, step)
    write_csv(output.sequence_csv, rows, SEQUENCE.names)
    write_csv(output.drift_csv, drift, DRIFT.names)


run(main, snakemake)
