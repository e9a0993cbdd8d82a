"""Scenarios that matter unequally, scenarios not seen yet, and a check on held-out scenarios.

Suppose that the scenarios at hand were drawn from P, and that the scenarios of interest come from
Q. Then each scenario counts with its weight w_j = dQ/dP, a function of the scenario that is known
up to a factor.

A bound V on the discrepancy of a new scenario turns the simulator's answer q there into a set for
people's answer: {u : L(u, q) ≤ V} ([QC], section 4). With V = V̂(1-γα) the set holds p with
probability 1-α, asymptotically. Two other V give this at finite m, on average over studies:
:func:`fidelity.curves.guarantee.marginal_curve` at 1-α, and :func:`weighted_conformal_bound`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Levels
from fidelity.curves.quantile import ROUNDING, value_at_risk
from fidelity.levels import Level
from fidelity.pseudo_discrepancies import between


def weighted_quantile_curve(
    upper: ArrayLike,
    gamma: ArrayLike,
    tau: Levels,
    weights: ArrayLike,
) -> FloatArray:
    """Return how far a simulator is at most on each share of a weighted population.

    V̂(τ) = inf{t : S_w(t) ≤ 1-τ}, S_w(t) = Σ w_j 1{Δ̂_j > t}/γ_j / Σ w_j.

    As the number of scenarios grows, S_w bounds Q(Δ > t), even if γ_j is related to Δ_j. The sum is
    divided by Σ w_j, but not by a sum of 1/γ_j. With equal weights the curve is
    :func:`fidelity.quantile_curve`. It varies about as much as a curve of (Σw)²/Σw² scenarios
    (Kish). There is no statement at finite m.

    Args:
        upper: upper pseudo-discrepancies Δ̂_j, (m,); +inf allowed.
        gamma: coverage, one or (m,).
        tau: a level in [0, 1], or several.
        weights: w_j ≥ 0, not all 0, (m,), or (m, B) for B curves at once.

    Returns:
        (len(tau),), or (len(tau), B).

    Examples:
        >>> from fidelity import weighted_quantile_curve
        >>> upper, weights = [0.05, 0.10, 0.20, 0.30], [3, 3, 1, 1]  # the first two matter more
        >>> weighted_quantile_curve(upper, 0.5, [0.5], weights)
        array([0.1])
    """
    upper, gamma, weights = inputs.aligned(upper=upper, gamma=gamma, weights=weights)
    upper, weights = _weighted(upper, weights)
    gamma = inputs.each("gamma", gamma, inputs.ABOVE_ZERO, len(upper))
    order = np.argsort(upper)
    allowed = inputs.levels("tau", tau).rest
    share = (weights / weights.sum(0)).T / gamma
    share = share[..., order]
    # S_w at the largest value, at the next one, and so on: sums over larger values only.
    survival = np.zeros_like(share)
    np.cumsum(share[..., :0:-1], axis=-1, out=survival[..., 1:])
    few = [np.searchsorted(row, allowed + ROUNDING, "right") for row in np.atleast_2d(survival)]
    ranks = len(upper) - np.reshape(few, (*share.shape[:-1], len(allowed)))
    return upper[order][ranks].T


def cluster_weights(clusters: ArrayLike, target: Mapping[Any, float]) -> FloatArray:
    """Return what scenarios weigh so that clusters have the shares that they have in a target.

    w_j: the target's share of each scenario's cluster over that in the sample.

    The weights are exact if scenarios of one cluster have the same distribution in the population
    they are drawn from and in the target. The clusters' shares in the sample stand for their shares
    in the population.

    Args:
        clusters: one label per scenario, (m,).
        target: weight of each cluster in the target, ≥ 0, up to a common factor.

    Raises:
        ValueError: if the target lacks a cluster of the sample, or has one without scenarios.

    Examples:
        >>> from fidelity import cluster_weights
        >>> cluster_weights(["tax", "tax", "tax", "law"], {"tax": 1, "law": 1}).round(3)
        array([0.667, 0.667, 0.667, 2.   ])
    """
    clusters = inputs.labels("clusters", clusters)
    names, member, size = inputs.numbered(clusters)
    if not hasattr(target, "keys"):
        raise TypeError(f"target must be a dict, cluster -> weight, not {type(target).__name__}")
    lacking = set(names.tolist()) ^ set(target.keys())
    if lacking:
        listed = ", ".join(sorted(map(str, lacking)))
        raise ValueError(f"target must have the same clusters as the scenarios; see {listed}")
    wanted = [target[name] for name in names.tolist()]
    share = inputs.mixture("target", wanted)
    return (share / (size / len(clusters)))[member]


def weighted_conformal_bound(
    upper: ArrayLike,
    gamma: Level,
    alpha: Level,
    weights: ArrayLike,
    new_weight: ArrayLike,
) -> FloatArray:
    """Return how far a simulator is at most on a new scenario of a weighted population.

    V with P(Δ_new ≤ V) ≥ 1-α for a new scenario from Q (weighted split conformal).

    V is the (1-γα)-quantile of the Δ̂_j with weights w_j, together with +inf at the weight of the
    new scenario (Tibshirani, Foygel Barber, Candès & Ramdas 2019). It bounds the Δ̂ of the new
    scenario with probability 1-γα, and so, by thinning, its Δ with probability 1-α. Scenarios must
    be drawn independently from P, and the weights must be exact functions of the scenario. The
    probability is over the m scenarios and the new one together. With equal weights V is the order
    statistic of rank :func:`fidelity.marginal_rank`.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma: the smallest coverage any scenario can have.
        alpha: miss probability in [0, 1].
        weights: w_j = dQ/dP up to a common factor, ≥ 0, (m,).
        new_weight: w of the new scenario, > 0; several weights give one bound each.

    Returns:
        In the shape of ``new_weight``; +inf where the new scenario weighs too much.

    Examples:
        >>> import numpy as np
        >>> from fidelity import weighted_conformal_bound
        >>> upper, weights = np.linspace(0.02, 0.4, 100), np.linspace(2, 1, 100)
        >>> print(weighted_conformal_bound(upper, 0.5, 0.1, weights, new_weight=1.5).round(3))
        0.381
    """
    upper, weights = inputs.aligned(upper=upper, weights=weights)
    upper = inputs.vector("upper", upper, inputs.REAL)
    weights = _weights(inputs.vector("weights", weights, inputs.FINITE_NOT_NEGATIVE, len(upper)))
    gamma = inputs.level("gamma", gamma, inputs.ABOVE_ZERO)
    miss = float(gamma * inputs.level("alpha", alpha))
    new_weight = inputs.one_or_more("new_weight", new_weight, inputs.FINITE_POSITIVE)
    order = np.argsort(upper)
    beyond = np.append(np.cumsum(weights[order][::-1])[-2::-1], [0.0])
    total = weights.sum() + new_weight
    allowed = miss * total - new_weight + ROUNDING * total
    rank = np.searchsorted(-beyond, -allowed, "left")
    return np.append(upper[order], np.inf)[rank]


def scenario_set_mean(q_mean: ArrayLike, bound: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return where people's mean may lie in a scenario not seen, from a bound on its distance.

    The interval [q - V, q + V].

    Args:
        q_mean: the simulator's mean score there, one or (m,).
        bound: V on the ``absolute`` discrepancy; the root of V for ``squared``.

    Examples:
        >>> from fidelity import scenario_set_mean
        >>> low, high = scenario_set_mean([0.2, -0.4], 0.15)  # mean scores of the simulator, and V
        >>> low.round(2), high.round(2)
        (array([ 0.05, -0.55]), array([ 0.35, -0.25]))
    """
    q_mean, bound = inputs.aligned(q_mean=q_mean, bound=bound)
    q_mean = inputs.one_or_more("q_mean", q_mean, inputs.FINITE)
    bound = _bounds(bound, q_mean.shape)
    return q_mean - bound, q_mean + bound


