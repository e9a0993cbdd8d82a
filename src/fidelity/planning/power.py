"""Variance components of scores, and the scenarios and resamples that a comparison needs.

The mean over m scenarios, each answered K times, has variance (ω² + σ²/K)/m. ω² is the variance
between scenarios. σ² is the variance within a scenario, between resamples of one simulator's score
([EB] = Miller, Adding Error Bars to Evals, arXiv 2411.00640, section 5). Only σ² is divided by K:
resampling does not make scenarios alike.

For the difference of two simulators on the same scenarios, ω² is the variance of the difference of
their expected scores, and the variance is (ω² + σ_A²/k_A + σ_B²/k_B)/m. With next-token
probabilities in place of draws σ² is 0. A score of k draws together, such as a discrepancy, is one
resample, K = 1. Its σ² is that of sets of k draws, and the variance of the scores over scenarios is
ω² + σ² already (:mod:`fidelity.comparison.draw_variance`).

Power is that of the two-sided t-test of :mod:`fidelity.comparison.error_bars`, with its degrees of
freedom: m - 1 for independent scenarios, G - 1 for G equal clusters. An estimated standard error
may be too small by chance. ``variance_df`` and ``se_df`` allow for that: the wanted power is then
reached on average over studies that estimate it with so many degrees of freedom. For the scenarios,
people and draws that the quantile curve needs see :mod:`fidelity.planning.plan`.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.comparison.error_bars import ROUNDING, ErrorBar
from fidelity.comparison.few_clusters import has_test

POINTS, OTHER_POINTS = 200, 231
NODES, WEIGHTS = np.polynomial.legendre.leggauss(POINTS)
NEGLIGIBLE, MOST_DEGREES = 1e-8, 1e9
FARTHEST = 9.0
LARGEST, MOST_LOG_TIMES, ALWAYS_FOUND = 1e300, 700.0, 1e100
FEWEST_DEGREES = 1.0


class VarianceComponents(NamedTuple):
    """Where the variance over scenarios comes from, in squared units of the scores.

    Attributes:
        between: ω², never negative.
        within: σ² per simulator, one or two of them.
        resamples: K of each.
        unbiased_between: the unbiased estimate of ω², which can be negative.
        clipped: whether it was negative, so that ``between`` was set to 0. Then ω² is too small
            beside σ²/K to be seen in so many scenarios.

    Examples:
        >>> from fidelity import variance_components
        >>> found = variance_components([[0.1, 0.2, 0.1], [0.4, 0.3, 0.5], [0.2, 0.2, 0.3]])
        >>> print(round(found.between, 4), round(found.within[0], 4), found.clipped)
        0.0163 0.0056 False
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


def variance_components(*resamples: ArrayLike) -> VarianceComponents:
    """Return how much scores vary between scenarios, and how much within one.

    ω² and σ² from repeated scores of the same scenarios.

    σ² is the mean over scenarios of the variance of the K scores (divisor K-1). The unbiased ω² is
    the variance over scenarios of the mean score (of two simulators: of the difference of mean
    scores; divisor m-1) less Σσ²/K. Resamples must be independent, within a scenario and between
    simulators.

    Args:
        resamples: scores of one simulator, (m, K), or of two, (m, k_A) and (m, k_B); m, K ≥ 2.

    Raises:
        ValueError: on other shapes, or scores that aren't finite.

    Examples:
        >>> from fidelity import variance_components
        >>> runs = [[0.1, 0.2, 0.1], [0.4, 0.3, 0.5], [0.2, 0.2, 0.3]]  # rows are scenarios
        >>> print(round(variance_components(runs).between, 4))
        0.0163
    """
    if len(resamples) not in (1, 2):
        raise ValueError(f"resamples must be those of 1 simulator or of 2, not of {len(resamples)}")
    named: dict[str, Any] = {f"resamples[{i}]": resample for i, resample in enumerate(resamples)}
    scores = [
        inputs.table(name, resample, inputs.FINITE, ("scenarios", "resamples"))
        for name, resample in zip(named, inputs.aligned(columns=False, **named), strict=True)
    ]
    if min(min(score.shape) for score in scores) < 2 or len({len(score) for score in scores}) > 1:
        shapes = " and ".join(str(score.shape) for score in scores)
        raise ValueError(
            "resamples must have at least 2 scenarios (rows), the same ones, and 2 scores of each "
            f"(columns), not the shapes {shapes}"
        )
    means, everything = [score.mean(1) for score in scores], np.concatenate(scores, axis=1)
    within = tuple(without_rounding(score.var(1, ddof=1).mean(), everything) for score in scores)
    counts = tuple(score.shape[1] for score in scores)
    observed = float(np.var(means[0] - means[1] if len(means) == 2 else means[0], ddof=1))
    unbiased = without_rounding(observed - score_variance(0.0, within, counts), everything)
    return VarianceComponents(max(unbiased, 0.0), within, counts, unbiased, unbiased < 0.0)


