"""Equivalent human sample size: how many people a simulator is worth ([HM]).

[HM] is Huang, Wu, Wang, arXiv 2502.17773; its released code settles details that the paper leaves
open. Take k of a simulator's answers to a scenario as if people had given them, and make an
interval for the mean score. With more answers the interval is narrower, and misses people's mean
more surely. k̂ is the largest k up to which the intervals miss rarely enough on calibration
scenarios.

**Miss.** R̂(k) is the share of scenarios whose human bounds do not lie inside the interval of k
simulated answers. Human bounds need γ on each side: P(upper ≥ θ) ≥ γ and P(lower ≤ θ) ≥ γ, where θ
is the mean score of the people. If the interval misses θ, then with probability at least γ a bound
lies outside it too. So E R̂(k) ≥ γ R(k), with R(k) the probability of missing θ in a new scenario,
and the threshold for R̂ is γα. The authors' general case has a two-sided interval at γ, ``clt``.
Their one-dimensional case compares the human mean itself with α/2: ``one_sided_clt`` at γ = ½.

**Exact on counts.** The authors take a simulator's first k answers, so their R̂ depends on the
order. Here R̂ is the expectation over a random subset of k: the same mean, less noise, and a
function of counts. It is exact for two distinct scores (hypergeometric), and an average over random
orders for more.

**Dilation.** Intervals are those of k/C answers, wider by √C. A simulator that is as good as κ
people is off by the noise of κ people and of k draws. An interval for k draws allows for the second
noise only; C > 1 makes room for the first. The simulator is worth κ̂ = k̂/C people.
"""

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, Counts, FloatArray, IntArray
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.discrepancies.means import Absolute
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import confidence_bounds
from fidelity.sets.witness import Witness
from fidelity.stream import stream

HUMAN_INTERVALS = ("clt", "one_sided_clt")
INTERVALS = ("clt", "hoeffding", "bernstein")
ROUNDING = 1e-12


@dataclass(frozen=True)
class EquivalentSampleSize:
    """How R̂ grows with k, and where it crosses the threshold.

    Attributes:
        k: numbers of simulated answers, k_min..k_max, (K,).
        scenario_miss: probability over subsets of k that a scenario misses, (m, K).
        threshold: γα.
        k_hat: the largest k such that R̂(k') ≤ threshold for all k' from k_min to k; 0 if
            R̂(k_min) exceeds it.
        dilation: C.

    Examples:
        >>> from fidelity import equivalent_human_sample_size
        >>> people, model = [[40, 60], [70, 30]] * 40, [[30, 150], [84, 96]] * 40
        >>> found = equivalent_human_sample_size(people, model)
        >>> print(found.k_hat, found.k[-1], round(found.threshold, 3))
        36 180 0.05
    """

    k: IntArray
    scenario_miss: FloatArray
    threshold: float
    k_hat: int
    dilation: float

    @property
    def miss(self) -> FloatArray:
        """R̂(k), the mean over scenarios, (K,)."""
        return self.scenario_miss.mean(0)

    @property
    def kappa_hat(self) -> float:
        """κ̂ = k̂/C, the equivalent human sample size."""
        return self.k_hat / self.dilation


