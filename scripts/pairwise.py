"""Compare simulators in pairs: the extrema of L(u, q¹) - L(u, q²) over the confidence sets."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.pseudo_discrepancies import between, pairwise_extrema
from fidelity.resampling import smoothed
from fidelity.sets.gamma import parse_coverage
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, among, codes, dense, join, labels, numbers
from fidelity_study.steps.samples import Family, families
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.confidence_set import CONFIDENCE_SET
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pairwise import PAIRWISE
from fidelity_study.tables.read_write import read, write

ROUNDING = 1e-14


def main(snakemake):
    step = snakemake.params.step
    scope = step["comparison"]
    scenarios = Scenarios.from_table(read(snakemake.input.scenarios, SCENARIOS))
    bounds = read(snakemake.input.confidence_set, CONFIDENCE_SET)
    simulated = read(snakemake.input.simulated, SIMULATED_SAMPLE)
    coverages = [parse_coverage(gamma).label for gamma in scope["gamma"]]
    bounds = bounds.filter(among(bounds["gamma"], coverages))
    simulated = simulated.filter(pc.less(simulated["replicate"], scope["replicates"]))
    parts = [PAIRWISE.empty_table()]
    for family in families(scenarios, bounds, simulated, step["compared"]):
        for k in family.simulated["k"].unique().to_pylist():
            answers = family.simulated.filter(among(family.simulated["k"], [k]))
            for pair in combinations(step["simulators"], 2):
                parts += both_ways(family, answers, pair, step["smoothed"])
    write(snakemake.output[0], pa.concat_tables(parts), PAIRWISE, step)


def difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the difference of two discrepancies; 0 where only rounding tells them apart."""
    with np.errstate(invalid="ignore"):
        apart = first - second
    tied = np.isfinite(apart) & (np.abs(apart) <= ROUNDING * np.maximum(first, 1.0))
    return np.where(tied, 0.0, apart)


def both_ways(
    family: Family, answers: pa.Table, pair: tuple[str, str], smooth: list[str]
) -> Iterator[pa.Table]:
    """Yield the rows of (first, second) and of (second, first), none unless both answer.

    Where one simulator is infinitely far whatever people answer, and the other is not, the
    difference is infinite. Where it is undefined, as both can be infinitely far, nothing is
    claimed: -inf to inf.
    """
    first, second = (answers.filter(among(answers["simulator"], [name])) for name in pair)
    one, two = join(family.sample(first), family.sample(second))
    if len(one) == 0:
        return
    first, second = first.take(one), second.take(two)
    i, j = family.with_bounds(first)
    known = family.known().take(i)
    q1, q2 = (dense(each["share"])[j] for each in (first, second))
    if family.discrepancy in smooth:
        q1, q2 = (smoothed(q, numbers(each["k_j"])[j]) for q, each in ((q1, first), (q2, second)))
    measure = family.measure
    lower, upper, gap = pairwise_extrema(known, q1, q2, **measure)
    undefined = np.isnan(upper)
    lower, upper, gap = (
        np.where(undefined, unknown, found)
        for found, unknown in ((lower, -np.inf), (upper, np.inf), (gap, np.inf))
    )
    plugin = difference(*(between(known.share, q, **measure) for q in (q1, q2)))
    sample, draws = family.bounds.take(i), first.take(j)
    constant = np.zeros(len(j), int)
    shared = {
        "scenario": labels(family.names, codes(draws["scenario"], family.names)),
        "discrepancy": labels([family.discrepancy], constant),
        "gap": gap,
        **{key: draws[key] for key in ("replicate", "k")},
        **{key: sample[key] for key in ("n_j", "confidence_set", "gamma", "gamma_j")},
    }
    for names, differences in (
        (pair, (lower, plugin, upper)),
        (pair[::-1], (-upper, -plugin, -lower)),
    ):
        columns = dict(zip(("lower", "plugin", "upper"), differences, strict=True))
        for key, name in zip(("simulator", "other"), names, strict=True):
            columns[key] = labels([name], constant)
        yield pa.table(shared | columns).select(PAIRWISE.names).cast(PAIRWISE)


run(main, snakemake)