def components_of_scores(scores: FloatArray, *within: float) -> VarianceComponents:
    """Return ω² from one score per scenario and a σ² that is known from elsewhere; K = 1.

    The unbiased ω² is the variance over scenarios of the score, or of the difference of two
    simulators' scores (divisor m-1), less Σσ².

    Args:
        scores: of the same m ≥ 2 scenarios, (m,).
        within: σ² of each simulator, at K = 1, as :mod:`fidelity.comparison.draw_variance`
            estimates it.
    """
    scores = inputs.vector("scores", scores, inputs.FINITE)
    if len(scores) < 2:
        raise ValueError("scores must be those of at least 2 scenarios, not of 1")
    known = tuple(without_rounding(variance, scores) for variance in within)
    unbiased = without_rounding(float(scores.var(ddof=1)) - sum(known), scores)
    return VarianceComponents(max(unbiased, 0.0), known, (1,) * len(known), unbiased, unbiased < 0)


def without_rounding(variance: float, scores: FloatArray) -> float:
    """Return a part of the variance of these scores, 0 where it is no more than rounding."""
    return float(variance) if abs(variance) > ROUNDING * np.square(scores).max() else 0.0


def score_variance(between: float, within: tuple[float, ...], resamples: tuple[int, ...]) -> float:
    """Return ω² + Σσ²/K, the variance that one scenario contributes to a mean or a difference.

    Args:
        between: ω², not negative.
        within: σ² of each simulator.
        resamples: K of each, the same number.
    """
    if len(within) != len(resamples) or min(resamples, default=1) < 1:
        raise ValueError("give one K ≥ 1 for each σ²")
    return between + sum(part / k for part, k in zip(within, resamples, strict=True))


def minimum_detectable_effect(
    m: float,
    variance: float,
    *,
    df: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    variance_df: float = np.inf,
) -> float:
    """Return the smallest true mean or difference that a study finds as often as wanted.

    Args:
        m: scenarios.
        variance: SE²·m, with SE the standard error of the mean over m scenarios. For independent
            scenarios it is the variance of one. A variance of 0 shows every effect.
        df: degrees of freedom of the test; m - 1 if not told, infinite for a z-test.
        alpha: the test's level, in (0, 1).
        variance_df: degrees of freedom with which ``variance`` was estimated, infinite if it is
            known.
        power: 1-β, above α.

    Examples:
        >>> from fidelity import minimum_detectable_effect
        >>> print(round(minimum_detectable_effect(m=100, variance=0.01), 4))
        0.0283
    """
    se, df = _error_of_mean(m, variance, df)
    alpha, power = _levels(alpha, power)
    variance_df = inputs.number("variance_df", variance_df, inputs.POSITIVE)
    return se * _effect_in_standard_errors(df, alpha, power, variance_df)


def scenarios_needed(
    effect: float,
    variance: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    variance_df: float = np.inf,
) -> float:
    """Return how many independent scenarios show an effect with the wanted power; round it up.

    [EB], eq. 9, with Student's t for z: 2 or 3 more scenarios.

    Args:
        effect: the true mean or difference to be found, not 0, stated before looking.
        variance: of one scenario's score, or difference of scores; see :func:`score_variance`.
        alpha: the test's level, in (0, 1).
        power: 1-β, the probability with which the effect is found; above α.
        variance_df: degrees of freedom with which ``variance`` was estimated.

    Examples:
        >>> from fidelity import scenarios_needed
        >>> print(round(scenarios_needed(effect=0.03, variance=0.01), 1))
        89.1
    """
    variance_df = inputs.number("variance_df", variance_df, inputs.POSITIVE)
    levels = {"alpha": alpha, "power": power, "se_df": variance_df}
    return clusters_needed(effect, sqrt(_positive("variance", variance)), 1.0, 0.0, **levels)


