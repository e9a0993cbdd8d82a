"""Put into words what a dataset's tables say: which simulator is closest, and where it misleads."""

from fidelity_study.report.findings import findings
from fidelity_study.report.results import Results
from fidelity_study.run.script import run
from fidelity_study.tables.read_write import complete


def main(snakemake):
    files = dict(snakemake.input.items())
    text = findings(Results(snakemake.params.step, files), files["pseudo_discrepancy"])
    with complete(snakemake.output[0]) as partial:
        partial.write_text(text, encoding="utf-8")


run(main, snakemake)
