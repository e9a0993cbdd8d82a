"""Write the findings: which models of an evaluation score higher."""

from fidelity_study.app.run.report import evaluation_findings
from fidelity_study.app.run.script import run

run(evaluation_findings, snakemake)
