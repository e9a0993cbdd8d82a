"""Mean discrepancies between bounds that need no confidence set, their differences, and lists."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.mean_discrepancy import main

run(main, snakemake)
