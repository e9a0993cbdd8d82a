"""Simulators corrected by people's answers to other scenarios, and whether that helps."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.corrections import main

run(main, snakemake)
