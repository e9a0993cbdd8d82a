"""Mean scores with error bars, differences between simulators, and ranks they may have."""

import numpy as np

from fidelity_study.run.script import run
from fidelity_study.steps.arrays import first_replicate, target_of
from fidelity_study.steps.error_bars import (
    difference_rows,
    forms,
    mean_rows,
    rank_rows,
    row_of,
    together,
)
from fidelity_study.tables.error_bars import DIFFERENCES, MEANS, RANKS
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.read_write import read, write_csv, write_rows


def main(snakemake):
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    clusters = np.array(scenarios["cluster"].to_pylist())
    table = first_replicate(read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY))
    names = scenarios["scenario"].to_pylist()
    alpha = step["test"]["alpha"]
    means, differences, ranks = [], [], []
    for cell, scores in forms(table, names):
        cell["target"] = target_of(clusters)
        means += [{**cell, **row} for row in mean_rows(scores, clusters, alpha)]
        for k, of in together(scores):
            form = {**cell, "k": k}
            differences += [{**form, **row} for row in difference_rows(of, clusters, alpha, row_of)]
            ranks += [{**form, **row} for row in rank_rows(of, clusters, alpha)]
    write_rows(snakemake.output.means, means, MEANS, step)
    write_rows(snakemake.output.differences, differences, DIFFERENCES, step)
    write_rows(snakemake.output.ranks, ranks, RANKS, step)
    write_csv(snakemake.output.csv, differences, DIFFERENCES.names)


run(main, snakemake)
