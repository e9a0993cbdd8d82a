"""Stated probabilities and what came true, checked and lined up.

A row is a cell of equal people: those with the same stated probabilities and the same answer can
share it. Their number is in ``counts`` (N,), and the survey weight of each of them in ``weights``
(N,). Both are 1 where they are not given, and a row's mass is their product. Duplicated rows and
counts give the same numbers, and nothing depends on the order of the rows.
"""

import warnings
from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.blocks import row_sums


class UnnormalisedProbabilities(UserWarning):
    """Stated probabilities don't sum to one, as those of separate one-vs-rest models don't."""


def normalised(probability: ArrayLike) -> FloatArray:
    """Return one-vs-rest probabilities as distributions, each row divided by its sum.

    Args:
        probability: finite and not negative, (N, K).

    Raises:
        ValueError: if an entry is negative or not finite, or a row sums to 0.

    Examples:
        >>> from fidelity import normalised
        >>> normalised([[0.6, 0.3, 0.3], [0.2, 0.1, 0.1]])
        array([[0.5 , 0.25, 0.25],
               [0.5 , 0.25, 0.25]])
    """
    probability = probability_table(inputs.aligned(probability=probability)[0])
    sums: FloatArray = probability.sum(1, keepdims=True)
    if (sums == 0).any():
        raise ValueError(
            f"probability must be above 0 for some option; it is 0 in all of row {sums.argmin()}"
        )
    return probability / sums


def probability_table(probability: ArrayLike) -> FloatArray:
    """Return checked numbers for cases × options, (N, K)."""
    shape = ("cases", "options")
    probability = inputs.table("probability", probability, inputs.FINITE_NOT_NEGATIVE, shape)
    if probability.shape[1] < 2:
        raise ValueError("probability must have at least 2 options (columns), not 1")
    return probability


def lined_up(
    counts: Any = None, weights: Any = None, clusters: Any = None, samples: Any = None, **cases: Any
) -> list[Any]:
    """Return the cases, then the others, lined up by the labels of their rows."""
    who = {"counts": counts, "weights": weights, "clusters": clusters, "samples": samples}
    return inputs.aligned(**cases, **who)


def checked_cases(probability: Any, truth: Any) -> tuple[FloatArray, IntArray]:
    """Return checked probabilities and true options; warn of rows that don't sum to one."""
    probability = probability_table(probability)
    n, options = probability.shape
    largest = probability.max()
    if largest > 1.0 + inputs.SUM_TOLERANCE:
        raise ValueError(f"probability must be at most 1, not {largest:.9g}")
    truth = option_indices(truth, n, options)
    sums = row_sums(probability)
    lowest, highest = sums.min(), sums.max()
    if max(1.0 - lowest, highest - 1.0) > inputs.SUM_TOLERANCE:
        warnings.warn(
            f"stated probabilities sum to {lowest:.3g} to {highest:.3g}, not to one: "
            "normalise them first (fidelity.calibration.cases.normalised)",
            UnnormalisedProbabilities,
            stacklevel=3,
        )
    return probability if largest <= 1.0 else np.minimum(probability, 1.0), truth


def option_indices(truth: Any, n: int, options: int) -> IntArray:
    """Return the checked index of each case's true option, (N,)."""
    truth = inputs.vector("truth", truth, inputs.FINITE, n)
    if truth.min() >= 0 and truth.max() < options:
        index: IntArray = truth.astype(np.intp)
        if (index == truth).all():
            return index
    raise ValueError(f"truth must be indices of the true options, in 0..{options - 1}")


def checked_shares(name: str, values: Any) -> FloatArray:
    """Return checked numbers in [0, 1]."""
    return inputs.vector(name, values, inputs.UNIT)


def checked_events(confidence: Any, outcome: Any) -> tuple[FloatArray, FloatArray]:
    """Return checked probabilities of events, and whether these came true."""
    confidence = checked_shares("confidence", confidence)
    return confidence, inputs.vector("outcome", outcome, inputs.TRUE_OR_FALSE, len(confidence))


def masses(n: int, counts: Any, weights: Any) -> FloatArray:
    """Return each row's mass: its count times its weight."""
    mass = np.ones(n)
    if counts is not None:
        counts = inputs.vector("counts", counts, inputs.FINITE_POSITIVE, n)
        mass = inputs.whole_counts("counts", counts, "Put survey weights in weights")
    if weights is not None:
        mass = mass * inputs.vector("weights", weights, inputs.FINITE_POSITIVE, n)
    return mass


def whole_counts(n: int, counts: Any) -> IntArray:
    """Return how many people each row stands for."""
    return masses(n, counts, None).astype(np.int64)
