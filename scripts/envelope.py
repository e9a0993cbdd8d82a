"""Curves, certified shares and pairwise bounds that need no choice of a coverage γ."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.envelope import main

run(main, snakemake)