def clusters_needed(
    effect: float,
    se: float,
    n_clusters: float,
    df: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    se_df: float = np.inf,
) -> float:
    """Return how many clusters show an effect with the wanted power; round it up.

    The clusters are like those of the study that the standard error is from, as large and as
    unequal. With r times as many the error is se/√r, with r(df + 1) - 1 degrees of freedom. More
    scenarios in the same clusters are no substitute.

    Args:
        effect: the true mean or difference to be found, not 0, stated before looking.
        se, n_clusters, df: of that study.
        alpha: the test's level, in (0, 1).
        power: 1-β, the probability with which the effect is found; above α.
        se_df: degrees of freedom with which ``se`` was estimated, infinite if it is known.

    Examples:
        >>> from fidelity import clusters_needed
        >>> print(round(clusters_needed(effect=0.03, se=0.02, n_clusters=12, df=11), 1))
        43.8
    """
    effect = inputs.number("effect", effect, inputs.FINITE)
    if effect == 0:
        raise ValueError("effect must not be 0: no number of clusters finds it")
    se = _positive("se", se)
    n_clusters = inputs.number("n_clusters", n_clusters, inputs.FINITE_POSITIVE)
    df = inputs.number("df", df, inputs.FINITE_NOT_NEGATIVE)
    se_df = inputs.number("se_df", se_df, inputs.POSITIVE)
    alpha, power = _levels(alpha, power)

    def missing(log_times: float) -> float:
        times = exp(log_times)
        shift = abs(effect) * sqrt(times) / se
        return power - _power(shift, times * (df + 1) - 1, alpha, se_df)

    fewest = log((1 + FEWEST_DEGREES) / (df + 1))
    if se == 0 or missing(fewest) <= 0:
        return n_clusters * exp(fewest)
    most = fewest + 1.0
    while missing(most) > 0:
        most += 2.0
        if most > MOST_LOG_TIMES:
            raise ValueError(
                f"effect, {effect:g}, is too small against se, {se:g}, or se_df, {se_df:g}: no "
                "number of clusters that a number can hold shows it"
            )
    return n_clusters * exp(sp.optimize.brentq(missing, fewest, most))


class PlannedTest(NamedTuple):
    """What a study can show of a mean or a difference, and what it takes to show an effect.

    Attributes:
        minimum_detectable_effect: what is found with the wanted power; NaN where there is no test.
        needed: how many scenarios show the stated effect, or clusters like these; NaN if none is
            stated, or the standard error is too uncertain.
    """

    minimum_detectable_effect: float
    needed: float


def planned_test(
    bar: ErrorBar,
    *,
    effect: float | None = None,
    is_clustered: bool = False,
    least_variance: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
) -> PlannedTest:
    """Return what the study of an error bar can show, and what it takes to show an effect.

    That the standard error is estimated is allowed for.

    Args:
        bar: of the mean or the difference.
        effect: the true one to be found, stated before looking; None for none.
        is_clustered: whether scenarios are in clusters, which then are counted.
        least_variance: of one scenario as if all were independent, which errors are planned with if
            they are larger: scenarios of a cluster are hardly ever more different than those of
            several, so a smaller error over few clusters is chance.
        alpha, power: of the test.

    Examples:
        >>> from fidelity import mean_error_bar
        >>> from fidelity.planning import planned_test
        >>> bar = mean_error_bar([0.03, 0.04, 0.09, 0.12, 0.09, 0.10])
        >>> plan = planned_test(bar, effect=0.03)
        >>> print(f"{plan.minimum_detectable_effect:.3f}", plan.needed)
        0.060 18
    """
    alpha, power = _levels(alpha, power)
    size = 1.0 if effect is None else abs(inputs.number("effect", effect, inputs.FINITE))
    wanted = inputs.number("effect", size, inputs.FINITE_POSITIVE)
    if not bar.se > 0 or np.isnan(bar.df):
        return PlannedTest(np.nan, np.nan)
    se, df, n, units = float(bar.se), float(bar.df), bar.n, bar.n_clusters
    is_t = np.isfinite(df)
    errors = [(se, df)]
    if least_variance > 0.0:
        errors.append((sqrt(least_variance / n), n - 1.0 if is_t else np.inf))
    levels = {"alpha": alpha, "power": power}

    def detectable(se: float, se_df: float) -> float:
        return minimum_detectable_effect(n, n * se**2, df=df, variance_df=se_df, **levels)

    def needed(se: float, se_df: float) -> float:
        if not is_clustered:
            return scenarios_needed(wanted, n * se**2, variance_df=se_df, **levels)
        of_test = df if is_t else units - 1.0
        return clusters_needed(wanted, se, units, of_test, se_df=se_df, **levels)

    def largest(plan: Callable[[float, float], float]) -> float:
        try:
            return max(plan(*error) for error in errors)
        except ValueError:  # too few degrees of freedom
            return np.nan

    least = largest(detectable) if has_test(bar.effective_clusters) else np.nan
    many = np.nan if effect is None else largest(needed)
    return PlannedTest(least, many if np.isnan(many) else ceil(many))


