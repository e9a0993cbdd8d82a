"""What simulators may be used for, at one error rate."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.uses import main

run(main, snakemake)
