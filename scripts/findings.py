"""Write the findings: whether a dataset's simulators can stand in for people."""

from fidelity_study.page.dataset import Dataset
from fidelity_study.page.render import findings
from fidelity_study.report.results import Results
from fidelity_study.run.script import run
from fidelity_study.tables.read_write import complete


def main(snakemake):
    step = snakemake.params.step
    results = Results(step, dict(snakemake.input.items()))
    with complete(snakemake.output[0]) as partial:
        partial.write_text(findings(Dataset(step["dataset"], results)), encoding="utf-8")


run(main, snakemake)
