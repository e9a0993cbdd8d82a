"""The largest and smallest discrepancy that each confidence set allows, for every simulator."""

import numpy as np
import pyarrow as pa

from fidelity.pseudo_discrepancies import between, extrema
from fidelity.resampling import smoothed
from fidelity_study import tables
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, codes, dense, human, labels, numbers
from fidelity_study.steps.samples import Family, families


def main(snakemake):
    step = snakemake.params.step
    scenarios = Scenarios.from_table(tables.read(snakemake.input.scenarios, tables.SCENARIOS))
    everyone = human(tables.read(snakemake.input.outcomes, tables.OUTCOMES))
    counts = scenarios.counts(everyone, "count")
    bounds = tables.read(snakemake.input.confidence_set, tables.CONFIDENCE_SET)
    simulated = tables.read(snakemake.input.simulated, tables.SIMULATED_SAMPLE)
    parts = [
        cells(family, np.stack([counts[j] for j in family.members]), step["smoothed"])
        for family in families(scenarios, bounds, simulated, step["pairs"])
    ]
    tables.write(snakemake.output[0], pa.concat_tables(parts), tables.PSEUDO_DISCREPANCY, step)


def cells(family: Family, counts: np.ndarray, smooth: list[str]) -> pa.Table:
    """Return a row for each coverage × simulator × k × replicate of each scenario."""
    i, j = family.with_bounds(family.simulated)
    share = dense(family.simulated["share"])
    if family.discrepancy in smooth:
        share = smoothed(share, numbers(family.simulated["k_j"]))
    known, q, measure = family.known().take(i), share[j], family.measure
    lower, upper, gap = extrema(known, q, **measure)
    sample, simulator = family.bounds.take(i), family.simulated.take(j)
    scenario = codes(simulator["scenario"], family.names)
    full = (counts / counts.sum(1, keepdims=True))[scenario]
    columns = {
        "scenario": labels(family.names, scenario),
        "discrepancy": labels([family.discrepancy], np.zeros(len(j), int)),
        "plugin": between(known.share, q, **measure),
        "lower": lower,
        "upper": upper,
        "gap": gap,
        "oracle": between(full, q, **measure),
        **{key: sample[key] for key in ("n_j", "confidence_set", "gamma", "gamma_j")},
        **{key: simulator[key] for key in ("simulator", "replicate", "k", "k_j")},
    }
    return pa.table(columns).select(tables.PSEUDO_DISCREPANCY.names).unify_dictionaries()


run(main, snakemake)
