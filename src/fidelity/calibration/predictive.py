"""Scores of predictions by location and scale, and the probability that a margin is positive.

``loc`` and ``scale`` are the mean and standard deviation of a normal distribution, or the median
and half the distance between the quartiles of a Cauchy distribution.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray


class Standard(NamedTuple):
    """A standard distribution: its distribution function, and minus its log density."""

    below: Callable[[FloatArray], FloatArray]
    surprise: Callable[[FloatArray], FloatArray]


def _normal_surprise(z: FloatArray) -> FloatArray:
    surprise: FloatArray = 0.5 * (z**2 + np.log(2.0 * np.pi))
    return surprise


def _cauchy_below(z: FloatArray) -> FloatArray:
    return 0.5 + np.arctan(z) / np.pi


def _cauchy_surprise(z: FloatArray) -> FloatArray:
    size = np.abs(z)
    beyond = np.maximum(size, 1.0)
    small = np.log1p(np.minimum(size, 1.0) ** 2)
    large = 2.0 * np.log(beyond) + np.log1p((1.0 / beyond) ** 2)
    surprise: FloatArray = np.log(np.pi) + np.where(size <= 1.0, small, large)
    return surprise


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
    loc, scale = _checked(loc, scale)
    z = inputs.vector("outcome", outcome, inputs.FINITE, len(loc)) - loc
    z /= scale
    score: FloatArray = z * np.sqrt(0.5)
    sp.special.erf(score, out=score)  # 2Φ(z) - 1
    score *= z
    np.square(z, out=z)
    z *= -0.5
    density = np.exp(z, out=z)
    density *= 2.0 / np.sqrt(2.0 * np.pi)
    score += density
    score -= 1.0 / np.sqrt(np.pi)
    score *= scale
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
    loc, scale = _checked(loc, scale)
    inputs.one_of("family", family, STANDARD)
    outcome = inputs.vector("outcome", outcome, inputs.FINITE, len(loc))
    score: FloatArray = np.log(scale) + STANDARD[family].surprise((outcome - loc) / scale)
    return score


def _checked(loc: ArrayLike, scale: ArrayLike) -> tuple[FloatArray, FloatArray]:
    loc = inputs.vector("loc", loc, inputs.FINITE)
    return loc, inputs.vector("scale", scale, inputs.FINITE_POSITIVE, len(loc))
