"""The largest and smallest discrepancy that each confidence set allows, for every simulator."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.pseudo_discrepancy import main

run(main, snakemake)
