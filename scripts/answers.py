"""Count what the language models of a dataset answered, stated, and did not answer."""

from fidelity_study.ask.collect import main
from fidelity_study.run.script import run

run(main, snakemake)
