"""On how many scenarios is one simulator certainly closer to people than another?

Per scenario, the upper pairwise discrepancy δ̂_j is at least Δ_j¹ - Δ_j² with probability γ
(:func:`fidelity.pairwise_pseudo_discrepancy`). A scenario with δ̂_j ≤ 0 is *certified* for
simulator 1 as at least as close, one with δ̂_j < 0 as closer. Thinning, as in
:mod:`fidelity.guarantee`: a scenario on which simulator 1 is farther has δ̂_j > 0 with probability
at least γ, so P(Δ¹ > Δ²) ≤ P(δ̂ > 0)/γ; and the number of scenarios that are not certified is
binomial, since 0 is a threshold fixed in advance. So here, unlike in
:func:`fidelity.quantile.closer_share`, which holds as m grows, every statement holds at this m.

Assumptions: scenarios drawn independently from their population (or for the ``clustered``
functions, clusters), and each answered by its own people: the same respondents in all scenarios
break it. γ is one coverage, or with a schedule the smallest it can give. Δ_j is the discrepancy of
the answers q̂_j that simulators really gave, so "closer" is said of them and their k draws.
"""

import numpy as np
from scipy.special import bdtr

from fidelity.bernoulli import bernoulli_kl, bernoulli_kl_upper
from fidelity.binomial import clopper_pearson_upper
from fidelity.levels import Level, exact


def not_certified(pairwise_upper: np.ndarray, *, strictly: bool) -> np.ndarray:
    """Tell on which scenarios simulator 1 isn't certified as (at least as) close.

    Args:
        pairwise_upper: δ̂_j, (..., m); +inf where nothing is known.
        strictly: certify Δ¹ < Δ², by δ̂_j < 0; else Δ¹ ≤ Δ², by δ̂_j ≤ 0. Only the strict share of
            simulators that are equal in law is at most ½.

    Returns:
        Booleans, (..., m).
    """
    pairwise_upper = np.asarray(pairwise_upper, float)
    if np.isnan(pairwise_upper).any():
        raise ValueError("an undefined difference certifies nothing: give +inf")
    return pairwise_upper >= 0.0 if strictly else pairwise_upper > 0.0


def certified_closer_share(missed: np.ndarray, m: int, gamma: Level, eta: float) -> np.ndarray:
    """Return the share of scenarios on which simulator 1 is (at least as) close, at least.

    A lower confidence limit: it exceeds the true share with probability at most η, for one ordered
    pair. 1 - U/γ, at least 0, with U the Clopper-Pearson upper bound on P(not certified).

    Args:
        missed: how many of m scenarios aren't certified; any shape.
        m: scenarios.
        gamma: the smallest coverage any scenario can have.
        eta: failure probability, in (0, 1).
    """
    bound = clopper_pearson_upper(_counts(missed, m), m, 1.0 - _probability(eta))
    return np.maximum(0.0, 1.0 - bound / float(exact(gamma)))[()]


def closer_share_p_value(
    missed: np.ndarray, m: int, gamma: Level, share: Level = "1/2"
) -> np.ndarray:
    """Return the p-value of H0: simulator 1 is (at least as) close on at most ``share``.

    P(Bin(m, γ(1-share)) ≤ missed): under H0 each scenario fails to be certified with at least that
    probability. P(p-value ≤ α) ≤ α at every m. It is ≤ α exactly if the limit of
    :func:`certified_closer_share` at η = α reaches ``share``.

    Args:
        missed: how many of m scenarios aren't certified; any shape.
        m, gamma: as there.
        share: in [0, 1).
    """
    null = _null_probability(gamma, share)
    return bdtr(_counts(missed, m), m, null)[()]


