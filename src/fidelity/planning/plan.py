"""How many scenarios m, people n and draws k bring a calibrated curve near the truth.

The truth is the mean discrepancy E Δ over scenarios, or its mean over the worst α of them, with
Δ = L(p, q) for the simulator's own probabilities q. A study has m scenarios, each answered by n
people and k draws. It estimates the truth by AUC or CVaR_α of the calibrated upper curve at
coverage
γ: the mean of the largest γα-fraction of the Δ̂_j (α = 1 for the AUC). For α = 1, Δ̂ - Δ is made up
of

- *excess* of the set: r_j(n, γ) = sup over the set around p_j itself, less Δ_j;
- *noise* of p̂ and q̂: with L(p, q) = Σ_i |D_i| (D = p - q, its mean, or differences of distribution
  functions), E L(p̂, q̂) - L(p, q) ≈ Σ_i (E|D_i + τ_i Z| - |D_i|), τ_i² = v_i/n + v'_i/k: at most
  Σ_i τ_i·sqrt(2/π), and little where |D_i| is large against τ_i;
- *calibration*: only the largest γ-fraction is averaged, an effect that does not vanish with n: Δ
  alone contributes CVaR_γ(Δ) - E Δ, at most (1/γ - 1)·E Δ. So γ limits how near a study can come,
  and a γ near 1 needs more people.

Together they make the bias b. It is a mean less the truth: the mean of the largest γα-fraction of a
mixture, over scenarios, of normal distributions. The average over m scenarios has standard error
σ/√m with σ² = Var max(Δ̂ - t, 0)/(γα)², t the (1-γα)-quantile of Δ̂. The study is within x of the
truth with probability Φ((x-b)√m/σ) - Φ((-x-b)√m/σ).

Proven are: b ≥ 0 (the index map, and Jensen's inequality, since L is convex in q̂); and that the
variance of the average is at most Var(Δ̂)/((γα)²m) (Efron-Stein). Approximate are: p̂ and q̂ as
normal; Δ̂_j, given its scenario, as normal with the mean above and the variance of the linear
functional whose value Δ_j is; the excess and noise as additive; and the normal distribution of the
average. Its bias of order 1/m is left out, so no fewer than 3/(γα) scenarios are planned. Where Δ
is no larger than the noise, the true bias is smaller.

In simulated studies planned for 90 %, 90 to 95 % came within x; just 90 % where the sampling of
scenarios decides. So that plans don't fall short, :func:`scenarios_for_width` allows a fifth fewer
failures than asked for. The pilot is taken for the population: its own error is not counted.

Discrepancies other than ``absolute``, ``tv`` and ``w1`` are not of that form. Scenarios are
independent, each with people of its own.
"""

from dataclasses import dataclass
from math import ceil, inf, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Floats
from fidelity.curves.quantile import tail_mean
from fidelity.levels import Level, rational
from fidelity.planning.pilot import SMALLEST, Pilot

MOST_SCENARIOS = 10**7
HALVINGS = 60
ROUNDING = 1e-12
ALLOWED_FAILURES = 0.8
FEWEST_AVERAGED = 3


class StudyError(NamedTuple):
    """The sources of a study's error, in the unit of the discrepancy; numbers or arrays.

    Attributes:
        bias: b, how far above the truth the population's calibrated curve lies.
        calibration: the part of the bias that remains with any number of people and draws.
        excess: the mean of r(n, γ) over scenarios.
        noise: the mean amount that the noise of p̂ and q̂ adds.
        scenario_sd: σ; over √m it is the standard error.

    Examples:
        >>> from fidelity import Pilot, study_error
        >>> p, q = [[0.3, 0.7], [0.6, 0.4]], [[0.4, 0.6], [0.5, 0.5]]
        >>> pilot = Pilot(p, q, discrepancy="absolute", confidence_set="witness", gamma=0.9)
        >>> error = study_error(pilot, n=500, k=float("inf"))
        >>> print(round(error.bias, 3), round(error.excess, 3))
        0.032 0.028
    """

    bias: Floats
    calibration: float
    excess: Floats
    noise: Floats
    scenario_sd: Floats

    def at(self, place: tuple[np.integer[Any], ...]) -> "StudyError":
        """Return the error of one of the studies."""
        return StudyError(
            *(float(np.asarray(field)[place if np.ndim(field) else ()]) for field in self)
        )


