"""Confidence sets for what people answer, and the bounds they give.

A set C with P(p ∈ C) ≥ γ enters the discrepancies through its support function
h(f) = sup_{u ∈ C} ⟨f, u⟩, through the interval of one number, or as a ball. The ``witness`` is no
set: it bounds each functional by itself, one-sided at the full 1 - γ, which is enough for the upper
discrepancy and much tighter (see :class:`Witness`). γ is the coverage, δ = 1 - γ; the paper prints
log(2/γ) in three places, the right form is log(2/δ), as its authors' code has it ([QC], section 3).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fidelity import inputs
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.binomial import clopper_pearson_upper
from fidelity.discrepancies.base import Bounds, Discrepancy
from fidelity.discrepancies.registry import discrepancy_named
from fidelity.extrema import w1_ball as transport
from fidelity.extrema.kl_ball import linear_maximum
from fidelity.sets import mean_bounds, multinomial

LOWER_BALL = "multinomial_kl"

Generators = np.random.Generator | Sequence[np.random.Generator]


@dataclass(frozen=True)
class Sample:
    """Responses of N samples to scenarios with one answer scale, and how sure to be.

    Attributes:
        counts: per option, (N, d).
        gamma: coverage, (N,).
        scores: of the options, (d,), or None.
        limits: smallest and largest possible outcome where the options are not all there could be
            (``bounded`` outcomes), or None.
        generators: one or one per sample, for sets that draw.
    """

    counts: np.ndarray
    gamma: np.ndarray
    scores: np.ndarray | None = None
    limits: tuple[float, float] | None = None
    generators: Generators | None = None

    @property
    def n(self) -> np.ndarray:
        """Responses, or effective sample sizes, (N,)."""
        return self.counts.sum(1)

    @property
    def share(self) -> np.ndarray:
        """p̂, (N, d)."""
        return self.counts / self.counts.sum(1, keepdims=True)

    @property
    def span(self) -> float:
        """Range of the outcomes, in the unit of the scores; 1 where there are none."""
        if self.limits is not None:
            return self.limits[1] - self.limits[0]
        return 1.0 if self.scores is None else float(np.ptp(self.scores))

    def at(self, gamma: np.ndarray) -> "Sample":
        """Return the same responses with another coverage."""
        return replace(self, gamma=gamma)

    def ranges(self, functionals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and largest value each functional can have, (F,) each."""
        if self.limits is None:
            return functionals.min(1), functionals.max(1)
        low, high = self.limits
        return np.array([low, -high]), np.array([high, -low])


class ConfidenceSet(ABC):
    """What is known of p from one sample per row.

    Attributes:
        name: as in configs and tables.
        kinds: outcome kinds that it is for.
        ball: ``kl`` or ``w1`` where it is a ball of distributions, else None.
        has_radius: whether a radius can stand in for γ.
        draws: whether it needs a generator.
        guarantee: ``proven``, or ``approximate`` where coverage only tends to γ.
    """

    name: str
    kinds: tuple[str, ...]
    ball: str | None = None
    has_radius = False
    draws = False
    guarantee = "proven"

    def radius(self, n: np.ndarray, d: int, gamma: np.ndarray, span: float = 1.0) -> np.ndarray:
        """Return the set's radius for n responses, d options and coverage γ."""
        raise ValueError(f"{self.name} has no radius")

    @abstractmethod
    def support(
        self, sample: Sample, functionals: np.ndarray, radius: np.ndarray | None
    ) -> np.ndarray:
        """Return upper bounds on ⟨f, p⟩: functionals (F, d) -> (N, F)."""

    def two_sided(self, gamma: np.ndarray) -> np.ndarray:
        """Return the coverage at which both of a functional's bounds hold together at γ."""
        return gamma

    def bounds_of(self, sample: Sample, measure: Discrepancy) -> tuple[np.ndarray, np.ndarray]:
        """Return the interval of a parameter that is not linear in p, (N,) each."""
        raise ValueError(f"confidence_set {self.name} does not bound {measure.name}")


class Hoeffding(ConfidenceSet):
    """|u - mean| ≤ (b - a)·sqrt(log(2/δ)/(2n)), clipped to [a, b]; for bounded means."""

    name = "hoeffding"
    kinds = ("binary", "ordinal", "bounded")
    has_radius = True

    def radius(self, n, d, gamma, span=1.0):
        """Return the half-width in the unit of the scores, whose range is ``span``."""
        return mean_bounds.hoeffding_radius(n, gamma, span)

    def support(self, sample, functionals, radius):
        """Return the mean of f plus the half-width, in the unit of f, at most max f."""
        low, high = sample.ranges(functionals)
        width = radius[:, None] * (high - low) / sample.span
        return np.minimum(sample.share @ functionals.T + width, high)


