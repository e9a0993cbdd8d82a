"""The largest and smallest discrepancy that each confidence set allows.

Tables:
    PSEUDO_DISCREPANCY: `scenario`, `simulator`, `replicate`, `k`, `confidence_set`, `gamma`,
        `discrepancy`, `n_j`, `k_j`, `gamma_j`; `plugin` L(p̂, q̂), `lower` and `upper` (extrema
        over the set; `upper` is inf where a simulator states 0 for an answer that people may give),
        `gap` (how far they may at most lie, on the safe side, from the true extrema; 0 if a closed
        form gives them), `oracle` L(p of everyone, q̂)
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from fidelity.pseudo_discrepancies import between, extrema
from fidelity_study.steps.arrays import Scenarios, codes, human
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.confidence_set import CONFIDENCE_SET
from fidelity_study.steps.samples import Family, families
from fidelity_study.tables.common import CELL, LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, write

PSEUDO_DISCREPANCY = pa.schema(
    [
        *columns(LABEL, "scenario", "simulator"),
        *CELL,
        *columns(pa.float64(), "n_j", "k_j", "gamma_j", "plugin", "lower", "upper", "gap"),
        ("oracle", pa.float64()),
    ]
)


def pseudo_discrepancies(
    families: Iterable[Family], counts: list[np.ndarray], smooth: list[str]
) -> pa.Table:
    """Return a row for each coverage × simulator × k × replicate of each scenario.

    ``counts`` are those of everybody in each scenario of the study.
    """
    return pa.concat_tables([_of_family(family, counts, smooth) for family in families])


def _of_family(family: Family, counts: list[np.ndarray], smooth: list[str]) -> pa.Table:
    i, j = family.with_bounds(family.simulated)
    q = family.shares(family.simulated, smooth)[j]
    lower, upper, gap = family.extrema(extrema, i, q)
    simulated = family.simulated.drop_columns("share").take(j)
    everybody = np.stack([counts[member] for member in family.members])
    full = everybody / everybody.sum(1, keepdims=True)
    named = {
        **family.keys(i, simulated),
        "plugin": between(family.known().share[i], q, **family.measure),
        "lower": lower,
        "upper": upper,
        "gap": gap,
        "oracle": between(full[codes(simulated["scenario"], family.names)], q, **family.measure),
        **{key: simulated[key] for key in ("simulator", "k_j")},
    }
    return pa.table(named).select(PSEUDO_DISCREPANCY.names).unify_dictionaries()


def main(snakemake):
    """Find the extrema of the discrepancy over each confidence set."""
    step, files = snakemake.params.step, snakemake.input
    scenarios = Scenarios.from_table(read(files.scenarios, SCENARIOS))
    counts = scenarios.counts(human(read(files.outcomes, OUTCOMES)), "count")
    bounds = read(files.confidence_set, CONFIDENCE_SET)
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    allowed = families(scenarios, bounds, simulated, step["pairs"])
    table = pseudo_discrepancies(allowed, counts, step["smoothed"])
    write(snakemake.output[0], table, PSEUDO_DISCREPANCY, step)
