"""Compare simulators in pairs: the extrema of L(u, q¹) - L(u, q²) over the confidence sets."""

from itertools import combinations

import numpy as np
import pyarrow as pa

from fidelity.coverage import parse_coverage
from fidelity.discrepancy import DISCREPANCIES
from fidelity.extremum import between, pairwise_extrema
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
    scope = step["comparison"]
    scenarios = Scenarios.from_table(tables.read(snakemake.input.scenarios, tables.SCENARIOS))
    bounds = tables.read(snakemake.input.confidence_set, tables.CONFIDENCE_SET)
    simulated = tables.read(snakemake.input.simulated, tables.SIMULATED_SAMPLE)
    coverages = [parse_coverage(gamma).label for gamma in scope["gamma"]]
    bounds = bounds.filter(among(bounds["gamma"], coverages))
    simulated = simulated.filter(pa.compute.less(simulated["replicate"], scope["replicates"]))
    parts = [tables.PAIRWISE.empty_table()]
    for members, scores in scenarios.groups():
        names = [scenarios.names[j] for j in members]
        answers = simulated.filter(among(simulated["scenario"], names))
        for discrepancy, sets in step["pairs"].items():
            measure = DISCREPANCIES[discrepancy]
            family = bounds.filter(among(bounds["functionals"], [measure.on]))
            family = family.filter(among(family["confidence_set"], measure.sets_for_pairs(sets)))
            family = family.filter(among(family["scenario"], names))
            for k in answers["k"].unique().to_pylist():
                same_k = answers.filter(among(answers["k"], [k]))
                for pair in combinations(step["simulators"], 2):
                    parts += both_ways(family, same_k, names, pair, discrepancy, scores)
    tables.write(snakemake.output[0], pa.concat_tables(parts), tables.PAIRWISE, step)


def both_ways(bounds, simulated, names, pair, discrepancy, scores) -> list[pa.Table]:
    """Return the rows of (first, second) and of (second, first), none unless both answer."""
    first, second = (simulated.filter(among(simulated["simulator"], [name])) for name in pair)
    one, two = join(sample_key(first, names), sample_key(second, names))
    first, second = first.take(one), second.take(two)
    i, j = join(sample_key(bounds, names), sample_key(first, names))
    if len(j) == 0:
        return []
    known = read_bounds(bounds).take(i)
    q1, q2 = dense(first["share"])[j], dense(second["share"])[j]
    lower, upper = pairwise_extrema(known, q1, q2, discrepancy=discrepancy, scores=scores)
    plugin = np.subtract(
        *(between(known.share, q, discrepancy=discrepancy, scores=scores) for q in (q1, q2))
    )
    human, draws = bounds.take(i), first.take(j)
    constant = np.zeros(len(j), int)
    shared = {
        "scenario": labels(names, codes(draws["scenario"], names)),
        "discrepancy": labels([discrepancy], constant),
        **{key: draws[key] for key in ("replicate", "k")},
        **{key: human[key] for key in ("n_j", "confidence_set", "gamma", "gamma_j")},
    }
    ways = [(*pair, lower, plugin, upper), (*reversed(pair), -upper, -plugin, -lower)]
    return [
        pa.table(
            {
                **shared,
                "simulator": labels([one], constant),
                "other": labels([other], constant),
                "lower": low,
                "plugin": middle,
                "upper": high,
            }
        )
        .select(tables.PAIRWISE.names)
        .cast(tables.PAIRWISE)
        for one, other, low, middle, high in ways
    ]


run(main, snakemake)