class KLBall(ConfidenceSet):
    """{u in the simplex: KL(p̂ ‖ u) ≤ r}."""

    ball = "kl"
    has_radius = True

    def support(self, sample, functionals, radius):
        """Return max ⟨f, u⟩ over the ball, exactly."""
        return linear_maximum(sample.share, radius, functionals)


class BernoulliKL(KLBall):
    """Binary outcomes, r = log(2/δ)/n: the two-sided Chernoff bound."""

    name = "bernoulli_kl"
    kinds = ("binary",)

    def radius(self, n, d, gamma, span=1.0):
        """Return log(2/δ)/n, in nats."""
        return np.log(2.0 / (1.0 - gamma)) / n


class MultinomialKL(KLBall):
    """d options, with the smallest radius that is proven for this n, d and γ."""

    name = "multinomial_kl"
    kinds = ("binary", "ordinal", "categorical")

    def radius(self, n, d, gamma, span=1.0):
        """Return the radius in nats; see :func:`fidelity.sets.multinomial.smallest_radius`."""
        return multinomial.smallest_radius(n, d, gamma)


class MultinomialKLPaper(MultinomialKL):
    """d options, r = (d-1)/n·log(2(d-1)/δ) as [QC] has it; valid for every n and d."""

    name = "multinomial_kl_paper"

    def radius(self, n, d, gamma, span=1.0):
        """Return (d-1)/n·log(2(d-1)/δ), in nats."""
        return multinomial.paper_radius(n, d, gamma)


class W1Ball(ConfidenceSet):
    """{u: W1(u, p̂) ≤ r} with the DKW radius r = (b - a)·sqrt(log(2/δ)/(2n)).

    W1 is at most b - a times the largest distance of the distribution functions, which the
    inequality of Dvoretzky, Kiefer, Wolfowitz and Massart bounds.
    """

    name = "w1"
    kinds = ("binary", "ordinal", "bounded")
    ball = "w1"
    has_radius = True

    def radius(self, n, d, gamma, span=1.0):
        """Return the radius in the unit of the scores, whose range is ``span``."""
        return mean_bounds.hoeffding_radius(n, gamma, span)

    def support(self, sample, functionals, radius):
        """Return max ⟨f, u⟩ over the ball; for ``bounded`` outcomes f is the mean."""
        if sample.limits is not None:
            highest = sample.ranges(functionals)[1]
            return np.minimum(sample.share @ functionals.T + radius[:, None], highest)
        return transport.linear_maximum(sample.share, radius, functionals, sample.scores)


class W1SubGaussian(W1Ball):
    """The paper's radius 512σ/√n + σ·sqrt(256e·log(1/δ)/n) with σ = (b - a)/2 ([QC], section 3).

    Valid, and vacuous: above the range of the outcomes until n is in the hundred thousands.
    """

    name = "w1_subgaussian"

    def radius(self, n, d, gamma, span=1.0):
        """Return the radius in the unit of the scores, whose range is ``span``."""
        deviation = np.sqrt(256.0 * np.e * -np.log1p(-gamma) / n)
        return span / 2.0 * (512.0 / np.sqrt(n) + deviation)


class ClopperPearson(ConfidenceSet):
    """Binary outcomes, exact: each bound fails with probability at most δ/2."""

    name = "clopper_pearson"
    kinds = ("binary",)

    def support(self, sample, functionals, radius):
        """Return the bound of ⟨f, p⟩ that the interval of the success probability gives."""
        return _binary_support(sample.at((1.0 + sample.gamma) / 2.0), functionals)


class EmpiricalBernstein(ConfidenceSet):
    """Bounded means and variances by the sample's variance (Maurer & Pontil 2009)."""

    name = "empirical_bernstein"
    kinds = ("binary", "ordinal", "bounded")

    def support(self, sample, functionals, radius):
        """Return the mean of f plus a half-width that follows its variance, at most max f."""
        low, high = sample.ranges(functionals)
        n, mean = sample.n[:, None], sample.share @ functionals.T
        spread = sample.share @ (functionals**2).T - mean**2
        variance = np.maximum(spread, 0.0) * n / np.maximum(n - 1.0, 1e-300)
        width = mean_bounds.empirical_bernstein_radius(
            variance, n, sample.gamma[:, None], high - low
        )
        return np.minimum(mean + width, high)

    def bounds_of(self, sample, measure):
        """Return the interval of the variance."""
        if measure.name != "variance":
            return super().bounds_of(sample, measure)
        n, _, variance = mean_bounds.moments(sample.scores, sample.counts)
        return mean_bounds.variance_bounds(variance, n, sample.gamma, sample.span)


