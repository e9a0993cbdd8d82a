"""People paired with their own twins: fewer interviews for the same mean.

n people were interviewed, and a simulator answered for each of them, y_i and f_i. It also answered
for N people whom nobody interviewed, f'_j. The twins' answers need not be right: their mean error
is estimated from the n pairs,

    θ̂ = λ·mean(f') + mean(y - λ f),    Var θ̂ = Var(y - λ f)/n + λ² Var(f)/N.

λ = 0 is people alone, and λ = 1 takes the twins' answers fully, corrected by the pairs. The
variance is smallest at λ = Cov(y, f)/((1 + n/N)·Var(f)), which is estimated from the pairs and cut
to [0, 1].

Where nearly all answer alike, the few who don't tell too little of how much the mean varies. Then
the interval is that of the pairs with two answers more at each end of what was answered, as Agresti
and Coull (1998) have it for a share: fully where at most 4 answers differ from the most frequent
one, less and less up to 16. Answers of 0 and 1 alone are those of a share, whose ends are 0 and 1
also where nobody gave one of them and twins state probabilities.
"""

from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike

MORE, RARE, COMMON, FEW = 2.0, 4.0, 16.0, 5


class PredictionPowered(NamedTuple):
    """A mean of all people from some of them and everybody's twins.

    Attributes:
        estimate: θ̂.
        lower, upper: ends of its confidence interval.
        weight: λ, how far the twins are trusted.
        worth: the number of interviews without twins with the same standard error; n if λ is 0.
        few_answers: whether fewer than five answers differ from the most frequent one, which most
            gave; the interval then is rough.

    Examples:
        >>> from fidelity.hybrids import PredictionPowered
        >>> PredictionPowered._fields
        ('estimate', 'lower', 'upper', 'weight', 'worth', 'few_answers')
    """

    estimate: float
    lower: float
    upper: float
    weight: float
    worth: float
    few_answers: bool


def prediction_powered_mean(
    answers: ArrayLike, twins: ArrayLike, others: ArrayLike, *, level: float = 0.95
) -> PredictionPowered:
    """Return the mean answer of all people, from n interviews and the twins of n + N people.

    For a share give 1 to those who chose the option and 0 to all others. Those interviewed must be
    a random sample of all, drawn without looking at the twins, and each twin must be made without
    its person's answer. The interval is approximate: Student's t with n - 2 degrees of freedom.
    Where twins tell nothing it is as wide as that of people alone.

    Source: Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv 2311.01453, section 6. Their software
    divides the covariance by n, here it is by n - 1.

    Args:
        answers: y, of those interviewed, (n,), at least 3.
        twins: f, the simulator's answers in the place of these people, (n,).
        others: f', its answers in the place of people who were not interviewed, (N,).
        level: of the interval.

    Returns:
        Infinite ends where all answers, of people and twins, are the same, but not 0 or 1.

    Raises:
        ValueError: if answers and twins are not pairs, or there are fewer than 3.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import prediction_powered_mean
        >>> rng = np.random.default_rng(0)
        >>> person = rng.normal(3.0, 1.0, 1000)
        >>> twin = person + rng.normal(0.5, 0.5, 1000)  # half a point too high, but alike
        >>> found = prediction_powered_mean(person[:50], twin[:50], twin[50:])
        >>> print(f"{found.lower:.2f} to {found.upper:.2f}, worth {found.worth:.0f} interviews")
        2.88 to 3.11, worth 251 interviews
    """
    answers, twins = inputs.aligned(answers=answers, twins=twins)
    answers = inputs.vector("answers", answers, inputs.FINITE)
    twins = inputs.vector("twins", twins, inputs.FINITE)
    others = inputs.vector("others", others, inputs.FINITE)
    level = inputs.number("level", level, inputs.INSIDE)
    n, unasked = len(answers), len(others)
    if n < 3 or len(twins) != n:
        raise ValueError(
            f"answers and twins must be pairs, 3 or more; there are {n} answers and {len(twins)}"
        )
    spread = float(np.concatenate([twins, others]).var(ddof=1))
    together = float(np.cov(answers, twins)[0, 1])
    weight = np.clip(together / ((1.0 + n / unasked) * spread), 0.0, 1.0) if spread > 0.0 else 0.0
    rest = answers - weight * twins
    estimate = float(weight * others.mean() + rest.mean())
    fitted = 1 if weight == 0.0 else 2
    of_pairs = float(((rest - rest.mean()) ** 2).sum()) / (n - fitted)
    variance = of_pairs / n + weight**2 * spread / unasked
    half = float(sp.special.stdtrit(n - fitted, (1.0 + level) / 2.0) * np.sqrt(variance))
    worth = float(answers.var(ddof=1) / variance) if variance > 0.0 else float(n)
    lower, upper = estimate - half, estimate + half
    usual = int(np.unique(answers, return_counts=True)[1].max())
    more = MORE * float(np.clip((COMMON - (n - usual)) / (COMMON - RARE), 0.0, 1.0))
    if 2 * usual > n and more > 0.0:
        of_a_share = [0.0, 1.0] if np.isin(answers, (0.0, 1.0)).all() else []
        every = np.concatenate([answers, twins, others, of_a_share])
        ends = np.array([every.min(), every.max()]) - weight * twins.mean()
        size = n + 2.0 * more
        centre = (rest.sum() + more * ends.sum()) / size
        squares = ((rest - centre) ** 2).sum() + more * ((ends - centre) ** 2).sum()
        variance = float(squares) / size**2 + weight**2 * spread / unasked
        half = float(sp.special.stdtrit(n - fitted, (1.0 + level) / 2.0) * np.sqrt(variance))
        centre += weight * others.mean()
        half = half if variance > 0.0 else np.inf
        lower, upper = min(estimate, centre - half), max(estimate, centre + half)
    few = 2 * usual > n and n - usual < FEW
    return PredictionPowered(estimate, float(lower), float(upper), float(weight), worth, few)