@dataclass(frozen=True)
class Costs:
    """Prices, in any one unit: of a scenario, of one person's answer in it, of one draw.

    Examples:
        >>> from fidelity import Costs
        >>> costs = Costs(scenario=100, answer=1, draw=0.01)
        >>> print(costs.of(m=50, n=200, k=100))
        15050.0
    """

    scenario: float
    answer: float
    draw: float

    def __post_init__(self) -> None:
        """Refuse prices that are negative or not finite."""
        for name, price in vars(self).items():
            inputs.number(name, price, inputs.FINITE_NOT_NEGATIVE)

    def of(self, m: Floats, n: Floats, k: Floats) -> FloatArray:
        """Return the price m(c + n·c' + k·c'') of a study; infinite k are stated, not drawn."""
        draws = np.where(np.isinf(k), 0.0, k)
        return m * (self.scenario + n * self.answer + draws * self.draw)


class Plan(NamedTuple):
    """A study: m scenarios, n people and k draws each, at coverage γ; its cost and its error.

    Examples:
        >>> import numpy as np
        >>> from fidelity import Costs, Pilot, study_error
        >>> from fidelity.planning import cheapest_of
        >>> p, q = [[0.3, 0.7], [0.6, 0.4]], [[0.4, 0.6], [0.5, 0.5]]
        >>> pilot = Pilot(p, q, discrepancy="absolute", confidence_set="witness", gamma=0.9)
        >>> n, k = np.array([100, 200, 500]), np.array([100])
        >>> plan = cheapest_of(pilot, study_error(pilot, n, k), n, k, 0.1, Costs(100, 1, 0.01))
        >>> plan.n, plan.k, plan.m
        (200, 100, 5)
    """

    m: int
    n: int
    k: float
    gamma: Level
    cost: float
    error: StudyError


def study_error(
    pilot: Pilot, n: ArrayLike, k: ArrayLike, excess: ArrayLike | None = None
) -> StudyError:
    """Return how far results would be off with so many people and draws in each scenario.

    Bias and spread of the calibrated AUC or CVaR at n people and k draws per scenario.

    The Δ̂_j are a mixture, over the pilot's scenarios, of normal distributions.

    Args:
        pilot: the scenarios.
        n: people per scenario, positive.
        k: draws per scenario; infinite for a simulator that states its probabilities. n and k are
            numbers or arrays; they broadcast.
        excess: r(n, γ) of each scenario at each n, (M, ...), where it is known already.

    Examples:
        >>> from fidelity import Pilot, study_error
        >>> p, q = [[0.3, 0.7], [0.6, 0.4]], [[0.4, 0.6], [0.5, 0.5]]
        >>> pilot = Pilot(p, q, discrepancy="absolute", confidence_set="witness", gamma=0.9)
        >>> study_error(pilot, n=[50, 200, 1000], k=100).bias.round(3)
        array([0.115, 0.058, 0.031])
    """
    inputs.instance("pilot", pilot, Pilot, "fidelity.Pilot")
    n = inputs.numbers("n", n, inputs.FINITE_POSITIVE)
    k = inputs.numbers("k", k, inputs.POSITIVE)
    inputs.broadcast(n=n, k=k)
    if excess is None:
        excess = excesses(pilot, n)
    else:
        excess = inputs.numbers("excess", excess, inputs.FINITE)
        if excess.shape != (len(pilot.p), *n.shape):
            raise ValueError(
                f"excess must have a number for each scenario and n, {(len(pilot.p), *n.shape)}"
                f", not the shape {excess.shape}"
            )
    noise, sd = pilot.noise(n, k), pilot.deviation(n, k)
    excess = np.expand_dims(excess, tuple(range(1, 1 + noise.ndim - excess.ndim)))
    delta = pilot.discrepancies.reshape(-1, *(1,) * (noise.ndim - 1))
    mean = delta + excess + noise
    tail, scenario_sd = _excess(np.moveaxis(mean, 0, -1), np.moveaxis(sd, 0, -1), pilot.kept)
    calibration = tail_mean(pilot.discrepancies, pilot.coverage, pilot.tail) - pilot.truth
    of_people, of_draws = (np.broadcast_to(x.mean(0), tail.shape)[()] for x in (excess, noise))
    return StudyError(tail - pilot.truth, calibration, of_people, of_draws, scenario_sd)


def excesses(pilot: Pilot, n: FloatArray) -> FloatArray:
    """Return r(n, γ) of each scenario at each n (...), (M, ...)."""
    radii = np.transpose([pilot.excess(size) for size in np.ravel(n)])
    return radii.reshape(len(pilot.p), *np.shape(n))


def probability_within(error: StudyError, m: FloatArray, width: float) -> FloatArray:
    """Return the probability, approximate, that m scenarios come within ``width`` of the truth."""
    scale = np.sqrt(np.asarray(m, float)) / np.maximum(error.scenario_sd, SMALLEST)
    return sp.special.ndtr((width - error.bias) * scale) - sp.special.ndtr(
        (-width - error.bias) * scale
    )


