"""Estimates with intervals, from what each person does to them.

Persons are the units. What leaving out each of U persons changes, their *effects* e, gives the
variance V = Σe² of an estimate, and how sure that variance is: Student's t has 2V²/(Σe⁴ - V²/U)
degrees of freedom (Satterthwaite's approximation, by the fourth moment), U where effects are
normal, and fewer where a few persons with large weights or rare answers decide.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from fidelity.arrays import FloatArray


class TooFewError(ValueError):
    """There are too few answers, persons or groups for what is asked; the arguments are sound.

    Examples:
        >>> from fidelity.structure import TooFewError
        >>> issubclass(TooFewError, ValueError)
        True
    """


def if_enough(function: Callable[..., Any], *arguments: object, **more: object) -> Any:
    """Return what a function of the library computes; None where it says that data are too few.

    Examples:
        >>> from fidelity.structure import cronbach_alpha, if_enough
        >>> print(if_enough(cronbach_alpha, [[1], [2]]))  # of one question
        None
    """
    try:
        return function(*arguments, **more)
    except TooFewError:
        return None


class Interval(NamedTuple):
    """An estimate with a confidence interval.

    Attributes:
        estimate: NaN where the data tell nothing. One without bias may be impossible, such as a
            mean square below 0; its interval has possible values only.
        lower, upper: ends of the interval, never NaN; infinite, or the limits of what is possible,
            where the data tell nothing, as where no person changes the estimate.

    Examples:
        >>> from fidelity.structure import cronbach_alpha
        >>> found = cronbach_alpha([[1, 2], [2, 2], [3, 4], [5, 4], [4, 5]])
        >>> round(found.estimate, 3)
        0.897
    """

    estimate: float
    lower: float
    upper: float


NOTHING, ALIKE = Interval(0.0, 0.0, 0.0), Interval(1.0, 1.0, 1.0)  # a population beside itself


class Spread(NamedTuple):
    """The variance of an estimate, the multiple of its root that an interval reaches, and df."""

    variance: float
    critical: float
    df: float

    @classmethod
    def of(cls, effects: FloatArray, level: float) -> "Spread":
        """Return those of an estimate that persons have these effects on, (U,)."""
        squares = effects**2
        variance, units = float(squares.sum()), len(effects)
        fourth = float((squares**2).sum()) - variance**2 / max(units, 1)
        df = 2.0 * variance**2 / fourth if fourth > 0.0 else np.inf
        df = float(np.clip(df, 1.0, max(units - 1.0, 1.0)))
        return cls(variance, float(-stdtrit(df, (1.0 - level) / 2.0)), df)

    @property
    def reach(self) -> float:
        """Half of the interval."""
        return float(self.critical * np.sqrt(self.variance))


def around(estimate: float, effects: FloatArray, level: float) -> Interval:
    """Return estimate ± t·√V; persons' effects, (U,)."""
    reach = Spread.of(effects, level).reach
    return Interval(float(estimate), float(estimate - reach), float(estimate + reach))


def correlation(estimate: float, effects: FloatArray, level: float) -> Interval:
    """Return a mean correlation's interval; [-1, 1] where it is unknown or no person changes it."""
    if np.isnan(estimate) or not effects.any():
        return Interval(estimate, -1.0, 1.0)
    return Interval(estimate, *np.clip(around(estimate, effects, level)[1:], -1.0, 1.0).tolist())


def exponential(value: float, centre: float, effects: FloatArray, level: float) -> Interval:
    """Return the exponential of a logarithm, and of the ends of its interval around a centre.

    Args:
        value: the logarithm.
        centre: less its bias.
        effects: of persons on it, (U,).
        level: of the interval.

    Returns:
        From 0 to infinity where no person changes it, or one is decisive; no estimate where it is
        infinite.
    """
    estimate = float(np.exp(value)) if value < np.inf else np.nan
    if not (np.isfinite(centre) and np.isfinite(effects).all() and effects.any()):
        return Interval(estimate, 0.0, np.inf)
    reach = Spread.of(effects, level).reach
    return Interval(estimate, *np.exp([centre - reach, centre + reach]).tolist())


