"""Whether effects of conditions against a control are people's in direction, size and order."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.effects import main

run(main, snakemake)
