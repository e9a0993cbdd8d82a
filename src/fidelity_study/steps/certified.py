"""Curves and levels that hold at this number of scenarios, with clusters and people in common."""

from fractions import Fraction

import numpy as np

from fidelity.comparison.few_clusters import grouped
from fidelity.curves import guarantee

TAIL = Fraction(1, 10)


def certified_curve(arrays: dict, tau, eta: float) -> np.ndarray:
    """Return the curve that holds at this number of scenarios, each point with 1 - ``eta``.

    With coverages that differ it rests on all ranks at once. In clusters no such curve is known;
    there it is the curve for the smallest coverage.
    """
    smallest, gamma_j = arrays["smallest"], arrays["gamma_j"]
    if grouped(arrays["clusters"]) is not None:
        gamma_j = np.full(len(gamma_j), float(smallest))
    return guarantee.exact_curve(arrays["upper"], gamma_j, smallest, tau, eta, arrays["shared"])


def curve_guarantee(arrays: dict, eta: float) -> tuple[str | None, float]:
    """Return which guarantee V̂(0.9) has at this number of scenarios, and its level.

    With coverages that differ no guarantee is known in clusters.
    """
    gamma_j = arrays["gamma_j"]
    if grouped(arrays["clusters"]) is not None and (gamma_j != gamma_j[0]).any():
        return None, float("nan")
    return guarantee.curve_guarantee(
        arrays["upper"], gamma_j, arrays["smallest"], 1 - TAIL, eta, arrays["shared"]
    )