def _power(shift: float, df: float, alpha: float, se_df: float) -> float:
    """Return P(|Z + shift·v| > t·u), u² and v² independent χ² over their degrees of freedom.

    The probability is averaged over u and v. Their steps differ, so that the event's edge doesn't
    fall between the same ones everywhere. Where a known shift makes the edge sharp in u, it is
    averaged over Z instead.
    """
    df, se_df = (np.inf if degrees > MOST_DEGREES else degrees for degrees in (df, se_df))
    critical = sp.special.stdtrit(df, 1 - alpha / 2)
    if not critical < LARGEST:
        raise ValueError(f"{df:.3g} degrees of freedom are too few for a test at {alpha:g}")
    shift = min(shift, ALWAYS_FOUND)
    if np.isinf(se_df) and shift**2 > 2 * df:
        low = max(-FARTHEST, -shift)
        z = low + (NODES + 1) / 2 * (FARTHEST - low)
        density = np.exp(-(z**2) / 2) + np.exp(-((2 * shift + z) ** 2) / 2)
        weights = WEIGHTS * (FARTHEST - low) / 2 * density / sqrt(2 * pi)
        return float(weights @ sp.special.chdtr(df, df * ((shift + z) / critical) ** 2))
    (u, of_u), (v, of_v) = _roots(df, alpha, POINTS), _roots(se_df, alpha, OTHER_POINTS)
    moved = (shift * v)[:, None]
    return float(
        of_v
        @ (sp.special.ndtr(moved - critical * u) + sp.special.ndtr(-moved - critical * u))
        @ of_u
    )


@lru_cache(maxsize=64)
def _roots(df: float, alpha: float, points: int) -> tuple[FloatArray, FloatArray]:
    """Return values of the root of χ²/df, and their probabilities; 1 for infinite ``df``.

    Even steps in its logarithm, in which smooth functions are averaged nearly exactly.
    """
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    smallest = sp.special.gammaincinv(df / 2, NEGLIGIBLE * alpha)
    if smallest == 0:
        raise ValueError(f"{df:.3g} degrees of freedom are too few to tell a power")
    ends = np.array([smallest, sp.special.gammainccinv(df / 2, NEGLIGIBLE**2)]) * 2 / df
    first, last = np.log(ends) / 2
    y = np.linspace(first, last, points)
    weights = np.exp(df * (y - np.expm1(2 * y) / 2))
    return np.exp(y), weights / weights.sum()


@lru_cache(maxsize=1024)
def _effect_in_standard_errors(df: float, alpha: float, power: float, se_df: float) -> float:
    """Return the effect over the standard error that is found with the wanted power."""
    most = 4.0
    while _power(most, df, alpha, se_df) < power:
        most *= 4.0
        if most > ALWAYS_FOUND / 4:
            raise ValueError(
                f"{min(df, se_df):.3g} degrees of freedom are too few: no effect that a number can "
                f"hold is found with power {power:g} at {alpha:g}"
            )
    return float(
        sp.optimize.brentq(lambda shift: _power(shift, df, alpha, se_df) - power, 0.0, most)
    )


def _error_of_mean(m: float, variance: float, df: float | None) -> tuple[float, float]:
    m = inputs.number("m", m, inputs.FINITE_POSITIVE)
    if m <= 1:
        raise ValueError(f"m must be more than one scenario for a test, not {m}")
    df = m - 1 if df is None else inputs.number("df", df, inputs.POSITIVE)
    return sqrt(_positive("variance", variance) / m), df


def _levels(alpha: float, power: float) -> tuple[float, float]:
    alpha = inputs.number("alpha", alpha, inputs.INSIDE)
    power = inputs.number("power", power, inputs.INSIDE)
    if power <= alpha:
        raise ValueError(f"power must exceed alpha, {alpha}, which is what chance reaches: {power}")
    return alpha, power


def _positive(name: str, value: float) -> float:
    return inputs.number(name, value, inputs.FINITE_NOT_NEGATIVE)
