"""How many people, scenarios and draws a next study needs, with this one as its pilot."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.plan import main

run(main, snakemake)
