"""What people would answer to questions not asked of them, and how often predictions hold."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.predict import main

run(main, snakemake)