class Betting(ConfidenceSet):
    """Bounded means by betting (Waudby-Smith & Ramdas 2023); needs whole counts and a generator."""

    name = "betting"
    draws = True
    kinds = ("binary", "ordinal", "bounded")

    def support(self, sample, functionals, radius):
        """Return bounds at δ/2 on each side."""
        return _betting_support(sample.at((1.0 + sample.gamma) / 2.0), functionals)


class Bootstrap(ConfidenceSet):
    """The bootstrap interval of a parameter; its coverage tends to γ and is guaranteed nowhere."""

    kinds = ("bounded", "real")
    draws = True
    guarantee = "approximate"

    def __init__(self, method: str):
        """Name the method, ``percentile`` or ``bca``."""
        self.method = method
        self.name = f"bootstrap_{method}"

    def support(self, sample, functionals, radius):
        """Return the (1 + γ)/2 quantile of resampled means of f."""
        return np.stack(
            [self._quantiles(sample, f, "mean", (1.0 + sample.gamma) / 2.0) for f in functionals], 1
        )

    def bounds_of(self, sample, measure):
        """Return the quantiles at δ/2 and 1 - δ/2."""
        levels = (1.0 - sample.gamma) / 2.0, (1.0 + sample.gamma) / 2.0
        lower, upper = (
            self._quantiles(sample, sample.scores, measure.parameter, level) for level in levels
        )
        return lower, upper

    def _quantiles(self, sample, values, parameter, level):
        from fidelity.sets.bootstrap_interval import bootstrap_quantiles, parameter_named

        return bootstrap_quantiles(
            values,
            sample.counts,
            level[:, None],
            parameter_named(parameter),
            self.method,
            sample.generators,
        )[:, 0]


class Witness(ConfidenceSet):
    """One-sided bounds at the full δ, a functional at a time.

    A discrepancy convex in p is max_f [⟨f, p⟩ - c(f)], and at the true p and the given q̂ its
    maximiser f* is fixed, since q̂ does not depend on the human sample. So max_f [bound(f) - c(f)]
    is at least the true discrepancy whenever the bound of f* holds: with probability γ, with no
    union over f and no price for d. Indicators of option subsets and binary outcomes: one-sided
    Clopper-Pearson, exact. Other functionals: the Chernoff bound KL(mean ‖ u) ≤ log(1/δ)/n after
    rescaling to [0, 1], which holds for every bounded variable (Hoeffding 1963). Lower
    discrepancies need a two-sided set: both bounds at δ/2, by the union bound.
    """

    name = "witness"
    kinds = ("binary", "ordinal", "categorical", "bounded")
    ball = "kl"

    def support(self, sample, functionals, radius):
        """Return one-sided upper confidence bounds, each holding with probability γ."""
        gamma, n = sample.gamma[:, None], sample.n[:, None]
        if sample.limits is None:
            if np.isin(functionals, (0.0, 1.0)).all():
                return clopper_pearson_upper(sample.counts @ functionals.T, n, gamma)
            if sample.counts.shape[1] == 2:
                return _binary_support(sample, functionals)
        low, high = sample.ranges(functionals)
        unit = np.clip((sample.share @ functionals.T - low) / (high - low), 0.0, 1.0)
        return low + (high - low) * bernoulli_kl_upper(unit, -np.log1p(-gamma) / n)

    def two_sided(self, gamma):
        """Return (1 + γ)/2: two one-sided bounds at δ/2 each."""
        return (1.0 + gamma) / 2.0


class WitnessBetting(Witness):
    """The witness with betting bounds, narrower where outcomes vary less than they could."""

    name = "witness_betting"
    draws = True
    kinds = ("binary", "ordinal", "bounded")

    def support(self, sample, functionals, radius):
        """Return one-sided betting bounds, each holding with probability γ."""
        return _betting_support(sample, functionals)


def _binary_support(sample: Sample, functionals: np.ndarray) -> np.ndarray:
    """Bound ⟨f, p⟩ for d = 2: p moves towards the option on which f is larger."""
    towards = (functionals == functionals.max(1, keepdims=True)).astype(float)
    towards[:, 0] -= towards.all(1)
    bound = clopper_pearson_upper(
        sample.counts @ towards.T, sample.n[:, None], sample.gamma[:, None]
    )
    return functionals.min(1) + np.ptp(functionals, axis=1) * bound


