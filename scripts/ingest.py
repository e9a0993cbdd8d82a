"""Read a dataset's answers, let baselines answer, and write the tables of the ingest step."""

from fidelity_study.app.run.script import run
from fidelity_study.reading.ingest.folder import responses
from fidelity_study.reading.ingest.save import save


def main(snakemake):
    save(snakemake, responses(snakemake.params.step, snakemake.input))


run(main, snakemake)
