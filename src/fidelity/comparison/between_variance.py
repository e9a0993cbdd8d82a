"""How much a simulator's scores vary between prompts, beyond the chance in its answers.

Prompt i of P has the score D_ij in scenario j, such as its discrepancy from people. Over prompts
D_ij varies more than the expected scores δ_ij do, since D_ij contains the chance in its answers. So
the answers are split into two halves that are independent of each other, with the scores a_ij and
b_ij. Then

    E Σ_i (a_ij - ā_j)(b_ij - b̄_j) / (P - 1) = Σ_i (δ_ij - δ̄_j)² / (P - 1) = τ_j²,

since the chance in one half has mean 0 given the other half. This needs no normal distribution, no
particular form of the score, and no independence between prompts: prompts may share personas and
random seeds. The mean square within of a one-way random-effects layout would then subtract too
much; where prompts are independent, both estimate the same. δ_ij is the expected score of half of
the answers. As in that layout an estimate may be negative; the mean over scenarios seldom is.

The mean over scenarios, τ² = mean of τ_j², has two parts. One is the variance between the prompts'
means over scenarios: prompts that are better everywhere. The rest comes from prompts that are
better on some scenarios only.
"""

from typing import NamedTuple

import numpy as np

from fidelity.arrays import AnyArray, ArrayLike, FloatArray
from fidelity.comparison.error_bars import mean_error_bar


class BetweenVariance(NamedTuple):
    """The variance of scores between prompts.

    Attributes:
        between: τ², the mean over scenarios, without the chance in answers; may be negative.
        lower, upper: its confidence interval, for new scenarios and these prompts.
        total: the mean variance between prompts of the scores of half of the answers.
        chance: the part of ``total`` from the chance in answers, total - between.
        of_means: the variance between the prompts' means over these scenarios; may be negative.
        m: scenarios.
        effective_clusters: as in :class:`fidelity.ErrorBar`.

    Examples:
        >>> from fidelity.comparison import variance_between
        >>> found = variance_between([[0.2, 0.3], [0.4, 0.3]], [[0.1, 0.3], [0.3, 0.4]])
        >>> print(round(found.between + found.chance - found.total, 6))
        0.0
    """

    between: float
    lower: float
    upper: float
    total: float
    chance: float
    of_means: float
    m: int
    effective_clusters: float


def variance_between(
    first: ArrayLike,
    second: ArrayLike,
    *,
    clusters: AnyArray | None = None,
    level: float = 0.95,
) -> BetweenVariance:
    """Return how much scores vary between prompts, by two halves of the answers.

    Args:
        first, second: the scores of the halves, (P, m), P ≥ 2 prompts and m ≥ 2 scenarios; or
            (S, P, m) for S ways to halve, over which the mean is taken.
        clusters: one label per scenario, (m,); None for independent scenarios.
        level: of the interval, which is approximate: Student's t, over scenarios or clusters.

    Raises:
        ValueError: if there are fewer prompts or scenarios, or a score isn't finite.

    Examples:
        >>> from fidelity.comparison import variance_between
        >>> halves = [[0.2, 0.3, 0.1], [0.4, 0.3, 0.3]], [[0.1, 0.3, 0.2], [0.3, 0.4, 0.3]]
        >>> found = variance_between(*halves)
        >>> print(f"{found.between:.4f} of {found.total:.4f}")
        0.0100 of 0.0117
    """
    a, b = (np.array(scores, float) for scores in (first, second))
    a, b = (scores[None] if scores.ndim == 2 else scores for scores in (a, b))
    if a.shape != b.shape or a.ndim != 3 or min(a.shape[1:], default=0) < 2 or not len(a):
        raise ValueError("scores are to be (P, m) or (S, P, m), P and m at least 2, in both halves")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("scores are to be finite")
    covariances = _product(a, b).mean(0)
    total = float((_product(a, a) + _product(b, b)).mean() / 2.0)
    bar = mean_error_bar(covariances, clusters, level=level)
    between = float(bar.estimate)
    return BetweenVariance(
        between=between,
        lower=float(bar.lower),
        upper=float(bar.upper),
        total=total,
        chance=total - between,
        of_means=float(_product(a.mean(2), b.mean(2)).mean()),
        m=bar.n,
        effective_clusters=bar.effective_clusters,
    )


def _product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Σ_i (a_i - ā)(b_i - b̄) / (P - 1), prompts on axis 1."""
    deviations = (scores - scores.mean(1, keepdims=True) for scores in (a, b))
    return np.prod(list(deviations), axis=0).sum(1) / (a.shape[1] - 1)
