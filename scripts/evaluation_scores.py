"""The scores that models have in the evals of an evaluation, from logs and tables."""

from fidelity_study.evals.scores import main
from fidelity_study.run.script import run

run(main, snakemake)
