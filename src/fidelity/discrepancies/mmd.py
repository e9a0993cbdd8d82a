"""Maximum mean discrepancies: distances of distributions in the space of a kernel."""

from abc import abstractmethod

import numpy as np

from fidelity.arrays import ArrayLike, FloatArray, Scores
from fidelity.discrepancies.base import (
    DISCREPANCIES,
    Bounds,
    Extrema,
    VectorDiscrepancy,
    difference_extrema,
    enclosed_extrema,
)
from fidelity.discrepancies.sampling import mean_over_samples
from fidelity.extrema import kernel_norm
from fidelity.extrema.minorants import RAMP, of_kernel, of_kernel_and_draws

TRIED = (2, 3, 5)
ROUNDING = 1e-9


class MaximumMeanDiscrepancy(VectorDiscrepancy):
    """MMD(p, q) = sqrt((p-q)'K(p-q)), where K holds the kernel of every two options.

    It is the largest ⟨f, p - q⟩ over functions f of the options in the unit ball of the kernel's
    space. A new one is a subclass with a name and a ``kernel`` that is symmetric and positive
    semidefinite. With k(i, j) = Σ over t < d of [i ≤ t]·[j ≤ t] it is the root of the sum of
    squared differences of cumulative shares.
    """

    on = "kernel"
    is_symmetric = True
    metric_root = 1

    def __init__(self) -> None:
        """Refuse a kernel that is none, and a distance that is not the kernel's."""
        for d in TRIED:
            scores = np.linspace(-1.0, 1.0, d) if self.needs_scores else None
            kernel = np.asarray(self.kernel(d, scores))
            if kernel.shape != (d, d) or not np.isfinite(kernel).all():
                raise ValueError(f"{self.name}: kernel({d}, scores) must be ({d}, {d}) and finite")
            if not np.allclose(kernel, kernel.T):
                raise ValueError(f"{self.name}: kernel must be symmetric")
            values = np.linalg.eigvalsh(kernel)
            if values[0] < -ROUNDING * max(values[-1], 1.0):
                raise ValueError(
                    f"{self.name}: kernel must be positive semidefinite; with {d} options its"
                    f" smallest eigenvalue is {values[0]:.3g}"
                )
            p, q = np.eye(d), np.roll(np.linspace(0.5, 1.5, d) / d, 1)
            if not np.allclose(self.between(p, q[None], scores), kernel_norm.norm(p - q, kernel)):
                raise ValueError(
                    f"{self.name}: bounds are known for sqrt((p-q)'K(p-q)), and between is another"
                    " function; leave it out, and take the root of a square"
                )

    @abstractmethod
    def kernel(self, d: int, scores: Scores) -> FloatArray:
        """Return K, (d, d); it depends on the options alone, never on answers."""

    def between(self, p: FloatArray, q: FloatArray, scores: Scores) -> FloatArray:
        """Return sqrt((p-q)'K(p-q))."""
        return kernel_norm.norm(p - q, self.kernel(q.shape[-1], scores))

    def minorants(
        self, counts: FloatArray, q: FloatArray, scores: Scores, ramp: float = RAMP
    ) -> FloatArray:
        """Return them by the function of the options that leads from q to the others' shares."""
        return of_kernel(counts, q, self.kernel(q.shape[1], scores), ramp)

    def leave_one_out(
        self, counts: FloatArray, drawn: FloatArray, scores: Scores, ramp: float = RAMP
    ) -> FloatArray:
        """Return it by the function that leads from other draws to the others' shares."""
        return of_kernel_and_draws(counts, drawn, self.kernel(drawn.shape[1], scores), ramp)

    def answer_variance(self, q: FloatArray, scores: Scores) -> FloatArray:
        """Return the variance of one answer in the kernel's space."""
        kernel = self.kernel(q.shape[1], scores)
        return q @ kernel.diagonal() - kernel_norm.norm(q, kernel) ** 2

    def expected(
        self, p: FloatArray, n: FloatArray, scores: Scores, smoothed: bool = False
    ) -> FloatArray:
        """Return it over samples; draws are rescaled to the mean square, which is known."""
        mean = super().expected(p, n, scores, smoothed)
        if smoothed:
            return mean
        squares = mean_over_samples(lambda p, q: self.between(p, q, scores) ** 2, p, n)
        known = self.answer_variance(p, scores) / n
        ratio = np.divide(known, squares, out=np.ones(len(p)), where=squares > 0.0)
        return mean * np.sqrt(np.maximum(ratio, 0.0))

    def largest(self, d: int = 2, scores: ArrayLike | None = None) -> float:
        """Return the largest distance of two options in the kernel's space."""
        kernel = self.kernel(d, self.checked_scores(scores, d))
        squares = np.diagonal(kernel)
        return float(np.sqrt(np.max(squares[:, None] + squares - 2.0 * kernel)))

    def spread(
        self, p: FloatArray, n: FloatArray, scores: Scores, smoothed: bool = False
    ) -> FloatArray:
        """Return the standard deviation of one answer in the kernel's space."""
        return np.sqrt(np.maximum(self.answer_variance(p, scores), 0.0))

    def vector_extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """The sup is the witness's; the inf follows from McDiarmid's inequality."""
        kernel = self.kernel(q.shape[1], scores)
        share, radius, n = bounds.share, bounds.radius, bounds.n
        assert n is not None
        nearest = kernel_norm.bounded_difference_minimum(share, n, radius, q, kernel)
        farthest = kernel_norm.witness_maximum(share, radius, q, kernel)
        return enclosed_extrema((nearest, nearest), farthest)

    def vector_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Both from the difference of the squares, which is linear in p."""
        kernel, given = self.kernel(q1.shape[1], scores), (bounds.share, bounds.radius)
        backward = kernel_norm.difference_maximum(*given, q2, q1, kernel)
        return difference_extrema(backward, kernel_norm.difference_maximum(*given, q1, q2, kernel))


@DISCREPANCIES.add
class DeltaMMD(MaximumMeanDiscrepancy):
    """sqrt(Σ(p - q)²), the MMD of the kernel that is 1 for equal options and 0 for others."""

    name = "mmd_delta"
    label = "MMD, delta kernel"
    meaning = (
        "The square root of the sum over the options of the squared differences of the shares."
    )

    def kernel(self, d: int, scores: Scores) -> FloatArray:
        """Return the identity."""
        return np.eye(d)


class ScoreMMD(MaximumMeanDiscrepancy):
    """An MMD whose kernel falls with the distance of two scores, measured in bandwidths."""

    needs_scores = True

    def kernel(self, d: int, scores: Scores) -> FloatArray:
        """Return the kernel at distances divided by the median distance of different scores."""
        distance = np.abs(scores[:, None] - scores)
        return self.falling(distance / np.median(distance[distance > 0.0]))

    @abstractmethod
    def falling(self, distance: FloatArray) -> FloatArray:
        """Return the kernel at distances in units of the bandwidth."""


@DISCREPANCIES.add
class GaussianMMD(ScoreMMD):
    """MMD of the kernel exp(-(s - t)²/(2h²)) of scores, h the median distance of two options."""

    name = "mmd_gaussian"
    label = "MMD, Gaussian kernel"
    meaning = (
        "How far the shares are apart, where options with near scores count as alike (Gaussian "
        "kernel)."
    )

    def falling(self, distance: FloatArray) -> FloatArray:
        """Return exp(-distance²/2)."""
        return np.exp(-(distance**2) / 2.0)


@DISCREPANCIES.add
class LaplaceMMD(ScoreMMD):
    """MMD of the kernel exp(-|s - t|/h) of scores, h the median distance of two options."""

    name = "mmd_laplace"
    label = "MMD, Laplace kernel"
    meaning = (
        "How far the shares are apart, where options with near scores count as alike (Laplace "
        "kernel)."
    )

    def falling(self, distance: FloatArray) -> FloatArray:
        """Return exp(-distance)."""
        return np.exp(-distance)
