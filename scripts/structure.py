"""Whether simulators' answers to different questions go together as people's do."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.structure import main

run(main, snakemake)
