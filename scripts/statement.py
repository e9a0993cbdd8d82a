"""Write the statement for an appendix: who was asked and how, and how certain results are."""

from fidelity_study.app.run.report import statement
from fidelity_study.app.run.script import run

run(statement, snakemake)
