"""Subsample n people in each scenario, in every replicate; all of them where there are no more."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.bootstrap import main

run(main, snakemake)