def scenarios_for_width(error: StudyError, width: float, probability: float = 0.9) -> FloatArray:
    """Return the smallest m within ``width`` of the truth with ``probability``; +inf if none is.

    Args:
        error: of one scenario's n and k, or of several.
        width: x, in the unit of the discrepancy.
        probability: in (0, 1).
    """
    width = inputs.number("width", width, inputs.FINITE_POSITIVE)
    probability = inputs.number("probability", probability, inputs.INSIDE)
    wanted = 1 - ALLOWED_FAILURES * (1 - probability)
    room = np.asarray(width - np.abs(error.bias), float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        one_sided, two_sided = (
            (max(sp.special.ndtri(z), 0.0) * error.scenario_sd / room) ** 2
            for z in (wanted, (1 + wanted) / 2)
        )
    possible = (room > 0) & (one_sided <= MOST_SCENARIOS)
    low = np.where(possible, np.maximum(np.floor(one_sided) - 1, 0), 0)
    high = np.where(possible, np.ceil(two_sided) + 1, 1)
    while (high - low > 1).any():
        middle = np.ceil((low + high) / 2)
        enough = probability_within(error, middle, width) >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(possible & (high <= MOST_SCENARIOS), high, inf)[()]


def planned_scenarios(
    pilot: Pilot, error: StudyError, width: float, probability: float = 0.9
) -> FloatArray:
    """Return the m to plan with: of :func:`scenarios_for_width`, and at least 3/(γα).

    Args:
        pilot: whose γ and α the errors have.
        error, width, probability: as there.
    """
    fewest = ceil(FEWEST_AVERAGED / (rational(pilot.gamma) * rational(pilot.tail)))
    return np.maximum(scenarios_for_width(error, width, probability), fewest)


def cheapest_of(
    pilot: Pilot,
    errors: StudyError,
    n: FloatArray,
    k: FloatArray,
    width: float,
    costs: Costs,
    probability: float = 0.9,
) -> Plan | None:
    """Return the cheapest of the studies whose errors are known, each with the smallest m.

    γ is chosen before the study, from the pilot; the curve of the study itself must not choose it.

    Args:
        pilot: whose γ they have.
        errors: of :func:`study_error` at the pilot, n and k.
        n, k: people and draws per scenario; arrays that broadcast.
        width: x, in the unit of the discrepancy: on a scale from 0 to 100 no share of it.
        costs: prices.
        probability: of coming within x.

    Returns:
        The plan, or None where no combination comes that near.

    Examples:
        >>> import numpy as np
        >>> from fidelity import Costs, Pilot, study_error
        >>> from fidelity.planning import cheapest_of
        >>> p, q = [[0.3, 0.7], [0.6, 0.4]], [[0.4, 0.6], [0.5, 0.5]]
        >>> pilot = Pilot(p, q, discrepancy="absolute", confidence_set="witness", gamma=0.9)
        >>> n, k = np.array([100, 200, 500]), np.array([100])
        >>> plan = cheapest_of(pilot, study_error(pilot, n, k), n, k, 0.08, Costs(100, 1, 0.01))
        >>> print(plan.m, plan.n, plan.cost)
        4 500 2404.0
    """
    m = planned_scenarios(pilot, errors, width, probability)
    possible = np.isfinite(m)
    if not possible.any():
        return None
    cost = np.where(possible, costs.of(np.where(possible, m, 0), n, k), inf)
    place = np.unravel_index(np.argmin(cost), cost.shape)
    people, draws = (np.broadcast_to(sizes, cost.shape)[place].item() for sizes in (n, k))
    return Plan(int(m[place]), people, draws, pilot.gamma, float(cost[place]), errors.at(place))


def _excess(mean: FloatArray, sd: FloatArray, kept: float) -> tuple[FloatArray, FloatArray]:
    """Return the mean of the largest fraction ``kept`` of normal mixtures, and its σ.

    t + E(X-t)₊/kept with P(X > t) = kept, and the standard deviation of (X-t)₊/kept. The last axis
    of ``mean`` and ``sd`` are the parts of a mixture.
    """
    sd = np.maximum(sd, ROUNDING * (np.ptp(mean, axis=-1, keepdims=True) + 1.0))
    low = (mean - 10 * sd).min(-1, keepdims=True)
    high = (mean + 10 * sd).max(-1, keepdims=True)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = sp.special.ndtr((mean - middle) / sd).mean(-1, keepdims=True) > kept
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    z = (mean - high) / sd
    density, above = np.exp(-(z**2) / 2) / sqrt(2 * pi), sp.special.ndtr(z)
    first = (sd * (density + z * above)).mean(-1)
    second = (sd**2 * ((1 + z**2) * above + z * density)).mean(-1)
    return high[..., 0] + first / kept, np.sqrt(np.maximum(second - first**2, 0.0)) / kept
