"""What simulators' twins know of their persons, beyond the twins of others."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.twins import main

run(main, snakemake)
