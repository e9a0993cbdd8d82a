"""The scores that models have in the evals of an evaluation, from logs and tables."""

from fidelity_study.app.run.script import run
from fidelity_study.reading.evals.scores import main

run(main, snakemake)
