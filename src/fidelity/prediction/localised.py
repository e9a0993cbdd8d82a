"""Localised conformal bounds: questions that resemble the new one count more (Guan 2023).

Let H be the similarities of the m + 1 questions, the new one last. Each question i has weights
p_ij = H_ij / Σ_k H_ik and a position s_i = Σ_j p_ij 1{U_j < U_i}: the weight of smaller U among its
own neighbours. Guan's level α̃ is the smallest attainable level (a cumulative weight) with

    (1/(m+1)) Σ_i 1{U_i ≤ Q(α̃; Σ_j p_ij δ(U_j))} ≥ 1-β,    β = γα.

Since U_i ≤ Q(a) exactly where s_i < a, this α̃ is the next attainable level above the r-th smallest
position, r = ceil((m+1)(1-β)). A value v of the new question's U is at most Q(α̃) exactly where
s_new(v) ≤ s_(r)(v). Positions depend on all m + 1 questions alike, so exchangeable questions
satisfy this with probability r/(m+1) ≥ 1-β.

As v grows past a U_j, s_new grows and the other positions fall. So the values accepted are those
below one number, V: the first of the sorted U_j above which r or more questions have a smaller
position than the new one. One level for all v would be the largest of the α̃(v); its bound is
valid, too, but never below V.
"""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, IntArray
from fidelity.curves.guarantee import marginal_rank
from fidelity.levels import Level
from fidelity.prediction.conformal import require_enough

ROUNDING = 1e-12


class LocalisedBound(NamedTuple):
    """A bound on the discrepancy of a new question, and how many questions it rests on.

    Attributes:
        bound: V; +inf where too few questions resemble the new one.
        neighbours: (Σh)²/Σh², with h the similarity of each question asked to the new one: the
            number of equally similar questions that would weigh as much (Kish). It is m if all
            are equally similar.

    Examples:
        >>> import numpy as np
        >>> from fidelity.prediction import localised_bound
        >>> found = localised_bound(np.linspace(0.02, 0.4, 50), np.ones((51, 51)), alpha=0.1)
        >>> print(round(found.neighbours))
        50
    """

    bound: float
    neighbours: float


def localised_bound(
    upper: ArrayLike, similarity: ArrayLike, *, alpha: Level, gamma: Level = 1.0
) -> LocalisedBound:
    """Return how far a simulator is at most on a new question, by questions that resemble it.

    V with P(Δ_new ≤ V) ≥ 1-α.

    The probability is over the m + 1 questions together, as for
    :func:`fidelity.prediction.conformal_bound`, which this equals where all similarities are equal.
    Where discrepancies depend on the features, V is small for questions like those on which the
    simulator is good. Coverage is then nearer to 1-α for each kind of question, but only the mean
    over all kinds is guaranteed.

    The questions must be exchangeable, features and answers together. The similarity of two
    questions must depend neither on the order of the m + 1 nor on any U. That of
    :func:`fidelity.prediction.gaussian_similarity` on all of them is of this kind. If questions
    come in clusters, pass one of each (:func:`fidelity.prediction.one_per_cluster`).

    Source: Guan (2023), Localized conformal prediction, Biometrika 110; the module has the proof.

    Args:
        upper: upper pseudo-discrepancies U_j of coverage γ, (m,); +inf allowed.
        similarity: H of all questions, the new one last, ≥ 0, (m + 1, m + 1), with H_jj > 0. It may
            be asymmetric: row i weighs the others from i's point of view.
        alpha: miss probability in (0, 1].
        gamma: the smallest coverage any question can have, fixed in advance.

    Raises:
        ValueError: if m is too small for α and γ whatever the similarities; it says how many
            questions are needed.

    Examples:
        >>> import numpy as np
        >>> from fidelity.prediction import gaussian_similarity, localised_bound
        >>> length = np.linspace(0, 1, 100)  # of 100 questions; the simulator is worse on long ones
        >>> upper = 0.1 + 0.3 * length + 0.05 * np.sin(np.arange(100))
        >>> for new in (0.1, 0.9):
        ...     near = gaussian_similarity(np.append(length, new)[:, None], bandwidth=0.3)
        ...     print(round(localised_bound(upper, near, alpha=0.1).bound, 2))
        0.18
        0.41
    """
    upper = inputs.vector("upper", upper, inputs.REAL)
    m = len(upper)
    similarity = inputs.table("similarity", similarity, inputs.FINITE_NOT_NEGATIVE, (m + 1, m + 1))
    if not (np.diagonal(similarity) > 0.0).all():
        raise ValueError("similarity must be above 0 of each question to itself (the diagonal)")
    require_enough(m, alpha, gamma)
    rank = marginal_rank(m, gamma, alpha)
    order = np.argsort(upper, kind="stable")
    value, near = upper[order], similarity[np.ix_(order, order)]
    below = np.searchsorted(value, value, "left")
    to_new, of_new = similarity[order, m], similarity[m, order]
    cumulated = np.cumsum(near, axis=1)
    lower = np.where(below > 0, cumulated[np.arange(m), below - 1], 0.0)
    total = cumulated[:, -1] + to_new
    passed, ahead = lower / total, (lower + to_new) / total
    mass = np.cumsum(of_new)
    level_at = mass / (mass[-1] + similarity[m, m])

    def is_beyond(k: int) -> bool:
        """Whether values just above the k-th smallest U are refused."""
        position = np.where(np.arange(m) < k, passed, ahead)
        return bool((position < level_at[k - 1] - ROUNDING).sum() >= rank)

    ends = np.searchsorted(value, np.unique(value), "right")
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_beyond(int(ends[middle])) else (middle + 1, high)
    bound = float(value[ends[low] - 1]) if low < len(ends) else np.inf
    neighbours = mass[-1] ** 2 / (of_new**2).sum() if mass[-1] > 0.0 else 0.0
    return LocalisedBound(bound, float(neighbours))


def one_per_cluster(clusters: ArrayLike, generator: np.random.Generator) -> IntArray:
    """Return one row of each cluster, drawn at random, (G,): exchangeable where clusters are.

    Draw once, before looking at results. A bound for a question of a new cluster then holds if it
    is made from these rows (the single subsampling of Dunn, Wasserman & Ramdas 2023).

    Args:
        clusters: one label per question, (m,).
        generator: draws the rows.

    Examples:
        >>> import numpy as np
        >>> from fidelity.prediction import one_per_cluster
        >>> one_per_cluster(["tax", "tax", "law", "law", "law"], np.random.default_rng(0))
        array([2, 0])
    """
    clusters = inputs.labels("clusters", clusters)
    order = inputs.generator("generator", generator).permutation(len(clusters))
    return order[np.unique(clusters[order], return_index=True)[1]]
