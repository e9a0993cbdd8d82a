"""Ask a language model what people were asked, and keep every raw answer."""

from fidelity_study.ask.simulate import main
from fidelity_study.run.script import run

run(main, snakemake)
