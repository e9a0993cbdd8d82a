"""Quantile curves over scenarios, and their summaries, for every cell of the grid."""

import pyarrow as pa

from fidelity_study.run.script import run
from fidelity_study.steps.cells import cells_by_sides
from fidelity_study.steps.quantile import curves, sizes, summary
from fidelity_study.tables.curves import curve_rows
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.quantile import QUANTILE, SUMMARY
from fidelity_study.tables.read_write import read, write, write_rows


def main(snakemake):
    step = snakemake.params.step
    table = read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY)
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    drawn, summaries = [], []
    for cell, of in cells_by_sides(table, scenarios, step["gamma"]):
        drawn.append(curve_rows(cell, QUANTILE, **curves(of, step["index"])))
        answers = sizes(of, step["n"], cell["k"])
        summaries.append({**cell, **summary(of, step["index"]), **answers})
    write(snakemake.output.curves, pa.concat_tables(drawn), QUANTILE, step)
    write_rows(snakemake.output.summary, summaries, SUMMARY, step)


run(main, snakemake)
