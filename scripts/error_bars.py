"""Mean scores with error bars, differences between simulators, and ranks they may have."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.error_bars import main

run(main, snakemake)
