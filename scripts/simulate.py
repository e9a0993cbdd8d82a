"""Ask a language model what people were asked, and keep every raw answer."""

from fidelity_study.app.run.script import run
from fidelity_study.ask.simulate import main

run(main, snakemake)