def _betting_support(sample: Sample, functionals: np.ndarray) -> np.ndarray:
    from fidelity.sets.betting import betting_upper

    columns = [
        betting_upper(f, sample.counts, sample.gamma, low, high, sample.generators)
        for f, low, high in zip(functionals, *sample.ranges(functionals), strict=True)
    ]
    return np.stack(columns, axis=1)


CONFIDENCE_SETS: dict[str, ConfidenceSet] = {
    each.name: each
    for each in (
        Hoeffding(),
        BernoulliKL(),
        ClopperPearson(),
        MultinomialKL(),
        MultinomialKLPaper(),
        W1Ball(),
        W1SubGaussian(),
        EmpiricalBernstein(),
        Betting(),
        Bootstrap("percentile"),
        Bootstrap("bca"),
        Witness(),
        WitnessBetting(),
    )
}


def confidence_set_named(name: str) -> ConfidenceSet:
    """Return a confidence set; ValueError lists the names there are."""
    if not isinstance(name, str) or name not in CONFIDENCE_SETS:
        raise ValueError(
            f"unknown confidence set {name!r}; there are: {', '.join(CONFIDENCE_SETS)}"
        )
    return CONFIDENCE_SETS[name]


def meaningful(confidence_set: str, discrepancy: str, kind: str) -> bool:
    """Tell whether a set bounds a discrepancy for an outcome kind.

    ``kind`` is ``binary``, ``ordinal``, ``categorical``, ``bounded`` or ``real``. Binary outcomes
    have one number, which every set for them bounds. Otherwise unordered options have no scores,
    sets for one mean don't bound the distance of distributions, and the witness is proven for
    maxima of linear functionals only.
    """
    chosen, measure = confidence_set_named(confidence_set), discrepancy_named(discrepancy)
    if kind not in chosen.kinds or (measure.needs_scores and kind == "categorical"):
        return False
    if measure.on == "mean":
        return True
    if measure.on in ("variance", "median"):
        return (measure.on, confidence_set) == ("variance", "empirical_bernstein") or (
            confidence_set.startswith("bootstrap")
        )
    if kind == "binary":
        return True
    if kind in ("bounded", "real"):
        return measure.on == "score_slopes" and chosen.ball == "w1"
    if measure.on == "options":
        return chosen.ball == "kl" and chosen.has_radius
    if measure.on == "score_slopes" or confidence_set != "witness_betting":
        return chosen.ball is not None
    return False


def confidence_radius(
    n: np.ndarray, d: int, gamma: np.ndarray, confidence_set: str, *, span: float = 1.0
) -> np.ndarray:
    """Return the radius of a confidence set with coverage γ ([QC], section 3; δ = 1 - γ).

    Args:
        n: responses (or effective sample size), positive; broadcasts with ``gamma``.
        d: number of options; only the multinomial sets depend on it.
        gamma: coverage in (0, 1).
        confidence_set: ``bernoulli_kl``, ``multinomial_kl`` or ``multinomial_kl_paper`` (in nats),
            ``hoeffding``, ``w1`` or ``w1_subgaussian`` (in the unit of the scores).
        span: b - a, the range of the scores; for the sets in their unit.

    Raises:
        ValueError: if the set has no radius, such as ``clopper_pearson``, or is unknown.
    """
    chosen = confidence_set_named(confidence_set)
    if not chosen.has_radius:
        having = [name for name, each in CONFIDENCE_SETS.items() if each.has_radius]
        raise ValueError(
            f"confidence_set {confidence_set} has no radius; these have: {', '.join(having)}"
        )
    n, gamma = inputs.aligned(n=n, gamma=gamma)
    n = inputs.numbers("n", n, inputs.FINITE_POSITIVE)
    gamma = inputs.numbers("gamma", gamma, inputs.INSIDE)
    inputs.broadcast(n=n, gamma=gamma)
    d, span = inputs.whole("d", d, 2), inputs.number("span", span, inputs.FINITE_POSITIVE)
    return chosen.radius(n, d, gamma, span)


def default_generators(m: int) -> list[np.random.Generator]:
    """Return a source of randomness for each of m scenarios, the same each time."""
    return np.random.default_rng(0).spawn(m)


