"""Compare simulators in pairs: the extrema of L(u, q¹) - L(u, q²) over the confidence sets."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.pairwise import main

run(main, snakemake)
