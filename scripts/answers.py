"""Count what the language models of a dataset answered, stated, and did not answer."""

from fidelity_study.app.run.script import run
from fidelity_study.ask.collect import main

run(main, snakemake)
