"""Which simulators differ in their mean score, which is better, and which rank each can have.

All pairs of S simulators at once, on the same m scenarios; lower scores (discrepancies) are better.
The largest studentised error over the pairs is bootstrapped, and its (1-α)-quantile c makes
intervals D ± c·SE that hold together (max-type; Romano & Wolf 2005): narrower than Bonferroni's,
since pairs share scenarios and simulators. Approximate: the level tends to 1-α as scenarios, or
clusters, become many. Whole clusters are drawn where there are any.
"""

from typing import NamedTuple

import numpy as np

from fidelity.error_bars import cr1_standard_error

RESAMPLES_AT_ONCE = 2**22
ROUNDING = 1e-12


class SimultaneousDifferences(NamedTuple):
    """Differences of mean scores for all ordered pairs; matrices (S, S), NaN on the diagonal.

    Attributes:
        estimate: [a, b] = mean score of a - mean score of b; negative where a is better.
        se: CR1 over clusters, the CLT's without.
        lower, upper: intervals that hold for all pairs at once with probability about 1-α.
        p_value: of "a and b have the same mean", adjusted for all pairs: ≤ α exactly where the
            interval excludes 0, but for the discreteness of resamples.
        critical: c, the (1-α)-quantile of the largest studentised error.
    """

    estimate: np.ndarray
    se: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    p_value: np.ndarray
    critical: float


def simultaneous_differences(
    scores: np.ndarray,
    generator: np.random.Generator,
    *,
    clusters: np.ndarray | None = None,
    alpha: float = 0.05,
    resamples: int = 1999,
) -> SimultaneousDifferences:
    """Return all pairwise differences of means with simultaneous intervals (bootstrap-t).

    c is order statistic number ceil((B+1)(1-α)) of max |D* - D|/SE* over the pairs, each resample
    with its own standard error. A pair whose differences are all equal has SE 0 and an interval of
    one point; resamples in which SE* is 0 count as infinitely far off unless D* = D.

    The statement: with probability about 1-α all S(S-1)/2 intervals hold at once, so that no pair
    with equal means is declared different. Scenarios, or clusters, are independent and identically
    distributed. With 12 clusters of 2 to 7 scenarios, 3 to 5 % of simulated studies declared a
    wrong pair at α = .05; with 3, too many resamples draw a single one, and intervals are infinite.

    Args:
        scores: finite, (S, m).
        generator: draws the scenarios or clusters.
        clusters: one label per scenario, (m,); None for independent scenarios.
        alpha: error allowed over all pairs together, in (0, 1).
        resamples: B, at least 1/α - 1.

    Raises:
        ValueError: on fewer than 2 simulators, scenarios or clusters, too few resamples, or scores
            that aren't finite.
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 2 or len(scores) < 2:
        raise ValueError("give the scores of at least 2 simulators, (S, m)")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite: an infinite discrepancy has no mean with an error")
    if not 0 < alpha < 1 or (resamples + 1) * alpha < 1 - ROUNDING:
        raise ValueError(f"alpha = {alpha} needs at least 1/alpha - 1 resamples, not {resamples}")
    members = np.arange(scores.shape[1]) if clusters is None else np.asarray(clusters)
    first, second = np.triu_indices(len(scores), 1)
    differences = scores[first] - scores[second]
    mean, se = differences.mean(1), cr1_standard_error(differences, members)
    largest = np.sort(_largest_errors(differences, members, generator, resamples))
    critical = largest[int(np.ceil((resamples + 1) * (1 - alpha) - ROUNDING)) - 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        half = np.where(se > 0, critical * se, 0.0)
        statistic = np.where(mean == 0, 0.0, np.abs(mean) / se)
    reached = resamples - np.searchsorted(largest, statistic, "left")

    def square(values, sign):
        matrix = np.full((len(scores), len(scores)), np.nan)
        matrix[first, second], matrix[second, first] = values, sign * values
        return matrix

    estimate, half = square(mean, -1), square(half, 1)
    p_value = square((reached + 1) / (resamples + 1), 1)
    return SimultaneousDifferences(
        estimate, square(se, 1), estimate - half, estimate + half, p_value, float(critical)
    )


def better(differences: SimultaneousDifferences) -> np.ndarray:
    """Return the partial order: [a, b] is True where a is declared better than b, (S, S).

    A pair is declared where its interval lies below 0, or where that follows from others (a better
    than b, b than c). If all intervals hold, so do all declarations: with probability about 1-α
    none is wrong.
    """
    order = differences.upper < 0.0
    for middle in range(len(order)):
        order = order | (order[:, [middle]] & order[middle])
    return order


def direct(order: np.ndarray) -> np.ndarray:
    """Return the pairs of a partial order that don't follow from others: the edges of its diagram.

    Args:
        order: transitive, (S, S), as :func:`better` returns it.
    """
    return order & ~(order.astype(int) @ order.astype(int) > 0)


def rank_intervals(order: np.ndarray) -> np.ndarray:
    """Return [1 + number declared better, S - number declared worse] per simulator, (S, 2).

    Rank 1 is best. If no declaration is wrong, all intervals hold the true rank together, and where
    true means are tied, every rank that breaking the tie can give.

    Args:
        order: [a, b] True where a is declared better than b, (S, S), such as :func:`better`, or
            pairs whose adjusted p-value is small.
    """
    order = np.asarray(order, bool)
    return np.stack([1 + order.sum(0), len(order) - order.sum(1)], axis=1)


def _largest_errors(differences, clusters, generator, resamples: int) -> np.ndarray:
    """Return max over pairs of |D* - D|/SE* in each resample, (B,).

    With A_c the sum of a cluster's deviations from D, m_c its size and w_c how often it was drawn,
    D* - D = ΣwA/Σwm =: e, and CR0*² = Σw(A - e·m)²/(Σwm)².
    """
    _, member, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    n_pairs, n_clusters = len(differences), len(sizes)
    sums = np.zeros((n_clusters, n_pairs))
    deviations = differences - differences.mean(1, keepdims=True)
    negligible = ROUNDING * np.abs(differences).max(1, keepdims=True)
    np.add.at(sums, member, np.where(np.abs(deviations) > negligible, deviations, 0.0).T)
    sizes = sizes[:, None].astype(float)
    parts = -(-resamples * max(n_pairs, n_clusters) // RESAMPLES_AT_ONCE)
    largest = []
    for part in np.array_split(np.arange(resamples), parts):
        drawn = generator.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), len(part))
        drawn = drawn.astype(float)
        total, shift = drawn @ sizes, drawn @ sums
        error = shift / total
        raw = drawn @ sums**2
        squares = raw - 2 * error * (drawn @ (sums * sizes)) + error**2 * (drawn @ sizes**2)
        spread = np.sqrt(np.maximum(squares, 0.0) * n_clusters / (n_clusters - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            studentised = np.where(squares > ROUNDING * raw, np.abs(shift) / spread, np.inf)
        largest.append(np.where(shift == 0.0, 0.0, studentised).max(1))
    return np.concatenate(largest)
