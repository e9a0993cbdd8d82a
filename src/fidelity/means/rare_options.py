"""What standard errors miss where hardly anybody, or nobody, chose an option.

X answers to a rare option have a variance of about X, which is 0 where nobody chose it although
some were expected. Upwards X + 1.96·√(X + 4) holds as Wilson's limit does, whatever is expected;
downwards X - 1.96·√X does. So the end of an interval to which more answers would move a bound takes
four of them for granted: four times the square of what one changes is added to the variance.
"""

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.means.jackknife import Statistic

UNSEEN, MORE = 4.0, (1.0, 4.0)
RARE, COMMON = 10.0, 40.0


def unseen_variance(
    plugin: Statistic,
    counts: FloatArray,
    variance: FloatArray,
    other: FloatArray,
    side: float,
    worth: FloatArray | None = None,
) -> FloatArray:
    """Return what to add to the variance of plug-ins, (N,); of all options the one that adds most.

    The change by one more answer is the largest one of those by one, by a quarter of four, and by
    as many as reach the other's share, per answer: a plug-in falls up to there, and rises again.
    What one more answer changes on average is not added, as the variance has it. An option adds all
    if at most 10 chose it, and nothing from 40 on, where the normal distribution is near enough.

    Args:
        plugin: maps counts, (R, d), and the numbers of their rows, (R,), to (R,).
        counts: answers per option, (N, d), or effective numbers of them.
        variance: what is known, (N,).
        other: the shares that those of the counts are compared with, (N, d).
        side: 1 for the upper end of an interval, where options count that raise the plug-in; -1 for
            the lower end.
        worth: how many effective answers a person of each option counts for, (N, d); None for one.

    Returns:
        0 where the discrepancy would be infinite if somebody chose the option.

    Examples:
        >>> import numpy as np
        >>> from fidelity.means.rare_options import unseen_variance
        >>> people = np.array([[96.0, 0.0], [48.0, 48.0]])
        >>> share = lambda counts, rows: counts[:, 1] / counts.sum(1)
        >>> known, other = people.prod(1) / people.sum(1) ** 3, np.array([[1.0, 0.0]] * 2)
        >>> (96 * np.sqrt(unseen_variance(share, people, known, other, 1.0))).round(1)  # answers
        array([2., 0.])
    """
    (rows, d), n = counts.shape, counts.sum(1)
    worth = np.ones((rows, d)) if worth is None else worth
    weight = np.clip((COMMON - counts / worth) / (COMMON - RARE), 0.0, 1.0)
    at, option = np.nonzero(weight)
    change = np.zeros((rows, d))
    with np.errstate(divide="ignore", invalid="ignore"):
        now = plugin(counts, np.arange(rows))
        of_person = worth[at, option]
        missing = (other * n[:, None] - counts)[at, option] / of_person
        for more in (*MORE, np.where(missing > 0.0, missing, 1.0)):
            added = np.eye(d)[option] * (more * of_person)[:, None]
            then = plugin(counts[at] + added, at)
            by_one = np.nan_to_num(side * (then - now[at]) / more, posinf=0.0, neginf=0.0)
            change[at, option] = np.maximum(change[at, option], by_one)
        beyond = np.maximum(change**2 - worth * (variance / n)[:, None], 0.0)
    return UNSEEN * (weight * np.nan_to_num(beyond)).max(1)
