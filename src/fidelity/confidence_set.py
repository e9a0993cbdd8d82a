"""Confidence sets for what people answer, as upper bounds on linear functionals of p.

A set C with P(p ∈ C) ≥ γ enters the discrepancies through its support function
h(f) = sup_{u ∈ C} ⟨f, u⟩. The ``witness`` is no set: it bounds each functional by itself, one-sided
at the full 1 - γ, which is enough for the upper discrepancy and much tighter (see
:class:`Witness`). γ is the coverage, δ = 1 - γ; the paper prints log(2/γ) in three places, the
right form is log(2/δ), as its authors' code has it ([QC], section 3).
"""

from abc import ABC, abstractmethod

import numpy as np

from fidelity.binomial import bernoulli_kl_upper, clopper_pearson_upper
from fidelity.kl_ball import linear_maximum


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
    towards = (functionals == functionals.max(1, keepdims=True)) / 1.0
    towards[:, 0] -= towards.all(1)
    bound = clopper_pearson_upper(
        counts @ towards.T, counts.sum(1, keepdims=True), gamma[:, None]
    )
    return functionals.min(1) + np.ptp(functionals, axis=1) * bound


CONFIDENCE_SETS: dict[str, ConfidenceSet] = {
    each.name: each
    for each in (Hoeffding(), BernoulliKL(), ClopperPearson(), MultinomialKLPaper(), Witness())
}


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
    chosen = _confidence_set(confidence_set)
    if not chosen.has_radius:
        having = [name for name, each in CONFIDENCE_SETS.items() if each.has_radius]
        raise ValueError(f"{confidence_set} has no radius; these have: {', '.join(having)}")
    return chosen.radius(np.asarray(n, float), d, np.asarray(gamma, float), span)


def _confidence_set(name: str) -> ConfidenceSet:
    if name not in CONFIDENCE_SETS:
        raise ValueError(
            f"unknown confidence set {name!r}; there are: {', '.join(CONFIDENCE_SETS)}"
        )
    return CONFIDENCE_SETS[name]
