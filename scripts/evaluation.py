"""Error bars of models' scores, paired differences, and power."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.evaluation import main

run(main, snakemake)
