"""Draw one figure of a dataset, as PNG for screens and PDF for print."""

from importlib import import_module

from fidelity_study.figures import style
from fidelity_study.report.results import Results
from fidelity_study.run import provenance
from fidelity_study.run.script import run


def main(snakemake):
    step = snakemake.params.step
    module = import_module(f"fidelity_study.figures.{step['figure']}")
    figure = module.draw(Results(step, dict(snakemake.input.items())))
    made = provenance.line(step["provenance"])
    style.save(figure, made, snakemake.output.png, snakemake.output.pdf)


run(main, snakemake)
