"""Whether simulators' texts, or other answers that are points, can be told from people's."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.vectors import main

run(main, snakemake)
