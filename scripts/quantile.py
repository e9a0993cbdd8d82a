"""Quantile curves over scenarios, and their summaries, for every cell of the grid."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.quantile import main

run(main, snakemake)
