"""Discrepancies L(p, q) between what people answer and what a simulator answers.

Every discrepancy is convex in p. A confidence set's knowledge of p enters in one of three forms:
upper bounds on the linear functionals whose maximum the discrepancy is (``support``), the two-sided
interval of one number (``lower``, ``upper``), or a ball of probability vectors around p̂ (``ball``,
``radius``). With two options only the second one's probability is free, for every discrepancy.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, Ends, FloatArray, Floats, IntArray, Scores
from fidelity.discrepancies.sampling import deviation_of_mean, mean_over_samples, ripple
from fidelity.extrema.minorants import RAMP, of_coordinates, of_coordinates_and_draws
from fidelity.extrema.ranges import shares_of_two
from fidelity.registry import Registry

Distance = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Bounds:
    """Bounds on p by a confidence set, for N samples.

    Attributes:
        share: p̂, (N, d).
        support: upper bounds on the discrepancy's functionals, (N, F).
        lower, upper: ends of the two-sided interval of one number, (N,): the mean score, or with
            two options the second one's probability. NaN for other discrepancies.
        radius: radius of the ball that holds p, (N,); NaN for intervals. For a discrepancy on
            ``kernel`` it is log(1/δ)/n, with which every functional has a Chernoff bound.
        ball: ``kl`` (radius in nats) or ``w1`` (in the unit of the scores).
        limits: smallest and largest possible outcome of ``bounded`` outcomes, whose options are
            the values seen and not all possible ones; infinite for ``real`` ones, else None.
        n: answers, or the effective number of them, (N,); None where the ball is enough.

    Examples:
        >>> from fidelity.sets import confidence_bounds
        >>> people = [[30, 70], [55, 45]]
        >>> bounds = confidence_bounds(
        ...     people, confidence_set="clopper_pearson", discrepancy="absolute", gamma=0.9
        ... )
        >>> bounds.lower.round(2), bounds.upper.round(2)  # the shares of the second option
        (array([0.62, 0.37]), array([0.78, 0.54]))
    """

    share: FloatArray
    support: FloatArray
    lower: FloatArray
    upper: FloatArray
    radius: FloatArray
    ball: str | None = "kl"
    limits: tuple[float, float] | None = None
    n: FloatArray | None = None

    def take(self, rows: IntArray) -> "Bounds":
        """Return the bounds of the samples at ``rows``, in that order."""
        arrays: dict[str, Any] = {
            name: value[rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        return replace(self, **arrays)


class Extrema(NamedTuple):
    """The smallest and largest value over a set, (N,) each, on the safe side.

    ``gap`` is the largest possible distance of each value from the true extremum. It is measured to
    a value that is attained in the set, or 0 where a closed form gives the extremum to rounding
    (some 1e-15).

    Examples:
        >>> from fidelity import pseudo_discrepancy
        >>> people, guess = [[30, 70]], [[0.5, 0.5]]
        >>> lower, upper, gap = pseudo_discrepancy(
        ...     people, guess, confidence_set="hoeffding", discrepancy="absolute", gamma=0.5
        ... )
        >>> lower.round(3), upper.round(3), gap
        (array([0.117]), array([0.283]), array([0.]))
    """

    lower: FloatArray
    upper: FloatArray
    gap: FloatArray


def exact_extrema(lower: FloatArray, upper: FloatArray) -> Extrema:
    """Return extrema without a gap."""
    return Extrema(lower, upper, np.zeros(len(lower)))


def enclosed_extrema(smallest: Ends, largest: Ends) -> Extrema:
    """Return the outer ends of two enclosures, and their distances from the inner ends."""
    gaps = [
        np.subtract(above, below, out=np.zeros(len(above)), where=above != below)
        for below, above in (smallest, largest)
    ]
    return Extrema(smallest[0], largest[1], np.maximum(*gaps))


def difference_extrema(backward: Ends, forward: Ends) -> Extrema:
    """Return the extrema of a difference, from enclosures of its maximum and its negative's."""
    return enclosed_extrema((-backward[1], -backward[0]), forward)


