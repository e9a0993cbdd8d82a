"""Write the findings: whether a dataset's simulators can stand in for people."""

from fidelity_study.app.run.report import findings
from fidelity_study.app.run.script import run

run(findings, snakemake)