def clustered_closer_share(
    missed: np.ndarray, clusters: np.ndarray, gamma: Level, eta: float
) -> np.ndarray:
    """Return the lower confidence limit for scenarios in clusters, fails with probability ≤ η.

    Of a new cluster drawn at random, and a scenario drawn at random from it: 1 - U/γ with U the
    Chernoff bound KL(x̄ ‖ U) ≤ log(1/η)/G on the mean of the G clusters' shares x_c that aren't
    certified, which are independent and lie in [0, 1] (Hoeffding 1963). Nothing is assumed of
    scenarios within a cluster; small clusters weigh as much as large ones.

    Args:
        missed: which scenarios aren't certified, (..., m).
        clusters: one label per scenario, (m,).
        gamma, eta: as :func:`certified_closer_share`.
    """
    share, n_clusters = _mean_cluster_share(missed, clusters)
    bound = bernoulli_kl_upper(share, -np.log(_probability(eta)) / n_clusters)
    return np.maximum(0.0, 1.0 - bound / float(exact(gamma)))[()]


def clustered_closer_share_p_value(
    missed: np.ndarray, clusters: np.ndarray, gamma: Level, share: Level = "1/2"
) -> np.ndarray:
    """Return the p-value of H0 as :func:`closer_share_p_value`, of a new cluster's scenario.

    exp(-G·KL(x̄ ‖ γ(1-share))), 1 where x̄ is no smaller. Arguments as
    :func:`clustered_closer_share`.
    """
    observed, n_clusters = _mean_cluster_share(missed, clusters)
    null = _null_probability(gamma, share)
    p_value = np.exp(-n_clusters * bernoulli_kl(observed, null))
    return np.where(observed < null, p_value, 1.0)[()]


def bonferroni_level(eta: float, n_simulators: int) -> float:
    """Return η/(S(S-1)): limits at this level hold for all ordered pairs at once with 1-η.

    The statement: with probability at least 1-η none of the S(S-1) limits exceeds its true share.
    No assumption on how pairs depend on each other, which share the same people and scenarios.
    """
    if n_simulators < 2:
        raise ValueError("a comparison needs at least 2 simulators")
    return _probability(eta) / (n_simulators * (n_simulators - 1))


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return p-values adjusted for all hypotheses together (Holm 1979).

    The statement: rejecting where the adjusted value is ≤ α rejects any true hypothesis with
    probability at most α, however the tests depend on each other. Never larger than Bonferroni's,
    but it gives no simultaneous limits.

    Args:
        p_values: of R hypotheses, the last axis of (..., R); for S simulators all S(S-1) pairs.
    """
    p_values = np.asarray(p_values, float)
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError("p-values lie in [0, 1]")
    order = np.argsort(p_values, axis=-1)
    n_left = np.arange(p_values.shape[-1], 0, -1)
    stepped = np.maximum.accumulate(n_left * np.take_along_axis(p_values, order, -1), axis=-1)
    adjusted = np.empty_like(stepped)
    np.put_along_axis(adjusted, order, np.minimum(stepped, 1.0), -1)
    return adjusted


def _probability(eta: float) -> float:
    if not 0 < eta < 1:
        raise ValueError(f"eta lies strictly between 0 and 1, not {eta}")
    return eta


def _counts(missed: np.ndarray, m: int) -> np.ndarray:
    missed = np.asarray(missed)
    if m < 1 or (missed % 1 != 0).any() or (missed < 0).any() or (missed > m).any():
        raise ValueError(f"counts of scenarios must be whole numbers in 0..m, m = {m} ≥ 1")
    return missed


def _null_probability(gamma: Level, share: Level) -> float:
    gamma, share = exact(gamma), exact(share)
    if not (0 < gamma <= 1 and 0 <= share < 1):
        raise ValueError(f"gamma must lie in (0, 1] and share in [0, 1), not {gamma} and {share}")
    return float(gamma * (1 - share))


def _mean_cluster_share(missed: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, int]:
    missed, clusters = np.asarray(missed, float), np.asarray(clusters)
    if clusters.shape != missed.shape[-1:] or len(clusters) == 0:
        raise ValueError("give one cluster label per scenario")
    _, member, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    weight = 1.0 / (len(sizes) * sizes[member])
    return missed @ weight, len(sizes)
