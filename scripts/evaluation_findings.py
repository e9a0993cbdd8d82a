"""Write the findings: which models of an evaluation score higher."""

from fidelity_study.page.evaluation import loaded
from fidelity_study.page.render import evaluation_findings
from fidelity_study.run.script import run
from fidelity_study.tables.read_write import complete


def main(snakemake):
    step = snakemake.params.step
    shown = loaded(step["evaluation"], step, list(snakemake.input))
    with complete(snakemake.output[0]) as partial:
        partial.write_text(evaluation_findings(shown), encoding="utf-8")


run(main, snakemake)