def mean_square(estimate: float, effects: FloatArray, noise: float, level: float) -> Interval:
    """Return a mean square without noise, and the interval of all θ that it does not exclude.

    The standard error grows with the root of the mean square, so that estimate ± error misses too
    often above. As in Wilson's interval of a share, the variance is that at θ: proportional to
    θ + noise (Wilson 1927). The estimate has no bias, so it may be below 0 by chance; the interval
    is not, and its upper end then is that of an estimate of 0.

    Args:
        estimate: of the mean square, without noise.
        effects: of persons on it, (U,).
        noise: what was subtracted.
        level: of the interval.
    """
    reach, raw = Spread.of(effects, level).reach, estimate + noise
    if not reach > 0.0:
        return Interval(float(estimate), 0.0, np.inf)
    half = reach**2 / raw / 2.0 if raw > 0.0 else 0.0
    reach = float(np.hypot(reach, half))
    lower, upper = estimate + half - reach, max(0.0, estimate) + half + reach
    return Interval(float(estimate), max(0.0, float(lower)), float(upper))


def ratio(
    values: FloatArray, effects: FloatArray, level: float, *, noise: float | None = None
) -> Interval:
    """Return Beale's estimate of a ratio N/D, and Fieller's set.

    N/D is biased where D is uncertain, by N/D·Var D/D² - Cov(N, D)/D², even if N and D are not;
    Beale's estimator takes that out (Beale 1962; Tin 1965). Fieller's set holds all θ for which
    N - θD is not significantly different from 0 (Fieller 1954). It holds for any D.

    If N is a sum of squares, its standard error grows with its root. Then the variance of N is
    that at θ, proportional to θD + noise, as in :func:`mean_square`.

    Args:
        values: N and D, (2,); the true D is positive or 0.
        effects: of persons on both, (U, 2).
        level: of the interval.
        noise: what was subtracted from N, if it is a sum of squares.

    Returns:
        Without an estimate, and with infinite ends, where D is not clear of 0, or where no person
        changes either: the ratio can then be anything.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure.estimates import ratio
        >>> effects = np.random.default_rng(0).normal(size=(500, 2)) * [0.01, 0.005]
        >>> [round(end, 2) for end in ratio(np.array([4.0, 2.0]), effects, 0.95)]
        [1.99, 1.72, 2.33]
    """
    n, d = values.tolist()
    (nn, nd), (_, dd) = effects.T @ effects
    raw = n / d if d > 0.0 else 0.0
    t = Spread.of(effects @ np.array([1.0, -raw]), level).critical ** 2
    a, b, c = d * d - t * dd, n * d - t * nd, n * n - t * nn
    if noise is not None and n + noise > 0.0:
        slope = t * nn / (n + noise)
        b, c = b + slope * d / 2.0, n * n - slope * noise
    if not (a > 0.0 and d > 0.0 and nn + dd > 0.0):
        return Interval(np.nan, -np.inf, np.inf)
    root = np.sqrt(max(b * b - a * c, 0.0))
    estimate = (n + nd / d) / (d + dd / d)
    return Interval(float(estimate), float((b - root) / a), float((b + root) / a))


def cosine(values: FloatArray, effects: FloatArray, level: float) -> Interval:
    """Return N/√(AB) by the delta method.

    Args:
        values: N, A and B, (3,).
        effects: of persons on them, (U, 3).
        level: of the interval.

    Returns:
        Within [-1, 1]; NaN and [-1, 1] where A or B is not clear of 0, or no person
        changes them.
    """
    n, a, b = values
    least = [Spread.of(effects[:, column], level).reach for column in (1, 2)]
    if not (effects.any() and a > least[0] and b > least[1]):
        return Interval(np.nan, -1.0, 1.0)
    norm = np.sqrt(a * b)
    gradient = np.array([1.0 / norm, -n / norm / a / 2.0, -n / norm / b / 2.0])
    return Interval(*np.clip(around(n / norm, effects @ gradient, level), -1.0, 1.0).tolist())
