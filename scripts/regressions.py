"""Whether regressions fitted to simulators' answers say what those fitted to people's say."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.regressions import main

run(main, snakemake)
