"""On how many scenarios is one simulator certainly closer to people than another?

In scenario j the upper pairwise discrepancy δ̂_j is at least Δ_j¹ - Δ_j² with probability γ
(:func:`fidelity.pairwise_pseudo_discrepancy`). A scenario with δ̂_j ≤ 0 is *certified* for
simulator 1 as at least as close, one with δ̂_j < 0 as closer. The thinning argument of
:mod:`fidelity.curves.guarantee` applies. A scenario on which simulator 1 is farther has δ̂_j > 0
with probability at least γ, so P(Δ¹ > Δ²) ≤ P(δ̂ > 0)/γ. The number of scenarios that are not
certified is binomial, since 0 is a threshold fixed in advance. So every statement here holds at
this m, while :func:`fidelity.curves.quantile.closer_share` holds as m grows.

Assumptions: scenarios are drawn independently from their population (or, for the ``clustered``
functions, clusters are), and each is answered by its own people. The same respondents in all
scenarios break this. γ is one coverage, or the smallest that a schedule can give. Δ_j is the
discrepancy of the answers q̂_j that a simulator really gave, so "closer" is about its k draws.
"""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.binomial import chernoff_p_value, share_p_value, share_upper
from fidelity.levels import Level

UNDEFINED_IS_INFINITE = inputs.REAL._replace(many="numbers; +inf where a difference is undefined")


def not_certified(pairwise_upper: ArrayLike, *, strictly: bool) -> BoolArray:
    """Tell on which scenarios simulator 1 isn't certified as (at least as) close.

    Args:
        pairwise_upper: δ̂_j, (m,) or (m, ...); +inf where nothing is known.
        strictly: certify Δ¹ < Δ², by δ̂_j < 0; otherwise Δ¹ ≤ Δ², by δ̂_j ≤ 0. For simulators that
            are equal in law, only the strict share is at most ½.

    Returns:
        Booleans in the shape of ``pairwise_upper``.
    """
    pairwise_upper = inputs.numbers("pairwise_upper", pairwise_upper, UNDEFINED_IS_INFINITE)
    return pairwise_upper >= 0.0 if strictly else pairwise_upper > 0.0


def certified_closer_share(
    missed: ArrayLike, m: int, gamma: Level, eta: float, shared: int = 1
) -> FloatArray:
    """Return on what share of scenarios simulator 1 is closer to people, or as close, at least.

    It is a lower confidence limit for one ordered pair: it exceeds the true share with probability
    at most η. It is 1 - ū/γ, at least 0, with ū the Clopper-Pearson upper bound on P(not
    certified). Where people answer several scenarios, ū is the Chernoff bound KL(missed/m ‖ ū) ≤
    shared·log(1/η)/m of :func:`fidelity.curves.guarantee.exact_miss`. The limit also holds for
    further scenarios of the same clusters.

    Args:
        missed: how many of m scenarios aren't certified; any shape.
        m: scenarios.
        gamma: the smallest coverage any scenario can have.
        eta: failure probability, in (0, 1).
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.

    Examples:
        >>> from fidelity import certified_closer_share
        >>> certified_closer_share([5, 20], m=100, gamma=0.5, eta=0.05).round(3)
        array([0.795, 0.446])
    """
    missed, m = _counts(missed, m)
    eta, shared = _probability(eta), inputs.whole("shared", shared, 1)
    bound = share_upper(missed, m, eta, shared)
    return np.maximum(0.0, 1.0 - bound / _coverage(gamma))[()]


def closer_share_p_value(
    missed: ArrayLike, m: int, gamma: Level, share: Level = "1/2", shared: int = 1
) -> FloatArray:
    """Return how surely simulator 1 is closer to people on more than a share of scenarios.

    The p-value of H0: simulator 1 is (at least as) close on at most ``share``.

    It is P(Bin(m, γ(1-share)) ≤ missed): under H0 each scenario fails to be certified with at least
    that probability. Where people answer several scenarios, it is the Chernoff bound of this
    probability with m/shared scenarios. P(p-value ≤ α) ≤ α at every m. The p-value is ≤ α exactly
    if the limit of :func:`certified_closer_share` at η = α reaches ``share``.

    Args:
        missed: how many of m scenarios aren't certified; any shape.
        m: scenarios.
        gamma: the smallest coverage any scenario can have.
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.
        share: in [0, 1).

    Examples:
        >>> from fidelity import closer_share_p_value
        >>> closer_share_p_value([5, 20], m=100, gamma=0.5).round(4)
        array([0.    , 0.1488])
    """
    null, shared = _null_probability(gamma, share), inputs.whole("shared", shared, 1)
    missed, m = _counts(missed, m)
    return share_p_value(missed, m, null, shared)[()]


