"""What the curves guarantee at this number of scenarios and clusters; for the first replicate."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.sets.gamma import parse_sides
from fidelity.stream import stream
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import codes, dependent_scenarios
from fidelity_study.steps.cells import cells_by_sides
from fidelity_study.steps.guarantee import curves, levels, target_weights
from fidelity_study.tables.curves import curve_rows
from fidelity_study.tables.guarantee import GUARANTEE, LEVEL
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.read_write import read, write

KEYS = ["simulator", "replicate", "k", "confidence_set", "gamma", "discrepancy"]


def main(snakemake):
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    table = read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY)
    table = table.filter(pc.equal(table["replicate"], 0))
    names = scenarios["scenario"].to_pylist()
    labels = sorted(set(scenarios["cluster"].to_pylist()))
    cluster = codes(scenarios["cluster"], labels)
    people = np.array(scenarios["people"].to_pylist())
    weights = target_weights(scenarios["cluster"].to_pylist(), step["target"])
    sides = [parse_sides(gamma) for gamma in step["gamma"]]
    drawn, promised = [GUARANTEE.empty_table()], []
    for cell, of in cells_by_sides(table, KEYS, sides, names):
        key = (step["seed"], step["dataset"], step["n"], *map(str, cell.values()))
        clusters = cluster[of["scenario"]]
        shared = dependent_scenarios(people[of["scenario"]], [cell["simulator"]])
        weight = None if weights is None else weights[of["scenario"]]
        generator, index = stream(*key, "curves"), step["index"]
        for guarantee, upper in curves(of, clusters, shared, weight, generator, index).items():
            named = {**cell, "guarantee": guarantee}
            drawn.append(curve_rows(named, upper, GUARANTEE))
        for each in levels(of, clusters, shared, stream(*key, "levels"), index):
            promised.append({**cell, **each})
    write(snakemake.output.curves, pa.concat_tables(drawn), GUARANTEE, step)
    columns = {name: [each[name] for each in promised] for name in LEVEL.names}
    write(snakemake.output.levels, pa.table(columns), LEVEL, step)


run(main, snakemake)
