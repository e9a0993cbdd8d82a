"""Scenarios that come in clusters (topics, waves, studies), and statements that still hold there.

Scenarios of one cluster resemble each other. So m of them tell less about the population than m
scenarios drawn independently. The statements of :mod:`fidelity.curves.guarantee` then fail too
often for scenarios of new clusters. An example: 12 clusters of 20 scenarios, normal scores of Δ
with an intraclass correlation of .3, and η = .05. The exact bound fails there in 10 % (γ = .3) to
21 % (γ = 1) of the studies. This module offers instead:

- :func:`one_per_cluster_curve`: rigorous, for a scenario of a new cluster, on average over studies.
- :func:`new_cluster_exact_miss`: rigorous, with probability 1-η; wide where clusters are few.
- :func:`design_effect_exact_miss`: approximate. It fails in 5 to 7 % of the studies above, but in
  up to 17 % with 3 to 7 clusters. :func:`effective_clusters` tells whether there are enough.
- :func:`cluster_bootstrap`: descriptive.

For new scenarios of the *same* clusters, the statements of :mod:`fidelity.curves.guarantee` about
one rank hold: see :func:`fidelity.curves.guarantee.exact_miss`.

``clusters`` is always one label per scenario, (m,), of any type that NumPy can sort; none missing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray, Levels
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.blocks import blocks
from fidelity.comparison import few_clusters
from fidelity.curves.guarantee import marginal_curve
from fidelity.levels import Level

CELLS_AT_ONCE = 2**22


def intraclass_correlation(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return the share of the variance that lies between clusters (one-way ANOVA estimator).

    (B - W)/(B + (n₀-1)W), with B and W the mean squares between and within clusters. For G clusters
    of sizes m_c, n₀ = (m - Σm_c²/m)/(G-1) (Donner 1986). The estimate is at least -1/(n₀-1). It may
    be negative by chance, or where scenarios of one cluster differ more than scenarios of different
    clusters. It is not clipped.

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

    1 + (m̃ - 1)·ICC (Kish 1965). m̃ = Σm_c²/m is the expected size of the cluster of a scenario
    drawn at random. The factor is below 1 where the estimated intraclass correlation (ICC) is
    negative, and 1 if every scenario is its own cluster. If all values are equal, they tell nothing
    about the ICC; the result is then m̃, for the worst ICC of 1.

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
    """Return the number of independent scenarios that would give an equally precise mean.

    It is m over the design effect, and at most m: a design effect below 1 is most likely chance.

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
    """Return how often a bound fails at most on new scenarios, corrected for clusters.

    P(Δ > Δ̂_(rank)); the exact bound with fewer scenarios, approximate.

    The bound is that of :func:`fidelity.curves.guarantee.exact_miss`, with m replaced by an
    effective number of scenarios and m - rank by the same share of it (Korn & Graubard 1998). The
    effective number is m* of the indicators 1{Δ̂_j > Δ̂_(rank)}. It is multiplied by
    (t_{m-1}/t_{G-1})², a ratio of (1-η)-quantiles of Student's t, because the ICC is estimated from
    few clusters. It is then rounded down. If no scenario is beyond the rank, each cluster counts as
    little more than one scenario.

    The failure probability is not proven. It was simulated at η = .05, τ = .9 and ICCs from 0 to
    .9. The largest shares of failed studies, with normal and with exponential deviations of
    clusters, were: .08 and .17 (3 clusters of 96); .09 and .16 (4 of 51); .08 and .17 (7 of 31);
    .09 and .12 (12 of 20); .07 and .08 (20 of 10). With 5 clusters, one of which has 60 % of the
    scenarios, they were .07 and .14. So use it from 20 :func:`effective_clusters` on, and
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
        raise ValueError("clusters must be at least 2: one cluster tells nothing about others")
    beyond = (upper > np.sort(upper)[rank - 1]).astype(float)
    few = (sp.special.stdtrit(m - 1, 1 - eta) / sp.special.stdtrit(n_clusters - 1, 1 - eta)) ** 2
    effective = max(
        1.0, np.floor(few_clusters.to_12_digits(few * effective_scenarios(beyond, member)))
    )
    share = (m - rank) / m
    bound = sp.special.betaincinv(share * effective + 1, (1 - share) * effective, 1 - eta)
    return min(1.0, float(bound) / float(gamma))


def effective_clusters(clusters: ArrayLike) -> float:
    """Return how many clusters of one size would tell as much as these.

    The effective number, m²/Σm_c².

    It equals the number of clusters if all have one size. It is near 1 if one of them has nearly
    all scenarios.

    Examples:
        >>> from fidelity import effective_clusters
        >>> print(round(effective_clusters(["tax"] * 8 + ["health", "law"]), 2))
        1.52
    """
    clusters = inputs.labels("clusters", clusters)
    return few_clusters.effective_clusters(np.unique(clusters, return_counts=True)[1])


def new_cluster_exact_miss(clusters: ArrayLike, gamma: Level, rank: int, eta: float) -> float:
    """Return how often a bound fails at most on a scenario of a new cluster.

    A bound on P(Δ > Δ̂_(rank)), at confidence 1-η.

    The bound is ū/γ, at most 1, with KL(s ‖ ū) = log(1/η)/G for G clusters. Here s is a mean over
    clusters: the mean share of a cluster's scenarios that lie beyond the rank. It is the largest
    such mean that m - rank scenarios can have, which is reached by filling the smallest clusters
    first.

    Proof: let S(t) be the mean over clusters of the share of scenarios with Δ̂ > t. It is the mean
    of G independent numbers in [0, 1]. Its expectation is P(Δ̂ > t) for a scenario drawn at random
    from a new cluster. Let t be the smallest number with P(Δ̂ > t) ≤ ū. If P(Δ̂ > Δ̂_(rank)) > ū,
    then Δ̂_(rank) < t. Then the mean share of Δ̂ ≥ t is at most S(Δ̂_(rank)) ≤ s, although its
    expectation is at least ū. The probability of this is at most η (Hoeffding 1963, theorem 1). The
    thinning argument of :mod:`fidelity.curves.guarantee` does the rest.

    Nothing is assumed about the scenarios within a cluster. Small clusters weigh as much as large
    ones, so a cluster's size should have nothing to do with its discrepancies.

    Args:
        clusters: one label per scenario, (m,).
        gamma: the smallest coverage any scenario can have.
        rank: 1..m, fixed in advance.
        eta: in (0, 1).

    Returns:
        1, a bound without content, where clusters are few: fewer than 6 at γ = ½ and s = .05.

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
    """Return how far a simulator is at most on a scenario of a new cluster.

    C(τ) with P(Δ_new ≤ C(τ)) ≥ τ for a scenario drawn from it.

    Conformal, from one scenario drawn at random from each of the G clusters: rank
    ceil((G+1)(1-γ(1-τ))) of G (the single subsampling of Dunn, Wasserman & Ramdas 2023). It needs
    only that the clusters are exchangeable. The probability is over clusters, draws and the new
    scenario together, for one τ at a time. The new scenario is drawn at random from its cluster, so
    small clusters weigh as much as large ones. Nothing is claimed for an average of curves over
    several draws.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        clusters: one label per scenario.
        gamma: the smallest coverage any scenario can have.
        tau: levels in [0, 1].
        generator: draws the scenarios.

    Returns:
        (len(tau),); +inf where G clusters are too few, that is where γ(1-τ) < 1/(G+1).

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

    ``statistic`` gets many resamples at once, as the number of times that each scenario was drawn;
    all scenarios of a cluster have the same number. A mean is ``lambda w: values @ w / w.sum(0)``,
    and a curve is ``lambda w: weighted_quantile_curve(upper, gamma, tau, w)``. For any other
    statistic, ``np.repeat(np.arange(m), w[:, b])`` lists the scenarios of resample b. The spread
    shows how much the clusters matter. Its quantiles are no confidence bounds at the few clusters
    that studies have.

    Args:
        statistic: maps weights (m, resamples) to numbers, (..., resamples).
        clusters: one label per scenario, (m,).
        generator: draws the clusters.
        resamples: how many.

    Returns:
        The values of ``statistic``, (..., resamples).

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
    parts = (drawn[rows] for rows in blocks(resamples, len(member), CELLS_AT_ONCE))
    return np.concatenate([np.asarray(statistic(part[:, member].T)) for part in parts], axis=-1)


def _grouped(
    values: Any, clusters: Any, *, name: str = "values", domain: inputs.Domain = inputs.FINITE
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the values, the number of each value's cluster, and the clusters' sizes."""
    values, clusters = inputs.aligned(**{name: values, "clusters": clusters})
    values = inputs.vector(name, values, domain)
    _, member, sizes = inputs.numbered(inputs.labels("clusters", clusters, len(values)))
    return values, member, sizes
