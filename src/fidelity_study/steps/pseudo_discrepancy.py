"""The largest and smallest discrepancy that each confidence set allows."""

import numpy as np
import pyarrow as pa

from fidelity.pseudo_discrepancies import between, extrema
from fidelity_study.steps.arrays import codes
from fidelity_study.steps.samples import Family
from fidelity_study.tables.pseudo_discrepancy import PSEUDO_DISCREPANCY


def pseudo_discrepancies(family: Family, counts: list[np.ndarray], smooth: list[str]) -> pa.Table:
    """Return a row for each coverage × simulator × k × replicate of each scenario.

    ``counts`` are those of everybody in each scenario of the study.
    """
    i, j = family.with_bounds(family.simulated)
    q = family.shares(family.simulated, smooth)[j]
    lower, upper, gap = family.extrema(extrema, i, q)
    simulated = family.simulated.drop_columns("share").take(j)
    everybody = np.stack([counts[member] for member in family.members])
    full = everybody / everybody.sum(1, keepdims=True)
    columns = {
        **family.keys(i, simulated),
        "plugin": between(family.known().share[i], q, **family.measure),
        "lower": lower,
        "upper": upper,
        "gap": gap,
        "oracle": between(full[codes(simulated["scenario"], family.names)], q, **family.measure),
        **{key: simulated[key] for key in ("simulator", "k_j")},
    }
    return pa.table(columns).select(PSEUDO_DISCREPANCY.names).unify_dictionaries()
