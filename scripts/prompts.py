"""How much a simulator's discrepancy depends on the prompt: the worst, the average, the spread."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.prompts import main

run(main, snakemake)