def equivalent_human_sample_size(
    human_counts: ArrayLike,
    simulated_counts: ArrayLike,
    scores: ArrayLike | None = None,
    *,
    gamma: float = 0.5,
    alpha: float = 0.1,
    interval: str = "hoeffding",
    human: str = Witness.name,
    dilation: float = 3.0,
    k_min: int = 3,
    k_max: int | None = None,
    orders: int = 100,
    seed: int = 0,
    human_sizes: ArrayLike | None = None,
) -> EquivalentSampleSize:
    """Return how many simulated answers may be used as if people had given them ([HM]).

    Guarantee: let the m scenarios be independent draws from a population, let people and simulator
    answer independently given the scenario, and let the human bounds hold with probability γ a
    side. Then the interval of k̂ answers to a new scenario misses the people's mean score with
    probability at most α + sqrt(π/(8m))/γ, on average over the calibration scenarios. With
    probability 1-η over them it is at most ū/γ, ū the Chernoff bound KL(γα ‖ ū) = log(1/η)/m.
    k̂ = 0 means no interval.

    Trying many k costs nothing. k̂ goes too far only if it passes k*, the first k with γR(k) > ū.
    Then R̂(k*) ≤ γα, although R̂(k*) is the mean of m independent variables in [0, 1] whose
    expectation is more than ū. Neither the simulator nor ``interval`` needs to be any good. The
    guarantee fails for scenarios in clusters or answered by the same respondents, and for a k_min
    chosen by looking at R̂. With ``clt`` bounds it is approximate.

    κ̂ depends on ``interval``, alpha and C: compare simulators at the same ones. It is also limited
    by the number of people. Intervals must hold the human bounds, so even a perfect simulator's k̂
    stays of the order of the n_j.

    Args:
        human_counts: people's answers, (m, d), whole numbers unless ``human_sizes`` are given.
        simulated_counts: the simulator's answers, (m, d), whole numbers.
        scores: the options' scores, (d,); (0, 1) if not given and d = 2.
        gamma: coverage of the human bounds.
        alpha: accepted probability of missing; also the level of the simulated interval.
        interval: of the simulated answers, see :func:`half_width`. ``clt`` is a point if the
            answers are all the same, so with fewer than about 20 answers R̂ is large for any
            simulator.
        human: bounds on the people's mean, see :func:`human_bounds`.
        dilation: C; the authors use 2 and 3.
        k_min: the first k that must pass, at least 2. The authors' is 3. For fewer answers their
            code takes the whole range of the scores, so their k̂ is 2 where it is 0 here.
        k_max: the last k; the fewest simulated answers of a scenario if not given.
        orders: random orders to average over if there are more than two distinct scores; R̂ then
            has a standard error of at most sqrt(R̂/(m·orders)).
        seed: of those orders, which are also keyed by the scenario's counts.
        human_sizes: how many people answered, one or (m,), where ``human_counts`` are shares or
            weighted; as ``sizes`` of :func:`fidelity.pseudo_discrepancy`.

    Returns:
        k̂, κ̂ = k̂/C and R̂(k). Time and memory grow with m·k_max² and m·k_max.

    Raises:
        ValueError: if shapes do not match, counts are negative or simulated ones not whole, a
            level is not in (0, 1), a name is unknown, or k_min and k_max do not fit.

    Examples:
        >>> from fidelity import equivalent_human_sample_size
        >>> people, model = [[40, 60], [70, 30]] * 40, [[30, 150], [84, 96]] * 40
        >>> found = equivalent_human_sample_size(people, model)
        >>> print(found.k_hat, round(found.kappa_hat, 1))  # answers, and people
        36 12.0
    """
    human_counts, simulated_counts, human_sizes, scores = inputs.aligned(
        human_counts=human_counts,
        simulated_counts=simulated_counts,
        human_sizes=human_sizes,
        scores=scores,
        across=("scores",),
    )
    human_counts = inputs.answered("human_counts", human_counts)
    human_counts = inputs.sized("human_counts", human_counts, "human_sizes", human_sizes)
    simulated_counts = inputs.whole_counts(
        "simulated_counts",
        inputs.table(
            "simulated_counts", simulated_counts, inputs.FINITE_NOT_NEGATIVE, human_counts.shape
        ),
        "Subsets of them are drawn",
    )
    alpha = inputs.number("alpha", alpha, inputs.INSIDE)
    gamma = inputs.number("gamma", gamma, inputs.INSIDE)
    dilation = inputs.number("dilation", dilation, inputs.FINITE_POSITIVE)
    orders, seed = inputs.whole("orders", orders, 1), inputs.whole("seed", seed, 0)
    inputs.one_of("interval", interval, INTERVALS)
    inputs.one_of("human", human, (*HUMAN_INTERVALS, *CONFIDENCE_SETS))
    values = Absolute().checked_scores(scores, human_counts.shape[1])
    assert values is not None
    unit, option = np.unique((values - values.min()) / np.ptp(values), return_inverse=True)
    merge = np.eye(len(unit))[option]
    people, answers = human_counts @ merge, np.asarray(np.rint(simulated_counts @ merge), np.int64)
    fewest = int(answers.sum(1).min())
    k_min = inputs.whole("k_min", k_min, 2)
    if fewest < k_min:
        raise ValueError(
            f"simulated_counts must have at least k_min = {k_min} answers in each scenario, not "
            f"{fewest}"
        )
    k_max = fewest if k_max is None else inputs.whole("k_max", k_max, k_min, fewest)
    bounds = human_bounds(people, unit, gamma, human=human)
    how: dict[str, Any] = {"alpha": alpha, "interval": interval, "dilation": dilation}
    if len(unit) == 2:
        miss = _binary_miss(answers, k_max, *bounds, **how)
    else:
        rows = zip(answers, people, *bounds, strict=True)
        miss = np.stack(
            [
                ordered_miss(
                    _random_orders(row, unit, k_max, orders, seed, *others.tolist()),
                    lower,
                    upper,
                    **how,
                )
                for row, others, lower, upper in rows
            ]
        )
    k, miss = np.arange(k_min, k_max + 1), miss[:, k_min - 2 :]
    k_hat = largest_sample_size(k, miss.mean(0), gamma * alpha)
    return EquivalentSampleSize(k, miss, gamma * alpha, k_hat, dilation)


