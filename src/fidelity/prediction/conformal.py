"""Split conformal bounds on the discrepancy of a question that nobody was asked.

U_j is an upper pseudo-discrepancy of coverage γ: given everything about question j, it is at least
the true Δ_j with probability γ. For a new question nobody can compute U. But for any V made from
the other questions, P(Δ_new > V) ≤ P(U_new > V)/γ. So if U_new exceeds a conformal bound with
probability at most γα, Δ_new exceeds it with probability at most α. γ is fixed in advance.
"""

from fractions import Fraction
from math import ceil

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.curves.guarantee import marginal_rank
from fidelity.curves.target import weighted_conformal_bound
from fidelity.levels import Level


def questions_needed(*, alpha: Level, gamma: Level = 1.0) -> int:
    """Return the smallest number of questions (or of clusters) with a finite conformal bound.

    It is the smallest m with (m + 1)γα ≥ 1: ceil(1/(γα)) - 1.

    Args:
        alpha: miss probability in (0, 1].
        gamma: coverage of the pseudo-discrepancies, in (0, 1].

    Examples:
        >>> from fidelity.prediction import questions_needed
        >>> questions_needed(alpha=0.1), questions_needed(alpha=0.1, gamma=0.5)
        (9, 19)
    """
    alpha = inputs.level("alpha", alpha, inputs.ABOVE_ZERO)
    gamma = inputs.level("gamma", gamma, inputs.ABOVE_ZERO)
    return max(1, ceil(1 / (gamma * alpha)) - 1)


def allowed_miss(*, alpha: Level, gamma: Level, same_people: bool = False) -> Fraction:
    """Return how often a question's U may exceed V so that its Δ does so with probability α.

    It is γα if people differ between questions: U_new is then at least Δ_new with probability γ for
    any V. Where the same people answered several questions, a sample that is unlike the population
    lowers V and U_new together. Then only P(Δ_new > V) ≤ P(U_new > V) + P(U_new < Δ_new) holds, and
    it is α - (1-γ). Given the people, questions are exchangeable as before.

    Args:
        alpha: miss probability in (0, 1].
        gamma: coverage of the pseudo-discrepancies, in (0, 1].
        same_people: whether somebody may have answered several questions.

    Returns:
        The level at which to ask for bounds with γ = 1; 0 or less where no bound exists.

    Examples:
        >>> from fidelity.prediction import allowed_miss
        >>> float(allowed_miss(alpha=0.1, gamma=0.95))
        0.095
        >>> float(allowed_miss(alpha=0.1, gamma=0.95, same_people=True))
        0.05
    """
    alpha = inputs.level("alpha", alpha, inputs.ABOVE_ZERO)
    gamma = inputs.level("gamma", gamma, inputs.ABOVE_ZERO)
    return alpha - (1 - gamma) if same_people else gamma * alpha


def same_clusters_bound(
    upper: ArrayLike, clusters: ArrayLike, *, alpha: Level, gamma: Level = 1.0
) -> float:
    """Return V with P(Δ_new ≤ V) ≥ 1-α for a new question of the clusters asked.

    The new question is from cluster c with probability m_c/m, the share of c among the m questions,
    and exchangeable with the questions of c. Clusters may differ in any way. V is the
    (1-γα)-quantile of Σ_c (m_c/m)·(Σ_{j in c} δ(U_j) + δ(∞))/(m_c + 1). With a single cluster it is
    split conformal.

    Proof: add a new question to every cluster. If U of all of them were known, let V* be the
    quantile of Σ_c (m_c/m)·(uniform over the m_c + 1 of c), which at most γα lies above. V has +inf
    in place of all the new ones, so it is at least the same quantile with +inf in place of c's new
    one alone. The new question of c exceeds that only if it exceeds V*. It does so as often as an
    average one of the m_c + 1: in the mean over clusters with weights m_c/m, at most γα.

    Args:
        upper: upper pseudo-discrepancies U_j of coverage γ, (m,); +inf allowed.
        clusters: one label per question, (m,).
        alpha: miss probability in (0, 1].
        gamma: the smallest coverage any question can have, fixed in advance.

    Returns:
        +inf where clusters have too few questions for the level: where Σ_c (m_c/m)/(m_c + 1) > γα.

    Examples:
        >>> import numpy as np
        >>> from fidelity.prediction import same_clusters_bound
        >>> topic = np.arange(100) // 25  # 4 topics with 25 questions each
        >>> print(round(same_clusters_bound(np.linspace(0.02, 0.4, 100), topic, alpha=0.1), 3))
        0.377
    """
    upper, clusters = inputs.aligned(upper=upper, clusters=clusters)
    upper = inputs.vector("upper", upper, inputs.REAL)
    _, member, size = inputs.numbered(inputs.labels("clusters", clusters, len(upper)))
    share = size / len(upper) / (size + 1)
    return float(weighted_conformal_bound(upper, gamma, alpha, share[member], share.sum()))


