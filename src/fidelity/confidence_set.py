"""Confidence sets for what people answer, as upper bounds on linear functionals of p.

A set C with P(p ∈ C) ≥ γ enters the discrepancies through its support function
h(f) = sup_{u ∈ C} ⟨f, u⟩. The ``witness`` is no set: it bounds each functional by itself, one-sided
at the full 1 - γ, which is enough for the upper discrepancy and much tighter (see
:class:`Witness`). γ is the coverage, δ = 1 - γ; the paper prints log(2/γ) in three places, the
right form is log(2/δ), as its authors' code has it ([QC], section 3).
"""

from abc import ABC, abstractmethod

import numpy as np

from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.binomial import clopper_pearson_upper
from fidelity.discrepancy import Bounds, discrepancy_named
from fidelity.kl_ball import linear_maximum

LOWER_BALL = "multinomial_kl_paper"


class ConfidenceSet(ABC):
    """What is known of p from one sample per row."""

    name: str
    binary_only = False
    has_radius = True

    def radius(self, n: np.ndarray, d: int, gamma: np.ndarray, span: float = 1.0) -> np.ndarray:
        """Return the set's radius for n responses, d options and coverage γ."""
        raise ValueError(f"{self.name} has no radius")

    @abstractmethod
    def support(
        self, counts: np.ndarray, functionals: np.ndarray, gamma: np.ndarray, radius: np.ndarray
    ) -> np.ndarray:
        """Return upper bounds on ⟨f, p⟩: counts (N, d), functionals (F, d) -> (N, F)."""

    def two_sided(self, gamma: np.ndarray) -> np.ndarray:
        """Return the coverage at which both of a functional's bounds hold together at γ."""
        return gamma


class Hoeffding(ConfidenceSet):
    """|u - mean| ≤ (b - a)·sqrt(log(2/δ)/(2n)), clipped to [a, b]; for bounded means."""

    name = "hoeffding"

    def radius(self, n, d, gamma, span=1.0):
        """Return the half-width in the unit of the scores, whose range is ``span``."""
        return span * np.sqrt(np.log(2.0 / (1.0 - gamma)) / (2.0 * n))

    def support(self, counts, functionals, gamma, radius):
        """Return the mean of f plus the half-width, at most max f."""
        share = counts / counts.sum(1, keepdims=True)
        return np.minimum(share @ functionals.T + radius[:, None], functionals.max(1))


class KLBall(ConfidenceSet):
    """{u in the simplex: KL(p̂ ‖ u) ≤ r}."""

    def support(self, counts, functionals, gamma, radius):
        """Return max ⟨f, u⟩ over the ball, exactly."""
        return linear_maximum(counts / counts.sum(1, keepdims=True), radius, functionals)


class BernoulliKL(KLBall):
    """Binary outcomes, r = log(2/δ)/n: the two-sided Chernoff bound."""

    name = "bernoulli_kl"
    binary_only = True

    def radius(self, n, d, gamma, span=1.0):
        """Return log(2/δ)/n, in nats."""
        return np.log(2.0 / (1.0 - gamma)) / n


class MultinomialKLPaper(KLBall):
    """d options, r = (d-1)/n·log(2(d-1)/δ) as [QC] has it; valid for every n and d."""

    name = "multinomial_kl_paper"

    def radius(self, n, d, gamma, span=1.0):
        """Return (d-1)/n·log(2(d-1)/δ), in nats."""
        return (d - 1) / n * np.log(2.0 * (d - 1) / (1.0 - gamma))


class ClopperPearson(ConfidenceSet):
    """Binary outcomes, exact: each bound fails with probability at most δ/2."""

    name = "clopper_pearson"
    binary_only = True
    has_radius = False

    def support(self, counts, functionals, gamma, radius):
        """Return the bound of ⟨f, p⟩ that the interval of the success probability gives."""
        return _binary_support(counts, functionals, (1.0 + gamma) / 2.0)


