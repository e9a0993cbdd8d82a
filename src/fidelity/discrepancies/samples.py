"""Distances of two samples of numbers."""

from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray


def wasserstein_distance(
    people: ArrayLike,
    simulated: ArrayLike,
    people_weights: ArrayLike | None = None,
    simulated_weights: ArrayLike | None = None,
) -> float:
    """Return how far numbers must be moved, on average, to turn one sample into the other.

    The Wasserstein-1 distance, ∫ |F(x) - G(x)| dx with F and G the samples' distribution functions,
    in the unit of the numbers. Two samples from one distribution are apart by chance, the more so
    the smaller they are: :func:`fidelity.mean_discrepancy` allows for that.

    Args:
        people: numbers that people gave, (n,).
        simulated: those of the simulator, (k,).
        people_weights, simulated_weights: of each number, positive, (n,) and (k,); equal if None.

    Raises:
        ValueError: if a sample is empty, shapes don't fit, or a number is out of range.

    Examples:
        >>> from fidelity.discrepancies import wasserstein_distance
        >>> print(round(wasserstein_distance([20.0, 40.0, 90.0], [30.0, 40.0, 60.0, 70.0]), 2))
        15.0
    """
    samples = [
        _shares("people", people, people_weights),
        _shares("simulated", simulated, simulated_weights),
    ]
    numbers = np.concatenate([sample[0] for sample in samples])
    surplus = np.concatenate([samples[0][1], -samples[1][1]])
    order = numbers.argsort(kind="stable")
    numbers, surplus = numbers[order], surplus[order]
    return float(np.abs(surplus.cumsum()[:-1]) @ np.diff(numbers))


def _shares(name: str, numbers: Any, weights: Any) -> tuple[FloatArray, FloatArray]:
    """Return a sample's numbers and the share of each."""
    numbers, weights = inputs.aligned(**{name: numbers, f"{name}_weights": weights})
    numbers = inputs.vector(name, numbers, inputs.FINITE)
    if weights is None:
        return numbers, np.full(len(numbers), 1.0 / len(numbers))
    weights = inputs.vector(f"{name}_weights", weights, inputs.FINITE_POSITIVE, len(numbers))
    return numbers, weights / weights.sum()
