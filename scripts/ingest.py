"""Read a dataset's answers, let baselines answer, and write the tables of the ingest step."""

from fidelity_study.ingest.folder import responses
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run


def main(snakemake):
    save(snakemake, responses(snakemake.params.step, snakemake.input))


run(main, snakemake)
