"""How often bounds hold on questions that were left out, one by one or a cluster at a time."""

from collections.abc import Callable

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, BoolArray, FloatArray
from fidelity.bernoulli import bernoulli_kl_lower, bernoulli_kl_upper
from fidelity.binomial import proportion_interval
from fidelity.structure.estimates import Interval


def held_out_bounds(bounds_of: Callable[[BoolArray], ArrayLike], groups: ArrayLike) -> FloatArray:
    """Return the bound on each question from the questions of all other groups, (m,).

    Args:
        bounds_of: returns the bounds on the questions left out, in their order, from a mask of the
            others, (m,).
        groups: the label of each question's group, (m,).

    Examples:
        >>> import numpy as np
        >>> from fidelity.prediction import held_out_bounds
        >>> upper = np.array([0.1, 0.4, 0.3])
        >>> held_out_bounds(lambda kept: upper[kept].max(), ["a", "b", "c"])
        array([0.4, 0.3, 0.4])
    """
    labels = inputs.labels("groups", groups)
    value = np.full(len(labels), np.nan)
    for label in np.unique(labels):
        kept = labels != label
        value[~kept] = bounds_of(kept)
    return value


def covered_share(covered: ArrayLike, groups: ArrayLike, *, level: float = 0.95) -> Interval:
    """Return the share covered with its interval: a mean over the groups left out.

    For single questions the interval is Clopper and Pearson's. A group counts as no more than one
    observation in [0, 1]: {u : KL(share ‖ u) ≤ log(2/α)/G} for G groups, by Chernoff's bound.
    Questions, or groups, are taken as independent. Bounds from overlapping sets of the others are
    not quite so, which is left out of account.

    Args:
        covered: whether the bound from the others holds of each question, (m,).
        groups: the label of each one's group, (m,).
        level: of the interval, 1 - α.

    Examples:
        >>> from fidelity.prediction import covered_share
        >>> found = covered_share([True, True, False, True], ["a", "a", "b", "b"])
        >>> [round(end, 2) for end in found]
        [0.75, 0.04, 1.0]
    """
    is_covered: AnyArray = inputs.vector("covered", covered, inputs.TRUE_OR_FALSE) == 1.0
    alpha = 1.0 - inputs.number("level", level, inputs.INSIDE)
    _, member, size = inputs.numbered(inputs.labels("groups", groups, len(is_covered)))
    share = np.array(np.mean(np.bincount(member, is_covered) / size))
    if len(size) == len(is_covered):
        low, high = proportion_interval(share, len(is_covered), 1.0 - alpha)
    else:
        radius = np.array(np.log(2.0 / alpha) / len(size))
        low, high = bernoulli_kl_lower(share, radius), bernoulli_kl_upper(share, radius)
    return Interval(float(share), float(low), float(high))
