"""Tolerances: what they are where none is named, and whether one can tell simulators apart."""

from collections.abc import Iterable

import numpy as np

from fidelity.discrepancies.base import DISCREPANCIES

ENDS = {"binary": (0.0, 1.0), "ordinal": (-1.0, 1.0)}
PERCENT = 100.0
USUAL_SHARE = 0.1
DIGITS = 12


def default_tolerances(
    discrepancies: Iterable[str], outcome: dict, *, usual: bool
) -> dict[str, list[float]]:
    """Return the tolerance of each discrepancy that has one by default.

    A tenth of the answers, or of the scale of the scores. There is none where the config does not
    settle the scale, and none for a discrepancy without tests of a tolerance.

    Args:
        discrepancies: their names.
        outcome, usual: as for :func:`tolerance_fault`.

    Examples:
        >>> default_tolerances(["tv", "squared", "kl"], {"kind": "ordinal"}, usual=True)
        {'tv': [0.1], 'squared': [0.04]}
    """
    found = {}
    for name in discrepancies:
        measure, largest = DISCREPANCIES[name], _largest(name, outcome, usual=usual)
        if measure.is_maximum and np.isfinite(largest):
            root = USUAL_SHARE * float(measure.to_metric(np.float64(largest)))
            found[name] = [round(root**2 if measure.is_square else root, DIGITS)]
    return found


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
