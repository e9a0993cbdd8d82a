"""Persons' weights, from weights of their answers that were divided by each question's mean."""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray


def person_weights(
    person: ArrayLike, scenario: ArrayLike, weight: ArrayLike, *, persons: int
) -> FloatArray:
    """Return persons' weights, (persons,), from those of their answers, with mean 1 in a scenario.

    Up to a factor of each scenario they are the persons' weights. These factors follow from the
    persons that scenarios have in common; scenarios without any keep the mean 1.

    Args:
        person: the number of the person who gave each answer, from 0, (N,).
        scenario: the number of its scenario, from 0, (N,).
        weight: of each answer, (N,).
        persons: how many there are; those without an answer weigh 0.

    Raises:
        ValueError: if a number of a person or scenario is none.

    Examples:
        >>> from fidelity.structure import person_weights
        >>> weights = [0.5, 1.5, 1.2, 0.8]  # persons weigh 1, 3 and 2
        >>> person_weights([0, 1, 1, 2], [0, 0, 1, 1], weights, persons=3)
        array([0.5, 1.5, 1. ])
    """
    weight = inputs.vector("weight", weight, inputs.FINITE_NOT_NEGATIVE)
    persons = inputs.whole("persons", persons, 1)
    person = _places("person", person, len(weight), persons)
    scenario = _places("scenario", scenario, len(weight), None)
    weights, unit = np.full(persons, np.nan), np.full(scenario.max() + 1, np.nan)
    is_positive = weight > 0.0
    weights[person[~is_positive]] = 0.0
    person, scenario, weight = person[is_positive], scenario[is_positive], weight[is_positive]
    for start in np.argsort(-np.bincount(scenario), kind="stable"):
        if np.isnan(unit[start]):
            unit[start] = 1.0
        while True:
            new = np.isnan(weights[person]) & ~np.isnan(unit[scenario])
            if not new.any():
                break
            weights[person[new]] = weight[new] / unit[scenario[new]]
            open_ = ~np.isnan(weights[person]) & np.isnan(unit[scenario])
            unit[scenario[open_]] = weight[open_] / weights[person[open_]]
    return np.nan_to_num(weights)


def _places(name: str, values: ArrayLike, size: int, many: int | None) -> IntArray:
    """Return whole numbers from 0, below ``many`` if it is known."""
    numbers = inputs.vector(name, values, inputs.FINITE_NOT_NEGATIVE, size)
    if (numbers % 1.0).any() or (many is not None and (numbers >= many).any()):
        raise ValueError(f"{name} must be whole numbers from 0, {name}s numbered one by one")
    return numbers.astype(int)
