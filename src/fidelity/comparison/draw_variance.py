"""The part of the variance of scores that comes from the simulator's k draws in each scenario.

A score such as a discrepancy L(p̂, q̂) has q̂ from one set of k draws. Over scenarios its variance
is ω² + σ². ω² is the variance of its average over sets. σ² is its variance from set to set, for
sets of size k, averaged over scenarios. Drawing answers anew from q̂ adds this noise a second time,
and with a variance other than σ²: where p̂ = q, squared distances then vary three times as much,
absolute ones half as much again. No function of k draws estimates σ² of every discrepancy without
bias, since the square of an expected score is a polynomial in q of degree up to 2k. Two ways are
unbiased:

- disjoint sets of k draws: the variance of their scores, for any discrepancy;
- squared distances: a closed form in q̂ and k, :func:`variance_of_squared_distance`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.comparison.error_bars import beyond_rounding
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.pseudo_discrepancies import between
from fidelity.resampling import smoothed

FEWEST_DRAWS = 4


class DrawnScores(NamedTuple):
    """A simulator's score in each scenario, and the variance from its draws, (m,).

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import drawn_scores
        >>> people, sets = np.array([[0.5, 0.5]]), [np.array([[0.4, 0.6], [0.2, 0.8]])]
        >>> scores = drawn_scores(people, sets, np.array([5.0]), discrepancy="tv")
        >>> scores.score.round(3).tolist(), scores.within.round(3).tolist()
        ([0.1], [0.02])
    """

    score: FloatArray
    within: FloatArray


def drawn_scores(
    people: FloatArray,
    sets: Sequence[FloatArray],
    many: FloatArray,
    *,
    discrepancy: str,
    scores: ArrayLike | None = None,
    smooth: bool = False,
) -> DrawnScores:
    """Return plug-in discrepancies, and unbiased estimates of their variance from draws.

    Of several sets it is the variance of their scores; of one, the closed form of squared distances
    if there are 4 draws and nothing is smoothed; else NaN. It is 0 where probabilities are stated.

    Args:
        people: their shares, (m, d).
        sets: shares of disjoint sets of draws in each scenario, (K_j, d), the scored one first.
        many: draws in a set, (m,); NaN where probabilities are stated.
        discrepancy: its name.
        scores: of the options, (d,), where it needs them.
        smooth: whether shares are smoothed.

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import drawn_scores
        >>> people, sets = np.array([[0.5, 0.5]]), [np.array([[0.4, 0.6]])]
        >>> drawn_scores(people, sets, np.array([np.nan]), discrepancy="tv").within.tolist()
        [0.0]
    """
    measure = DISCREPANCIES[discrepancy]
    times = np.array([len(shares) for shares in sets])
    q, first = np.concatenate(sets), np.cumsum(times) - times
    if smooth:
        q = smoothed(q, np.repeat(many, times))
    score = between(np.repeat(people, times, 0), q, discrepancy=discrepancy, scores=scores)
    mean = np.add.reduceat(score, first) / times
    spread = np.add.reduceat((score - np.repeat(mean, times)) ** 2, first)
    within = np.where(times > 1, spread / np.maximum(times - 1, 1), np.nan)
    closed = (times == 1) & (many >= FEWEST_DRAWS) & (not smooth)
    if measure.is_square and closed.any():
        counts = np.rint(q[first][closed] * many[closed, None])
        points = measure.points(people.shape[1], measure.checked_scores(scores, people.shape[1]))
        distance = points - (people[closed] @ points)[:, None]
        gram = distance @ distance.transpose(0, 2, 1)
        within[closed] = variance_of_squared_distance(counts, gram)
    within[np.isnan(many)] = 0.0
    return DrawnScores(score[first], within)


def disjoint_sets(
    counts: FloatArray, first: FloatArray, most: int, generator: np.random.Generator
) -> IntArray:
    """Divide answers into sets as large as the first, at random and as often as there are enough.

    Args:
        counts: all answers of one simulator in one scenario, per option, (d,), whole numbers.
        first: a set drawn from them without replacement, (d,), not empty.
        most: how many sets at most, the first among them.
        generator: of the draws.

    Returns:
        (K, d), K ≤ ``most``; the first set is row 0.
    """
    every, first_set = (np.rint(table).astype(np.int64) for table in (counts, first))
    if (first_set > every).any():
        raise ValueError("the first set has answers that are not among all")
    sets, rest, size = [first_set], every - first_set, int(first_set.sum())
    while len(sets) < most and rest.sum() >= size:
        drawn = generator.multivariate_hypergeometric(rest, size, method="marginals")
        sets.append(drawn)
        rest = rest - drawn
    return np.array(sets)


def variance_of_squared_distance(counts: ArrayLike, gram: ArrayLike) -> FloatArray:
    """Return an unbiased estimate of the variance of |Σ_i y_i/k|², from k draws themselves.

    With g_il the products of two draws' vectors y, E|ȳ|² = ((k-1)A + B)/k for A = E g_12 and
    B = E g_11; its square is estimated by averages over draws that are all different (U-statistics)
    and taken from |ȳ|⁴. For squared differences of mean scores y = score - mean score of people;
    for squared Euclidean distances of shares y = unit vector - people's shares. An estimate may be
    negative; averages over scenarios seldom are.

    Args:
        counts: draws per option, (m, d), whole numbers, at least 4 in each scenario.
        gram: products of the options' vectors y, (m, d, d).

    Returns:
        (m,).

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import variance_of_squared_distance
        >>> draws, people = np.array([[5, 15], [15, 5]]), np.array([0.45, 0.70])  # who says yes
        >>> y = np.array([0.0, 1.0]) - people[:, None]
        >>> variance_of_squared_distance(draws, y[:, :, None] * y[:, None, :]).round(5)
        array([0.0037, 0.0083])
    """
    counts, gram = np.asarray(counts, float), np.asarray(gram, float)
    k = counts.sum(1)
    if (k < 4).any() or (counts % 1 != 0).any():
        raise ValueError("give at least 4 draws in each scenario, as whole numbers")
    diagonal = np.einsum("jaa->ja", gram)
    others = np.einsum("jab,jb->ja", gram, counts) - diagonal
    alone, between = (counts * diagonal).sum(1), (counts * others).sum(1)
    squares = np.einsum("ja,jab,jb->j", counts, gram**2, counts) - (counts * diagonal**2).sum(1)
    chains = (counts * others**2).sum(1) - squares
    pairs = alone**2 - (counts * diagonal**2).sum(1)
    triples = between * alone - 2 * (counts * diagonal * others).sum(1)
    quadruples = between**2 - 4 * chains - 2 * squares
    of_two = k * (k - 1)
    of_three = of_two * (k - 2)
    squared_mean = (
        (k - 1) ** 2 * quadruples / (of_three * (k - 3))
        + 2 * (k - 1) * triples / of_three
        + pairs / of_two
    ) / k**2
    variance = ((between + alone) / k**2) ** 2 - squared_mean
    return beyond_rounding(variance, diagonal.max(1) ** 2)
