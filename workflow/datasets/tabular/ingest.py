"""Anybody's answers, from CSV or Parquet files that the config names; no code is needed.

Reads the files under ``human``, ``simulated`` and ``scenarios``. Writes the tables of the ingest
step. The README of this folder explains the forms and the keys.
"""

from fidelity_study.app.run.script import run, tell
from fidelity_study.reading.ingest.save import save
from fidelity_study.reading.tabular.assemble import responses


def main(snakemake):
    tables = responses(snakemake.params.step)
    save(snakemake, tables)
    tell(snakemake, tables.notes)


run(main, snakemake)
