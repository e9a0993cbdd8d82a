"""How often people's answers lie in intervals that a simulator states, or fitted to its answers."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.intervals import main

run(main, snakemake)
