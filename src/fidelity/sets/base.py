"""Confidence sets for what people answer, and the bounds they give.

A set C with P(p ∈ C) ≥ γ enters the discrepancies in one of three ways: through its support
function h(f) = sup_{u ∈ C} ⟨f, u⟩, through the interval of one number, or as a ball. The
``witness`` is not a set. It bounds each functional by itself, one-sided at the full 1 - γ, which is
enough for the upper discrepancy and much tighter (see :mod:`fidelity.sets.witness`).

γ is the coverage and δ = 1 - γ. The paper prints log(2/γ) in three places; the right form is
log(2/δ), as in its authors' code ([QC], section 3).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from fidelity.arrays import Ends, FloatArray, Floats, Generators
from fidelity.discrepancies.base import Discrepancy
from fidelity.registry import Registry

Radius = FloatArray | None  # None of a set that has none


@dataclass(frozen=True)
class Sample:
    """Responses of N samples to scenarios with one answer scale, and the coverage wanted.

    Attributes:
        counts: per option, (N, d).
        gamma: coverage, (N,).
        scores: of the options, (d,), or None.
        limits: smallest and largest possible outcome of ``bounded`` outcomes, whose options are
            the values seen and not all possible ones; infinite for ``real`` ones, else None.
        sigma: of ``real`` outcomes, where it is known: E exp(t(y - Ey)) ≤ exp(t²σ²/2) for all t.
        generators: one or one per sample, for sets that draw at random.

    Examples:
        >>> import numpy as np
        >>> from fidelity.sets import Sample
        >>> sample = Sample(np.array([[30, 50, 20], [2, 5, 3]]), gamma=np.array([0.5, 0.5]))
        >>> sample.n, sample.share
        (array([100,  10]), array([[0.3, 0.5, 0.2],
               [0.2, 0.5, 0.3]]))
    """

    counts: FloatArray
    gamma: FloatArray
    scores: FloatArray | None = None
    limits: tuple[float, float] | None = None
    sigma: float | None = None
    generators: Generators | None = None

    @property
    def n(self) -> FloatArray:
        """Responses, or effective sample sizes, (N,)."""
        return self.counts.sum(1)

    @property
    def share(self) -> FloatArray:
        """p̂, (N, d)."""
        return self.counts / self.counts.sum(1, keepdims=True)

    @property
    def span(self) -> float:
        """Range of the outcomes, in the unit of the scores; 2σ without one, 1 without scores."""
        if self.sigma is not None:
            return 2.0 * self.sigma
        if self.limits is not None:
            return self.limits[1] - self.limits[0]
        return 1.0 if self.scores is None else float(np.ptp(self.scores))

    def at(self, gamma: FloatArray) -> "Sample":
        """Return the same responses with another coverage."""
        return replace(self, gamma=gamma)

    def ranges(self, functionals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest value each functional can have, (F,) each."""
        if self.limits is None:
            return functionals.min(1), functionals.max(1)
        low, high = self.limits
        return np.array([low, -high]), np.array([high, -low])


class ConfidenceSet(ABC):
    """A way to bound p, or what a discrepancy needs of p, from one sample per row.

    A new set is a subclass with a name and a ``support``, decorated with ``CONFIDENCE_SETS.add``.

    Attributes:
        name: as in configs and tables.
        label: as in figures and texts.
        kinds: outcome kinds that it applies to.
        bounds_on: the forms of discrepancies (:attr:`Discrepancy.on`) that it bounds. Binary
            outcomes have one free number, which every set for them bounds.
        ball: ``kl`` or ``w1`` where it is a ball of distributions, else None.
        has_radius: whether a radius can be given in place of γ.
        draws: whether it needs a generator.
        guarantee: ``proven``, or ``approximate`` where coverage only tends to γ.

    Examples:
        >>> from fidelity import CONFIDENCE_SETS
        >>> CONFIDENCE_SETS["hoeffding"].kinds
        ('binary', 'ordinal', 'bounded')
        >>> print(CONFIDENCE_SETS["hoeffding"].radius(n=100, d=2, gamma=0.9).round(3))
        0.122
    """

    name: str
    label: str
    kinds: tuple[str, ...]
    bounds_on: tuple[str, ...] = ("mean",)
    ball: str | None = None
    has_radius = False
    draws = False
    guarantee = "proven"

    def can_bound(self, measure: Discrepancy, kind: str) -> bool:
        """Tell whether the set bounds a discrepancy for an outcome kind.

        Unordered options have no scores. For numbers with many values, only three kinds of
        discrepancies are bounded: those of means, those of parameters, and, by a Wasserstein ball,
        the distance of distributions.
        """
        if kind not in self.kinds or not measure.is_for(kind):
            return False
        if kind == "binary" and not measure.is_parameter:
            return True
        few = kind not in ("bounded", "real")
        one_number = measure.on == "mean" or measure.is_parameter
        on_ball = measure.on == "score_slopes" and self.ball == "w1"
        return measure.on in self.bounds_on and (few or one_number or on_ball)

    def radius(self, n: Floats, d: int, gamma: Floats, span: float = 1.0) -> FloatArray:
        """Return the set's radius for n responses, d options and coverage γ."""
        raise ValueError(f"{self.name} has no radius")

    def ball_radius(self, n: FloatArray, d: int, gamma: FloatArray) -> FloatArray:
        """Return the radius of the ball that stands in for a set without a radius."""
        raise ValueError(f"{self.name} has no ball")

    def chernoff_radius(self, sample: Sample) -> FloatArray:
        """Return log(1/δ)/n, (N,), if every functional has a Chernoff bound at coverage γ."""
        raise ValueError(f"{self.name} has no bounds that functionals have in common")

    @abstractmethod
    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return upper bounds on ⟨f, p⟩: functionals (F, d) -> (N, F)."""

    def two_sided(self, gamma: FloatArray) -> FloatArray:
        """Return the coverage at which a functional's two bounds hold together, each being at γ."""
        return gamma

    def bounds_of(self, sample: Sample, measure: Discrepancy) -> Ends:
        """Return the interval of a parameter that is not linear in p, (N,) each."""
        raise ValueError(f"confidence_set {self.name} does not bound {measure.name}")


CONFIDENCE_SETS: Registry[ConfidenceSet] = Registry(
    "confidence set", ConfidenceSet, "fidelity.sets"
)
