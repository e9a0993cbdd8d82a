"""Verdicts of many uses by their p-values alone, at one error rate."""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.comparison.pairwise import holm
from fidelity.uses.base import verdict_of


def judged_together(
    p_within: ArrayLike, p_beyond: ArrayLike, *, level: float = 0.95, tests: int | None = None
) -> list[str]:
    """Return the verdict of each use by Holm's method, as :func:`fidelity.uses.card` does.

    Args:
        p_within, p_beyond: of "the error is the limit or more", and "or less", (U,) each.
        level: with which no verdict is wrong.
        tests: how many uses count, with those that are not measured; all these by default.

    Raises:
        ValueError: if fewer tests count than there are p-values.

    Examples:
        >>> from fidelity.uses import judged_together
        >>> judged_together([0.001, 0.02, 1.0], [1.0, 1.0, 0.001])
        ['within', 'open', 'beyond']
        >>> judged_together([0.02], [1.0])
        ['within']
    """
    alpha = (1.0 - inputs.number("level", level, inputs.INSIDE)) / 2.0
    if not np.size(p_within):
        return []
    one = inputs.vector("p_within", p_within, inputs.SHARE)
    two = inputs.vector("p_beyond", p_beyond, inputs.SHARE, len(one))
    many = len(one) if tests is None else inputs.whole("tests", tests, len(one))
    pairs = zip(adjusted(one, many), adjusted(two, many), strict=True)
    return [verdict_of(*pair, alpha) for pair in pairs]


def adjusted(p_values: FloatArray, tests: int) -> FloatArray:
    """Return Holm's p-values of tests of which those without a p-value have p = 1."""
    if not len(p_values):
        return p_values
    return holm(np.append(p_values, np.ones(tests - len(p_values))))[: len(p_values)]
