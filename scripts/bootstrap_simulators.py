"""Take k of each simulator's answers in each scenario; all where it gave fewer there."""

from fidelity_study.app.run.script import run
from fidelity_study.steps.bootstrap_simulators import main

run(main, snakemake)
