"""Scores of numbers that are predicted by location and scale.

``loc`` and ``scale`` are the mean and standard deviation of a normal distribution, or the median
and half the distance between the quartiles of a Cauchy distribution.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.blocks import by_blocks

ROOT_TWO, HALF_LOG_PI = np.sqrt(2.0), np.log(np.pi) / 2.0
OF_TWO = 1.0 / np.sqrt(2.0 * np.pi)
BY_LOCATION = {"loc": inputs.FINITE, "scale": inputs.FINITE_POSITIVE, "outcome": inputs.FINITE}


class Standard(NamedTuple):
    """A standard distribution: its distribution function, and minus its log density."""

    below: Callable[[FloatArray], FloatArray]
    surprise: Callable[[FloatArray], FloatArray]


def _normal_surprise(z: FloatArray) -> FloatArray:
    surprise: FloatArray = z * z
    surprise += np.log(2.0 * np.pi)
    surprise *= 0.5
    return surprise


def _cauchy_below(z: FloatArray) -> FloatArray:
    return 0.5 + np.arctan(z) / np.pi


def _cauchy_surprise(z: FloatArray) -> FloatArray:
    size = np.abs(z)
    beyond = np.maximum(size, 1.0)
    small = np.log1p(np.minimum(size, 1.0) ** 2)
    large = 2.0 * np.log(beyond) + np.log1p((1.0 / beyond) ** 2)
    return np.log(np.pi) + np.where(size <= 1.0, small, large)


STANDARD = {
    "normal": Standard(sp.special.ndtr, _normal_surprise),
    "cauchy": Standard(_cauchy_below, _cauchy_surprise),
}


def margin_probability(loc: ArrayLike, scale: ArrayLike, family: str = "cauchy") -> FloatArray:
    """Return the probability that a margin with this location and scale is above 0.

    1/2 + arctan(loc/scale)/π for a Cauchy margin, Φ(loc/scale) for a normal margin. With one margin
    for each of several options, a row for each case, these are one-vs-rest probabilities: see
    :func:`~fidelity.calibration.cases.normalised`.

    Args:
        loc: of the margin, (N,) or (N, K).
        scale: positive, in the shape of ``loc``.
        family: ``cauchy`` or ``normal``.

    Returns:
        In the shape of ``loc``.

    Raises:
        ValueError: if shapes don't fit, a number is out of range, or there is no such family.

    Examples:
        >>> from fidelity.calibration import margin_probability
        >>> margin_probability([[0.0, 1.0, -1.0]], [[1.0, 1.0, 1.0]])
        array([[0.5 , 0.75, 0.25]])
    """
    loc = inputs.numbers("loc", loc, inputs.FINITE)
    scale = inputs.numbers("scale", scale, inputs.FINITE_POSITIVE)
    if loc.shape != scale.shape:
        raise ValueError(f"scale must be of loc's shape {loc.shape}, not {scale.shape}")
    inputs.one_of("family", family, STANDARD)
    return STANDARD[family].below(loc / scale)


def normal_crps(loc: ArrayLike, scale: ArrayLike, outcome: ArrayLike) -> FloatArray:
    """Return the CRPS of normal predictions, (N,), in the unit of the outcome; lower is better.

    scale·(z(2Φ(z) - 1) + 2φ(z) - 1/√π) with z = (outcome - loc)/scale (Gneiting & Raftery 2007).
    The CRPS of a Cauchy prediction is infinite.

    Arguments and errors as :func:`density_log_score`.

    Examples:
        >>> from fidelity.calibration import normal_crps
        >>> normal_crps([60.0, 60.0], [10.0, 1.0], [62.0, 62.0]).round(2)
        array([2.5 , 1.45])
    """
    return _scores(_normal_crps, 0.0, loc, scale, outcome)


def _normal_crps(loc: FloatArray, scale: FloatArray, outcome: FloatArray) -> FloatArray:
    """With u = z/√2 it is √2·scale·(u·erf(u) + exp(-u²)/√π - 1/√(2π))."""
    unit = scale * ROOT_TWO
    u = outcome - loc
    u /= unit
    score: FloatArray = sp.special.erf(u)
    score *= u
    u *= u
    np.subtract(-HALF_LOG_PI, u, out=u)
    score += np.exp(u, out=u)
    score -= OF_TWO
    score *= unit
    return score


def density_log_score(
    loc: ArrayLike, scale: ArrayLike, outcome: ArrayLike, family: str = "normal"
) -> FloatArray:
    """Return minus the log density of each outcome, (N,), in nats; lower is better.

    Args:
        loc: of the prediction, (N,).
        scale: positive, (N,).
        outcome: (N,).
        family: ``normal`` or ``cauchy``.

    Raises:
        ValueError: if shapes don't fit, a number is out of range, or there is no such family.

    Examples:
        >>> from fidelity.calibration import density_log_score
        >>> density_log_score([60.0, 60.0], [10.0, 1.0], [62.0, 62.0]).round(2)
        array([3.24, 2.92])
    """
    surprise = STANDARD[inputs.one_of("family", family, STANDARD)].surprise

    def scores(loc: FloatArray, scale: FloatArray, outcome: FloatArray) -> FloatArray:
        z = outcome - loc
        z /= scale
        score = surprise(z)
        score += np.log(scale)
        return score

    return _scores(scores, -np.inf, loc, scale, outcome)


def _scores(score: Callable[..., FloatArray], infimum: float, *values: ArrayLike) -> FloatArray:
    """Return the score of each prediction, from locations, scales and outcomes.

    Numbers that are not allowed give a score that is NaN, infinite or not above the infimum. So the
    scores are looked at first, and the numbers only if there is such a score.
    """
    arrays = [inputs.array(*named) for named in zip(BY_LOCATION, values, strict=True)]
    shape = arrays[0].shape
    if len(shape) == 1 and shape[0] and len({array.shape for array in arrays}) == 1:
        with np.errstate(all="ignore"):
            scores = by_blocks(score, *arrays)
            total = np.add.reduce(scores)
        is_above = infimum == -np.inf or np.minimum.reduce(scores) > infimum
        if is_above and -np.inf < total < np.inf:
            return scores
    m = None
    for array, (name, domain) in zip(arrays, BY_LOCATION.items(), strict=True):
        m = len(inputs.vector(name, array, domain, m))
    return by_blocks(score, *arrays)
