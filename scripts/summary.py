"""One table of all summaries: a row per simulator × n × k × set × γ × discrepancy."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.summary import main

run(main, snakemake)
