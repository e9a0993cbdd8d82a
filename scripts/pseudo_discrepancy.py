"""The largest and smallest discrepancy that each confidence set allows, for every simulator."""

import numpy as np
import pyarrow as pa

from fidelity.pseudo_discrepancies import between, extrema
from fidelity.resampling import smoothed
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, codes, dense, human, labels, numbers
from fidelity_study.steps.samples import Family, families
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.confidence_set import CONFIDENCE_SET
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    step = snakemake.params.step
    scenarios = Scenarios.from_table(read(snakemake.input.scenarios, SCENARIOS))
    everyone = human(read(snakemake.input.outcomes, OUTCOMES))
    counts = scenarios.counts(everyone, "count")
    bounds = read(snakemake.input.confidence_set, CONFIDENCE_SET)
    simulated = read(snakemake.input.simulated, SIMULATED_SAMPLE)
    parts = [
        cells(family, np.stack([counts[j] for j in family.members]), step["smoothed"])
        for family in families(scenarios, bounds, simulated, step["pairs"])
    ]
    write(snakemake.output[0], pa.concat_tables(parts), PSEUDO_DISCREPANCY, step)


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
    return pa.table(columns).select(PSEUDO_DISCREPANCY.names).unify_dictionaries()


run(main, snakemake)