def in_scenario_set(
    u: ArrayLike,
    q: ArrayLike,
    bound: ArrayLike,
    discrepancy: str,
    scores: ArrayLike | None = None,
) -> FloatArray:
    """Tell which shares of answers are as near to the simulator's as a bound allows.

    Which rows of ``u`` lie in {u : L(u, q) ≤ V}, a scenario's set.

    Args:
        u: people's probabilities of the options, (d,) or (m, d).
        q: the simulator's, (d,) or as ``u``. NaN in both where a scenario lacks an option.
        bound: V, one or one per row.
        discrepancy: one of :data:`fidelity.DISCREPANCIES`.
        scores: the options' scores, for discrepancies on means, (d,) or (m, d).

    Returns:
        True or False, () or (m,).

    Examples:
        >>> from fidelity import in_scenario_set
        >>> model = [0.2, 0.3, 0.5]
        >>> in_scenario_set([[0.25, 0.3, 0.45], [0.4, 0.4, 0.2]], [model, model], 0.1, "tv")
        array([ True, False])
    """
    u, q, bound, scores = inputs.aligned(
        u=u, q=q, bound=bound, scores=scores, across=("u", "q", "scores")
    )
    u, q = inputs.probabilities("u", u), inputs.probabilities("q", q)
    bound = _bounds(bound, u.shape[:-1])
    if q.shape not in (u.shape, u.shape[-1:]):
        raise ValueError(f"q must have the shape of u or of a row of it, {u.shape}, not {q.shape}")
    p, q = np.atleast_2d(u), np.broadcast_to(q, np.atleast_2d(u).shape)
    inside = np.empty(len(p), bool)
    exists = inputs.options_of("u", p, {"q": q})
    for rows, there, values in inputs.scales(exists, inputs.scores_of(scores, exists.shape)):
        cells = np.ix_(rows, there)
        distance = between(p[cells], q[cells], discrepancy=discrepancy, scores=values)
        inside[rows] = distance <= np.broadcast_to(bound, len(p))[rows]
    return inside.reshape(u.shape[:-1])[()]


