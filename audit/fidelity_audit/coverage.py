"""Measured coverage of sets and curves, on populations whose truth is known.

**Sets.** P(Δ̂_j ≥ Δ_j) ≥ γ_j and P(Δ⁻_j ≤ Δ_j) ≥ γ_j must hold in every scenario for any answers of
the simulator. So people's samples are drawn anew in each replicate, simulators' answers once.
**Curves.** The statement of a guarantee must hold in the worst case: Δ̂ = Δ with just the promised
probability, and 0 otherwise.

A measured coverage is compared with its nominal one by exact binomial tests, one of the worst
scenario and one of all together (:func:`measured`). A p-value below :data:`SIGNIFICANCE` is a
violation. Audits of many cells should divide it by their number: in one of a thousand cells without
slack it is reached by chance. The same code must detect the formulas in :data:`KNOWN_WRONG`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import betaincc, chdtri
from synthetic.populations import Population, population_named

from fidelity.binomial import clopper_pearson_lower, clopper_pearson_upper
from fidelity.curves import guarantee
from fidelity.curves.quantile import area_under_curve, empirical_quantile, quantile_curve
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.levels import Level, rational
from fidelity.pseudo_discrepancies import between, extrema, pairwise_extrema
from fidelity.resampling import smoothed
from fidelity.sets import mean_bounds
from fidelity.sets.base import ConfidenceSet
from fidelity.sets.bounds import confidence_bounds
from fidelity.sets.gamma import Coverage, parse_coverage
from fidelity.sets.kl import BernoulliKL, MultinomialKL
from fidelity.sets.means import Hoeffding

SIGNIFICANCE = 1e-3
UNCERTAINTY = 0.01
ROUNDING = 1e-9
CELLS_AT_ONCE = 2**20
ETA = 0.05
TAU = tuple(Fraction(k, 20) for k in (2, 6, 10, 14, 16, 17, 18, 19))


@dataclass(frozen=True)
class Measured:
    """How often a bound held, R times in each of C independent cells, such as scenarios.

    Attributes:
        nominal: the promised coverage, the mean over the cells.
        average: share of all cells × replicates in which it held.
        standard_error: of ``average``.
        worst_cell: the cell with the strongest evidence against its promise.
        worst_nominal, worst: the promised coverage there, and the share that held.
        worst_low, worst_high: limits of its true coverage, which hold for the worst of all C cells
            with probability .99: Clopper-Pearson at .005/C on each side.
        p_value: of the hypothesis that every cell covers as promised.
    """

    nominal: float
    average: float
    standard_error: float
    worst_cell: int
    worst_nominal: float
    worst: float
    worst_low: float
    worst_high: float
    p_value: float

    @property
    def holds(self) -> bool:
        """Whether the promise is not refuted at :data:`SIGNIFICANCE`."""
        return self.p_value >= SIGNIFICANCE


@dataclass(frozen=True)
class SetCoverage:
    """Coverage of one bound on the discrepancy of a simulator, or on the difference of two.

    Attributes:
        simulator: its name.
        other: the other simulator's name where L(u, q¹) - L(u, q²) is bounded, else None.
        bound: ``upper`` or ``lower``.
        coverage: measured over scenarios.
        ratio: area under the calibrated curve over the mean of the true discrepancy: 1 is perfect,
            upper curves lie above and lower ones below. NaN for differences, and where the truth
            is 0 or infinite.
        ratio_error: standard error of ``ratio``, for these scenarios and these answers.
        gap: the largest distance of a bound from a value that is attained; 0 where exact.
    """

    simulator: str
    other: str | None
    bound: str
    coverage: Measured
    ratio: float
    ratio_error: float
    gap: float


@dataclass(frozen=True)
class CurveCoverage:
    """Coverage of a guarantee's statement.

    Attributes:
        guarantee: its name.
        tau: the curve's level, or None where the statement is about all levels at once.
        claimed: the share of scenarios that the curve claims to cover at this level.
        covered: the share that it covers, on average over the studies; NaN for all levels at once.
        coverage: how often the statement held, one cell.
    """

    guarantee: str
    tau: float | None
    claimed: float
    covered: float
    coverage: Measured


def measured(held: np.ndarray, nominal: np.ndarray) -> Measured:
    """Compare how often a bound held with its promise.

    Two one-sided tests share the significance level. One is an exact binomial test in every cell,
    times their number C. The other is of all cells together. It treats the sum as a binomial of the
    mean promise, which has the heavier lower tail (Hoeffding 1956).

    Args:
        held: whether it held, (R, C); replicates and cells independent of each other.
        nominal: the promised probability, one or (C,).
    """
    replicates, cells = held.shape
    nominal = np.broadcast_to(np.asarray(nominal, float), cells)
    count = held.sum(0)
    p_values = _at_most(count, replicates, nominal)
    worst = int(np.argmin(p_values))
    together = _at_most(count.sum(), replicates * cells, nominal.mean())
    share = count / replicates
    level = 1.0 - UNCERTAINTY / 2.0 / cells
    return Measured(
        nominal=float(nominal.mean()),
        average=float(share.mean()),
        standard_error=float(np.sqrt((share * (1.0 - share)).sum() / replicates) / cells),
        worst_cell=worst,
        worst_nominal=float(nominal[worst]),
        worst=float(share[worst]),
        worst_low=float(clopper_pearson_lower(count[worst], replicates, level)),
        worst_high=float(clopper_pearson_upper(count[worst], replicates, level)),
        p_value=float(min(1.0, 2.0 * min(cells * p_values[worst], together))),
    )


def _at_most(count: np.ndarray, trials: int, probability: np.ndarray | float) -> np.ndarray:
    """Return P(Binomial(trials, probability) ≤ count)."""
    fewer = np.minimum(count, trials - 1)
    tail = betaincc(fewer + 1.0, trials - fewer, probability)
    return np.where(count < trials, tail, 1.0)


def set_coverage(
    population: Population,
    confidence_set: str | ConfidenceSet,
    discrepancy: str,
    gamma: float | Coverage,
    replicates: int,
    generator: Generator,
    *,
    in_pairs: bool = False,
) -> list[SetCoverage]:
    """Measure how often the pseudo-discrepancies of each simulator bound the true discrepancy.

    Args:
        population: see :mod:`synthetic.populations`.
        confidence_set: a name, or a set that is not registered.
        discrepancy: one of :data:`fidelity.DISCREPANCIES`; simulators that
            are drawn get smoothed shares where it can be infinite.
        gamma: coverage, or a schedule of it.
        replicates: samples of people in every scenario.
        generator: of all draws.
        in_pairs: measure the pairwise pseudo-discrepancies, which bound L(p, q̂¹) - L(p, q̂²).

    Returns:
        Two entries for each simulator, or each pair of two, upper and lower. With the pair in the
        other order they would change roles and signs.

    Raises:
        ValueError: if the set does not bound this discrepancy for the population's kind.
    """
    answers = _answers(population, discrepancy, generator)
    measure: dict[str, Any] = {"discrepancy": discrepancy, "scores": population.scores}
    truth = {name: between(population.p, q, **measure) for name, q in answers.items()}
    gamma_j = (gamma if isinstance(gamma, Coverage) else parse_coverage(gamma)).at(population.n)
    compared: list[tuple] = [*combinations(answers, 2)] if in_pairs else [(q,) for q in answers]
    extremes = {names: np.empty((3, replicates * len(population.p))) for names in compared}
    for rows, scenario in _chunks(population, discrepancy, replicates):
        counts = generator.multinomial(population.n[scenario], population.p[scenario])
        bounds = confidence_bounds(
            counts,
            confidence_set=confidence_set,
            gamma=gamma_j[scenario],
            limits=population.limits,
            generator=generator,
            **measure,
        )
        bounded = pairwise_extrema if in_pairs else extrema
        for names, extreme in extremes.items():
            of_names = (answers[name][scenario] for name in names)
            extreme[:, rows] = bounded(bounds, *of_names, **measure)
    return [
        entry
        for names, extreme in extremes.items()
        for entry in _both_bounds(extreme, [truth[name] for name in names], gamma_j, *names)
    ]


def _answers(
    population: Population, discrepancy: str, generator: Generator
) -> dict[str, np.ndarray]:
    answers = population.answers(generator)
    if population.k is None or not DISCREPANCIES[discrepancy].infinite_at_zero:
        return answers
    return {name: smoothed(q, np.full(len(q), population.k)) for name, q in answers.items()}


def _chunks(
    population: Population, discrepancy: str, replicates: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield rows (replicate by replicate), and their scenarios."""
    m, d = population.p.shape
    measure = DISCREPANCIES.of(discrepancy)
    family = measure.functionals(d, measure.checked_scores(population.scores, d))
    step = max(1, CELLS_AT_ONCE // max(d, len(family)))
    for first in range(0, replicates * m, step):
        rows = slice(first, min(first + step, replicates * m))
        yield rows, np.arange(rows.start, rows.stop) % m


def _both_bounds(
    bounds: np.ndarray,
    truths: list[np.ndarray],
    gamma_j: np.ndarray,
    simulator: str,
    other: str | None = None,
) -> Iterator[SetCoverage]:
    """Yield the coverage of upper and lower bounds, flat (3, R·m), of one or two truths (m,)."""
    truth = truths[0] if other is None else truths[0] - truths[1]
    lower, upper, gap = bounds.reshape(3, -1, len(truth))
    for name, values, held, area in (
        ("upper", upper, upper >= truth - ROUNDING, area_under_curve),
        ("lower", lower, lower <= truth + ROUNDING, area_under_lower_curve),
    ):
        ratio = np.full(len(values), np.nan)
        if other is None and ROUNDING < truth.mean() < np.inf:
            ratio = np.array([area(row, gamma_j) for row in values]) / truth.mean()
        error = float(ratio.std(ddof=1) / np.sqrt(len(ratio))) if len(ratio) > 1 else np.nan
        coverage, mean, largest = measured(held, gamma_j), float(ratio.mean()), float(gap.max())
        yield SetCoverage(simulator, other, name, coverage, mean, error, largest)


def area_under_lower_curve(lower: np.ndarray, gamma: float | np.ndarray) -> float:
    """Return ∫₀¹ V̂⁻(τ)dτ of the lower curve inf{t : (1/m) Σ 1{Δ⁻_j ≤ t}/γ_j ≥ τ}, exactly.

    A lower bound of the mean discrepancy, asymptotically: with equal γ the mean of the smallest
    γ-fraction of the Δ⁻_j, (m,).
    """
    order = np.argsort(lower)
    weight = 1.0 / np.broadcast_to(np.asarray(gamma, float), len(order))[order]
    reached = np.minimum(np.cumsum(weight) / len(order), 1.0)
    share = np.diff(reached, prepend=0.0)
    return float(np.asarray(lower, float)[order][share > 0.0] @ share[share > 0.0])


Curve = Callable[[np.ndarray, np.ndarray, Fraction, tuple[Level, ...], float], np.ndarray]


@dataclass(frozen=True)
class Statement:
    """A guarantee's statement: in each study, P(Δ ≤ C(τ)) ≥ τ with probability 1 - η.

    Attributes:
        name: of the guarantee.
        curve: C(τ) from Δ̂ (m,), γ_j (m,), the smallest possible γ, levels τ, and η.
        claimed: the share of scenarios it is said to cover: from m, the smallest γ, τ and η.
    """

    name: str
    curve: Curve
    claimed: Callable[[int, Fraction, float, float], float] = lambda m, smallest, tau, eta: tau

    def coverage(
        self,
        curves: np.ndarray,
        tau: np.ndarray,
        claimed: np.ndarray,
        eta: float,
        generator: Generator,
    ) -> Iterator[CurveCoverage]:
        """Yield an entry for each level; ``curves`` (R, T) are the shares that they cover."""
        for t, level in enumerate(tau):
            held = curves[:, t] >= claimed[t] - ROUNDING
            yield self._entry(level, claimed[t], curves[:, t].mean(), held, 1.0 - eta)

    def _entry(self, tau, claimed, covered, held, nominal) -> CurveCoverage:
        coverage = measured(held[:, None], nominal)
        return CurveCoverage(self.name, tau, float(claimed), float(covered), coverage)


class Everywhere(Statement):
    """With probability 1 - η the curve is right at all levels at once."""

    def coverage(self, curves, tau, claimed, eta, generator):
        """Yield one entry."""
        held = (curves >= claimed - ROUNDING).all(1)
        yield self._entry(None, np.nan, np.nan, held, 1.0 - eta)


class OnAverage(Statement):
    """P(Δ_new ≤ C(τ)) ≥ τ over the studies and a new scenario together."""

    def coverage(self, curves, tau, claimed, eta, generator):
        """Yield an entry for each level, by one new scenario for each study."""
        new = generator.random(len(curves))
        for t, level in enumerate(tau):
            held = new <= curves[:, t] + ROUNDING
            yield self._entry(level, claimed[t], curves[:, t].mean(), held, max(0.0, claimed[t]))


def _less_a_scenario(m: int, smallest: Fraction, tau: float, eta: float) -> float:
    """Return τ - 1/(γ(m+1)), the index map's average coverage at finite m in the worst case."""
    return tau - 1.0 / (float(smallest) * (m + 1))


def _curve_of_the_paper(upper, gamma_j, smallest, tau, eta) -> np.ndarray:
    if not (gamma_j == 0.5).all():
        raise ValueError("the paper's theorem is about gamma = 1/2; use another statement")
    return quantile_curve(upper, 0.5, tau)


def _normalised_weights(upper, gamma_j, smallest, tau, eta) -> np.ndarray:
    order = np.argsort(upper)
    reached = np.cumsum(1.0 / gamma_j[order]) / (1.0 / gamma_j).sum()
    rank = np.searchsorted(reached, np.array(tau, float) - ROUNDING)
    return upper[order][np.minimum(rank, len(order) - 1)]


def _index_map_of_v1(upper, gamma_j, smallest, tau, eta) -> np.ndarray:
    return empirical_quantile(upper, [smallest + (1 - smallest) * rational(level) for level in tau])


def _index_by_the_mean(upper, gamma_j, smallest, tau, eta) -> np.ndarray:
    return quantile_curve(upper, gamma_j, tau, index="mean")


STATEMENTS: dict[str, Statement] = {
    statement.name: statement
    for statement in (
        OnAverage(
            "asymptotic",
            lambda upper, gamma_j, smallest, tau, eta: quantile_curve(upper, gamma_j, tau),
            _less_a_scenario,
        ),
        Statement(
            "paper",
            _curve_of_the_paper,
            lambda m, smallest, tau, eta: guarantee.paper_level(1.0 - tau, m, eta),
        ),
        Statement(
            "exact",
            lambda upper, gamma_j, smallest, tau, eta: guarantee.certified_curve(
                upper, smallest, tau, eta
            ),
        ),
        Everywhere(
            "simultaneous",
            lambda upper, gamma_j, smallest, tau, eta: guarantee.simultaneous_curve(
                upper, smallest, tau, eta
            ),
        ),
        OnAverage(
            "marginal",
            lambda upper, gamma_j, smallest, tau, eta: guarantee.marginal_curve(
                upper, smallest, tau
            ),
        ),
        Statement("weighted_exact", guarantee.weighted_certified_curve),
        OnAverage(
            "weighted_marginal",
            lambda upper, gamma_j, smallest, tau, eta: guarantee.weighted_marginal_curve(
                upper, gamma_j, smallest, tau
            ),
        ),
    )
}


def statement_named(name: str) -> Statement:
    """Return a statement; ValueError lists the names there are."""
    if name not in STATEMENTS:
        raise ValueError(f"unknown statement {name!r}; there are: {', '.join(STATEMENTS)}")
    return STATEMENTS[name]


def curve_coverage(
    statement: str | Statement,
    m: int,
    gamma: Level | tuple[Level, Level],
    replicates: int,
    generator: Generator,
    *,
    eta: float = ETA,
    tau: tuple[Level, ...] = TAU,
) -> list[CurveCoverage]:
    """Measure how often a guarantee's statement is true in the worst case, where it could fail.

    Δ is uniform on [0, 1], so that C(τ) covers a share C(τ) of the scenarios. Δ̂ is Δ with
    probability γ_j and 0 otherwise.

    Args:
        statement: one of :data:`STATEMENTS`, or a statement.
        m: scenarios of a study.
        gamma: coverage, or a pair: of scenarios whose Δ is at most ½, and above ½. The pair is a
            schedule that depends on the discrepancy as strongly as possible.
        replicates: studies.
        generator: of all draws.
        eta: probability with which the statement may be false, where it allows for one.
        tau: levels.

    Returns:
        An entry for each level, or one for all of them.

    Raises:
        ValueError: if the statement is unknown, or ``paper`` is asked about γ other than ½.
    """
    if isinstance(statement, str):
        statement = statement_named(statement)
    pair = gamma if isinstance(gamma, tuple) else (gamma, gamma)
    smallest = min(map(rational, pair))
    low, high = map(float, pair)
    delta = generator.random((replicates, m))
    gamma_j = np.where(delta <= 0.5, low, high)
    upper = np.where(generator.random(delta.shape) < gamma_j, delta, 0.0)
    curves = np.array(
        [statement.curve(*row, smallest, tau, eta) for row in zip(upper, gamma_j, strict=True)]
    )
    levels = np.array(tau, float)
    claimed = np.array([statement.claimed(m, smallest, level, eta) for level in levels.tolist()])
    return list(
        statement.coverage(np.minimum(curves, 1.0), levels.tolist(), claimed, eta, generator)
    )


class HoeffdingOfGamma(Hoeffding):
    """The half-width with log(2/γ), as [QC] prints it, in place of log(2/δ)."""

    name = "hoeffding_log_2_over_gamma"

    def radius(self, n, d, gamma, span=1.0):
        """Return (b - a)·sqrt(log(2/γ)/(2n)): the half-width at coverage 1 - γ."""
        return mean_bounds.hoeffding_radius(n, 1.0 - gamma, span)


class BernoulliKLOfGamma(BernoulliKL):
    """The radius with log(2/γ), as [QC] prints it, in place of log(2/δ)."""

    name = "bernoulli_kl_log_2_over_gamma"

    def radius(self, n, d, gamma, span=1.0):
        """Return log(2/γ)/n."""
        return np.log(2.0 / gamma) / n


class MultinomialChiSquared(MultinomialKL):
    """Half the γ quantile of χ² with d - 1 degrees of freedom over n: right only as n grows."""

    name = "multinomial_kl_chi2"

    def radius(self, n, d, gamma, span=1.0):
        """Return the radius that Wilks' theorem gives, in nats."""
        return chdtri(d - 1, 1.0 - gamma) / (2.0 * n)


@dataclass(frozen=True)
class WrongSet:
    """A confidence set that covers too little, and a case that shows it.

    Attributes:
        title: for people.
        confidence_set: the set.
        population: name of one of :data:`synthetic.populations.POPULATIONS`.
        discrepancy, gamma: where it fails.
    """

    title: str
    confidence_set: ConfidenceSet
    population: str
    discrepancy: str
    gamma: float

    def coverage(self, replicates: int, generator: Generator) -> list[SetCoverage]:
        """Measure it in that case."""
        population = population_named(self.population).draw(generator)
        cell = self.confidence_set, self.discrepancy, self.gamma
        return set_coverage(population, *cell, replicates, generator)


@dataclass(frozen=True)
class WrongCurve:
    """A curve that lies too low, and a case that shows it.

    Attributes:
        title: for people.
        statement: the wrong statement about it.
        m, gamma: where it fails; see :func:`curve_coverage`.
    """

    title: str
    statement: Statement
    m: int
    gamma: Level | tuple[Level, Level]

    def coverage(self, replicates: int, generator: Generator) -> list[CurveCoverage]:
        """Measure it in that case."""
        return curve_coverage(self.statement, self.m, self.gamma, replicates, generator)


def _wrong_curve(name: str, title: str, curve: Curve, gamma: Level | tuple) -> WrongCurve:
    return WrongCurve(title, OnAverage(name, curve, _less_a_scenario), 1000, gamma)


KNOWN_WRONG: dict[str, WrongSet | WrongCurve] = {
    "hoeffding_log_2_over_gamma": WrongSet(
        "Hoeffding with log(2/γ), as printed", HoeffdingOfGamma(), "few_answers", "absolute", 0.95
    ),
    "bernoulli_kl_log_2_over_gamma": WrongSet(
        "Bernoulli KL with log(2/γ), as printed",
        BernoulliKLOfGamma(),
        "few_answers",
        "absolute",
        0.95,
    ),
    "multinomial_kl_chi2": WrongSet(
        "KL ball with a χ² radius", MultinomialChiSquared(), "worst_proportion", "tv", 0.5
    ),
} | {
    name: _wrong_curve(name, title, curve, gamma)
    for name, title, curve, gamma in (
        ("index_map_of_v1", "index map of the paper's first version", _index_map_of_v1, 0.3),
        ("mean_coverage", "mean of unequal coverages", _index_by_the_mean, (0.95, 0.3)),
        ("normalised_weights", "normalised weights 1/γ", _normalised_weights, (0.95, 0.3)),
    )
}
