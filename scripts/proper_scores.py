"""Proper scores of what simulators state or draw, with the differences between simulators."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.proper_scores import main

run(main, snakemake)
