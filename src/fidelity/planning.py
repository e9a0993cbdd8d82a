"""Where the variance of scores comes from, and how many scenarios and resamples a comparison needs.

The mean over m scenarios, each answered K times, has variance (ω² + σ²/K)/m: ω² between scenarios,
σ² within a scenario, between resamples of one simulator's score ([EB] = Miller, Adding Error Bars
to Evals, arXiv 2411.00640, section 5). Only σ² is divided by K: resampling does not make scenarios
alike. For the difference of two simulators on the same scenarios ω² is the variance of the
difference of their expected scores, and the variance (ω² + σ_A²/K_A + σ_B²/K_B)/m. With
next-token probabilities in place of draws σ² is 0.

Scenarios are independent; in clusters multiply m by the design effect (:mod:`fidelity.cluster`).
Power is that of the two-sided z-test. For scenarios, people and draws that the quantile curve
itself needs see :mod:`fidelity.study_plan`.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri


class VarianceComponents(NamedTuple):
    """Where the variance over scenarios comes from, in squared units of the scores.

    Attributes:
        between: ω², never negative.
        within: σ² per simulator, one or two of them.
        resamples: K of each.
        unbiased_between: the unbiased estimate of ω², which can be negative.
        clipped: whether it was, so that ``between`` was set to 0: ω² is too small against σ²/K to
            be seen in so many scenarios.
    """

    between: float
    within: tuple[float, ...]
    resamples: tuple[int, ...]
    unbiased_between: float
    clipped: bool

    @property
    def total(self) -> float:
        """The variance ω² + Σσ²/K that one scenario contributes at these K."""
        return score_variance(self.between, self.within, self.resamples)


class Resampling(NamedTuple):
    """How often to let each simulator answer a scenario, and what that costs.

    Attributes:
        resamples: K of each simulator.
        scenarios: how many the cost buys for the variance asked for, not rounded.
        cost: of the study, in the unit of the costs given.
    """

    resamples: tuple[int, ...]
    scenarios: float
    cost: float


def variance_components(*resamples: np.ndarray) -> VarianceComponents:
    """Return ω² and σ² from repeated scores of the same scenarios.

    σ² is the mean over scenarios of the variance of the K scores (divisor K-1), and the unbiased ω²
    the variance over scenarios of the mean score (of two simulators: of the difference of mean
    scores; divisor m-1) less Σσ²/K. Resamples are independent, of one scenario and between
    simulators.

    Args:
        resamples: scores of one simulator, (m, K), or of two, (m, K_A) and (m, K_B); m, K ≥ 2.

    Raises:
        ValueError: on other shapes, or scores that aren't finite.
    """
    if len(resamples) not in (1, 2):
        raise ValueError(f"give the resamples of one simulator or of two, not of {len(resamples)}")
    scores = [np.asarray(each, float) for each in resamples]
    for each in scores:
        if each.ndim != 2 or min(each.shape) < 2 or len(each) != len(scores[0]):
            raise ValueError("resamples are (m, K) with at least 2 scenarios and 2 scores of each")
        if not np.isfinite(each).all():
            raise ValueError("scores must be finite")
    means = [each.mean(1) for each in scores]
    within = tuple(float(each.var(1, ddof=1).mean()) for each in scores)
    counts = tuple(each.shape[1] for each in scores)
    observed = float(np.var(means[0] - means[1] if len(means) == 2 else means[0], ddof=1))
    unbiased = observed - score_variance(0.0, within, counts)
    return VarianceComponents(max(unbiased, 0.0), within, counts, unbiased, unbiased < 0.0)


def score_variance(between: float, within: tuple[float, ...], resamples: tuple[int, ...]) -> float:
    """Return ω² + Σσ²/K, the variance that one scenario contributes to a mean or a difference.

    Args:
        between: ω², not negative.
        within: σ² of each simulator.
        resamples: K of each, the same number.
    """
    if len(within) != len(resamples) or min(resamples, default=1) < 1:
        raise ValueError("give one K ≥ 1 for each σ²")
    if between < 0 or min(within, default=0.0) < 0:
        raise ValueError("variances aren't negative: clip an unbiased estimate at 0")
    return between + sum(part / k for part, k in zip(within, resamples, strict=True))


def scenarios_needed(
    effect: float, variance: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return m = (z_{α/2} + z_β)²·variance/effect² ([EB], eq. 9); round it up.

    Args:
        effect: the true mean or difference to be found, not 0.
        variance: of one scenario, as :func:`score_variance` gives it.
        alpha: level of the two-sided z-test.
        power: 1-β, the probability of rejecting, above α.
    """
    if not abs(effect) > 0:
        raise ValueError(f"no number of scenarios finds an effect of {effect}")
    return _standardised(alpha, power) ** 2 * _positive(variance) / effect**2


