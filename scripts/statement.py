"""Write the statement for an appendix: who was asked and how, and how certain results are."""

import pyarrow.compute as pc

from fidelity_study.ask.collect import ASKED
from fidelity_study.page.dataset import Dataset
from fidelity_study.page.render import statement
from fidelity_study.page.statement import Statement
from fidelity_study.report.results import Results
from fidelity_study.run.provenance import line
from fidelity_study.run.script import run
from fidelity_study.tables.read_write import complete, read


def main(snakemake):
    step = snakemake.params.step
    dataset = Dataset(step["dataset"], Results(step, dict(snakemake.input.items())))
    raw = snakemake.input.get("raw", [])
    served = {
        name: sorted(filter(None, pc.unique(read(path, ASKED)["model"]).to_pylist()))
        for name, path in zip(step["asked"], raw, strict=True)
    }
    text = statement(Statement(dataset, served, line(step["provenance"])))
    with complete(snakemake.output[0]) as partial:
        partial.write_text(text, encoding="utf-8")


run(main, snakemake)
