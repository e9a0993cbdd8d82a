"""Bound what people answer: each confidence set, at each coverage, for each human sample."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.confidence_set import main

run(main, snakemake)
