"""Scenarios that stand for a population, from which a study is planned.

L(p, q) = Σ_i |A_i·(p - q)| for total variation (A = I/2), the distance of means (A the scores) and
Wasserstein-1 (A = distribution functions times gaps). Each term of p̂ - q̂ is nearly normal, so that
what its noise adds to L has a closed form. See :mod:`fidelity.study_plan`.
"""

from dataclasses import dataclass
from functools import cached_property
from math import pi, sqrt

import numpy as np
from scipy.special import ndtr

from fidelity.confidence_set import confidence_bounds
from fidelity.discrepancies import discrepancy_named
from fidelity.discrepancy import Discrepancy
from fidelity.levels import Level, exact
from fidelity.quantile import tail_mean

PLANNED = ("absolute", "tv", "w1")
SMALLEST = 1e-100


@dataclass(frozen=True)
class Pilot:
    """Scenarios that stand for the population, and what is to be estimated on ones like them.

    From a synthetic population, a guess, or an earlier study's shares. Observed shares p̂ and q̂ are
    noisier than p and q, and make a plan cautious: shrink them or take scenarios with many answers.

    Attributes:
        p: what people answer, probabilities (M, d).
        q: what the simulator answers, (M, d).
        discrepancy: ``absolute``, ``tv`` or ``w1``.
        confidence_set: any that bounds it without drawing.
        gamma: the coverage γ.
        tail: α of the CVaR; 1 for the AUC.
        scores: of the options, (d,); needed for ``w1``, and for ``absolute`` unless d = 2.
    """

    p: np.ndarray
    q: np.ndarray
    discrepancy: str
    confidence_set: str
    gamma: Level
    tail: Level = 1
    scores: np.ndarray | None = None

    def __post_init__(self):
        """Refuse what no plan can be made for."""
        if self.discrepancy not in PLANNED:
            raise ValueError(f"a plan needs one of {', '.join(PLANNED)}, not {self.discrepancy}")
        if np.ndim(self.p) != 2 or np.shape(self.p) != np.shape(self.q) or len(self.p) < 2:
            raise ValueError("give probabilities (M, d) of at least 2 scenarios, p and q alike")
        for shares in (self.p, self.q):
            if not (np.all(np.asarray(shares) >= 0) and np.allclose(np.sum(shares, 1), 1.0)):
                raise ValueError("probabilities are not negative and sum to 1 in each scenario")
        if not (0 < exact(self.gamma) < 1 and 0 < exact(self.tail) <= 1):
            raise ValueError("gamma lies strictly between 0 and 1, and the tail in (0, 1]")

    @cached_property
    def discrepancies(self) -> np.ndarray:
        """Δ = L(p, q) of each scenario, (M,)."""
        return self.measure.between(self.p, self.q, self.checked_scores)

    @property
    def truth(self) -> float:
        """The mean of Δ, or over its worst α."""
        return tail_mean(self.discrepancies, 1.0, self.tail)

    @property
    def coverage(self) -> float:
        """γ as a number."""
        return float(exact(self.gamma))

    @property
    def kept(self) -> float:
        """γα, the fraction of the Δ̂_j that is averaged."""
        return float(exact(self.gamma) * exact(self.tail))

    def upper(self, counts: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return Δ̂, (N,), for counts (N, d) and the simulator's shares (N, d) of any scenarios."""
        return self._largest(self._support(counts), q)

    def support(self, n: float) -> np.ndarray:
        """Return the set's bounds on the functionals at n answers exactly as p, (M, F).

        They don't depend on the simulator.
        """
        return self._support(n * np.asarray(self.p, float))

    def confidence(self, n: float, support: np.ndarray | None = None) -> np.ndarray:
        """Return r(n, γ), (M,): what the set adds at n answers exactly as p.

        Args:
            n: people per scenario.
            support: of :meth:`support` at n, where it is known already.
        """
        support = self.support(n) if support is None else support
        return self._largest(support, self.q) - self.discrepancies

    def noise(self, n: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Return E L(p̂, q̂) - L(p, q), (..., M), by the normal approximation; n, k (...)."""
        size, tau = np.abs((self.p - self.q) @ self.coordinates.T), self._spread(n, k)
        z = size / np.maximum(tau, SMALLEST)
        folded = 2 * tau * np.exp(-(z**2) / 2) / sqrt(2 * pi) - 2 * size * ndtr(-z)
        return folded.sum(-1)

    def largest_noise(self, n: float, k: float) -> float:
        """Return Σ_i (sqrt(v_i/n) + sqrt(v'_i/k)), which E[L(p̂, p) + L(q̂, q)] can't exceed."""
        people, draws = self._variances
        return float((np.sqrt(people / n) + np.sqrt(draws / k)).sum(1).mean())

    def deviation(self, n: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Return the standard deviation of ⟨f, p̂ - q̂⟩, (..., M), f the functional with value Δ."""
        values = (self.p - self.q) @ self.functionals.T
        f = self.functionals[values.argmax(1)]
        people = (self.p * f**2).sum(1) - (self.p * f).sum(1) ** 2
        draws = (self.q * f**2).sum(1) - (self.q * f).sum(1) ** 2
        n, k = np.asarray(n)[..., None], np.asarray(k)[..., None]
        return np.sqrt(np.maximum(people, 0.0) / n + np.maximum(draws, 0.0) / k)

    @cached_property
    def measure(self) -> Discrepancy:
        """The discrepancy itself."""
        return discrepancy_named(self.discrepancy)

    @cached_property
    def checked_scores(self) -> np.ndarray | None:
        """The scores, (d,); (0, 1) for two options if none are given."""
        return self.measure.checked_scores(self.scores, self.p.shape[1])

    @cached_property
    def functionals(self) -> np.ndarray:
        """The f with L(p, q) = max_f ⟨f, p - q⟩, (F, d)."""
        return self.measure.functionals(self.p.shape[1], self.checked_scores)

    @cached_property
    def coordinates(self) -> np.ndarray:
        """Return A with L(p, q) = Σ_i |A_i·(p - q)|, (c, d)."""
        d = self.p.shape[1]
        if self.discrepancy == "tv":
            return np.eye(d) / 2
        if self.discrepancy == "absolute":
            return self.checked_scores[None]
        order = np.argsort(self.checked_scores)
        below = (np.argsort(order)[None] <= np.arange(d - 1)[:, None]).astype(float)
        return below * np.diff(self.checked_scores[order])[:, None]

    @cached_property
    def _variances(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the variances of A_i of one answer of a person and of the simulator, (M, c)."""
        a = self.coordinates.T
        people, draws = (np.maximum(s @ a**2 - (s @ a) ** 2, 0.0) for s in (self.p, self.q))
        return people, draws

    def _spread(self, n: np.ndarray, k: np.ndarray) -> np.ndarray:
        people, draws = self._variances
        n, k = np.asarray(n)[..., None, None], np.asarray(k)[..., None, None]
        return np.sqrt(people / n + draws / k)

    def _support(self, counts: np.ndarray) -> np.ndarray:
        return confidence_bounds(
            counts,
            confidence_set=self.confidence_set,
            discrepancy=self.discrepancy,
            gamma=self.coverage,
            scores=self.scores,
        ).support

    def _largest(self, support: np.ndarray, q: np.ndarray) -> np.ndarray:
        return np.maximum((support - q @ self.functionals.T).max(1), 0.0)
