"""The mean over several evaluations whose questions are in the same clusters.

Two evaluations may ask about the same passages. A passage's difficulty is then in both, and their
error bars are not independent. Clusters are drawn, and each brings its questions of every
evaluation with it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray
from fidelity.comparison.error_bars import ErrorBar, beyond_rounding, error_bar
from fidelity.comparison.evaluations import ESTIMATORS
from fidelity.comparison.few_clusters import degrees_of_freedom, effective_clusters


class _Sums(NamedTuple):
    """The sums over G clusters in E evaluations that a standard error needs.

    Attributes:
        sums: of the deviations from the evaluation's mean, (G, E).
        squares: of these deviations, (G, E).
        sizes: questions, (G, E).
        weight: of one question of each evaluation in the estimate, (E,).
    """

    sums: FloatArray
    squares: FloatArray
    sizes: FloatArray
    weight: FloatArray


def shared_clusters_error_bar(
    scores: Sequence[ArrayLike],
    clusters: Sequence[ArrayLike],
    weights: ArrayLike,
    *,
    estimator: str = "cr2",
    level: float = 0.95,
) -> ErrorBar:
    """Return a weighted mean of evaluations' mean scores, with an error over common clusters.

    The estimate is Σ_e w_e s̄_e, with Σw = 1. With S_ce the sum of the deviations s - s̄_e of cluster
    c's questions in evaluation e, m_e questions of it, m_ce of them in c, and
    Z_c = Σ_e (w_e/m_e) S_ce, SE² is

    - ``cr0``: ΣZ_c², and the normal distribution; the one of a regression on a dummy for each
      evaluation. So is ``cr1``: G/(G-1) ΣZ_c², and Student's t with G - 1.
    - ``cr2``: the same with S_ce/sqrt(1 - m_ce/m_e) for S_ce, which is unbiased for independent
      questions, and t. The degrees of freedom are those of Bell and McCaffrey (2002) for
      independent questions with a variance of each evaluation's own, or, if fewer, those of
      :func:`fidelity.comparison.few_clusters.degrees_of_freedom` for clusters of mass
      Σ_e w_e m_ce/m_e.
    - ``miller``: Σ_e w_e² SE_CLT,e² plus the products of different questions of one cluster, and
      the normal distribution.

    If no two evaluations have a cluster in common, the result is that of
    :func:`fidelity.comparison.combined_error_bar`, except for ``cr1`` and the degrees of freedom.
    The statement is about new clusters like these, in these same evaluations.

    Args:
        scores: of each evaluation's questions, E arrays (m_e,).
        clusters: of these questions, E arrays (m_e,); equal labels are one cluster.
        weights: of the evaluations, not negative, (E,); divided by their sum.
        estimator: one of the four.
        level: of the interval.

    Returns:
        The mean. There is no interval where all scores of an evaluation are equal, since they do
        not show how much scores vary.

    Raises:
        ValueError: on an evaluation of fewer than 2 clusters.

    Examples:
        >>> from fidelity.comparison import shared_clusters_error_bar
        >>> scores = [[1, 0, 1, 1], [0, 0, 1, 1, 1, 0]]
        >>> passages = [["a", "b", "c", "d"], ["a", "a", "b", "c", "d", "d"]]
        >>> bar = shared_clusters_error_bar(scores, passages, [4, 6])
        >>> print(f"{bar.estimate:.2f} ({bar.se:.2f}), {bar.n_clusters} clusters")
        0.60 (0.13), 4 clusters
    """
    inputs.one_of("estimator", estimator, ESTIMATORS)
    share = inputs.mixture("weights", weights, len(scores))
    kept = np.flatnonzero(share).tolist()
    share = share[kept]
    vectors = [inputs.vector("scores", scores[e], inputs.FINITE) for e in kept]
    labels = [
        inputs.labels("clusters", clusters[e], len(vector))
        for e, vector in zip(kept, vectors, strict=True)
    ]
    totals = _summed(vectors, labels, share)
    masses = np.round(totals.sizes @ totals.weight, 12)
    equal = [float(np.ptp(vector)) == 0 for vector in vectors]
    df = len(masses) - 1.0
    if estimator == "cr2":
        df = float(np.minimum(_bell_mccaffrey(totals), degrees_of_freedom(masses, level)))
    return error_bar(
        np.asarray(share @ np.array([vector.mean() for vector in vectors])),
        np.asarray(np.nan if any(equal) else np.sqrt(_variance(totals, estimator))),
        n=sum(map(len, vectors)),
        n_clusters=len(masses),
        effective_clusters=effective_clusters(masses),
        df=df if estimator in ("cr2", "cr1") else np.inf,
        level=level,
    )


def _summed(scores: list[FloatArray], labels: list[AnyArray], share: FloatArray) -> _Sums:
    """Return the sums of each cluster in each evaluation."""
    names, member = np.unique(np.concatenate(labels), return_inverse=True)
    evaluation = np.repeat(np.arange(len(scores)), [len(s) for s in scores])
    off = np.concatenate(
        [beyond_rounding(s - s.mean(), np.abs(s).max(keepdims=True)) for s in scores]
    )
    sums, squares, sizes = np.zeros((3, len(names), len(scores)))
    for total, term in ((sums, off), (squares, off**2), (sizes, np.ones(len(off)))):
        np.add.at(total, (member, evaluation), term)
    if ((sizes > 0).sum(0) < 2).any():
        raise ValueError("clusters must be 2 in each evaluation, or more: one shows no spread")
    return _Sums(sums, squares, sizes, share / sizes.sum(0))


def _variance(totals: _Sums, estimator: str) -> float:
    """Return SE²."""
    sums, many = totals.sums, len(totals.sums)
    if estimator == "cr2":
        sums = sums / np.sqrt(1 - totals.sizes / totals.sizes.sum(0))
    squared = float(np.square(sums @ totals.weight).sum())
    if estimator == "cr1":
        return squared * many / (many - 1)
    if estimator == "miller":
        m = totals.sizes.sum(0)
        return squared + float((totals.squares.sum(0) * totals.weight**2) @ (1 / (m - 1)))
    return squared


def _bell_mccaffrey(totals: _Sums) -> float:
    """Return tr(M)²/tr(M²), M the covariances of CR2's Z_c for independent questions.

    M_cd = Σ_e σ_e² c_ce c_de (m_ce [c=d] - m_ce m_de/m_e), c_ce = (w_e/m_e)/sqrt(1 - m_ce/m_e): a
    diagonal D less UU', of which both traces are known without M.
    """
    m = totals.sizes.sum(0)
    variance = totals.squares.sum(0) / (m - 1)
    if not variance.any():
        return float("nan")
    factor = totals.weight / np.sqrt(1 - totals.sizes / m) * np.sqrt(variance)
    diagonal = (factor**2 * totals.sizes).sum(1)
    crossed = factor * totals.sizes / np.sqrt(m)
    outer = (crossed**2).sum(1)
    squared = (diagonal**2).sum() - 2 * diagonal @ outer + np.square(crossed.T @ crossed).sum()
    return float((diagonal - outer).sum() ** 2 / squared)
