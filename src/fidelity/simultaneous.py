"""Intervals that hold together, as narrow as the correlation of their errors allows.

J intervals of estimate ± c·SE hold at once where the largest |error|/SE is at most c (max-t;
Hothorn, Bretz and Westfall 2008). Errors are taken as normal with the covariance V. Their length
then is independent of their direction, so that the probability is an average over directions of
that of a χ² with as many degrees of freedom as V has dimensions; directions are drawn from a fixed
stream, and the average is precise at any level. Where degrees of freedom are few, and differ
between estimates, one c doesn't do: so it is told as the level that each interval would have by
itself, and each then takes its own Student's t.
"""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, ndtr, ndtri

from fidelity.arrays import FloatArray
from fidelity.stream import stream

DIRECTIONS, FEWER, ALIKE, AT_ONCE = 20_000, 5_000, 20, 2**20
MANY = 64
NONE = 1e-12


def joint_level(covariance: FloatArray, level: float = 0.95, *, sides: int = 2) -> float:
    """Return the level that each of J intervals must have for all to hold together.

    Args:
        covariance: of the errors, (J, J). Estimates without error are left out.
        level: of all together.
        sides: 2 for intervals, 1 for lower limits, or upper limits, alone.

    Returns:
        At least ``level``, and at most Bonferroni's 1 - (1 - level)/J.

    Examples:
        >>> import numpy as np
        >>> from fidelity.simultaneous import joint_level
        >>> round(joint_level(np.eye(4)), 3), round(joint_level(np.ones((4, 4))), 3)
        (0.987, 0.95)
    """
    variance = np.diag(covariance)
    some = np.flatnonzero(variance > 0.0)
    if len(some) < 2:
        return level
    root = np.sqrt(variance[some])
    values, vectors = np.linalg.eigh(covariance[np.ix_(some, some)] / np.outer(root, root))
    there = values > NONE * values[-1]
    factor = vectors[:, there] * np.sqrt(values[there])
    directions = _directions(factor.shape[1])
    parts = np.array_split(directions, -(-directions.size // AT_ONCE))
    errors = (part @ factor.T for part in parts)
    largest = np.concatenate([(np.abs(e) if sides == 2 else e).max(1) for e in errors])
    largest = np.sort(largest).reshape(-1, ALIKE).mean(1)
    largest = largest[largest > 0.0]

    def excess(critical: float) -> float:
        tails = chdtrc(factor.shape[1], (critical / largest) ** 2)
        return float(np.log(tails.sum() * ALIKE / len(directions) / (1.0 - level)))

    bonferroni = 1.0 - (1.0 - level) / len(some)
    least, most = (-float(ndtri((1.0 - one) / sides)) for one in (level, bonferroni))
    if not excess(least) > 0.0 > excess(most):
        return level if excess(least) <= 0.0 else bonferroni
    return 1.0 - sides * float(ndtr(-brentq(excess, least, most, xtol=1e-6)))


@lru_cache(maxsize=8)
def _directions(dimensions: int) -> FloatArray:
    """Return directions, uniform on the sphere, (D, dimensions)."""
    many = DIRECTIONS if dimensions <= MANY else FEWER
    normal = stream("directions", dimensions).standard_normal((many, dimensions))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)