class Witness(ConfidenceSet):
    """One-sided bounds at the full δ, a functional at a time.

    A discrepancy convex in p is max_f [⟨f, p⟩ - c(f)], and at the true p and the given q̂ its
    maximiser f* is fixed, since q̂ does not depend on the human sample. So max_f [bound(f) - c(f)]
    is at least the true discrepancy whenever the bound of f* holds: with probability γ, with no
    union over f and no price for d. Indicators of option subsets and binary outcomes: one-sided
    Clopper-Pearson, exact. Means of d > 2 scores: the Chernoff bound KL(mean ‖ u) ≤ log(1/δ)/n
    after rescaling to [0, 1], which holds for every bounded variable (Hoeffding 1963). Lower
    discrepancies need a two-sided set: both bounds at δ/2, by the union bound.
    """

    name = "witness"
    has_radius = False

    def support(self, counts, functionals, gamma, radius):
        """Return one-sided upper confidence bounds, each holding with probability γ."""
        n = counts.sum(1, keepdims=True)
        if np.isin(functionals, (0.0, 1.0)).all():
            return clopper_pearson_upper(counts @ functionals.T, n, gamma[:, None])
        if counts.shape[1] == 2:
            return _binary_support(counts, functionals, gamma)
        lowest, highest = functionals.min(1), functionals.max(1)
        unit = np.clip((counts / n @ functionals.T - lowest) / (highest - lowest), 0.0, 1.0)
        bound = bernoulli_kl_upper(unit, -np.log1p(-gamma)[:, None] / n)
        return lowest + (highest - lowest) * bound

    def two_sided(self, gamma):
        """Return (1 + γ)/2: two one-sided bounds at δ/2 each."""
        return (1.0 + gamma) / 2.0


def _binary_support(counts, functionals, gamma):
    """Bound ⟨f, p⟩ for d = 2: p moves towards the option on which f is larger."""
    towards = (functionals == functionals.max(1, keepdims=True)).astype(float)
    towards[:, 0] -= towards.all(1)
    bound = clopper_pearson_upper(counts @ towards.T, counts.sum(1, keepdims=True), gamma[:, None])
    return functionals.min(1) + np.ptp(functionals, axis=1) * bound


CONFIDENCE_SETS: dict[str, ConfidenceSet] = {
    each.name: each
    for each in (Hoeffding(), BernoulliKL(), ClopperPearson(), MultinomialKLPaper(), Witness())
}


def confidence_set_named(name: str) -> ConfidenceSet:
    """Return a confidence set; ValueError lists the names there are."""
    if name not in CONFIDENCE_SETS:
        raise ValueError(
            f"unknown confidence set {name!r}; there are: {', '.join(CONFIDENCE_SETS)}"
        )
    return CONFIDENCE_SETS[name]


def meaningful(confidence_set: str, discrepancy: str, kind: str) -> bool:
    """Tell whether a set bounds a discrepancy for an outcome kind.

    ``kind`` is ``binary``, ``ordinal`` or ``categorical``; unordered options have no mean, and
    sets for one mean or one proportion don't bound the distance of d probabilities.
    """
    chosen = confidence_set_named(confidence_set)
    if chosen.binary_only and kind != "binary":
        return False
    if discrepancy_named(discrepancy).on == "mean":
        return kind != "categorical"
    return confidence_set in ("multinomial_kl_paper", "witness")


