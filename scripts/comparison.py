"""Pairwise curves, and the share of scenarios on which one simulator is at least as close."""

import pyarrow as pa

from fidelity_study.run.script import run
from fidelity_study.steps.comparison import FORM, NUMBERS, PAIR, envelope_rows, pair_rows, shares
from fidelity_study.tables.comparison import COMPARISON
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pairwise import PAIRWISE
from fidelity_study.tables.read_write import read, write, write_csv

SHARES = ["m", "clusters", "share", "plugin_share", "certified_share", "p_value"]


def main(snakemake):
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    curves, rows = [COMPARISON.empty_table()], []
    for n, path in zip(step["comparison"]["n"], snakemake.input.pairwise, strict=True):
        wanted = ["scenario", *FORM, *PAIR, *NUMBERS]
        pairs = list(pair_rows(read(path, PAIRWISE, wanted), scenarios, n, step))
        curves += [curve for _, curve in pairs]
        rows += shares([pair for pair, _ in pairs])
    for path in snakemake.input.envelope:
        wanted = ["scenario", *FORM, *PAIR, "upper", "plugin"]
        rows += shares(list(envelope_rows(read(path, PAIRWISE, wanted), scenarios, step["n"][-1])))
    write(snakemake.output.curves, pa.concat_tables(curves), COMPARISON, step)
    write_csv(snakemake.output.shares, rows, ["n", *PAIR, *FORM, *SHARES])


run(main, snakemake)
