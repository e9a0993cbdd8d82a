"""Pairwise curves, and the share of scenarios on which one simulator is at least as close."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.comparison import main

run(main, snakemake)