class HeldOutCoverage(NamedTuple):
    """How often people's answers in held-out scenarios stayed within the bound of the others.

    Attributes:
        mean: coverage, averaged over the splits.
        standard_error: of that mean, over the splits alone; all splits have the same scenarios.
        nominal: 1-α, the least coverage that the bound promises.
    """

    mean: float
    standard_error: float
    nominal: float


def held_out_coverage(
    delta: ArrayLike,
    upper: ArrayLike,
    gamma: ArrayLike,
    alpha: Level,
    generator: np.random.Generator,
    splits: int,
) -> HeldOutCoverage:
    """Return how often people's answers lie where a curve of the other scenarios says.

    How often people's answer lies in the set {u : L(u, q) ≤ V̂(1-γα)} of a scenario.

    The scenarios are split at random into two halves. V̂ comes from the pseudo-discrepancies of one
    half. In the other half it is compared with the discrepancies from all people's answers. Honest
    pseudo-discrepancies exceed the true ones, so coverage above 1-α is the rule. Coverage below 1-α
    by more than chance means that an assumption fails. Since V̂ comes from m/2 scenarios, a
    shortfall of up to 1/(γ(m/2+1)) is possible even so.

    Args:
        delta: L(p, q) with p the shares among all people asked, many per scenario, (m,).
        upper: upper pseudo-discrepancies from subsamples or fewer people, (m,).
        gamma: their coverage, one or (m,).
        alpha: miss probability in [0, 1].
        generator: draws the splits.
        splits: how many, at least 2.

    Examples:
        >>> import numpy as np
        >>> from fidelity import held_out_coverage
        >>> generator = np.random.default_rng(0)
        >>> delta = generator.uniform(0.0, 0.3, 200)
        >>> found = held_out_coverage(delta, delta + 0.02, 0.5, 0.1, generator, splits=100)
        >>> print(round(found.mean, 2), found.nominal)
        1.0 0.9
    """
    delta, upper, gamma = inputs.aligned(delta=delta, upper=upper, gamma=gamma)
    upper = inputs.vector("upper", upper, inputs.REAL)
    m = len(upper)
    delta = inputs.vector("delta", delta, inputs.REAL, m)
    gamma = inputs.each("gamma", gamma, inputs.ABOVE_ZERO, m)
    alpha = inputs.level("alpha", alpha)
    inputs.generator("generator", generator)
    splits = inputs.whole("splits", splits, 2)
    if m < 2:
        raise ValueError("upper must be a vector of at least 2 numbers, one per scenario, not of 1")
    half = m // 2
    order = np.stack([generator.permutation(m) for _ in range(splits)])
    calibration, held_out = np.split(order, [half], axis=1)
    if (gamma == gamma[0]).all():  # the bound has one rank in all splits
        place = int(value_at_risk(np.arange(half), gamma[:half], alpha))
        bounds = np.sort(upper[calibration], axis=1)[:, place]
    else:
        bounds = np.array([value_at_risk(upper[part], gamma[part], alpha) for part in calibration])
    covered = (delta[held_out] <= bounds[:, None]).mean(1)
    return HeldOutCoverage(
        float(covered.mean()),
        float(covered.std(ddof=1) / np.sqrt(splits)),
        float(1 - alpha),
    )


def _weighted(upper: Any, weights: Any) -> tuple[FloatArray, FloatArray]:
    """Return upper discrepancies, (m,), and weights, (m,) or (m, B)."""
    upper = inputs.vector("upper", upper, inputs.REAL)
    if inputs.axes("weights", weights) == 2:
        shape = (len(upper), "curves")
        return upper, _weights(inputs.table("weights", weights, inputs.FINITE_NOT_NEGATIVE, shape))
    weights = inputs.vector("weights", weights, inputs.FINITE_NOT_NEGATIVE, len(upper))
    return upper, _weights(weights)


def _weights(weights: FloatArray) -> FloatArray:
    if not (weights.sum(0) > 0).all():
        raise ValueError("weights must not all be 0")
    return weights


def _bounds(bound: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return bounds on a discrepancy, one or as many as there are scenarios."""
    if shape == ():
        return np.asarray(inputs.number("bound", bound, inputs.NOT_NEGATIVE))
    return inputs.each("bound", bound, inputs.NOT_NEGATIVE, *shape)
