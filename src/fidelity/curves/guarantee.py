"""Guarantees of a quantile curve at this number of scenarios m, not only as m grows.

All statements are about a new scenario from the population that the m scenarios were drawn from,
independently of each other. They fail for scenarios in clusters (see
:mod:`fidelity.curves.clusters`), and where the same respondents answer all scenarios.

- ``asymptotic``: the index map alone; no statement at finite m.
- ``paper``: [QC], Theorem 3.1, for γ = ½.
- ``exact``: P(Δ > Δ̂_(r)) ≤ ū/γ with probability at least 1-η over the m scenarios. ū is the
  (1-η)-quantile of Beta(m-r+1, r). Thinning argument: a scenario with Δ > t has Δ̂ > t with
  probability at least γ, so P(Δ > t) ≤ P(Δ̂ > t)/γ; and the order statistics of Δ̂ are those of m
  independent draws.
- ``simultaneous``: the same for all ranks, and so all τ, at once (Berk-Jones, or DKW-Massart).
- ``marginal``: P(Δ_new ≤ Δ̂_(r)) ≥ 1-α on average over the m scenarios (conformal).

Where coverages differ between scenarios, γ is the smallest one that the schedule can give. The
``weighted`` curves use every scenario's own coverage. Lower curves have mirrored statements.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, log, pi, sqrt
from typing import Any

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray, Levels
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.binomial import share_upper
from fidelity.comparison import few_clusters
from fidelity.curves.quantile import ROUNDING, quantile_curve
from fidelity.levels import Level, rational

MOST_RANKS = 3000
NEGLIGIBLE = 1e-25
LEVEL_PRECISION = 1e-6
SMALLEST_ETA = 1e-6


def paper_remainder(alpha: float, m: int, eta: float) -> float:
    """Return ε(α, m, η)/√m of [QC], Theorem 3.1.

    ε = sqrt(2αℓ + (ℓ² + 4ℓ)/m) + (ℓ + 2)/√m + sqrt(log(4/η)/2), ℓ = log(2m/η).
    """
    size = log(2 * m / eta)
    epsilon = (
        sqrt(2 * alpha * size + (size**2 + 4 * size) / m)
        + (size + 2) / sqrt(m)
        + sqrt(log(4 / eta) / 2)
    )
    return epsilon / sqrt(m)


def paper_level(alpha: float, m: int, eta: float) -> float:
    """Return the share of scenarios for which the paper's theorem guarantees a bound.

    1 - α - ε/√m, at least 0: the guarantee of [QC], Theorem 3.1, for V̂(1-α/2) at γ = ½.

    ε = sqrt(2αℓ + (ℓ² + 4ℓ)/m) + (ℓ + 2)/√m + sqrt(log(4/η)/2) with ℓ = log(2m/η).

    Examples:
        >>> from fidelity import paper_level
        >>> print(round(paper_level(0.1, 235, 0.05), 3))  # aims at 90 %, guarantees less
        0.656
    """
    alpha = inputs.number("alpha", alpha, inputs.UNIT)
    m, eta = inputs.whole("m", m, 1), inputs.number("eta", eta, inputs.INSIDE)
    return max(0.0, 1.0 - alpha - paper_remainder(alpha, m, eta))


def exact_miss(m: int, gamma: Level, eta: float, shared: int = 1) -> FloatArray:
    """Return, for ranks r = 1..m, the bound on P(Δ > Δ̂_(r)) that holds with probability 1-η.

    The bound is the (1-η)-quantile of Beta(m-r+1, r) over γ, at most 1; shape (m,), decreasing in
    r. It holds for one rank, fixed in advance.

    Proof: let ū be that quantile, P(Bin(m, ū) ≤ m-r) = η, and t* = sup{t : P(Δ̂ > t) > ū}, so that
    P(Δ̂ > t*) ≤ ū. For t < t* the event {Δ̂_(r) ≤ t}, that at most m-r of the Δ̂_j lie above t, has
    a probability of at most η. Let t rise to t*: P(Δ̂_(r) < t*) ≤ η. Otherwise
    P(Δ̂ > Δ̂_(r)) ≤ ū, and P(Δ > t) ≤ P(Δ̂ > t)/γ at every t.

    It also holds for a scenario of the same clusters, each drawn with its share of the m scenarios,
    if scenarios are independent given their cluster. Then the number of Δ̂ > t is a sum of
    independent events with unequal probabilities of mean v. Such a number is K or less with at most
    the binomial probability if K ≤ mv - 1 (Hoeffding 1956, theorem 4). With K = m - r and v above
    the bound on P(Δ̂ > t), this is so at η ≤ ¼ and r > 1, since P(Bin(m, i/m) < i) ≥ ¼ for i < m
    (Doerr 2018). The bound does not hold for a scenario of a new cluster
    (:mod:`fidelity.curves.clusters`).

    Where people answer several scenarios, their errors go together. Suppose that scenarios fall
    into groups of at most ``shared`` with people in common, and that no two groups have people in
    common. Then the bound is ū/γ with KL((m-r)/m ‖ ū) = shared·log(1/η)/m (Janson 2004, theorem
    2.1). The reason: the scenarios fall into ``shared`` classes of independent scenarios. By
    Hölder's inequality the Chernoff bound of all is the bound of m independent scenarios to the
    power 1/shared. Nothing is assumed about the dependence of scenarios with people in common.

    Args:
        m: scenarios.
        gamma: the smallest coverage any scenario can have.
        eta: probability that the bound fails.
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.
    """
    m, eta = inputs.whole("m", m, 1), inputs.number("eta", eta, inputs.INSIDE)
    shared = inputs.whole("shared", shared, 1)
    return np.minimum(1.0, _rank_miss(m, eta, shared) / float(_coverage(gamma)))


@lru_cache(maxsize=64)
def _rank_miss(m: int, eta: float, shared: int) -> FloatArray:
    return share_upper(np.arange(m - 1.0, -1.0, -1.0), m, eta, shared)


def exact_level(m: int, gamma: Level, rank: int, eta: float, shared: int = 1) -> float:
    """Return on what share of scenarios a bound holds at least.

    The share with Δ ≤ Δ̂_(rank), with probability at least 1-η.

    Examples:
        >>> from fidelity import exact_level
        >>> print(round(exact_level(235, 0.5, rank=224, eta=0.05), 3))
        0.847
    """
    rank = inputs.whole("rank", rank, 1, inputs.whole("m", m, 1))
    return 1.0 - float(exact_miss(m, gamma, eta, shared)[rank - 1])


def exact_ranks(m: int, gamma: Level, tau: Levels, eta: float, shared: int = 1) -> IntArray:
    """Return the smallest rank r with P(Δ ≤ Δ̂_(r)) ≥ τ guaranteed; m + 1 where no rank has it."""
    return _smallest_ranks(exact_miss(m, gamma, eta, shared), tau)


def certified_curve(
    upper: ArrayLike, gamma: Level, tau: Levels, eta: float, shared: int = 1
) -> FloatArray:
    """Return how far a simulator is at most on each share of scenarios, share by share.

    Each point of the curve holds with probability at least 1-η (``exact``).

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma: the smallest coverage any scenario can have.
        tau: levels in [0, 1].
        eta: probability that a point fails, over the draw of the m scenarios; pointwise in τ.
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.

    Returns:
        (len(tau),); +inf where m scenarios are too few for that level.

    Examples:
        >>> import numpy as np
        >>> from fidelity import certified_curve, quantile_curve
        >>> upper = np.linspace(0.02, 0.4, 100)  # of 100 scenarios
        >>> certified_curve(upper, 0.5, [0.5, 0.9, 0.99], eta=0.05).round(3)
        array([0.335, 0.396,   inf])
        >>> quantile_curve(upper, 0.5, [0.5, 0.9, 0.99]).round(3)  # asymptotic, without a margin
        array([0.304, 0.381, 0.4  ])
    """
    upper = inputs.vector("upper", upper, inputs.REAL)
    return _at_ranks(upper, exact_ranks(len(upper), gamma, tau, eta, shared))


def berk_jones_miss(m: int, gamma: Level, eta: float) -> FloatArray:
    """Return, for r = 1..m, bounds on P(Δ > Δ̂_(r)) that all hold at once with probability 1-η.

    The one-sided band of Berk & Jones (1979), calibrated exactly. At rank r the bound is the
    (1-l)-quantile of Beta(m-r+1, r) over γ, at most 1. All ranks have one local level l, at which m
    uniform order statistics break any of the m bounds with probability η. l is found to a relative
    10⁻⁶, and the probability is never above η. The band bounds P(Δ̂ > Δ̂_(r)) for all r, and
    P(Δ > t) ≤ P(Δ̂ > t)/γ for all t.

    For m > 3000 the bounds are computed at no more than 3000 ranks. Any other rank takes the bound
    of the next smaller of these: still valid, and wider by a fraction of a standard deviation up to
    m = 10⁶.

    Args:
        m: number of scenarios, drawn independently.
        gamma: the smallest coverage any scenario can have.
        eta: in [10⁻⁶, 1).

    Returns:
        (m,), decreasing in r.
    """
    m, eta = inputs.whole("m", m, 1), inputs.number("eta", eta, inputs.INSIDE)
    if eta < SMALLEST_ETA:
        raise ValueError(f"eta must be a number in [1e-6, 1), not {eta}")
    return np.minimum(1.0, _berk_jones_band(m, eta) / float(_coverage(gamma)))


@lru_cache(maxsize=64)
def _berk_jones_band(m: int, eta: float) -> FloatArray:
    """Return the band of P(Δ̂ > Δ̂_(r)): bounds of the uniform order statistics m..1."""
    index = np.arange(1, m + 1)
    if m > MOST_RANKS:
        angles = np.linspace(0.0, pi / 2, MOST_RANKS + 1)[1:]
        index = np.unique(np.ceil(m * np.sin(angles) ** 2 - 1e-9).astype(int))
    bounds: FloatArray = sp.special.betainccinv(index, m - index + 1, _local_level(m, index, eta))
    return bounds[np.searchsorted(index, np.arange(m, 0, -1))]


def _local_level(m: int, index: IntArray, eta: float) -> float:
    """Return l such that uniform order statistics break any bound at level l with probability η.

    Regula falsi (Illinois) on logarithms, between Bonferroni's level and η itself.
    """

    def excess(log_level: float) -> float:
        bounds = sp.special.betainccinv(index, m - index + 1, exp(log_level))
        return log(crossing_probability(m, index, bounds) / eta) + LEVEL_PRECISION / 2

    low, high = log(eta / (len(index) + 1)), log(eta)
    at_low, at_high, last = excess(low), excess(high), 0.0
    while True:
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        value = excess(middle)
        if abs(value) <= LEVEL_PRECISION / 2:
            return exp(middle)
        stale = 0.5 if value * last > 0 else 1.0
        if value < 0:
            low, at_low, at_high = middle, value, at_high * stale
        else:
            high, at_high, at_low = middle, value, at_low * stale
        last = value


def crossing_probability(m: int, index: IntArray, bounds: FloatArray) -> float:
    """Return P(V_(i) > bound for any i in ``index``) for order statistics of m uniforms.

    The number of uniforms below x is, as x grows, a Poisson process of rate m given that it ends
    at m (Moscovich & Nadler 2017). It is followed from bound to bound. A path with fewer than i
    points below the bound of V_(i) has failed; its mass counts, times the chance that the process
    ends at m. All terms are positive, so small probabilities are exact to rounding too. States with
    mass below 10⁻²⁵ are left out.

    Args:
        m: number of uniforms.
        index: i, increasing, (K,).
        bounds: in [0, 1], increasing, (K,).
    """
    log_factorial: FloatArray = sp.special.gammaln(np.arange(m + 1) + 1.0)

    def poisson(k: IntArray, mean: float) -> FloatArray:
        if mean <= 0.0:
            return np.where(k == 0, 1.0, 0.0)
        return np.exp(k * log(mean) - mean - log_factorial[k])

    states, first, reached, failed = np.ones(1), 0, 0.0, 0.0
    for i, bound in zip(index.tolist(), bounds.tolist(), strict=True):
        mean = m * (bound - reached)
        most = min(m, int(mean + 12 * sqrt(mean) + 40))
        arrivals = _without_tail(poisson(np.arange(most + 1), mean))
        states = _without_tail(np.convolve(states, arrivals))
        short = states[: i - first]
        missing = m - first - np.arange(len(short))
        failed += float(short @ poisson(missing, m * (1.0 - bound)))
        states, first, reached = states[i - first :], i, bound
        if len(states) == 0:
            break
    return float(failed / poisson(np.array([m]), m)[0])


def _without_tail(mass: FloatArray) -> FloatArray:
    """Return ``mass`` up to the last entry that is not negligible."""
    kept = np.flatnonzero(mass > NEGLIGIBLE)
    return mass[: kept[-1] + 1] if len(kept) else mass[:1]


def simultaneous_curve(upper: ArrayLike, gamma: Level, tau: Levels, eta: float) -> FloatArray:
    """Return how far a simulator is at most on each share of scenarios, all shares at once.

    The curve holds at all τ with probability at least 1-η (Berk-Jones).

    P(Δ ≤ C(τ)) ≥ τ then holds for every τ, even for one chosen after seeing the curve.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma: the smallest coverage any scenario can have.
        tau: levels in [0, 1].
        eta: probability that the curve fails anywhere, in (0, 1).

    Returns:
        (len(tau),); +inf where m scenarios are too few for that level.

    Examples:
        >>> import numpy as np
        >>> from fidelity import simultaneous_curve
        >>> upper = np.linspace(0.02, 0.4, 100)  # of 100 scenarios
        >>> simultaneous_curve(upper, 0.5, [0.5, 0.8], eta=0.05).round(3)
        array([0.35 , 0.392])
    """
    upper = inputs.vector("upper", upper, inputs.REAL)
    return _at_ranks(upper, _smallest_ranks(berk_jones_miss(len(upper), gamma, eta), tau))


def marginal_rank(m: int, gamma: Level, alpha: Level) -> int:
    """Return which of the sorted bounds holds on a new scenario with a wanted probability.

    Rank ceil((m+1)(1-γα)), whose order statistic gives P(Δ_new ≤ Δ̂_(r)) ≥ 1-α.

    The rank is m + 1 if m scenarios are too few; the bound is then +inf.

    Examples:
        >>> from fidelity import marginal_rank
        >>> marginal_rank(100, 0.5, 0.1), marginal_rank(10, 0.5, 0.1)  # ten scenarios are too few
        (96, 11)
    """
    m, alpha = inputs.whole("m", m, 1), inputs.level("alpha", alpha)
    return min(m + 1, max(1, ceil((m + 1) * (1 - _coverage(gamma) * alpha))))


def marginal_level(m: int, gamma: Level, rank: int) -> float:
    """Return with what probability a bound holds on a new scenario.

    τ = 1 - (1 - r/(m+1))/γ, at least 0, with P(Δ_new ≤ Δ̂_(r)) ≥ τ on average.

    The statement is that of :func:`marginal_curve`.

    Examples:
        >>> from fidelity import marginal_level
        >>> print(round(marginal_level(99, 0.5, rank=95), 3))
        0.9
    """
    rank = inputs.whole("rank", rank, 1, inputs.whole("m", m, 1))
    return max(0.0, 1.0 - (1.0 - rank / (m + 1)) / float(_coverage(gamma)))


def marginal_curve(upper: ArrayLike, gamma: Level, tau: Levels) -> FloatArray:
    """Return how far a simulator is at most on a new scenario, for each probability.

    C(τ) with P(Δ_new ≤ C(τ)) ≥ τ, on average over the m scenarios (conformal).

    The probability is over the m scenarios and the new one together, so half of all studies may
    cover less. The m + 1 scenarios must be exchangeable, and each have people of its own: if the
    same people answered several, their error is common to all, and more is missed. The statement is
    for one τ at a time.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma: the smallest coverage any scenario can have.
        tau: levels in [0, 1].

    Returns:
        (len(tau),); +inf where m scenarios are too few for that level.

    Examples:
        >>> import numpy as np
        >>> from fidelity import marginal_curve
        >>> upper = np.linspace(0.02, 0.4, 100)  # of 100 scenarios
        >>> marginal_curve(upper, 0.5, [0.5, 0.9, 0.99]).round(3)
        array([0.308, 0.385,   inf])
    """
    upper = inputs.vector("upper", upper, inputs.REAL)
    ranks = [marginal_rank(len(upper), gamma, 1 - level) for level in inputs.levels("tau", tau)]
    return _at_ranks(upper, np.array(ranks))


def weighted_miss(
    upper: FloatArray, gamma_j: FloatArray, gamma: Level, threshold: FloatArray, eta: float
) -> FloatArray:
    """Return bounds on P(Δ > t) that hold with probability 1-η, with coverages that differ.

    The mean of 1{Δ̂ > t}/γ_j over the population is at least P(Δ > t), even if γ_j is related to
    Δ_j: where Δ_j exceeds t, Δ̂_j does with probability γ_j. Multiplied by the smallest coverage γ,
    the terms lie in [0, 1], where the Chernoff bound KL(mean ‖ u) ≤ log(1/η)/m holds (Hoeffding
    1963).

    The bound at each threshold t holds if t was fixed in advance. For thresholds read off the data
    use :func:`weighted_certified_curve`.

    Args:
        upper: upper pseudo-discrepancies, (m,), of scenarios drawn independently.
        gamma_j: their coverages, (m,).
        gamma: the smallest coverage any scenario of the population can have.
        threshold: t, (T,).
        eta: in (0, 1).

    Returns:
        (T,), at most 1.
    """
    eta = inputs.number("eta", eta, inputs.INSIDE)
    beyond = _weight_beyond(upper, gamma_j, threshold) / len(upper)
    floor = float(gamma)
    bound = bernoulli_kl_upper(np.minimum(1.0, floor * beyond), log(1.0 / eta) / len(upper))
    return np.minimum(1.0, bound / floor)


def weighted_certified_curve(
    upper: ArrayLike, gamma_j: ArrayLike, gamma: Level, tau: Levels, eta: float
) -> FloatArray:
    """Return how far a simulator is at most on each share of scenarios, with uneven coverage.

    The curve of each scenario's own γ_j; each point holds with probability at least 1-η.

    C(τ) is the smallest Δ̂_(r) at which :func:`weighted_miss` is at most 1-τ. Then P(Δ > C(τ)) ≤
    1-τ with probability 1-η, although C(τ) depends on the data.

    Proof: let s(t), not increasing, be the population's mean of 1{Δ̂ > t}/γ_j, and t* the smallest
    t with s(t) ≤ 1-τ. If C(τ) ≥ t*, then P(Δ > C(τ)) ≤ s(t*) ≤ 1-τ. Take a fixed t < t*. The bound
    doesn't increase in t, so C(τ) ≤ t needs a bound at t of at most 1-τ < s(t), which has
    probability at most η. Let t rise to t*.

    Args:
        upper: upper pseudo-discrepancies, (m,), of scenarios drawn independently.
        gamma_j: their coverages, (m,).
        gamma: the smallest coverage any scenario of the population can have.
        tau: levels in [0, 1].
        eta: probability that a point fails, in (0, 1); pointwise in τ.

    Returns:
        (len(tau),); +inf where m scenarios are too few for that level.

    Examples:
        >>> import numpy as np
        >>> from fidelity import weighted_certified_curve
        >>> upper = np.linspace(0.02, 0.4, 100)
        >>> gamma = np.where(np.arange(100) < 50, 0.5, 0.9)  # fewer people answered the first 50
        >>> weighted_certified_curve(upper, gamma, 0.5, [0.5, 0.8], eta=0.05).round(3)
        array([0.3  , 0.377])
    """
    upper, gamma_j, gamma = _scenarios(upper, gamma_j, gamma)
    miss = weighted_miss(upper, gamma_j, gamma, np.sort(upper), eta)
    return _at_ranks(upper, _smallest_ranks(miss, tau))


def exact_curve(
    upper: ArrayLike,
    gamma_j: ArrayLike,
    gamma: Level,
    tau: Levels,
    eta: float,
    shared: int = 1,
    clusters: ArrayLike | None = None,
) -> FloatArray:
    """Return how far a simulator is at most on each share of scenarios, with a guarantee.

    It is :func:`certified_curve` with one coverage, else :func:`weighted_certified_curve`.

    Where people answer several scenarios (``shared`` > 1), or ``clusters``, a label each, (m,),
    group them, :func:`certified_curve` is used in any case, with the smallest coverage: none that
    rests on all ranks at once is known there.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma_j: the coverage of each scenario, one or (m,).
        gamma: the one coverage, or the smallest that a scenario can have.
        tau: levels in [0, 1].
        eta: probability that a point fails, in (0, 1).
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.
        clusters: one label per scenario, (m,); None for independent scenarios.

    Examples:
        >>> import numpy as np
        >>> from fidelity import exact_curve
        >>> upper = np.linspace(0.02, 0.4, 100)
        >>> gamma = np.where(np.arange(100) < 50, 0.5, 0.9)  # fewer people answered the first 50
        >>> exact_curve(upper, gamma, 0.5, [0.5, 0.8], eta=0.05).round(3)
        array([0.3  , 0.377])
    """
    upper, gamma_j, gamma, are_grouped = _grouped(upper, gamma_j, gamma, clusters)
    shared = inputs.whole("shared", shared, 1)
    if shared > 1 or (gamma_j == gamma_j[0]).all() or are_grouped:
        return certified_curve(upper, gamma, tau, eta, shared)
    return weighted_certified_curve(upper, gamma_j, gamma, tau, eta)


def weighted_marginal_curve(
    upper: ArrayLike, gamma_j: ArrayLike, gamma: Level, tau: Levels
) -> FloatArray:
    """Return how far a simulator is at most on a new scenario, with uneven coverage.

    C(τ) with P(Δ_new ≤ C(τ)) ≥ τ on average over the m scenarios, with their own γ_j.

    C(τ) is the smallest Δ̂_(r) with Σ 1{Δ̂_j > Δ̂_(r)}/γ_j + 1/γ ≤ (m+1)(1-τ), where γ is the
    smallest coverage. With one coverage it is :func:`marginal_curve`.

    Proof: put the new scenario among the m + 1 in the sum, each with its own 1/γ_j. The resulting
    curve C* ≤ C does not depend on which of them is the new one. So P(Δ_new > C) is at most
    E[1{Δ̂_new > C*}/γ_new], the mean over the m + 1, which is at most 1-τ.

    Args:
        upper: upper pseudo-discrepancies, (m,), of scenarios drawn independently.
        gamma_j: their coverages, (m,).
        gamma: the smallest coverage any scenario of the population can have.
        tau: levels in [0, 1].

    Examples:
        >>> import numpy as np
        >>> from fidelity import weighted_marginal_curve
        >>> upper = np.linspace(0.02, 0.4, 100)
        >>> gamma = np.where(np.arange(100) < 50, 0.5, 0.9)  # fewer people answered the first 50
        >>> weighted_marginal_curve(upper, gamma, 0.5, [0.5, 0.9]).round(3)
        array([0.235, 0.373])
    """
    upper, gamma_j, gamma = _scenarios(upper, gamma_j, gamma)
    beyond = _weight_beyond(upper, gamma_j, np.sort(upper)) + 1 / float(gamma)
    return _at_ranks(upper, _smallest_ranks(beyond / (len(upper) + 1) - ROUNDING, tau))


def index_map_rank(m: int, gamma: Level, tau: Level) -> int:
    """Return ceil(m(1-γ(1-τ))), the rank that the index map uses at τ; at least 1."""
    return max(1, ceil(m * (1 - rational(gamma) * (1 - rational(tau)))))


def dkw_miss(m: int, gamma: Level, rank: int, eta: float) -> float:
    """Return the bound on P(Δ > Δ̂_(rank)) that holds for all ranks at once (DKW-Massart).

    ``eta`` is at most ½, as the one-sided inequality asks.
    """
    rank = inputs.whole("rank", rank, 1, inputs.whole("m", m, 1))
    eta = inputs.number("eta", eta, inputs.INSIDE)
    if eta > 0.5:
        raise ValueError(f"eta must be a number in (0, 1/2] for the one-sided bound, not {eta}")
    beyond = (m - rank) / m + sqrt(log(1 / eta) / (2 * m))
    return min(1.0, beyond / float(_coverage(gamma)))


def curve_guarantee(
    upper: FloatArray,
    gamma_j: FloatArray,
    gamma: Level,
    tau: Level,
    eta: float,
    shared: int = 1,
    clusters: ArrayLike | None = None,
) -> tuple[str | None, float]:
    """Return which guarantee V̂(τ) has at this m, and the share of scenarios it really covers.

    With one coverage the rank behind V̂(τ) is fixed in advance, and ``exact`` applies. With
    coverages that differ between scenarios the rank depends on the data. Then the guarantee is
    ``simultaneous`` (DKW-Massart), which holds for all ranks at once. Where people answer several
    scenarios, or these come in clusters, no such guarantee is known, and the share is NaN.

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma_j: their coverages, (m,).
        gamma: the smallest coverage any scenario of the population can have.
        tau: the curve's level.
        eta: probability over the m scenarios with which the statement may fail.
        shared: as :func:`exact_miss`.
        clusters: a label for each scenario, (m,); None for independent ones.
    """
    upper, gamma_j, gamma, are_grouped = _grouped(upper, gamma_j, gamma, clusters)
    m = len(upper)
    if (gamma_j == gamma_j[0]).all():
        return "exact", exact_level(m, gamma, index_map_rank(m, gamma_j[0], tau), eta, shared)
    if shared > 1 or are_grouped:
        return None, float("nan")
    value = quantile_curve(upper, gamma_j, [tau])[0]
    rank = int((upper <= value).sum())
    return "simultaneous", 1.0 - dkw_miss(m, gamma, rank, eta)


def _grouped(
    upper: Any, gamma_j: Any, gamma: Level, clusters: Any
) -> tuple[FloatArray, FloatArray, Fraction, bool]:
    """Return :func:`_scenarios`, and whether several come from one cluster."""
    upper, gamma_j, clusters = inputs.aligned(upper=upper, gamma_j=gamma_j, clusters=clusters)
    checked = _scenarios(upper, gamma_j, gamma)
    labels = inputs.optional_labels("clusters", clusters, len(checked[0]))
    return *checked, labels is not None and few_clusters.grouped(labels) is not None


def _smallest_ranks(miss: FloatArray, tau: Levels) -> IntArray:
    """Return the smallest rank whose bound is at most 1-τ, m + 1 where there is none.

    ``miss`` (m,) does not increase with the rank.
    """
    return 1 + np.searchsorted(-miss, -inputs.levels("tau", tau).rest, "left")


def _at_ranks(upper: FloatArray, ranks: IntArray) -> FloatArray:
    """Return the order statistics at ``ranks``, +inf at rank m + 1."""
    return np.append(np.sort(upper), np.inf)[ranks - 1]


def _coverage(gamma: Level) -> Fraction:
    """Return γ exactly; ValueError unless it is a probability above 0."""
    return inputs.level("gamma", gamma, inputs.ABOVE_ZERO)


def _scenarios(upper: Any, gamma_j: Any, gamma: Level) -> tuple[FloatArray, FloatArray, Fraction]:
    """Return upper discrepancies and coverages, (m,) each, and the smallest coverage."""
    upper, gamma_j = inputs.aligned(upper=upper, gamma_j=gamma_j)
    upper = inputs.vector("upper", upper, inputs.REAL)
    gamma_j = inputs.each("gamma_j", gamma_j, inputs.ABOVE_ZERO, len(upper))
    gamma = _coverage(gamma)
    if gamma_j.min() < float(gamma):
        raise ValueError(
            "gamma must be the smallest coverage that a scenario can have, so at most the "
            f"smallest of gamma_j, {gamma_j.min():.9g}, not {float(gamma):.9g}"
        )
    return upper, gamma_j, gamma


def _weight_beyond(upper: FloatArray, gamma_j: FloatArray, threshold: FloatArray) -> FloatArray:
    """Return Σ 1{Δ̂_j > t}/γ_j for each threshold t."""
    order = np.argsort(upper)
    beyond = np.append(np.cumsum(1.0 / gamma_j[order][::-1])[::-1], 0.0)
    return beyond[np.searchsorted(upper[order], threshold, "right")]
