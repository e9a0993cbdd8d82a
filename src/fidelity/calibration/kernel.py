"""Kernels, and predictions as rows of cases: the arguments of the kernel calibration error.

Rows are cells of equal cases; ``counts`` says how many. Counts and duplicated rows give the same
numbers.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Floats, IntArray
from fidelity.calibration.cases import option_indices

Rows = slice | IntArray
METRICS = {"euclidean": ("euclidean", 1.0), "tv": ("cityblock", 0.5)}


def _exponential(distance: FloatArray) -> FloatArray:
    """Return exp(-d), in place: blocks of pairs are large."""
    return np.exp(np.negative(distance, out=distance), out=distance)


def _squared_exponential(distance: FloatArray) -> FloatArray:
    """Return exp(-d²/2), in place."""
    distance *= distance
    distance *= -0.5
    return np.exp(distance, out=distance)


SHAPES = {"exponential": _exponential, "squared_exponential": _squared_exponential}


@dataclass(frozen=True)
class PredictionKernel:
    """How alike two stated distributions are: 1 if they are equal, less the farther apart.

    It is exp(-s·d) (``exponential``) or exp(-(s·d)²/2) (``squared_exponential``) of a distance d.

    The distance is ``euclidean`` or ``tv`` (half the sum of absolute differences), between
    probability vectors or between (loc, scale). Between (loc, scale) the Euclidean distance is the
    Wasserstein distance W2 of normal distributions.

    Raises:
        ValueError: for another shape or distance, or a scale that isn't positive.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel
        >>> kernel = PredictionKernel("exponential", "tv", scale=2.0)
        >>> kernel.between(np.array([[0.6, 0.4]]), np.array([[0.6, 0.4], [0.1, 0.9]])).round(3)
        array([[1.   , 0.368]])
    """

    shape: str = "exponential"
    distance: str = "euclidean"
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the values."""
        inputs.one_of("shape", self.shape, SHAPES)
        inputs.one_of("distance", self.distance, METRICS)
        inputs.number("scale", self.scale, inputs.FINITE_POSITIVE)

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the kernel of every row of one with every row of the other: (r, c)."""
        metric, factor = METRICS[self.distance]
        distance = sp.spatial.distance.cdist(first, second, metric)
        distance *= factor * self.scale
        return SHAPES[self.shape](distance)

    def paired(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the kernel of each row of one with the same row of the other: (r,)."""
        difference = first - second
        if self.distance == "tv":
            distance = np.abs(difference).sum(-1) / 2.0
        else:
            distance = np.sqrt((difference**2).sum(-1))
        return SHAPES[self.shape](distance * self.scale)


def white_kernel(options: int) -> FloatArray:
    """Return the kernel 1{y = y'} on options without an order, (K, K).

    Examples:
        >>> from fidelity.calibration import white_kernel
        >>> white_kernel(3)
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
    """
    return np.eye(options)


def ordinal_kernel(scores: ArrayLike, scale: float = 1.0) -> FloatArray:
    """Return the kernel exp(-s·|score - score'|) on ordered options, (K,) -> (K, K).

    Examples:
        >>> from fidelity.calibration import ordinal_kernel
        >>> ordinal_kernel([-1, 0, 1]).round(3)
        array([[1.   , 0.368, 0.135],
               [0.368, 1.   , 0.368],
               [0.135, 0.368, 1.   ]])
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 1 or not np.isfinite(scores).all() or not 0 < scale < np.inf:
        raise ValueError("an ordinal kernel needs finite scores, (K,), and a positive scale")
    return np.exp(-scale * np.abs(scores[:, None] - scores))


class Predictions(Protocol):
    """Predictions with outcomes, N rows: the argument of every estimator and test here."""

    @property
    def counts(self) -> IntArray:
        """Return how many cases each row stands for, (N,)."""

    def between(self, rows: Rows, columns: Rows) -> FloatArray:
        """Return h of the rows with the columns, (r, c)."""

    def paired(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return h of rows number ``first`` with rows number ``second``, (r,)."""