def minimum_detectable_effect(
    m: float, variance: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the effect that m scenarios find with the wanted power: the inverse of the former."""
    if not m > 0:
        raise ValueError(f"a study has scenarios: m must be positive, not {m}")
    return _standardised(alpha, power) * sqrt(_positive(variance) / m)


def power_of_test(m: float, effect: float, variance: float, *, alpha: float = 0.05) -> float:
    """Return the probability that the two-sided z-test rejects, on either side.

    :func:`scenarios_needed` leaves out the wrong side, of probability below α/2 and negligible
    where the power is of interest. At effect 0 it is α.
    """
    if not m > 0 or _positive(variance) == 0:
        raise ValueError("power needs scenarios and a variance above 0")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha lies strictly between 0 and 1, not {alpha}")
    shift, critical = abs(effect) / sqrt(variance / m), -ndtri(alpha / 2)
    return float(ndtr(shift - critical) + ndtr(-shift - critical))


def optimal_resamples(
    between: float,
    within: tuple[float, ...],
    *,
    cost_per_scenario: float,
    cost_per_draw: tuple[float, ...],
    variance_of_mean: float,
    most: int = 1000,
) -> Resampling:
    """Return the K that reach a variance of the mean at the least cost.

    A study costs m(c₀ + Σc·K) and has variance (ω² + Σσ²/K)/m. Their product is least, whatever m,
    at K = sqrt(σ²c₀/(ω²c)) (Cauchy-Schwarz) where that lies within 1 and ``most``; found exactly
    among all whole numbers. Where ω² or the cost of a draw is 0, more draws always help.

    Args:
        between: ω².
        within: σ² of each simulator.
        cost_per_scenario: c₀, of a scenario however often it is answered, not negative.
        cost_per_draw: c of each simulator, not negative.
        variance_of_mean: wanted, positive: SE².
        most: the largest K to consider.
    """
    if len(within) != len(cost_per_draw) or len(within) not in (1, 2):
        raise ValueError("give one cost of a draw for each σ², of one simulator or of two")
    if min(between, *within) < 0:
        raise ValueError("variances aren't negative: clip an unbiased estimate at 0")
    if min(cost_per_scenario, *cost_per_draw) < 0 or variance_of_mean <= 0 or most < 1:
        raise ValueError("costs aren't negative, and the variance wanted and K are positive")
    k = np.arange(1, most + 1)
    counts = np.meshgrid(*[k] * len(within), indexing="ij", sparse=True)
    scenarios = (between + sum(map(np.divide, within, counts))) / variance_of_mean
    cost = scenarios * (cost_per_scenario + sum(map(np.multiply, cost_per_draw, counts)))
    best = np.unravel_index(cost.argmin(), cost.shape)
    return Resampling(tuple(int(k[i]) for i in best), float(scenarios[best]), float(cost[best]))


def _standardised(alpha: float, power: float) -> float:
    if not 0 < alpha < power < 1:
        raise ValueError(f"0 < alpha < power < 1 is needed, not {alpha} and {power}")
    return float(ndtri(1 - alpha / 2) + ndtri(power))


def _positive(variance: float) -> float:
    if not variance >= 0:
        raise ValueError(f"a variance isn't negative, as {variance} is")
    return variance
