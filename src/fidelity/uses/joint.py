"""Verdicts of many uses by their p-values alone, at one error rate, and ends that show them."""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.comparison.pairwise import holm
from fidelity.structure.estimates import Interval
from fidelity.uses.base import BEYOND, WITHIN, verdict_of
from fidelity.uses.ends import as_normal


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


def deciding_ends(
    interval: Interval,
    limit: float,
    verdict: str,
    not_settled: tuple[int, int],
    *,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the ends of a use's interval at the level at which its verdict was decided.

    Of R uses that are not within, Holm's method rejects none whose p-value is above α/R, and all
    others: so it compares the upper ends of that level with the limits. Lower ends likewise, by
    those that are not beyond. These ends are as those of normal errors, on that side of the limit
    on which the verdict has them.

    Args:
        interval: of the use by itself, of level .95.
        limit: t.
        verdict: among all uses that count.
        not_settled: how many of these are not within, and how many not beyond.
        level: with which no verdict is wrong.

    Examples:
        >>> from fidelity.structure import Interval
        >>> from fidelity.uses.joint import deciding_ends
        >>> ends = deciding_ends(Interval(0.05, 0.01, 0.098), 0.1, "open", (2, 2))
        >>> [round(end, 3) for end in ends]
        [0.004, 0.105]
    """
    alpha, ends = (1.0 - inputs.number("level", level, inputs.INSIDE)) / 2.0, as_normal(interval)
    uppers, lowers = (ends.observed(1.0 - 2.0 * alpha / max(1, many)) for many in not_settled)
    upper = min(uppers.upper, limit) if verdict == WITHIN else max(uppers.upper, limit)
    lower = max(lowers.lower, limit) if verdict == BEYOND else min(lowers.lower, limit)
    return max(0.0, lower), upper