@dataclass(frozen=True, eq=False)
class StatedProbabilities:
    """Stated probabilities of K options, and the true one.

    h = κ(p, p')·(e_y - p)ᵀ T (e_y' - p') with κ the kernel on predictions and T that on options.

    Attributes:
        probability: rows that sum to 1, (N, K); see
            :func:`fidelity.calibration.cases.normalised`.
        truth: index of the true option, (N,).
        kernel: on predictions.
        target: on options, symmetric, positive semidefinite and not negative, (K, K); white if
            None. A kernel that is 1 on its diagonal gives h in [-2, 2].
        counts: cases per row, whole numbers; 1 if None.

    Raises:
        ValueError: if shapes don't fit or values are out of range.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities, skce_biased
        >>> stated, truth = np.array([[0.7, 0.3], [0.7, 0.3]]), np.array([0, 1])
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel(), counts=[70, 30])
        >>> print(abs(round(skce_biased(predictions), 6)))  # 70 of 100 chose the first, as stated
        0.0
    """

    probability: FloatArray
    truth: IntArray
    kernel: PredictionKernel
    target: Any = None
    counts: Any = None

    def __post_init__(self) -> None:
        """Check and convert the values."""
        probability, truth, counts = inputs.aligned(
            probability=self.probability, truth=self.truth, counts=self.counts
        )
        probability = inputs.probabilities("probability", probability, ("cases", "options"))
        n, options = probability.shape
        truth = option_indices(truth, n, options)
        inputs.instance("kernel", self.kernel, PredictionKernel, "PredictionKernel")
        target = white_kernel(options) if self.target is None else self.target
        target = inputs.table("target", target, inputs.FINITE_NOT_NEGATIVE, (options, options))
        if not np.array_equal(target, target.T) or np.linalg.eigvalsh(target)[0] < -1e-9:
            raise ValueError("target must be symmetric and positive semidefinite")
        _set(
            self,
            probability=probability,
            truth=truth,
            target=target,
            counts=_whole(n, counts),
        )

    @cached_property
    def _residuals(self) -> FloatArray:
        return (self.truth[:, None] == np.arange(len(self.target))) - self.probability

    @cached_property
    def _smoothed(self) -> FloatArray:
        return self._residuals @ self.target

    def between(self, rows: Rows, columns: Rows) -> FloatArray:
        """Return h of the rows with the columns, (r, c)."""
        similarity = self.kernel.between(self.probability[rows], self.probability[columns])
        similarity *= self._residuals[rows] @ self._smoothed[columns].T
        return similarity

    def paired(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return h of rows number ``first`` with rows number ``second``, (r,)."""
        similarity = self.kernel.paired(self.probability[first], self.probability[second])
        return similarity * (self._residuals[first] * self._smoothed[second]).sum(-1)

    def witness(self, locations: "StatedProbabilities") -> FloatArray:
        """Return κ(p, p_l)·(T(y, y_l) - E T(Z, y_l)) of every row and location, (N, J)."""
        similarity = self.kernel.between(self.probability, locations.probability)
        return similarity * self._smoothed[:, locations.truth]


@dataclass(frozen=True, eq=False)
class StatedNormals:
    """Normal predictions and real outcomes, with the kernel κ·exp(-(s(y - y'))²/2).

    κ is a kernel on (loc, scale); with the Euclidean distance it is a kernel of W2. Expectations
    have a closed form: E exp(-s²(Z - c)²/2) = exp(-s²(μ-c)²/(2(1+s²σ²)))/sqrt(1+s²σ²), Z ~ N(μ,
    σ²).

    Attributes:
        loc: means, in the unit of the outcome, (N,).
        scale: standard deviations, positive, (N,).
        outcome: (N,).
        kernel: on predictions.
        target_scale: s, per unit of the outcome.
        counts: cases per row, whole numbers; 1 if None.

    Raises:
        ValueError: if shapes don't fit or values are out of range.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedNormals, skce_unbiased
        >>> loc, scale = np.zeros(50), np.ones(50)
        >>> answers = np.random.default_rng(0).normal(2.0, 1.0, 50)  # far from what is stated
        >>> print(round(skce_unbiased(StatedNormals(loc, scale, answers, PredictionKernel())), 2))
        0.64
    """

    loc: FloatArray
    scale: FloatArray
    outcome: FloatArray
    kernel: PredictionKernel
    target_scale: float = 1.0
    counts: Any = None

    def __post_init__(self) -> None:
        """Check and convert the values."""
        loc, scale, outcome, counts = inputs.aligned(
            loc=self.loc, scale=self.scale, outcome=self.outcome, counts=self.counts
        )
        loc = inputs.vector("loc", loc, inputs.FINITE)
        scale = inputs.vector("scale", scale, inputs.FINITE_POSITIVE, len(loc))
        outcome = inputs.vector("outcome", outcome, inputs.FINITE, len(loc))
        inputs.instance("kernel", self.kernel, PredictionKernel, "PredictionKernel")
        inputs.number("target_scale", self.target_scale, inputs.FINITE_POSITIVE)
        counts = _whole(len(loc), counts)
        _set(self, loc=loc, scale=scale, outcome=outcome, counts=counts)

    @cached_property
    def _coordinates(self) -> FloatArray:
        return np.stack([self.loc, self.scale], axis=1)

    def between(self, rows: Rows, columns: Rows) -> FloatArray:
        """Return h of the rows with the columns, (r, c)."""
        similarity = self.kernel.between(self._coordinates[rows], self._coordinates[columns])
        indices = np.arange(len(self.loc))
        similarity *= self._targets(indices[rows, None], indices[columns])
        return similarity

    def paired(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return h of rows number ``first`` with rows number ``second``, (r,)."""
        similarity = self.kernel.paired(self._coordinates[first], self._coordinates[second])
        return similarity * self._targets(first, second)

    def witness(self, locations: "StatedNormals") -> FloatArray:
        """Return κ·(exp(-(s(y - y_l))²/2) - E exp(-(s(Z - y_l))²/2)) of rows, locations; (N, J)."""
        similarity = self.kernel.between(self._coordinates, locations._coordinates)
        reached = locations.outcome
        return similarity * (
            self._expected(self.outcome[:, None] - reached, 0.0)
            - self._expected(self.loc[:, None] - reached, self.scale[:, None] ** 2)
        )

    def _targets(self, first: IntArray, second: IntArray) -> FloatArray:
        y, mean, variance = self.outcome, self.loc, self.scale**2
        return (
            self._expected(y[first] - y[second], 0.0)
            - self._expected(mean[first] - y[second], variance[first])
            - self._expected(y[first] - mean[second], variance[second])
            + self._expected(mean[first] - mean[second], variance[first] + variance[second])
        )

    def _expected(self, difference: FloatArray, variance: Floats) -> FloatArray:
        """Return E exp(-(sX)²/2) for X ~ N(difference, variance)."""
        spread = 1.0 + self.target_scale**2 * variance
        return np.exp(-0.5 * self.target_scale**2 * difference**2 / spread) / np.sqrt(spread)


Stated = TypeVar("Stated", StatedProbabilities, StatedNormals)


def _whole(n: int, counts: Any) -> IntArray:
    if counts is None:
        return np.ones(n, np.int64)
    counts = inputs.vector("counts", counts, inputs.FINITE_POSITIVE, n)
    return inputs.whole_counts("counts", counts, "They are numbers of cases").astype(np.int64)


def _set(instance: Any, **values: Any) -> None:
    """Set checked values of a frozen instance."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
