"""Download a file that a dataset needs, or take it from the local mirror."""

from fidelity_study.app.run.fetch import main
from fidelity_study.app.run.script import run

run(main, snakemake)