def confidence_bounds(
    counts: np.ndarray,
    *,
    confidence_set: str,
    discrepancy: str,
    gamma: float | np.ndarray | None = None,
    radius: float | np.ndarray | None = None,
    scores: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    generator: Generators | None = None,
) -> Bounds:
    """Return what a confidence set says of p, as far as a discrepancy needs it.

    The bounds don't depend on any simulator: compute them once and use them for all.

    Args:
        counts: as :func:`fidelity.pseudo_discrepancy`, but adding up to the effective sample size
            where people are weighted, and so fractional; every scenario has all d options.

    The others as there.
    """
    chosen, measure = confidence_set_named(confidence_set), discrepancy_named(discrepancy)
    counts = _checked_counts(counts)
    scores = measure.checked_scores(scores, counts.shape[1])
    _refuse_pairs_without_bounds(chosen, measure, counts.shape[1], scores, limits)
    limits = _checked_limits(limits, scores)
    if chosen.draws:
        given = default_generators(len(counts)) if generator is None else generator
        generator = inputs.generators("generator", given, len(counts))
    gamma = _checked_level(gamma, radius, chosen, len(counts))
    sample = Sample(counts, gamma, scores, limits, generator)
    radius = _radius(chosen, sample, radius)
    unknown = np.full(len(counts), np.nan)
    if measure.on in ("variance", "median"):
        lower, upper = chosen.bounds_of(sample, measure)
        return Bounds(sample.share, np.stack([upper, -lower], 1), lower, upper, unknown)
    if limits is not None and measure.on != "mean":
        nothing, radius = np.empty((len(counts), 0)), np.minimum(radius, sample.span)
        return Bounds(sample.share, nothing, unknown, unknown, radius, chosen.ball, limits)
    functionals = measure.functionals(counts.shape[1], scores)
    support = chosen.support(sample, functionals, radius)
    if measure.is_scalar(counts.shape[1]):
        both = chosen.support(sample.at(chosen.two_sided(gamma)), functionals, radius)
        return Bounds(sample.share, support, -both[:, 1], both[:, 0], unknown)
    if not chosen.has_radius:
        radius = CONFIDENCE_SETS[LOWER_BALL].radius(sample.n, counts.shape[1], gamma)
    return Bounds(sample.share, support, unknown, unknown, radius, chosen.ball)


def _refuse_pairs_without_bounds(chosen, measure, d: int, scores, limits) -> None:
    if limits is not None:
        kinds = ("bounded",)
    elif d == 2:
        kinds = ("binary", "real")
    else:
        kinds = ("categorical", "real") if scores is None else ("ordinal", "real")
    bounding = [
        name
        for name in CONFIDENCE_SETS
        if any(meaningful(name, measure.name, kind) for kind in kinds)
    ]
    if chosen.name not in bounding:
        instead = f"; these do: {', '.join(bounding)}" if bounding else ", and no other set does"
        raise ValueError(
            f"confidence_set {chosen.name} does not bound {measure.name} of {kinds[0]} outcomes "
            f"({d} options){instead}"
        )


def _checked_limits(limits, scores) -> tuple[float, float] | None:
    if limits is None:
        return None
    low, high = inputs.vector("limits", limits, inputs.FINITE, 2).tolist()
    if scores is None or not low <= scores.min() < scores.max() <= high:
        raise ValueError(f"limits must enclose all scores; {low:g} and {high:g} do not")
    return low, high


def _checked_counts(counts: np.ndarray) -> np.ndarray:
    counts = inputs.answered("counts", counts)
    if counts.shape[1] < 2:
        raise ValueError("counts must have at least 2 options (columns), not 1")
    return counts


def _checked_level(gamma, radius, chosen: ConfidenceSet, n_samples: int) -> np.ndarray:
    """Return γ per sample; NaN where only a radius is given."""
    if radius is not None and not chosen.has_radius:
        raise ValueError(f"radius must be None for {chosen.name}, which has none: give gamma")
    if gamma is None:
        if radius is None:
            raise ValueError(f"gamma must be given, the coverage of {chosen.name}")
        return np.full(n_samples, np.nan)
    return inputs.each("gamma", gamma, inputs.INSIDE, n_samples)


def _radius(chosen: ConfidenceSet, sample: Sample, radius) -> np.ndarray | None:
    if not chosen.has_radius:
        return None
    if radius is None:
        return chosen.radius(sample.n, sample.counts.shape[1], sample.gamma, sample.span)
    return inputs.each("radius", radius, inputs.FINITE_POSITIVE, len(sample.n))
