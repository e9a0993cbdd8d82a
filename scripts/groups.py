"""How far simulators are from each group of people."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.groups import main

run(main, snakemake)
