"""The largest and smallest discrepancy that each confidence set allows, for every simulator."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.discrepancy import DISCREPANCIES
from fidelity.extremum import between, extrema
from fidelity_study import tables
from fidelity_study.arrays import (
    Scenarios,
    among,
    codes,
    dense,
    join,
    labels,
)
from fidelity_study.samples import read_bounds, sample_key
from fidelity_study.script import run


def main(snakemake):
    step = snakemake.params.step
    scenarios = Scenarios.from_table(tables.read(snakemake.input.scenarios, tables.SCENARIOS))
    outcomes = tables.read(snakemake.input.outcomes, tables.OUTCOMES)
    people = outcomes.filter(pc.equal(outcomes["source"].cast(pa.string()), "human"))
    everyone = scenarios.counts(people, "count")
    bounds = tables.read(snakemake.input.confidence_set, tables.CONFIDENCE_SET)
    simulated = tables.read(snakemake.input.simulated, tables.SIMULATED_SAMPLE)
    parts = []
    for members, scores in scenarios.groups():
        names = [scenarios.names[j] for j in members]
        full = np.stack([everyone[j] for j in members])
        for discrepancy, sets in step["pairs"].items():
            functionals = DISCREPANCIES[discrepancy].on
            parts.append(
                cells(
                    bounds.filter(
                        pc.and_(
                            among(bounds["scenario"], names),
                            pc.and_(
                                among(bounds["functionals"], [functionals]),
                                among(bounds["confidence_set"], sets),
                            ),
                        )
                    ),
                    simulated.filter(among(simulated["scenario"], names)),
                    names,
                    full / full.sum(1, keepdims=True),
                    discrepancy,
                    scores,
                )
            )
    tables.write(snakemake.output[0], pa.concat_tables(parts), tables.PSEUDO_DISCREPANCY, step)


def cells(bounds, simulated, names, full, discrepancy, scores) -> pa.Table:
    """Return a row for each set × coverage × simulator × k × replicate of each scenario."""
    i, j = join(sample_key(bounds, names), sample_key(simulated, names))
    known, q = read_bounds(bounds), dense(simulated["share"])
    lower, upper = extrema(known.take(i), q[j], discrepancy=discrepancy, scores=scores)
    scenario = codes(simulated["scenario"], names)[j]
    human, simulator = bounds.take(i), simulated.take(j)
    columns = {
        "scenario": labels(names, scenario),
        "discrepancy": labels([discrepancy], np.zeros(len(j), int)),
        "plugin": between(known.share[i], q[j], discrepancy=discrepancy, scores=scores),
        "lower": lower,
        "upper": upper,
        "oracle": between(full[scenario], q[j], discrepancy=discrepancy, scores=scores),
        **{key: human[key] for key in ("n_j", "confidence_set", "gamma", "gamma_j")},
        **{key: simulator[key] for key in ("simulator", "replicate", "k", "k_j")},
    }
    return pa.table(columns).select(tables.PSEUDO_DISCREPANCY.names).unify_dictionaries()


run(main, snakemake)
