"""Scenarios that come in clusters (topics, waves, studies): what they cost, what can still be said.

Scenarios of one cluster resemble each other, so that m of them say less of the population than m
drawn independently, and the statements of :mod:`fidelity.curves.guarantee` fail too often for
scenarios
of new clusters: with 12 clusters of 20, normal scores of Δ with an intraclass correlation of .3,
and η = .05, the exact bound fails in 10 % (γ = .3) to 21 % (γ = 1) of the studies. What is offered
instead:

- :func:`one_per_cluster_curve`: rigorous, for a scenario of a new cluster, on average over studies.
- :func:`new_cluster_exact_miss`: rigorous, with probability 1-η; says little with few clusters.
- :func:`design_effect_exact_miss`: approximate; fails in 5 to 7 % of those studies, but in up to
  17 % with 3 to 7 clusters. :func:`effective_clusters` tells whether there are enough.
- :func:`cluster_bootstrap`: descriptive.

For scenarios of the *same* clusters the statements of :mod:`fidelity.curves.guarantee` at one rank
hold: see :func:`fidelity.curves.guarantee.exact_miss`.

``clusters`` is always one label per scenario, (m,), of any type that NumPy can sort; none missing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy as sp
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import FloatArray, IntArray, Levels
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.comparison import few_clusters
from fidelity.curves.guarantee import marginal_curve
from fidelity.levels import Level

CELLS_AT_ONCE = 2**22


def intraclass_correlation(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return the share of the variance that lies between clusters (one-way ANOVA estimator).

    (B - W)/(B + (n₀-1)W) with B and W the mean squares between and within clusters and
    n₀ = (m - Σm_c²/m)/(G-1), for G clusters of sizes m_c (Donner 1986). It is -1/(n₀-1) at least
    and may be negative: by chance where clusters don't matter, or where scenarios of one cluster
    differ more than scenarios do in general. It is not clipped.

    Args:
        values: one finite number per scenario, (m,).
        clusters: one label per scenario.

    Returns:
        The estimate; NaN if all values are equal.

    Raises:
        ValueError: if there are fewer than 2 clusters, or none has 2 scenarios.

    Examples:
        >>> from fidelity import intraclass_correlation
        >>> upper = [0.10, 0.12, 0.11, 0.30, 0.28, 0.33, 0.18, 0.22]
        >>> topic = ["tax", "tax", "tax", "health", "health", "health", "law", "law"]
        >>> print(round(intraclass_correlation(upper, topic), 2))
        0.96
    """
    values, member, sizes = _grouped(values, clusters)
    m, n_clusters = len(values), len(sizes)
    if not 2 <= n_clusters < m:
        raise ValueError(
            "clusters must be at least 2, one of them with at least 2 scenarios, for a correlation "
            "within clusters"
        )
    means = np.bincount(member, values) / sizes
    between = (sizes * (means - values.mean()) ** 2).sum() / (n_clusters - 1)
    within = ((values - means[member]) ** 2).sum() / (m - n_clusters)
    size = (m - (sizes**2).sum() / m) / (n_clusters - 1)
    if np.ptp(values) == 0.0:
        return float("nan")
    return float((between - within) / (between + (size - 1) * within))


