"""Whether stated probabilities come true: scores, calibration errors and reliability diagrams."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.calibration import main

run(main, snakemake)
