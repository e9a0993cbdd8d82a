"""The parts of a comparison's variance, and how many scenarios show a difference."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.variance import main

run(main, snakemake)