def conformal_bound(
    upper: ArrayLike,
    *,
    alpha: Level,
    gamma: Level = 1.0,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    new_weight: ArrayLike = 1.0,
) -> FloatArray:
    """Return how far a simulator is at most from people on a new question.

    V with P(Δ_new ≤ V) ≥ 1-α.

    The probability is over the m questions and the new one together (marginal): half of all studies
    may cover less. Questions must have people of their own; if the same people answered several,
    take the level that :func:`fidelity.prediction.allowed_miss` returns, and γ = 1. Three
    statements are possible, depending on the arguments:

    - Neither clusters nor weights: the m + 1 questions are exchangeable, and V is the order
      statistic of rank ceil((m+1)(1-γα)) (split conformal; :func:`fidelity.marginal_rank`).
    - ``clusters``: the G clusters and that of the new question are exchangeable, and so are the
      questions within each. V is the (1-γα)-quantile of Σ_j δ(U_j)/((G+1)·size of j's cluster)
      + δ(∞)/(G+1): small clusters weigh as much as large ones (hierarchical conformal prediction;
      Lee, Barber & Willett 2023). The new question is one of a new cluster.
      :func:`fidelity.one_per_cluster_curve` draws one question of each instead.
    - ``weights``: questions are independent, and those to be predicted come from another population
      with the density ratio w, known up to a factor (Tibshirani et al. 2019;
      :func:`fidelity.weighted_conformal_bound`).

    Args:
        upper: upper pseudo-discrepancies U_j of coverage γ, (m,); +inf allowed.
        alpha: miss probability in (0, 1].
        gamma: the smallest coverage any question can have, fixed in advance; 1 if ``upper`` holds
            discrepancies from people's true shares.
        clusters: one label per question, (m,).
        weights: w_j ≥ 0, (m,); not together with ``clusters``.
        new_weight: w of the new question, > 0; several give one bound each. Used with ``weights``.

    Returns:
        V, (); with weights in the shape of ``new_weight``, and +inf there where the questions asked
        weigh too little against the new one.

    Raises:
        ValueError: without weights, if there are too few questions, or clusters, for α and γ; it
            says how many are needed.

    Examples:
        >>> import numpy as np
        >>> from fidelity.prediction import conformal_bound
        >>> upper = np.linspace(0.02, 0.4, 100)  # of 100 questions, with coverage .5
        >>> print(conformal_bound(upper, alpha=0.1, gamma=0.5).round(3))
        0.385
        >>> topic = np.arange(100) // 4  # 25 topics with 4 questions each
        >>> print(conformal_bound(upper, alpha=0.1, gamma=0.5, clusters=topic).round(3))
        0.396
        >>> nearer = np.linspace(2, 1, 100)  # those to be predicted are more like the first ones
        >>> conformal_bound(upper, alpha=0.1, gamma=0.5, weights=nearer, new_weight=[1, 2]).round(3)
        array([0.377, 0.381])
    """
    upper, clusters, weights = inputs.aligned(upper=upper, clusters=clusters, weights=weights)
    upper = inputs.vector("upper", upper, inputs.REAL)
    if clusters is not None and weights is not None:
        raise ValueError("weights must not be given together with clusters: leave out one of them")
    if weights is not None:
        return weighted_conformal_bound(upper, gamma, alpha, weights, new_weight)
    if clusters is None:
        require_enough(len(upper), alpha, gamma)
        rank = marginal_rank(len(upper), gamma, alpha)
        return np.sort(upper)[rank - 1]
    _, member, size = inputs.numbered(inputs.labels("clusters", clusters, len(upper)))
    require_enough(len(size), alpha, gamma, "clusters")
    return weighted_conformal_bound(upper, gamma, alpha, 1.0 / size[member], 1.0)


def require_enough(many: int, alpha: Level, gamma: Level, what: str = "questions") -> None:
    """Refuse a level for which no finite bound exists with so many questions or clusters."""
    needed = questions_needed(alpha=alpha, gamma=gamma)
    if many < needed:
        lowest = 1 / ((many + 1) * inputs.level("gamma", gamma, inputs.ABOVE_ZERO))
        shown = ceil(1000 * lowest) / 1000
        instead = f", or take alpha of at least {shown:g}" if lowest < 1 else ""
        raise ValueError(
            f"upper must be of at least {needed} {what} for alpha {float(alpha):g} and gamma "
            f"{float(gamma):g}, not of {many}: ask people about more{instead}"
        )