def confidence_radius(
    n: np.ndarray, d: int, gamma: np.ndarray, confidence_set: str, *, span: float = 1.0
) -> np.ndarray:
    """Return the radius of a confidence set with coverage γ ([QC], section 3; δ = 1 - γ).

    Args:
        n: responses (or effective sample size), positive; broadcasts with ``gamma``.
        d: number of options; only ``multinomial_kl_paper`` depends on it.
        gamma: coverage in (0, 1).
        confidence_set: ``hoeffding`` (a half-width in the unit of the scores), ``bernoulli_kl``
            or ``multinomial_kl_paper`` (both in nats).
        span: b - a, the range of the scores; for ``hoeffding``.

    Raises:
        ValueError: if the set has no radius (``clopper_pearson``, ``witness``) or is unknown.
    """
    chosen = confidence_set_named(confidence_set)
    if not chosen.has_radius:
        having = [name for name, each in CONFIDENCE_SETS.items() if each.has_radius]
        raise ValueError(f"{confidence_set} has no radius; these have: {', '.join(having)}")
    n, gamma = np.asarray(n, float), np.asarray(gamma, float)
    if not ((n > 0).all() and ((gamma > 0) & (gamma < 1)).all() and d >= 2):
        raise ValueError("a radius needs n > 0, at least 2 options, and gamma in (0, 1)")
    return chosen.radius(n, d, gamma, span)


def confidence_bounds(
    counts: np.ndarray,
    *,
    confidence_set: str,
    discrepancy: str,
    gamma: float | np.ndarray | None = None,
    radius: float | np.ndarray | None = None,
    scores: np.ndarray | None = None,
) -> Bounds:
    """Return what a confidence set says of p, as far as a discrepancy needs it.

    The bounds don't depend on any simulator: compute them once and use them for all.

    Args: as :func:`fidelity.pseudo_discrepancy`.
    """
    chosen = confidence_set_named(confidence_set)
    measure = discrepancy_named(discrepancy)
    counts = _checked_counts(counts)
    n_samples, d = counts.shape
    kind = "binary" if d == 2 else "ordinal"
    if not meaningful(confidence_set, discrepancy, kind):
        raise ValueError(f"{confidence_set} does not bound {discrepancy} for {d} options")
    scores = measure.checked_scores(scores, d)
    n = counts.sum(1)
    gamma = _checked_level(gamma, radius, chosen, n_samples)
    functionals = measure.functionals(d, scores)
    span = np.ptp(scores) if measure.needs_scores else 1.0
    radius = _radius(chosen, n, d, gamma, radius, span)
    support = chosen.support(counts, functionals, gamma, radius)
    unknown = np.full(n_samples, np.nan)
    if measure.on == "mean":
        both = chosen.support(counts, functionals, chosen.two_sided(gamma), radius)
        return Bounds(counts / n[:, None], support, -both[:, 1], both[:, 0], unknown)
    ball = radius if chosen.has_radius else CONFIDENCE_SETS[LOWER_BALL].radius(n, d, gamma)
    return Bounds(counts / n[:, None], support, unknown, unknown, ball)


def _checked_counts(counts: np.ndarray) -> np.ndarray:
    counts = np.asarray(counts, float)
    if counts.ndim != 2 or counts.shape[1] < 2:
        raise ValueError(f"counts must be (scenarios, at least 2 options), not {counts.shape}")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("counts must be finite and not negative")
    if (counts.sum(1) <= 0).any():
        raise ValueError("every scenario needs at least one response")
    return counts


def _checked_level(gamma, radius, chosen: ConfidenceSet, n_samples: int) -> np.ndarray:
    """Return γ per sample; NaN where only a radius is given."""
    if radius is not None and not chosen.has_radius:
        raise ValueError(f"{chosen.name} has no radius: give gamma, its coverage")
    if gamma is None:
        if radius is None:
            raise ValueError(f"give gamma, the coverage of {chosen.name}")
        return np.full(n_samples, np.nan)
    gamma = np.broadcast_to(np.asarray(gamma, float), n_samples)
    if not ((gamma > 0) & (gamma < 1)).all():
        raise ValueError("gamma must lie strictly between 0 and 1")
    return gamma


def _radius(chosen: ConfidenceSet, n, d: int, gamma, radius, span: float) -> np.ndarray:
    if not chosen.has_radius:
        return np.full(len(n), np.nan)
    if radius is None:
        return chosen.radius(n, d, gamma, span)
    radius = np.broadcast_to(np.asarray(radius, float), n.shape)
    if not (radius > 0).all():
        raise ValueError("radius must be positive")
    return radius
