"""What the curves guarantee at this number of scenarios and clusters; for the first replicate."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.guarantee import main

run(main, snakemake)
