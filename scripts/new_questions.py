"""Questions that people were not asked, and simulators' answers to them."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.new_questions import main

run(main, snakemake)
