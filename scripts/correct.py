"""Simulators corrected by people's answers to other scenarios, and whether that helps."""

from fidelity_study.run.script import run
from fidelity_study.steps.correct import Questions, wanted
from fidelity_study.steps.corrections import Corrections, Judges
from fidelity_study.steps.mean_discrepancy import People
from fidelity_study.steps.unanswered import answered
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.correct import CORRECTED, CORRECTIONS
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import read, write_csv, write_rows


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    described = read(files.scenarios, SCENARIOS)
    judges = Judges.of(
        described, read(files.outcomes, OUTCOMES), read(files.respondents, RESPONDENTS), step
    )
    people = People.who_gave(judges.everybody, described, step)
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    given = list(answered(simulated, people.names, people.counts.shape[1], {}))
    asked = list(wanted(given, step["correct"]))
    found = Corrections(people, judges, Questions.of(described), asked)
    rows = list(found.rows(step))
    write_rows(snakemake.output.corrections, rows, CORRECTIONS, step)
    write_csv(snakemake.output.csv, rows, CORRECTIONS.names)
    write_rows(snakemake.output.stated, list(found.stated_rows(described)), CORRECTED, step)


run(main, snakemake)
