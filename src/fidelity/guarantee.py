"""What a quantile curve guarantees at this number of scenarios m, not only as m grows.

All statements are about a new scenario from the same population, with the m scenarios drawn
independently from it; scenarios in clusters or answered by the same respondents break them.

- ``asymptotic``: the index map alone; no statement at finite m.
- ``paper``: [QC], Theorem 3.1, for γ = ½.
- ``exact``: with probability at least 1-η over the m scenarios, P(Δ > Δ̂_(r)) ≤ Y/γ where Y is the
  (1-η)-quantile of Beta(m-r+1, r). Thinning argument: a scenario whose Δ exceeds t has Δ̂ > t
  with probability at least γ, so P(Δ > t) ≤ P(Δ̂ > t)/γ, and the order statistics of Δ̂ are those
  of m independent draws.
- ``marginal``: P(Δ_new ≤ Δ̂_(r)) ≥ 1-α on average over the m scenarios (conformal).

With coverages that differ, γ is the smallest one the schedule can give.
"""

from functools import lru_cache
from math import ceil, log, sqrt

import numpy as np
from scipy.special import betaincinv

from fidelity.levels import Level, exact
from fidelity.quantile import quantile_curve


def paper_remainder(alpha: float, m: int, eta: float) -> float:
    """Return ε(α, m, η)/√m of [QC], Theorem 3.1.

    ε = sqrt(2αL + (L² + 4L)/m) + (L + 2)/√m + sqrt(log(4/η)/2), L = log(2m/η).
    """
    size = log(2 * m / eta)
    epsilon = (
        sqrt(2 * alpha * size + (size**2 + 4 * size) / m)
        + (size + 2) / sqrt(m)
        + sqrt(log(4 / eta) / 2)
    )
    return epsilon / sqrt(m)


def paper_level(alpha: float, m: int, eta: float) -> float:
    """Return 1 - α - ε/√m, what [QC], Theorem 3.1 guarantees of V̂(1-α/2) at γ = ½; at least 0."""
    return max(0.0, 1.0 - alpha - paper_remainder(alpha, m, eta))


def exact_miss(m: int, gamma: Level, eta: float) -> np.ndarray:
    """Return, for ranks r = 1..m, the bound on P(Δ > Δ̂_(r)) that holds with probability 1-η.

    The (1-η)-quantile of Beta(m-r+1, r) over γ, at most 1; (m,), decreasing in r. Pointwise: for
    one rank fixed in advance.
    """
    return np.minimum(1.0, _rank_miss(m, eta) / float(exact(gamma)))


@lru_cache(maxsize=64)
def _rank_miss(m: int, eta: float) -> np.ndarray:
    ranks = np.arange(1, m + 1)
    return betaincinv(m - ranks + 1, ranks, 1.0 - eta)


def exact_level(m: int, gamma: Level, rank: int, eta: float) -> float:
    """Return the share of scenarios that Δ̂_(rank) covers with probability at least 1-η."""
    if not 1 <= rank <= m:
        raise ValueError(f"the rank must lie between 1 and m = {m}, not {rank}")
    return 1.0 - float(exact_miss(m, gamma, eta)[rank - 1])


def exact_ranks(m: int, gamma: Level, tau: np.ndarray, eta: float) -> np.ndarray:
    """Return the smallest rank r with P(Δ ≤ Δ̂_(r)) ≥ τ guaranteed; m + 1 where there is none."""
    miss = exact_miss(m, gamma, eta)
    allowed = np.array([float(1 - exact(level)) for level in np.atleast_1d(tau)])
    return 1 + np.searchsorted(-miss, -allowed, "left")


def certified_curve(upper: np.ndarray, gamma: Level, tau: np.ndarray, eta: float) -> np.ndarray:
    """Return the curve whose every point holds with probability at least 1-η (``exact``).

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma: the smallest coverage any scenario can have.
        tau: levels in [0, 1].
        eta: probability that a point fails, over the draw of the m scenarios; pointwise in τ.

    Returns:
        (len(tau),); +inf where m scenarios are too few for that level.
    """
    ordered = np.append(np.sort(np.asarray(upper, float)), np.inf)
    return ordered[exact_ranks(len(upper), gamma, tau, eta) - 1]


def marginal_rank(m: int, gamma: Level, alpha: Level) -> int:
    """Return rank ceil((m+1)(1-γα)), whose order statistic gives P(Δ_new ≤ Δ̂_(r)) ≥ 1-α.

    m + 1 if m scenarios are too few (the bound is then +inf).
    """
    return min(m + 1, max(1, ceil((m + 1) * (1 - exact(gamma) * exact(alpha)))))


def index_map_rank(m: int, gamma: Level, tau: Level) -> int:
    """Return ceil(m(1-γ(1-τ))), the rank that the index map uses at τ; at least 1."""
    return max(1, ceil(m * (1 - exact(gamma) * (1 - exact(tau)))))


def dkw_miss(m: int, gamma: Level, rank: int, eta: float) -> float:
    """Return the bound on P(Δ > Δ̂_(rank)) that holds for all ranks at once (DKW-Massart).

    ``eta`` is at most ½, as the one-sided inequality asks.
    """
    if not 0 < eta <= 0.5:
        raise ValueError("the one-sided DKW bound holds for eta in (0, 1/2]")
    beyond = (m - rank) / m + sqrt(log(1 / eta) / (2 * m))
    return min(1.0, beyond / float(exact(gamma)))


def curve_guarantee(
    upper: np.ndarray, gamma_j: np.ndarray, gamma: Level, tau: Level, eta: float
) -> tuple[str, float]:
    """Return which guarantee V̂(τ) has at this m, and the share of scenarios it really covers.

    With one coverage the rank behind V̂(τ) is fixed in advance, and ``exact`` applies. With
    coverages that differ between scenarios the rank depends on the data, so the statement is the
    one that holds for all ranks at once, ``simultaneous`` (DKW-Massart).

    Args:
        upper: upper pseudo-discrepancies, (m,).
        gamma_j: their coverages, (m,).
        gamma: the smallest coverage any scenario of the population can have.
        tau: the curve's level.
        eta: probability over the m scenarios with which the statement may fail.
    """
    m = len(upper)
    if (gamma_j == gamma_j[0]).all():
        return "exact", exact_level(m, gamma, index_map_rank(m, gamma_j[0], tau), eta)
    value = quantile_curve(upper, gamma_j, [tau])[0]
    rank = int((np.asarray(upper) <= value).sum())
    return "simultaneous", 1.0 - dkw_miss(m, gamma, rank, eta)
