"""Whether a tolerance can tell simulators apart: it is below the largest possible distance."""

import numpy as np

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.tables.ingest import UNSCORED

ENDS = {"binary": (0.0, 1.0), "ordinal": UNSCORED}
PERCENT = 100.0


def tolerance_fault(
    discrepancy: str, tolerance: float, outcome: dict, *, usual: bool = True
) -> str:
    """Say that every simulator would be within a tolerance; empty if not, or if nobody knows.

    Args:
        discrepancy: its name.
        tolerance: in the discrepancy's unit.
        outcome: as in the config: ``kind``, and perhaps ``scores`` or ``bounds``.
        usual: whether ordinal options without ``scores`` have those from -1 to 1.
    """
    measure = DISCREPANCIES[discrepancy]
    largest = _largest(discrepancy, outcome, usual=usual)
    if tolerance < largest:
        return ""
    meant = f"; did you mean {tolerance / PERCENT:g}?" if tolerance > largest == 1.0 else ""
    return (
        f"{tolerance:g} of {discrepancy} allows any answers, as the largest possible"
        f" {measure.label} is {largest:g}{meant}"
    )


def _largest(discrepancy: str, outcome: dict, *, usual: bool) -> float:
    """Return the largest possible distance; infinite where the config does not settle it."""
    measure, kind = DISCREPANCIES[discrepancy], outcome["kind"]
    if not measure.needs_scores:
        return measure.largest()
    known = outcome.get("scores") or outcome.get("bounds")
    if known is None and kind in ENDS and (usual or kind == "binary"):
        known = ENDS[kind]
    if known is None:
        return np.inf
    return measure.largest(2, (min(known), max(known)))
