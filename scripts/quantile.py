"""Quantile curves over scenarios, and their summaries, for every cell of the grid."""

import numpy as np
import pyarrow as pa

from fidelity.sets.gamma import parse_sides
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import dependent_scenarios, short_of
from fidelity_study.steps.cells import cells_by_sides
from fidelity_study.steps.quantile import KEYS, curve, draws, long, summary
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.quantile import QUANTILE, SUMMARY
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    step = snakemake.params.step
    table = read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY)
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    names, cluster, people = (
        np.array(scenarios[name].to_pylist()) for name in ("scenario", "cluster", "people")
    )
    sides = [parse_sides(gamma) for gamma in step["gamma"]]
    curves, summaries = [], []
    for cell, of in cells_by_sides(table, KEYS, sides, names.tolist()):
        there = of["scenario"]
        design = cluster[there], dependent_scenarios(people[there], [cell["simulator"]])
        curves.append({**cell, **curve(of, design, step["index"])})
        answers = {
            "n_short": short_of(step["n"], of["n_j"]),
            "k_short": short_of(cell["k"], of["k_j"]),
            **draws(of["k_j"]),
        }
        summaries.append({**cell, **summary(of, design, step["index"]), **answers})
    write(snakemake.output.curves, long(curves), QUANTILE, step)
    columns = {name: [each[name] for each in summaries] for name in SUMMARY.names}
    write(snakemake.output.summary, pa.table(columns), SUMMARY, step)


run(main, snakemake)
