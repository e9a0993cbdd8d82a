"""What was known after each unit, where a study is looked at while data come in."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.sequence import main

run(main, snakemake)
