"""Run the step of a rule: the function that its params name."""

from pkgutil import resolve_name

from fidelity_study.app.run.script import run

run(resolve_name(snakemake.params.step["main"]), snakemake)