def design_effect(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return the factor by which clusters inflate the variance of the mean of ``values``.

    1 + (m̃ - 1)·ICC (Kish 1965) with m̃ = Σm_c²/m, the size of the cluster of a scenario drawn at
    random; below 1 where the estimated ICC is negative. 1 if every scenario is its own cluster; m̃
    if all values are equal, since they show nothing of the ICC, and 1 is its worst.

    Examples:
        >>> from fidelity import design_effect
        >>> upper = [0.10, 0.12, 0.11, 0.30, 0.28, 0.33, 0.18, 0.22]
        >>> topic = ["tax", "tax", "tax", "health", "health", "health", "law", "law"]
        >>> print(round(design_effect(upper, topic), 2))
        2.68
    """
    values, member, sizes = _grouped(values, clusters)
    size = float((sizes**2).sum() / len(values))
    if len(sizes) == len(values):
        return 1.0
    icc = intraclass_correlation(values, member)
    return size if np.isnan(icc) else 1.0 + (size - 1.0) * icc


def effective_scenarios(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return how many independent scenarios give as precise a mean: m over the design effect.

    At most m: a design effect below 1 is most likely chance.

    Examples:
        >>> from fidelity.curves import effective_scenarios
        >>> upper = [0.10, 0.12, 0.11, 0.30, 0.28, 0.33, 0.18, 0.22]
        >>> topic = ["tax", "tax", "tax", "health", "health", "health", "law", "law"]
        >>> print(round(effective_scenarios(upper, topic), 1))
        3.0
    """
    return float(np.shape(values)[0] / max(1.0, design_effect(values, clusters)))


def design_effect_exact_miss(
    upper: ArrayLike, clusters: ArrayLike, gamma: Level, rank: int, eta: float
) -> float:
    """Return the exact bound on P(Δ > Δ̂_(rank)), corrected for clusters; approximate.

    The bound of :func:`fidelity.curves.guarantee.exact_miss` with m replaced by the effective
    number of scenarios m* of the indicators 1{Δ̂_j > Δ̂_(rank)}, times (t_{m-1}/t_{G-1})² of the
    (1-η)-quantiles of Student's t for the few clusters that the ICC is estimated from, rounded
    down; and m - rank by the same share of m* (Korn & Graubard 1998). With no scenario beyond, each
    cluster counts as little more than one scenario. How often it fails is not proven. At η = .05,
    τ = .9 and ICCs from 0 to .9 it failed at worst in these shares of simulated studies, with
    normal and with exponential deviations of clusters: 3 clusters of 96: .08, .17. 4 of 51: .09,
    .16. 7 of 31: .08, .17. 12 of 20: .09, .12. 20 of 10: .07, .08. 5 clusters, one with 60 % of the
    scenarios: .07, .14. So use it from 20 :func:`effective_clusters` on, and
    :func:`new_cluster_exact_miss` below.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        clusters: one label per scenario; at least 2 clusters.
        gamma: the smallest coverage any scenario can have.
        rank: 1..m, fixed in advance.
        eta: in (0, ½), the failure probability aimed at.

    Examples:
        >>> import numpy as np
        >>> from fidelity import design_effect_exact_miss
        >>> topic = np.arange(200) // 5  # 40 topics with 5 questions each
        >>> upper = np.random.default_rng(0).uniform(0, 0.1, 200) + 0.1 * np.sin(topic) ** 2
        >>> print(round(design_effect_exact_miss(upper, topic, 0.5, rank=190, eta=0.05), 2))
        0.19
    """
    upper, member, sizes = _grouped(upper, clusters, name="upper", domain=inputs.REAL)
    m, n_clusters = len(upper), len(sizes)
    gamma = inputs.level("gamma", gamma, inputs.ABOVE_ZERO)
    rank = inputs.whole("rank", rank, 1, m)
    eta = inputs.number("eta", eta, inputs.INSIDE)
    if eta >= 0.5:
        raise ValueError(f"eta must be a number in (0, 1/2), not {eta}")
    if n_clusters < 2:
        raise ValueError("clusters must be at least 2: one says nothing of others")
    beyond = (upper > np.sort(upper)[rank - 1]).astype(float)
    few = (sp.special.stdtrit(m - 1, 1 - eta) / sp.special.stdtrit(n_clusters - 1, 1 - eta)) ** 2
    effective = max(1.0, np.floor(few * effective_scenarios(beyond, member)))
    share = (m - rank) / m
    bound = sp.special.betaincinv(share * effective + 1, (1 - share) * effective, 1 - eta)
    return min(1.0, float(bound) / float(gamma))


def effective_clusters(clusters: ArrayLike) -> float:
    """Return how many clusters of equal size weigh as much: m²/Σm_c².

    The number of clusters if all are of one size, near 1 if one of them has nearly all scenarios.

    Examples:
        >>> from fidelity import effective_clusters
        >>> print(round(effective_clusters(["tax"] * 8 + ["health", "law"]), 2))
        1.52
    """
    clusters = inputs.labels("clusters", clusters)
    return few_clusters.effective_clusters(np.unique(clusters, return_counts=True)[1])


def new_cluster_exact_miss(clusters: ArrayLike, gamma: Level, rank: int, eta: float) -> float:
    """Return a bound on P(Δ > Δ̂_(rank)), Δ of a scenario of a new cluster; holds with 1-η.

    U/γ, at most 1, with KL(s ‖ U) = log(1/η)/G for G clusters, where s is the largest mean over
    clusters of the share of their scenarios that m - rank scenarios can be: all of the smallest
    clusters first. Proof: let S(t) be that mean of the scenarios with Δ̂ > t. It is the mean of G
    independent numbers in [0, 1] with expectation P(Δ̂ > t), of a scenario drawn at random from a
    new cluster. P(Δ̂ > Δ̂_(rank)) > U means that Δ̂_(rank) < t, t the smallest number with
    P(Δ̂ > t) ≤ U, so that the share of Δ̂ ≥ t is at most S(Δ̂_(rank)) ≤ s though its expectation is
    at least U: probability η at most (Hoeffding 1963, theorem 1). Then the thinning argument of
    :mod:`fidelity.curves.guarantee`.

    Nothing is assumed of scenarios within a cluster. Small clusters weigh as much as large ones,
    and a cluster's size has nothing to do with its discrepancies.

    Args:
        clusters: one label per scenario, (m,).
        gamma: the smallest coverage any scenario can have.
        rank: 1..m, fixed in advance.
        eta: in (0, 1).

    Returns:
        1, which says nothing, where clusters are few: at γ = ½ and s = .05 with fewer than 6.

    Examples:
        >>> import numpy as np
        >>> from fidelity import new_cluster_exact_miss
        >>> topic = np.arange(200) // 5  # 40 topics with 5 questions each
        >>> print(round(new_cluster_exact_miss(topic, 0.5, rank=190, eta=0.05), 2))
        0.36
    """
    sizes = np.sort(np.unique(inputs.labels("clusters", clusters), return_counts=True)[1])
    m = int(sizes.sum())
    gamma = inputs.level("gamma", gamma, inputs.ABOVE_ZERO)
    rank = inputs.whole("rank", rank, 1, m)
    eta = inputs.number("eta", eta, inputs.INSIDE)
    left = np.maximum(0, m - rank - np.append(0, np.cumsum(sizes)[:-1]))
    share = (np.minimum(left, sizes) / sizes).mean()
    bound = bernoulli_kl_upper(share, -np.log(eta) / len(sizes))
    return min(1.0, float(bound) / float(gamma))


def one_per_cluster_curve(
    upper: ArrayLike,
    clusters: ArrayLike,
    gamma: Level,
    tau: Levels,
    generator: np.random.Generator,
) -> FloatArray:
    """Return C(τ) with P(Δ_new ≤ C(τ)) ≥ τ for a scenario drawn from a new cluster.

    Conformal, from one scenario drawn at random from each of the G clusters: rank
    ceil((G+1)(1-γ(1-τ))) of G (the single subsampling of Dunn, Wasserman & Ramdas 2023). It needs
    only that the clusters are exchangeable, and holds on average over clusters, draws and the new
    scenario, pointwise in τ. The new scenario is one of its cluster drawn at random, so that small
    clusters weigh as much as large ones. Nothing is claimed for the average of curves over draws.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        clusters: one label per scenario.
        gamma: the smallest coverage any scenario can have.
        tau: levels in [0, 1].
        generator: draws the scenarios.

    Returns:
        (len(tau),); +inf where G clusters are too few, γ(1-τ) < 1/(G+1).

    Examples:
        >>> import numpy as np
        >>> from fidelity import one_per_cluster_curve
        >>> topic, upper = np.arange(200) // 5, np.linspace(0.02, 0.4, 200)
        >>> one_per_cluster_curve(upper, topic, 0.5, [0.5, 0.9], np.random.default_rng(0)).round(2)
        array([0.31, 0.38])
    """
    upper, member, _ = _grouped(upper, clusters, name="upper", domain=inputs.REAL)
    inputs.generator("generator", generator)
    order = generator.permutation(len(upper))
    first = np.unique(member[order], return_index=True)[1]
    return marginal_curve(upper[order[first]], gamma, tau)


def cluster_bootstrap(
    statistic: Callable[[IntArray], FloatArray],
    clusters: ArrayLike,
    generator: np.random.Generator,
    resamples: int,
) -> FloatArray:
    """Return a statistic in resamples of whole clusters, drawn with replacement; descriptive.

    A resample is how many times each scenario was drawn, its cluster's number, so that one call
    does many resamples at once: ``lambda w: values @ w / w.sum(0)`` for a mean, ``lambda w:
    weighted_quantile_curve(upper, gamma, tau, w)`` for curves, and scenarios
    ``np.repeat(np.arange(m), w[:, b])`` for anything else. The spread shows how much the clusters
    matter; quantiles of it are no confidence bounds at the few clusters that studies have.

    Args:
        statistic: maps weights (m, resamples) to numbers, (..., resamples).
        clusters: one label per scenario, (m,).
        generator: draws the clusters.
        resamples: how many.

    Returns:
        What ``statistic`` returns, (..., resamples).

    Examples:
        >>> import numpy as np
        >>> from fidelity import cluster_bootstrap
        >>> upper = np.array([0.10, 0.12, 0.11, 0.30, 0.28, 0.33, 0.18, 0.22])
        >>> topic = ["tax", "tax", "tax", "health", "health", "health", "law", "law"]
        >>> means = cluster_bootstrap(
        ...     lambda w: upper @ w / w.sum(0), topic, np.random.default_rng(0), resamples=500
        ... )
        >>> print(means.std().round(2))
        0.05
    """
    if not callable(statistic):
        raise TypeError(f"statistic must be a function of weights, not {statistic!r}")
    resamples = inputs.whole("resamples", resamples, 1)
    inputs.generator("generator", generator)
    labels, member = np.unique(inputs.labels("clusters", clusters), return_inverse=True)
    drawn = generator.multinomial(len(labels), np.full(len(labels), 1 / len(labels)), resamples)
    step = max(1, CELLS_AT_ONCE // len(member))
    parts = (drawn[start : start + step] for start in range(0, resamples, step))
    return np.concatenate([np.asarray(statistic(part[:, member].T)) for part in parts], axis=-1)


def _grouped(
    values: Any, clusters: Any, *, name: str = "values", domain: inputs.Domain = inputs.FINITE
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the values, each one's cluster as a number, and the clusters' sizes."""
    values, clusters = inputs.aligned(**{name: values, "clusters": clusters})
    values = inputs.vector(name, values, domain)
    clusters = inputs.labels("clusters", clusters, len(values))
    _, member, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    return values, member, sizes
