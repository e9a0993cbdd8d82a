"""Scenarios that stand for a population, from which a study is planned.

L(p, q) = Σ_i |A_i·(p - q)| for total variation, the distance of means and Wasserstein-1, with A
from :meth:`.Discrepancy.coordinates`. Each term of p̂ - q̂ is nearly normal. So the amount that its
noise adds to L has a closed form. See :mod:`fidelity.planning.plan`.
"""

from dataclasses import dataclass
from functools import cached_property
from math import pi, sqrt
from typing import Any

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import FloatArray
from fidelity.curves.quantile import tail_mean
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy, discrepancies_with
from fidelity.levels import Level, rational
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import confidence_bounds

SMALLEST = 1e-100


@dataclass(frozen=True)
class Pilot:
    """Scenarios that stand for the population, and the number to be estimated on similar ones.

    The shares come from a synthetic population, a guess, or an earlier study. Observed shares p̂
    and q̂ are noisier than p and q, which makes a plan cautious: shrink them, or take scenarios
    with many answers.

    Attributes:
        p: people's probabilities, (M, d).
        q: the simulator's probabilities, (M, d). Labelled tables are matched by their labels.
        discrepancy: ``absolute``, ``tv`` or ``w1``.
        confidence_set: any that bounds it without drawing at random.
        gamma: the coverage γ.
        tail: α of the CVaR; 1 for the AUC.
        scores: of the options, (d,); needed for ``w1``, and for ``absolute`` unless d = 2.

    Examples:
        >>> from fidelity import Pilot
        >>> pilot = Pilot(
        ...     p=[[0.3, 0.7], [0.6, 0.4], [0.5, 0.5]],
        ...     q=[[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]],
        ...     discrepancy="absolute",
        ...     confidence_set="witness",
        ...     gamma=0.5,
        ... )
        >>> print(round(pilot.truth, 3))  # the mean discrepancy
        0.1
    """

    p: FloatArray
    q: FloatArray
    discrepancy: str
    confidence_set: str
    gamma: Level
    tail: Level = 1
    scores: FloatArray | None = None

    def __post_init__(self) -> None:
        """Refuse arguments that no plan can be made for."""
        inputs.one_of("discrepancy", self.discrepancy, discrepancies_with("is_planned"))
        if CONFIDENCE_SETS.of(self.confidence_set).draws:
            raise ValueError(
                f"confidence_set must be one that does not draw: {self.confidence_set}"
            )
        p, q, scores = inputs.aligned(p=self.p, q=self.q, scores=self.scores, across=("scores",))
        p = inputs.probabilities("p", p, ("scenarios", "options"))
        if len(p) < 2:
            raise ValueError("p must have at least 2 scenarios (rows), not 1")
        q = inputs.probabilities("q", q, p.shape)
        for name, domain in (("gamma", inputs.INSIDE), ("tail", inputs.ABOVE_ZERO)):
            level = inputs.level(name, getattr(self, name), domain)
            if isinstance(getattr(self, name), np.generic | np.ndarray):
                object.__setattr__(self, name, level)
        if scores is not None:
            scores = DISCREPANCIES.of(self.discrepancy).checked_scores(scores, p.shape[1])
        for name, value in (("p", p), ("q", q), ("scores", scores)):
            object.__setattr__(self, name, value)

    @cached_property
    def discrepancies(self) -> FloatArray:
        """Δ = L(p, q) of each scenario, (M,)."""
        return self.measure.between(self.p, self.q, self.checked_scores)

    @property
    def truth(self) -> float:
        """The mean of Δ, or over its worst α."""
        return tail_mean(self.discrepancies, 1.0, self.tail)

    @property
    def coverage(self) -> float:
        """γ as a number."""
        return float(rational(self.gamma))

    @property
    def kept(self) -> float:
        """γα, the fraction of the Δ̂_j that is averaged."""
        return float(rational(self.gamma) * rational(self.tail))

    def upper(self, counts: FloatArray, q: FloatArray) -> FloatArray:
        """Return Δ̂, (N,), for counts (N, d) and the simulator's shares (N, d) of any scenarios."""
        return self._largest(self._support(counts), q)

    def support(self, n: float) -> FloatArray:
        """Return the set's bounds on the functionals, if n answers were exactly as p, (M, F).

        They don't depend on the simulator.
        """
        return self._support(n * np.asarray(self.p, float))

    def excess(self, n: float, support: FloatArray | None = None) -> FloatArray:
        """Return r(n, γ), (M,): the amount that the set adds if n answers were exactly as p.

        Args:
            n: people per scenario.
            support: of :meth:`support` at n, where it is known already.
        """
        support = self.support(n) if support is None else support
        return self._largest(support, self.q) - self.discrepancies

    def noise(self, n: FloatArray, k: FloatArray) -> FloatArray:
        """Return E L(p̂, q̂) - L(p, q), (M, ...), by the normal approximation; n, k (...)."""
        tau = _standard_error(*self._variances, n, k)
        size = _beside(np.abs((self.p - self.q) @ self.coordinates.T), tau)
        z = size / np.maximum(tau, SMALLEST)
        folded = 2 * tau * np.exp(-(z**2) / 2) / sqrt(2 * pi) - 2 * size * sp.special.ndtr(-z)
        return folded.sum(1)

    def deviation(self, n: FloatArray, k: FloatArray) -> FloatArray:
        """Return the standard deviation of ⟨f, p̂ - q̂⟩, (M, ...), f the functional with value Δ."""
        values = (self.p - self.q) @ self.functionals.T
        f = self.functionals[values.argmax(1)]
        people = (self.p * f**2).sum(1) - (self.p * f).sum(1) ** 2
        draws = (self.q * f**2).sum(1) - (self.q * f).sum(1) ** 2
        return _standard_error(np.maximum(people, 0.0), np.maximum(draws, 0.0), n, k)

    @cached_property
    def measure(self) -> Discrepancy:
        """The discrepancy itself."""
        return DISCREPANCIES.of(self.discrepancy)

    @cached_property
    def checked_scores(self) -> FloatArray | None:
        """The scores, (d,); (0, 1) for two options if none are given."""
        return self.measure.checked_scores(self.scores, self.p.shape[1])

    @cached_property
    def functionals(self) -> FloatArray:
        """The f with L(p, q) = max_f ⟨f, p - q⟩, (F, d)."""
        return self.measure.family(self.p.shape[1], self.checked_scores)

    @cached_property
    def coordinates(self) -> FloatArray:
        """Return A with L(p, q) = Σ_i |A_i·(p - q)|, (c, d)."""
        return self.measure.coordinates(self.p.shape[1], self.checked_scores)

    @cached_property
    def _variances(self) -> tuple[FloatArray, FloatArray]:
        """Return the variances of A_i of one answer of a person and of the simulator, (M, c)."""
        a = self.coordinates.T
        people, draws = (np.maximum(s @ a**2 - (s @ a) ** 2, 0.0) for s in (self.p, self.q))
        return people, draws

    def _support(self, counts: FloatArray) -> FloatArray:
        return confidence_bounds(
            counts,
            confidence_set=self.confidence_set,
            discrepancy=self.discrepancy,
            gamma=self.coverage,
            scores=self.scores,
        ).support

    def _largest(self, support: FloatArray, q: FloatArray) -> FloatArray:
        bounded = self.measure.functionals(self.p.shape[1], self.checked_scores)
        unit = np.ptp(self.functionals, axis=1).max() / np.ptp(bounded, axis=1).max()
        return unit * np.maximum((support - q @ bounded.T).max(1), 0.0)


def _beside(of_scenarios: FloatArray, like: FloatArray) -> FloatArray:
    """Return an array with as many axes as ``like``, its own being the first ones."""
    return of_scenarios.reshape(*of_scenarios.shape, *(1,) * (like.ndim - of_scenarios.ndim))


def _standard_error(people: FloatArray, draws: FloatArray, n: Any, k: Any) -> FloatArray:
    """Return sqrt(people/n + draws/k): variances (M, ...), n and k of any shape -> (M, ..., *n)."""
    sizes = np.broadcast_shapes(np.shape(n), np.shape(k))
    people, draws = (part.reshape(*part.shape, *(1,) * len(sizes)) for part in (people, draws))
    return np.sqrt(people / n + draws / k)
