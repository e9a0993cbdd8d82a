"""Lining up people's samples, and what is known from them, with simulators' answers."""

import numpy as np
import pyarrow as pa

from fidelity.discrepancy import Bounds
from fidelity_study.arrays import codes, dense, numbers


def sample_key(table: pa.Table, names: list[str]) -> np.ndarray:
    """Number the (scenario, replicate) of each row."""
    replicate = table["replicate"].to_numpy().astype(np.int64)
    return codes(table["scenario"], names).astype(np.int64) + len(names) * replicate


def read_bounds(table: pa.Table) -> Bounds:
    """Return the rows of a confidence-set table, all of one family, as arrays."""
    return Bounds(
        dense(table["share"]),
        dense(table["support"]),
        *(numbers(table[name]) for name in ("lower", "upper", "radius")),
    )