def clustered_closer_share(
    missed: ArrayLike, clusters: ArrayLike, gamma: Level, eta: float
) -> FloatArray:
    """Return the lower confidence limit for scenarios in clusters; it fails with probability ≤ η.

    The limit is for a scenario drawn at random from a new cluster, itself drawn at random. It is
    1 - ū/γ, with the Chernoff bound KL(x̄ ‖ ū) ≤ log(1/η)/G. x̄ is the mean over the G clusters of
    the shares x_c that aren't certified; these are independent and lie in [0, 1] (Hoeffding 1963).
    Nothing is assumed about scenarios within a cluster. Small clusters weigh as much as large ones.

    Args:
        missed: which scenarios aren't certified, (m,), or (m, ...) for several pairs.
        clusters: one label per scenario, (m,).
        gamma, eta: as :func:`certified_closer_share`.

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import clustered_closer_share
        >>> topic, missed = np.arange(200) // 5, np.arange(200) % 20 == 0
        >>> print(clustered_closer_share(missed, topic, 0.5, eta=0.05).round(3))
        0.642
    """
    share, n_clusters = _mean_cluster_share(missed, clusters)
    bound = bernoulli_kl_upper(share, -np.log(_probability(eta)) / n_clusters)
    return np.maximum(0.0, 1.0 - bound / _coverage(gamma))[()]


def clustered_closer_share_p_value(
    missed: ArrayLike, clusters: ArrayLike, gamma: Level, share: Level = "1/2"
) -> FloatArray:
    """Return the p-value of :func:`closer_share_p_value` for a scenario of a new cluster.

    It is exp(-G·KL(x̄ ‖ γ(1-share))), and 1 where x̄ is no smaller than γ(1-share). Arguments as
    :func:`clustered_closer_share`.

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import clustered_closer_share_p_value
        >>> topic, missed = np.arange(200) // 5, np.arange(200) % 20 == 0
        >>> print(clustered_closer_share_p_value(missed, topic, 0.5).round(3))
        0.003
    """
    observed, n_clusters = _mean_cluster_share(missed, clusters)
    null = _null_probability(gamma, share)
    return chernoff_p_value(observed, null, n_clusters)[()]


def bonferroni_level(eta: float, n_simulators: int) -> float:
    """Return η/(S(S-1)), the level at which limits hold for all ordered pairs at once with 1-η.

    With probability at least 1-η none of the S(S-1) limits exceeds its true share. Pairs have
    people and scenarios in common; they may depend on each other in any way.

    Examples:
        >>> from fidelity.comparison import bonferroni_level
        >>> print(round(bonferroni_level(0.05, n_simulators=3), 4))
        0.0083
    """
    n_simulators = inputs.whole("n_simulators", n_simulators, 2)
    return _probability(eta) / (n_simulators * (n_simulators - 1))


def holm(p_values: ArrayLike) -> FloatArray:
    """Return p-values adjusted for all hypotheses together (Holm 1979).

    A true hypothesis is rejected, at an adjusted value ≤ α, with probability at most α, however the
    tests depend on each other. The values are never larger than Bonferroni's, but give no
    simultaneous limits.

    Args:
        p_values: of R hypotheses, the last axis of (..., R); for S simulators all S(S-1) pairs.

    Examples:
        >>> from fidelity import holm
        >>> holm([0.001, 0.02, 0.03]).round(3)
        array([0.003, 0.04 , 0.04 ])
    """
    p_values = inputs.numbers("p_values", p_values, inputs.UNIT)
    if p_values.ndim == 0 or p_values.size == 0 or (p_values.ndim > 1 and p_values.shape[-1] == 1):
        raise ValueError(
            "p_values must have the R hypotheses on the last axis, (R,) or (..., R), not the shape "
            f"{p_values.shape}"
        )
    order = np.argsort(p_values, axis=-1)
    n_left = np.arange(p_values.shape[-1], 0, -1)
    stepped = np.maximum.accumulate(n_left * np.take_along_axis(p_values, order, -1), axis=-1)
    adjusted = np.empty_like(stepped)
    np.put_along_axis(adjusted, order, np.minimum(stepped, 1.0), -1)
    return adjusted


def _probability(eta: float) -> float:
    return inputs.number("eta", eta, inputs.INSIDE)


def _coverage(gamma: Level) -> float:
    return float(inputs.level("gamma", gamma, inputs.ABOVE_ZERO))


def _counts(missed: ArrayLike, m: int) -> tuple[FloatArray, int]:
    m = inputs.whole("m", m, 1)
    missed = inputs.numbers("missed", missed, inputs.FINITE_NOT_NEGATIVE)
    if missed.size == 0 or (missed % 1 != 0).any() or (missed > m).any():
        raise ValueError(f"missed must be whole numbers of scenarios in 0..m, m = {m}")
    return missed, m


def _null_probability(gamma: Level, share: Level) -> float:
    gamma = inputs.level("gamma", gamma, inputs.ABOVE_ZERO)
    return float(gamma * (1 - inputs.level("share", share, inputs.BELOW_ONE)))


def _mean_cluster_share(missed: ArrayLike, clusters: ArrayLike) -> tuple[FloatArray, int]:
    missed, clusters = inputs.aligned(missed=missed, clusters=clusters)
    missed = inputs.numbers("missed", missed, inputs.UNIT)
    labels = inputs.labels("clusters", clusters, len(np.atleast_1d(missed)))
    _, member, sizes = inputs.numbered(labels)
    weight = 1.0 / (len(sizes) * sizes[member])
    return np.tensordot(weight, missed, 1), len(sizes)
