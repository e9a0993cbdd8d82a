"""Curves and means for the questions that will be asked next, from their features."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.target import main

run(main, snakemake)
