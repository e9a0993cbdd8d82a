"""How near a few people, a simulator, and both come to all people; the interviews saved."""

from fidelity_study.run.script import run
from fidelity_study.steps import hybrids
from fidelity_study.steps.unanswered import answered
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.hybrids import HYBRIDS
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import read, write_csv, write_rows


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    asked = hybrids.Asked.of(
        read(files.scenarios, SCENARIOS),
        read(files.outcomes, OUTCOMES),
        read(files.respondents, RESPONDENTS),
        step,
    )
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    given = list(answered(simulated, asked.names, asked.counts.shape[1], {}))
    rows = list(hybrids.hybrid_rows(asked, given, step))
    write_rows(snakemake.output.hybrids, rows, HYBRIDS, step)
    write_csv(snakemake.output.csv, rows, HYBRIDS.names)


run(main, snakemake)