class Discrepancy(ABC):
    """One way to measure how far q is from p; 0 if and only if the compared parameters agree.

    A new one is a subclass with a name, decorated with ``DISCREPANCIES.add``. A sum over options is
    a subclass of ``Divergence`` (divergences.py), whose methods it needs are explained there.

    Attributes:
        name: as in configs and tables.
        label: as in figures and texts.
        meaning: what it is, in a sentence for readers of the report; may be empty.
        default_for: the outcome kinds that a study measures by it if it names none.
        on: the part of p that decides: ``mean``, ``option_subsets`` or ``score_slopes`` (maxima of
            linear functionals), ``kernel`` (maximum over the unit ball of its space), ``options``
            (sums over options), or the name of a parameter.
        is_parameter: whether it compares a parameter that is not linear in p.
        parameter: its name, see :func:`fidelity.sets.bootstrap.parameter_named`.
        needs_scores: whether the options must have scores.
        infinite_at_zero: whether it is infinite where q lacks an option of p.
        is_f_divergence: whether it is Σ q·f(p/q) over the options, so that merging options never
            raises it. Then :func:`fidelity.prediction.prediction_intervals` has ranges of shares.
        is_symmetric: whether L(p, q) = L(q, p) and L is convex in both. Then a simulator's draws
            bound the discrepancy of the probabilities they are drawn from.
        metric_root: the r for which L^(1/r) is a metric; None where none is known.
        is_planned: whether studies of it can be planned, since it is a sum Σ_i |A_i·(p - q)|.
        is_maximum: whether L, or its root, is max ⟨f, p - q⟩ over the ``family`` of every number of
            options. Then a single scenario has p-values of a tolerance.
        bounds_means: whether mean scores differ by at most L^(1/r), r the ``metric_root``.
        is_square: whether L = |Σ p_i x_i - Σ q_i x_i|² with x_i of :meth:`points`, which has an
            estimate without bias; see :mod:`fidelity.means.leave_one_out`.
        has_limits: whether leave-one-out bounds of L have limits that are known before any data.
        has_mean_range: whether the range of the mean is known, see :meth:`mean_range`.

    Examples:
        >>> import numpy as np
        >>> from fidelity import DISCREPANCIES
        >>> people, model = np.array([[0.3, 0.5, 0.2]]), np.array([[0.2, 0.4, 0.4]])
        >>> DISCREPANCIES["absolute"].between(people, model, np.array([-1.0, 0.0, 1.0])).round(3)
        array([0.3])
    """

    name: str
    label: str
    meaning = ""
    default_for: tuple[str, ...] = ()
    on: str
    is_parameter = False
    parameter: str
    needs_scores = False
    infinite_at_zero = False
    is_f_divergence = False
    is_symmetric = False
    metric_root: int | None = None
    is_planned = False
    is_maximum = False
    is_square = False
    bounds_means = False
    has_limits = True
    has_mean_range = False

    @property
    def has_option_ranges(self) -> bool:
        """Whether the ranges of shares are known, see :meth:`option_ranges`."""
        return self.is_f_divergence

    def is_for(self, kind: str) -> bool:
        """Tell whether it applies to an outcome kind: unordered options have no scores."""
        return not (self.needs_scores and kind == "categorical")

    def coordinates(self, d: int, scores: Scores) -> FloatArray:
        """Return A with L(p, q) = Σ_i |A_i·(p - q)|, (c, d), where there is such a form."""
        raise ValueError(
            f"{self.name}: its class must define coordinates and family, or be derived from"
            " Divergence, Mean or MaximumMeanDiscrepancy"
        )

    def is_in_points(self, kind: str) -> bool:
        """Tell whether values are differences of shares, which percentage points can say."""
        return False

    def to_metric(self, values: Floats) -> Floats:
        """Return L^(1/r) of values of L, r the ``metric_root``; the values themselves for None."""
        return np.sqrt(values) if self.metric_root == 2 else values

    def points(self, d: int, scores: Scores) -> FloatArray:
        """Return x with L(p, q) = |Σ p_i x_i - Σ q_i x_i|², (d, c), where L ``is_square``."""
        raise ValueError(f"{self.name} is no squared distance")

    def minorants(
        self, counts: FloatArray, q: FloatArray, scores: Scores, ramp: float = RAMP
    ) -> FloatArray:
        """Return what an answer to each option says of L(p, q), at most, (N, d).

        See :mod:`fidelity.extrema.minorants`. Here by :meth:`coordinates`.
        """
        return of_coordinates(counts, q, self.coordinates(q.shape[1], scores), ramp)

    def leave_one_out(
        self, counts: FloatArray, drawn: FloatArray, scores: Scores, ramp: float = RAMP
    ) -> FloatArray:
        """Return lower bounds on L of what draws are drawn from, (N,), where it is no square.

        See :mod:`fidelity.means.leave_one_out`. Here by :meth:`coordinates`.
        """
        coordinates = self.coordinates(drawn.shape[1], scores)
        return of_coordinates_and_draws(counts, drawn, coordinates, ramp)

    def answer_variance(self, q: FloatArray, scores: Scores) -> FloatArray | None:
        """Return the variance of one answer in the distance's coordinates, (N,); None if unknown.

        Lower bounds on the mean of the worst scenarios need it (:mod:`fidelity.means.tail`).
        """
        return self._variances(q, scores).sum(1) if self.is_planned else None

    def _variances(self, q: FloatArray, scores: Scores) -> FloatArray:
        """Return the variance of one answer in every coordinate, (N, c)."""
        a = self.coordinates(q.shape[1], scores)
        return q @ (a**2).T - (q @ a.T) ** 2

    def expected(
        self, p: FloatArray, n: FloatArray, scores: Scores, smoothed: bool = False
    ) -> FloatArray:
        """Return E L(p, p̂), p̂ the shares of n answers that are drawn from p, (N,).

        Here in closed form where L is a square or a sum of distances of means, else over samples;
        see :mod:`fidelity.discrepancies.sampling`.

        Args:
            p: (N, d).
            n: how many answers, whole numbers, (N,).
            scores: of the options, (d,), or None.
            smoothed: whether p̂ is smoothed to (count + ½)/(n + d/2).
        """
        if self.is_square and not smoothed:
            x = self.points(p.shape[1], scores)
            return (p @ (x**2).sum(1) - ((p @ x) ** 2).sum(1)) / n
        if self.is_planned and not smoothed:
            a = self.coordinates(p.shape[1], scores)
            deviations = np.array([deviation_of_mean(values, p, n) for values in a])
            return np.asarray(deviations.sum(0))
        return mean_over_samples(lambda p, q: self.between(p, q, scores), p, n, smoothed)

    def spread(
        self, p: FloatArray, n: FloatArray, scores: Scores, smoothed: bool = False
    ) -> FloatArray:
        """Return what :meth:`expected` is about proportional to as p changes a little, (N,).

        It must be smooth in p, as expected distances of few answers are not: E|X - np| of a
        binomial X has a bend wherever np is whole. Here the sum of the standard deviations of the
        coordinates or, where there are none, of the options.

        Args:
            p, n, scores, smoothed: as there.
        """
        if self.is_square:
            return self.expected(p, n, scores)
        variances = self._variances(p, scores) if self.is_planned else p * (1.0 - p)
        return np.sqrt(np.maximum(variances, 0.0)).sum(1)

    def ripple(self, p: FloatArray, n: FloatArray, scores: Scores) -> FloatArray:
        """Return how far :meth:`expected` may be lower, and higher, than its :meth:`spread` tells.

        It goes up and down as p changes a little, which spread doesn't; (2, N).

        Args:
            p, n, scores: as there.
        """
        if not self.is_planned:
            return np.zeros((2, len(p)))
        a = self.coordinates(p.shape[1], scores)
        several = zip(a, (p @ a.T).T, self._variances(p, scores).T, strict=True)
        return np.asarray(np.sum([ripple(*of_one, n) for of_one in several], axis=0))

    def option_ranges(self, q: FloatArray, bound: FloatArray, scores: Scores) -> Ends:
        """Return the range of each share over {u : L(u, q) ≤ bound}; q (N, d) -> (N, d) each."""
        if not self.has_option_ranges:
            raise ValueError(f"{self.name} has no known ranges of shares")
        return shares_of_two(self.between, q, bound)

    def mean_range(self, q: FloatArray, bound: FloatArray, scores: FloatArray) -> FloatArray:
        """Return the range of the mean score over {u : L(u, q) ≤ bound}; q (N, d) -> (2, N)."""
        raise ValueError(f"{self.name} has no known range of the mean")

    def checked_scores(self, scores: ArrayLike | None, d: int) -> FloatArray | None:
        """Return the options' scores, (d,), or None; (0, 1) for two if none are given."""
        if scores is None:
            if d == 2:
                return np.array([0.0, 1.0])
            if self.needs_scores:
                raise ValueError(f"{self.name} needs scores: give those of the {d} options")
            return None
        scores = inputs.array("scores", scores)
        if scores.shape != (d,) or not np.isfinite(scores).all() or np.ptp(scores) == 0:
            raise ValueError(f"scores must be {d} finite numbers that are not all equal")
        return scores

    def largest(self, d: int = 2, scores: ArrayLike | None = None) -> float:
        """Return the largest possible L(p, q) of d options; infinite where none is known.

        It is between two options, as L is convex in p and in q. That is true of every discrepancy
        here but those of parameters; ``kl`` and ``chi2`` have no largest value.

        Args:
            d: the number of options.
            scores: of the options, (d,); as :meth:`checked_scores` if None.

        Raises:
            ValueError: if the discrepancy needs scores, and none are given of three options or
                more.

        Examples:
            >>> from fidelity import DISCREPANCIES
            >>> DISCREPANCIES["tv"].largest(), DISCREPANCIES["squared"].largest(2, [-1.0, 1.0])
            (1.0, 4.0)
        """
        if self.is_parameter or self.infinite_at_zero:
            return np.inf
        known = self.checked_scores(scores, d)
        ends, options = None, np.eye(2)  # any two options are as far apart, but on a scale
        if known is not None and self.on in ("mean", "score_slopes"):
            ends = np.array([known.min(), known.max()])
        return float(self.between(options, options[::-1], ends).max())

    def is_scalar(self, d: int) -> bool:
        """Tell whether one number of p decides: its mean, or with two options a probability."""
        return self.on == "mean" or d == 2

    @abstractmethod
    def functionals(self, d: int, scores: Scores) -> FloatArray:
        """Return the linear functionals f of p that confidence sets bound, (F, d)."""

    def family(self, d: int, scores: Scores) -> FloatArray:
        """Return the f with L(p, q), or its root, = max ⟨f, p - q⟩, (F, d); none if L has none."""
        return self.functionals(d, scores)

    def linear_difference(
        self, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return g, c with L(p, q1) - L(p, q2) = ⟨g, p⟩ + c, (N, d) and (N,); None if it is not."""
        return None

    def difference_range(self, q1: FloatArray, q2: FloatArray, scores: Scores) -> Ends:
        """Return limits of L(p, q1) - L(p, q2) over all p, (N,) each.

        They are reached where the difference is linear, and where L is a metric: at q1 and q2. If
        √L is a metric, |L1 - L2| ≤ √L(q1, q2)·(√L1 + √L2).
        """
        linear = self.linear_difference(q1, q2, scores)
        if linear is not None:
            values = linear[0] + linear[1][:, None]
            least, most = values.min(1), values.max(1)
            return np.where(np.isnan(least), -np.inf, least), np.where(np.isnan(most), np.inf, most)
        if self.metric_root is None:
            return np.full(len(q1), -np.inf), np.full(len(q1), np.inf)
        far: FloatArray = np.maximum(self.between(q1, q2, scores), 0.0)
        if self.metric_root == 2:
            largest = self.largest(q1.shape[1], scores)
            far = np.minimum(2.0 * np.sqrt(far * largest), largest)
        return -far, far

    @abstractmethod
    def between(self, p: FloatArray, q: FloatArray, scores: Scores) -> FloatArray:
        """Return L(p, q) of each row; p, q (N, d) -> (N,)."""

    @abstractmethod
    def extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """Return the extrema of L(u, q) over all u within the bounds; q (N, d)."""

    @abstractmethod
    def pairwise_extrema(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Return the extrema of L(u, q1) - L(u, q2); q1, q2 (N, d)."""


DISCREPANCIES: Registry[Discrepancy] = Registry(
    "discrepancy", Discrepancy, "fidelity.discrepancies"
)


def discrepancies_with(attribute: str) -> list[str]:
    """Return the names of the discrepancies of which an attribute of the class is true.

    Examples:
        >>> from fidelity.discrepancies.base import discrepancies_with
        >>> discrepancies_with("is_planned")
        ['absolute', 'tv', 'w1']
    """
    return [name for name, measure in DISCREPANCIES.items() if getattr(measure, attribute)]


class VectorDiscrepancy(Discrepancy):
    """A discrepancy of whole probability vectors; with two options, of one probability.

    Examples:
        >>> from fidelity import DISCREPANCIES
        >>> from fidelity.discrepancies import VectorDiscrepancy
        >>> isinstance(DISCREPANCIES["w1"], VectorDiscrepancy)
        True
        >>> isinstance(DISCREPANCIES["absolute"], VectorDiscrepancy)
        False
    """

    def functionals(self, d: int, scores: Scores) -> FloatArray:
        """Return ±(probability of the second option) for d = 2, else the family of the class."""
        if d == 2:
            return np.array([[0.0, 1.0], [0.0, -1.0]])
        return self.family(d, scores)

    def family(self, d: int, scores: Scores) -> FloatArray:
        """Return none: a class whose L has this form says so."""
        return np.empty((0, d))

    def extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """Exact for two options; else by the class."""
        if q.shape[1] == 2:
            q = _normalised(q)
            return scalar_extrema(self._of_second(q, scores), bounds, q[:, 1])
        return self.vector_extrema(bounds, q, scores)

    def pairwise_extrema(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Exact for two options; else by the class."""
        if q1.shape[1] == 2:
            return self.two_option_pairs(bounds, _normalised(q1), _normalised(q2), scores)
        return self.vector_pairs(bounds, q1, q2, scores)

    @abstractmethod
    def vector_extrema(self, bounds: Bounds, q: FloatArray, scores: Scores) -> Extrema:
        """Return the extrema for more than two options."""

    @abstractmethod
    def vector_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Return the pairwise extrema for more than two options."""

    def two_option_pairs(
        self, bounds: Bounds, q1: FloatArray, q2: FloatArray, scores: Scores
    ) -> Extrema:
        """Return the pairwise extrema of two options, for a difference that is monotone."""
        distances = self._of_second(q1, scores), self._of_second(q2, scores)
        return monotone_pairs(*distances, bounds, q1[:, 1] <= q2[:, 1])

    def _of_second(self, q: FloatArray, scores: Scores) -> Distance:
        def distance(u: FloatArray) -> FloatArray:
            u = np.clip(u, 0.0, 1.0)
            return self.between(np.stack([1.0 - u, u], -1), q, scores)

        return distance


def _normalised(q: FloatArray) -> FloatArray:
    """Return shares that add up to 1, so that the second is 1 where the first is 0."""
    return q / q.sum(1, keepdims=True)


def scalar_extrema(distance: Distance, bounds: Bounds, q: FloatArray) -> Extrema:
    """Return the extrema of a distance of one number from q, which grows on each side of q.

    The sup uses the two one-sided bounds, the inf the two-sided interval.
    """
    top, bottom = bounds.support[:, 0], -bounds.support[:, 1]
    farthest = np.maximum(distance(np.maximum(top, q)), distance(np.minimum(bottom, q)))
    return exact_extrema(distance(np.clip(q, bounds.lower, bounds.upper)), farthest)


def monotone_pairs(first: Distance, second: Distance, bounds: Bounds, rises: BoolArray) -> Extrema:
    """Return the extrema of the difference of two distances of one number, which is monotone.

    Args:
        first, second: distances from two simulators.
        bounds: what is known of the number.
        rises: whether the difference rises with the number, (N,).
    """
    top, bottom = bounds.support[:, 0], -bounds.support[:, 1]
    low, high = np.where(rises, bottom, top), np.where(rises, top, bottom)
    return exact_extrema(first(low) - second(low), first(high) - second(high))
