"""How many people each simulator is worth: its equivalent human sample size."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.sample_size import main

run(main, snakemake)
