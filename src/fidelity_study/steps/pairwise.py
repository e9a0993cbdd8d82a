"""The extrema of L(u, q¹) - L(u, q²) over confidence sets, for a pair of simulators.

Tables:
    PAIRWISE: `scenario`, `simulator`, `other`, cell columns, `lower`, `plugin`, `upper`, `gap`:
        extrema of L(u, q¹) - L(u, q²). With `kl` and `chi2`: both inf where only `simulator` states
        0 for what people chose, both -inf where only `other` does; -inf and inf, with `gap` inf and
        perhaps no `plugin`, where both can be infinitely far, so that nothing is known. Of
        `envelope/pairs` at each coverage of the envelope; the shares that follow are in
        `comparison/shares.csv` with `gamma` `envelope`
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.pseudo_discrepancies import between, pairwise_extrema
from fidelity.sets.gamma import parse_coverage
from fidelity_study.steps.arrays import Scenarios, among, join, labels, only
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.confidence_set import CONFIDENCE_SET
from fidelity_study.steps.draws import compared, pairs
from fidelity_study.steps.samples import Family, families
from fidelity_study.tables.common import CELL, LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write

PAIRWISE = pa.schema(
    [
        *columns(LABEL, "scenario", "simulator", "other"),
        *CELL,
        *columns(pa.float64(), "n_j", "gamma_j", "lower", "plugin", "upper", "gap"),
    ]
)

ROUNDING = 1e-14


def difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the difference of two discrepancies; 0 where only rounding tells them apart."""
    with np.errstate(invalid="ignore"):
        apart = first - second
    tied = np.isfinite(apart) & (np.abs(apart) <= ROUNDING * np.maximum(first, 1.0))
    return np.where(tied, 0.0, apart)


def all_pairs(families: Iterable[Family], simulators: list[str], smooth: list[str]) -> pa.Table:
    """Return the rows of pairs of simulators, both ways, of each family and number of draws.

    Those that state probabilities are compared by these at each number of draws of the others.
    """
    parts = [PAIRWISE.empty_table()]
    for family in families:
        answers = {name: only(family.simulated, simulator=name) for name in simulators}
        forms = {
            name: {k: only(table, k=k) for k in table["k"].unique().to_pylist()}
            for name, table in answers.items()
        }
        for k, taken in compared(forms):

            def plugin(name: str, taken=taken, family=family) -> np.ndarray:
                i, j = family.with_bounds(taken[name])
                share, answers = family.known().share[i], family.shares(taken[name], smooth)[j]
                return between(share, answers, **family.measure)

            for pair in pairs(taken, plugin):
                parts += both_ways(family, taken, pair, k, smooth)
    return pa.concat_tables(parts)


def both_ways(
    family: Family, answers: dict[str, pa.Table], pair: tuple[str, str], k: str, smooth: list[str]
) -> Iterator[pa.Table]:
    """Yield the rows of (first, second) and of (second, first); none unless both answer.

    Where one simulator is infinitely far for any answers of people, and the other is not, the
    difference is infinite. Where both can be infinitely far, the difference is undefined, and the
    row has -inf to inf.
    """
    first, second = (answers[name] for name in pair)
    one, two = join(family.sample(first), family.sample(second))
    if len(one) == 0:
        return
    first, second = first.take(one), second.take(two)
    i, j = family.with_bounds(first)
    q1, q2 = (family.shares(simulator, smooth)[j] for simulator in (first, second))
    lower, upper, gap = family.extrema(pairwise_extrema, i, q1, q2)
    undefined = np.isnan(upper)
    lower, upper, gap = (
        np.where(undefined, unknown, extremum)
        for extremum, unknown in ((lower, -np.inf), (upper, np.inf), (gap, np.inf))
    )
    share = family.known().share[i]
    plugin = difference(*(between(share, q, **family.measure) for q in (q1, q2)))
    shared = {**family.keys(i, first.take(j)), "gap": gap, "k": labels([k], np.zeros(len(j), int))}
    for names, differences in (
        (pair, (lower, plugin, upper)),
        (pair[::-1], (-upper, -plugin, -lower)),
    ):
        columns = dict(zip(("lower", "plugin", "upper"), differences, strict=True))
        for key, name in zip(("simulator", "other"), names, strict=True):
            columns[key] = labels([name], np.zeros(len(j), int))
        yield pa.table(shared | columns).select(PAIRWISE.names).cast(PAIRWISE)


def main(snakemake):
    """Compare simulators in pairs, scenario by scenario."""
    step = snakemake.params.step
    scope = step["comparison"]
    scenarios = Scenarios.from_table(read(snakemake.input.scenarios, SCENARIOS))
    bounds = read(snakemake.input.confidence_set, CONFIDENCE_SET)
    simulated = read(snakemake.input.simulated, SIMULATED_SAMPLE)
    coverages = [parse_coverage(gamma).label for gamma in scope["gamma"]]
    bounds = bounds.filter(among(bounds["gamma"], coverages))
    simulated = simulated.filter(pc.less(simulated["replicate"], scope["replicates"]))
    together = families(scenarios, bounds, simulated, step["compared"])
    rows = all_pairs(together, step["simulators"], step["smoothed"])
    write(snakemake.output[0], rows, PAIRWISE, step)
