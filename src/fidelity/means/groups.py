"""The mean discrepancy among one group of people less that among another.

Groups have the same questions, and other people. The interval follows from both groups' intervals
(Zou and Donner 2008): their ends' distances from the bounds are added as squares, since different
people err independently. Where both groups may err together (persons in both, PSUs, the same draws
for both), the distances themselves are added, which holds for any dependence.
"""

import numpy as np

from fidelity.arrays import IntArray
from fidelity.means.average import DiscrepancyInterval
from fidelity.responses import Responses


def group_difference(
    one: DiscrepancyInterval, other: DiscrepancyInterval, *, together: bool = False
) -> DiscrepancyInterval:
    """Return the mean of one group less that of another over the same questions.

    Args:
        one, other: as :func:`fidelity.mean_discrepancy` gives them for each group's people, at the
            same level.
        together: whether both may err together, for any reason.

    Examples:
        >>> from fidelity import mean_discrepancy
        >>> from fidelity.means import group_difference
        >>> model = [[0.5, 0.5], [0.7, 0.3]]
        >>> young = mean_discrepancy([[80, 20], [90, 10]], model, discrepancy="tv")
        >>> old = mean_discrepancy([[110, 90], [150, 50]], model, discrepancy="tv")
        >>> found = group_difference(young, old)
        >>> print(f"{found.ci_lower:.2f} to {found.ci_upper:.2f}")
        0.13 to 0.27
    """
    near, far = (
        np.clip([side.lower, side.upper], side.ci_lower, side.ci_upper) for side in (one, other)
    )
    below = np.array([near[0] - one.ci_lower, other.ci_upper - far[1]])
    above = np.array([one.ci_upper - near[1], far[0] - other.ci_lower])
    added = np.sum if together else np.linalg.norm
    return DiscrepancyInterval(
        one.lower - other.upper,
        one.upper - other.lower,
        float(near[0] - far[1] - added(below)),
        float(near[1] - far[0] + added(above)),
        one.m,
    )


def share_people(people: Responses, one: IntArray, other: IntArray) -> bool:
    """Return whether answers to some scenarios may depend on those to others, by persons or PSUs.

    Args:
        people: their responses.
        one, other: positions of the scenarios.
    """
    if people.respondents is None:
        return False
    known = people.answers
    if known is None:
        return bool(np.isin(people.respondents[one], people.respondents[other]).any())
    if known.psu is not None or known.strata is not None:
        return True
    first, second = (known.who[np.isin(known.scenario, part)] for part in (one, other))
    return bool(np.isin(first, second).any())
