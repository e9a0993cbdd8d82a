"""How near a few people, a simulator, and both come to all people; the interviews saved."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.hybrids import main

run(main, snakemake)
