"""How far other people would be from these, by each discrepancy: a yardstick for simulators."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.people_reference import main

run(main, snakemake)