def pooled_sample_size(parts: list[EquivalentSampleSize]) -> EquivalentSampleSize:
    """Return the sample size over the scenarios of several answer scales together.

    Args:
        parts: results with the same γ, α, interval, C and k_min, one per scale. k goes as far as
            in the part where it ends first.

    Examples:
        >>> from fidelity import equivalent_human_sample_size
        >>> from fidelity.comparison import pooled_sample_size
        >>> people, model = [[40, 60], [70, 30]] * 40, [[30, 150], [84, 96]] * 40
        >>> found = equivalent_human_sample_size(people, model)
        >>> pooled_sample_size([found, found]).k_hat
        36
    """
    first, length = parts[0], min(len(part.k) for part in parts)
    k = first.k[:length]
    miss = np.concatenate([part.scenario_miss[:, :length] for part in parts])
    k_hat = largest_sample_size(k, miss.mean(0), first.threshold)
    return EquivalentSampleSize(k, miss, first.threshold, k_hat, first.dilation)


def largest_sample_size(k: Counts, miss: FloatArray, threshold: float) -> int:
    """Return the largest k at which, and before which, ``miss`` is at most ``threshold``.

    0 if the first exceeds it. It is not the last k at or below the threshold. R̂ isn't monotone, and
    the last such k would need a union bound over k for a guarantee.
    """
    passed = np.append(np.asarray(miss) <= threshold + ROUNDING, False)
    first_failure = int(np.argmin(passed))
    return int(k[first_failure - 1]) if first_failure else 0


def certified_sample_size(result: EquivalentSampleSize, eta: float) -> int:
    """Return how many simulated answers may count as people's, with a guarantee; 0 if none.

    The largest k with R(k) ≤ α guaranteed with probability at least 1-η.

    As :func:`equivalent_human_sample_size`, with the Chernoff bound of R̂(k) in the place of R̂(k),
    so at most k̂. It is 0 if m < log(1/η)/-log(1-γα).

    Examples:
        >>> from fidelity import certified_sample_size, equivalent_human_sample_size
        >>> people, model = [[40, 60], [70, 30]] * 40, [[30, 150], [84, 96]] * 40
        >>> found = equivalent_human_sample_size(people, model)
        >>> certified_sample_size(found, eta=0.05)
        16
    """
    inputs.instance("result", result, EquivalentSampleSize, "equivalent_human_sample_size")
    radius = -log(inputs.number("eta", eta, inputs.INSIDE)) / len(result.scenario_miss)
    return largest_sample_size(result.k, bernoulli_kl_upper(result.miss, radius), result.threshold)


