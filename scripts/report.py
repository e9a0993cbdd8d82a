"""Make the study's report, one page that needs nothing else, and its short form in Markdown."""

from fidelity_study.app.run.report import report
from fidelity_study.app.run.script import run

run(report, snakemake)
