"""What would have been reached without a simulator, in the mean square from people's effects."""

from typing import NamedTuple

import numpy as np

from fidelity.effects.comparison import compare_effects
from fidelity.effects.estimates import Effects
from fidelity.structure.estimates import Interval


class WithoutSimulator(NamedTuple):
    """Mean squares, as :func:`fidelity.effects.compare_effects` has them of a simulator.

    Attributes:
        no_effect: of no effect at all.
        half_of_people: of half as many other people, whose effects are off by their own variance,
            twice that of these people's.
        others: of the mean effect of the outcome's other interventions; None where there are none.
        others_of: how many effects that is about.

    Examples:
        >>> from fidelity.effects import effects_of_means, without_simulator
        >>> sides = [1.0, 2.0, 3.0, 2.0], [2.0] * 4, [40] * 4, ["a", "b", "c", "old"]
        >>> found = without_simulator(effects_of_means(*sides, control="old"))
        >>> round(found.no_effect.estimate, 2), round(found.half_of_people, 2), found.others_of
        (0.47, 0.4, 3)
    """

    no_effect: Interval
    half_of_people: float
    others: Interval | None
    others_of: int


def without_simulator(people: Effects, *, level: float = 0.95) -> WithoutSimulator:
    """Return how far people's effects are from what is known without a simulator.

    Args:
        people: their effects, labelled by outcome first.
        level: of the intervals.

    Examples:
        >>> from fidelity.effects import effects_of_means, without_simulator
        >>> sides = [1.0, 2.0, 3.0, 2.0], [2.0] * 4, [40] * 4, ["a", "b", "c", "old"]
        >>> found = without_simulator(effects_of_means(*sides, control="old"))
        >>> round(found.others.estimate, 2)
        1.35
    """
    many = len(people.labels)
    outcome = np.array([label[0] for label in people.labels], object)
    same = (outcome[:, None] == outcome) & ~np.eye(many, dtype=bool)
    several = same.sum(1) > 0
    others = None
    if several.any():
        matrix = np.eye(many) - same / np.maximum(same.sum(1, keepdims=True), 1)
        labels = [label for label, there in zip(people.labels, several, strict=True) if there]
        apart = people.combined(matrix[several], labels)
        others = compare_effects(apart, apart.nothing, level=level).mean_squared
    half = 2.0 * float((people.se**2).mean())
    no_effect = compare_effects(people, people.nothing, level=level).mean_squared
    return WithoutSimulator(no_effect, half, others, int(several.sum()))
