"""How many answers each source was asked for and did not give, and why."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.nonresponse import main

run(main, snakemake)