def human_bounds(
    counts: FloatArray, scores: FloatArray, gamma: float, *, human: str = Witness.name
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds on the people's mean score, each holding with probability γ.

    Args:
        counts: people's answers, (m, d).
        scores: (d,).
        gamma: coverage.
        human: ``clt``, mean ± z·sd/√n with the two-sided quantile at γ, and ``one_sided_clt`` with
            the one-sided (both approximate, sd with n-1); or a confidence set of
            :func:`fidelity.pseudo_discrepancy`: ``witness`` is one-sided, the others two-sided.

    Returns:
        Two arrays, (m,), in the unit of the scores.
    """
    counts = np.asarray(counts, float)
    if human not in HUMAN_INTERVALS:
        support = confidence_bounds(
            counts, confidence_set=human, discrepancy=Absolute.name, gamma=gamma, scores=scores
        ).support
        return -support[:, 1], support[:, 0]
    n = counts.sum(1)
    if not (n > 1).all():
        raise ValueError(
            f"human must not be {human} unless each scenario has more than one answer; use witness"
        )
    mean = counts @ scores / n
    variance = (counts * (scores - mean[:, None]) ** 2).sum(1) / (n - 1)
    quantile = sp.special.ndtri((1 + gamma) / 2 if human == "clt" else gamma)
    margin = quantile * np.sqrt(variance / n)
    return mean - margin, mean + margin


def half_width(
    variance: FloatArray,
    k: Counts | int,
    alpha: float,
    *,
    interval: str,
    dilation: float,
    span: float = 1.0,
) -> FloatArray:
    """Return the half-width of the level 1-α interval of a mean of k answers, dilated by C.

    ``clt`` √C·z·sd/√k; ``hoeffding`` span·sqrt(C·log(2/α)/(2k)); ``bernstein``
    sd·sqrt(2C·log(4/α)/k) + (7/3)·C·span·log(4/α)/(k-1) (Maurer & Pontil 2009).

    Args:
        variance: of the answers, with k-1; arrays broadcast.
        k: at least 2.
        alpha: probability of missing, without dilation.
        interval: ``clt``, ``hoeffding`` or ``bernstein``.
        dilation: C.
        span: range of the scores.
    """
    if interval == "clt":
        return sp.special.ndtri(1 - alpha / 2) * np.sqrt(dilation / k * variance)
    if interval == "hoeffding":
        return span * np.sqrt(dilation * log(2 / alpha) / (2 * k))
    if interval == "bernstein":
        size = dilation * log(4 / alpha)
        return np.sqrt(2 * size / k * variance) + 7 / 3 * span * size / (k - 1)
    raise ValueError(f"unknown interval {interval!r}; there are: {', '.join(INTERVALS)}")


def ordered_miss(
    answers: FloatArray,
    lower: float,
    upper: float,
    *,
    alpha: float,
    interval: str,
    dilation: float,
    span: float = 1.0,
) -> FloatArray:
    """Return the share of orders in which the interval of the first k answers misses.

    With one order this is the authors' definition.

    Args:
        answers: scores of the simulated answers to one scenario, (orders, N), N ≥ 2.
        lower, upper: human bounds, which the interval has to hold.
        alpha, interval, dilation, span: see :func:`half_width`.

    Returns:
        For k = 2..N, (N - 1,).
    """
    k = np.arange(2, answers.shape[1] + 1)
    total = np.cumsum(answers, 1)[:, 1:]
    squares = np.cumsum(answers**2, 1)[:, 1:]
    mean = total / k
    variance = np.maximum(squares - total * mean, 0.0) / (k - 1)
    margin = half_width(variance, k, alpha, interval=interval, dilation=dilation, span=span)
    margin = margin + ROUNDING * span
    return ((mean - margin > lower) | (mean + margin < upper)).mean(0)


def _binary_miss(
    answers: Any, k_max: int, lower: Any, upper: Any, *, alpha: Any, interval: str, dilation: Any
) -> FloatArray:
    """Return the probability of missing for k = 2..k_max draws without replacement; (m, K).

    ``chance[x]`` is the probability that x of the first k draws are successes, from that of k - 1.
    """
    failures, successes = answers.T.astype(float)
    left = failures + successes
    x = np.arange(k_max + 1.0)[:, None]
    chance = np.zeros((k_max + 1, len(answers)))
    chance[0] = 1.0
    miss = np.empty((len(answers), k_max - 1))
    for k in range(1, k_max + 1):
        success = chance[:k] * ((successes - x[:k]) / (left - (k - 1)))
        chance[:k] -= success
        chance[1 : k + 1] += success
        if k == 1:
            continue
        mean = x[: k + 1] / k
        variance = mean * (1 - mean) * k / (k - 1)
        margin = half_width(variance, k, alpha, interval=interval, dilation=dilation) + ROUNDING
        outside = (mean - margin > lower) | (mean + margin < upper)
        miss[:, k - 2] = np.einsum("xj,xj->j", chance[: k + 1], outside)
    return np.clip(miss, 0.0, 1.0)


def _random_orders(
    row: IntArray, unit: FloatArray, k_max: int, orders: int, *key: int
) -> FloatArray:
    """Return the first k_max answers of random orders, (orders, k_max).

    The stream belongs to the key and the counts, so that a scenario's R̂ doesn't depend on what
    other scenarios are studied.
    """
    generator = stream("equivalent_sample_size", *key, *row.tolist())
    answers = np.tile(np.repeat(unit, row), (orders, 1))
    return generator.permuted(answers, axis=1, out=answers)[:, :k_max]
