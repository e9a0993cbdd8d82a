"""How near other people would come to these people's slopes: a yardstick for a simulator's."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from fidelity import inputs
from fidelity.regression.estimates import Slopes


class SlopesOfOthers(NamedTuple):
    """What is expected of the slopes of other people.

    Attributes:
        root_mean_square: how far they are from these people's true ones, as that of
            :func:`compare_slopes`.
        same_signs: the share of slopes with the signs that these people's estimates have.

    Examples:
        >>> import numpy as np
        >>> from fidelity.regression import Covariates, linear_slopes, slopes_of_others
        >>> rng = np.random.default_rng(0)
        >>> facts = rng.normal(size=(500, 2))
        >>> people = linear_slopes(Covariates(facts), facts @ [0.3, 0.1] + rng.normal(size=500))
        >>> [round(slopes_of_others(people, many).same_signs, 2) for many in (50, 500)]
        [0.81, 0.89]
    """

    root_mean_square: float
    same_signs: float


def slopes_of_others(people: Slopes, many: int) -> SlopesOfOthers:
    """Return how near other people would come, drawn as these were.

    Errors shrink with the root of their number. True slopes are not known: for signs they are taken
    as normal around k times the estimates with k times their variance, k = 1 - (J - 2)·V/|β̂|², V
    the mean variance of standardised slopes (James and Stein 1961); with the estimates as they are
    the share would be too large.

    Args:
        people: their slopes.
        many: how many others.

    Examples:
        >>> import numpy as np
        >>> from fidelity.regression import Covariates, linear_slopes, slopes_of_others
        >>> rng = np.random.default_rng(0)
        >>> facts = rng.normal(size=(500, 2))
        >>> people = linear_slopes(Covariates(facts), facts @ [0.3, 0.1] + rng.normal(size=500))
        >>> [round(slopes_of_others(people, many).root_mean_square, 3) for many in (50, 500)]
        [0.137, 0.043]
    """
    many = inputs.whole("many", many, 1)
    times = people.persons / many
    rows = people.influence @ people.roots.T
    terms = len(set(people.terms))
    square = float((rows**2).sum(0) @ times) / terms
    variance = (people.se * people.scale) ** 2
    beta = np.abs(people.estimate * people.scale)
    length = float(beta @ beta)
    shrunk = 1.0 - max(len(beta) - 2, 0) * float(variance.mean()) / length if length else 0.0
    k = max(shrunk, 0.0)
    spread = np.sqrt(variance * (k + times))
    clear = np.divide(k * beta, spread, out=np.full(len(beta), np.inf), where=spread > 0.0)
    return SlopesOfOthers(float(np.sqrt(square)), float(ndtr(clear).mean()))
