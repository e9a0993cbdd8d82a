"""Write the findings: which models of an evaluation score higher."""

from fidelity_study.run.report import evaluation_findings
from fidelity_study.run.script import run

run(evaluation_findings, snakemake)
