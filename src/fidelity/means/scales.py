"""People's and simulators' answers, checked, and split into scenarios with one way to answer."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, FloatArray, IntArray
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.extrema.minorants import RAMP
from fidelity.means.jackknife import Statistic, jackknife_deviations, jackknife_variance
from fidelity.means.leave_one_out import leave_one_out
from fidelity.means.rare_options import unseen_variance
from fidelity.means.resampled import FEWEST, resampled_variance
from fidelity.responses import Responses, Simulator

Bound = Callable[..., FloatArray]


class Scale(NamedTuple):
    """Scenarios with the same options and scores.

    Attributes:
        rows: their positions among all scenarios, (N,).
        measure: the discrepancy.
        counts: people's answers, (N, d).
        q: the simulator's probabilities, (N, d).
        scores: of the options, (d,), or None.
        draws: how many draws ``q`` holds the shares of, (N,), or None.
        columns: the positions of the options in the tables of all scenarios, (d,).
        times: by how much people's weights multiply the part of the variance that comes from each
            option, (N, d), beside weights that don't depend on the answers; None for none.

    Where there are draws, methods take ``drawn``, other draws per option, (N, d), in their place.
    """

    rows: IntArray
    measure: Discrepancy
    counts: FloatArray
    q: FloatArray
    scores: FloatArray | None
    draws: FloatArray | None
    columns: IntArray
    times: FloatArray | None = None

    @property
    def drawn(self) -> FloatArray | None:
        """Draws per option, (N, d), or None."""
        return None if self.draws is None else self.q * self.draws[:, None]

    def take(self, rows: IntArray) -> "Scale":
        """Return the scenarios at ``rows`` of these, in that order."""
        draws, times = (None if part is None else part[rows] for part in (self.draws, self.times))
        return self._replace(
            rows=self.rows[rows],
            counts=self.counts[rows],
            q=self.q[rows],
            draws=draws,
            times=times,
        )

    @property
    def reach(self) -> float:
        """The largest possible |bound| of one scenario; infinite where none is known.

        A minorant of a norm, or the unbiased estimate of a square, is never larger in absolute
        value than the largest discrepancy.
        """
        measure = self.measure
        return measure.largest(self.q.shape[1], self.scores) if measure.has_limits else np.inf

    @property
    def ends(self) -> tuple[tuple[Bound], tuple[Bound]]:
        """The lower and the upper bound, as :attr:`fidelity.means.differences.Pair.ends`."""
        return (Scale.lower,), (Scale.upper,)

    @property
    def sharp(self) -> FloatArray:
        """The lower bound with the largest expectation, and the upper bound, (2, N)."""
        return np.stack([self.sharpest(self.counts), self.upper(self.counts)])

    @property
    def smooth(self) -> FloatArray:
        """The lower bound that varies less, and the upper bound, (2, N)."""
        return np.stack([self.lower(self.counts), self.upper(self.counts)])

    @property
    def limits(self) -> FloatArray:
        """The least and the largest discrepancy that are possible, (2, N)."""
        return np.stack([np.zeros(len(self.rows)), np.full(len(self.rows), self.reach)])

    def noise(self, sharp: FloatArray) -> FloatArray:
        """Return estimates of E upper - Δ where the discrepancy is flat at 0, (N,); else 0."""
        if self.measure.metric_root == 1:
            return np.zeros(len(self.rows))
        sharpest, upper = sharp
        with np.errstate(invalid="ignore"):
            noise: FloatArray = np.maximum(upper - sharpest, 0.0)
        return noise

    def errors(self) -> FloatArray:
        """Return standard errors of both bounds, (4, 2, N).

        Those from people and from draws, and what rare options add to each; see
        :class:`fidelity.means.average.DiscrepancyBounds`.
        """
        errors = np.zeros((4, 2, len(self.rows)))
        for end, (bound,) in enumerate(self.ends):
            errors[:2, end] = self.people_error(bound), self.draws_error(bound)
            errors[2:, end] = self.unseen_errors(bound, *errors[:2, end])
        return errors

    def sharpest(self, counts: FloatArray) -> FloatArray:
        """Return the leave-one-out bound with the largest expectation, which varies most, (N,)."""
        return self.lower(counts, ramp=0.0)

    def upper(self, counts: FloatArray, drawn: FloatArray | None = None) -> FloatArray:
        """Return the plug-in of other counts, (N,)."""
        q = self.q if drawn is None else shares(drawn)
        return self.measure.between(shares(counts), q, self.scores)

    def lower(
        self, counts: FloatArray, drawn: FloatArray | None = None, ramp: float = RAMP
    ) -> FloatArray:
        """Return the leave-one-out bound of other counts, (N,)."""
        drawn = self.drawn if drawn is None else drawn
        q, draws = (self.q, None) if drawn is None else (shares(drawn), drawn.sum(1))
        return leave_one_out(counts, q, self.measure, self.scores, draws, ramp)

    def without_noise_of_draws(
        self, counts: FloatArray, drawn: FloatArray | None = None
    ) -> FloatArray:
        """Return the plug-in of a squared distance less that of draws' variance, (N,).

        Other discrepancies are left as they are.
        """
        drawn, plugin = self.drawn if drawn is None else drawn, self.upper(counts, drawn)
        if drawn is None or not self.measure.is_square:
            return plugin
        points = self.measure.points(drawn.shape[1], self.scores)
        return plugin - variance_of_points(drawn, points)

    def times_by_weights(self, statistic: Statistic) -> FloatArray | float:
        """Return by how much weights that depend on the answers multiply a variance, (N,).

        To first order the variance of a weighted mean of f is Σ w²(f - mean)²/(Σw)². So options
        count by the squared weights of those who chose them; f is what an answer does to the
        statistic. The effective number (Σw)²/Σw² has the squared weights alike for all options. The
        ratio of the two is used where it is above 1: few heavy people tell too little of a smaller
        variance.
        """
        if self.times is None:
            return 1.0
        squares = self.counts * jackknife_deviations(statistic, self.counts) ** 2
        alike = squares.sum(1)
        times: FloatArray = np.ones(len(alike))
        np.divide((self.times * squares).sum(1), alike, out=times, where=alike > 0.0)
        return np.maximum(times, 1.0)

    def people_error(self, bound: Bound) -> FloatArray:
        """Return the standard error of one of the bounds as far as people are random, (N,).

        NaN with fewer than three people: without one of two, Λ is 0 whoever is left out.
        """
        statistic = self.of_people(bound)
        times = self.times_by_weights(statistic)
        return self._error(bound, statistic, self.counts, times, self.times)

    def draws_error(self, bound: Bound) -> FloatArray:
        """Return the standard error of one of the bounds as far as draws are random, (N,)."""
        if self.drawn is None:
            return np.zeros(len(self.rows))
        return self._error(bound, self.of_draws(bound), self.drawn)

    def unseen_errors(
        self, bound: Bound, of_people: FloatArray, of_draws: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what rare options add to these errors of one of the bounds, (N,) each."""
        side = -1.0 if bound is Scale.lower else 1.0
        plugin = self.of_people(Scale.upper)
        people = unseen_variance(plugin, self.counts, of_people**2, self.q, side, self.times)
        if self.drawn is None:
            return np.sqrt(people), np.zeros(len(people))
        plugin = self.of_draws(Scale.upper)
        draws = unseen_variance(plugin, self.drawn, of_draws**2, shares(self.counts), side)
        return np.sqrt(people), np.sqrt(draws)

    def _error(
        self,
        bound: Bound,
        statistic: Statistic,
        counts: FloatArray,
        times: FloatArray | float = 1.0,
        of_options: FloatArray | None = None,
    ) -> FloatArray:
        """Return a standard error, (N,): by drawing anew for Λ̃ of a distance, else the jackknife's.

        At |p̂ - q̂| = 0, a distance of one number, the jackknife sees no change without any answer:
        there the error of p̂ is that of the distance. Weights multiply a variance by ``times``, and
        the part of each option by ``of_options``.
        """
        is_distance, (_, d) = self.measure.metric_root == 1, counts.shape
        if bound is Scale.lower and is_distance:
            variance = resampled_variance(statistic, counts) * times
        else:
            variance = jackknife_variance(statistic, counts) * times
            if is_distance and self.measure.is_scalar(d):
                f = self.scores if self.measure.on == "mean" else np.array([0.0, self.reach])
                assert f is not None
                variance = np.maximum(variance, variance_of_mean(counts, f, of_options))
        return standard_error(variance, counts)

    def of_people(self, bound: Bound) -> Statistic:
        """Return one of the bounds as a function of people's answers."""
        return lambda people, rows: bound(self.take(rows), people)

    def of_draws(self, bound: Bound) -> Statistic:
        """Return one of the bounds as a function of draws."""
        return lambda drawn, rows: bound(self.take(rows), self.counts[rows], drawn)


def standard_error(variance: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the root of a variance, (N,); NaN where there are fewer than three answers."""
    return np.sqrt(np.where(counts.sum(1) >= FEWEST, variance, np.nan))


def variance_of_mean(
    counts: FloatArray, f: FloatArray, times: FloatArray | None = None
) -> FloatArray:
    """Return the variance of each row's mean of f, (d,) or (N, d); NaN without two answers.

    ``times`` is that of :class:`Scale`.
    """
    p, n = shares(counts), counts.sum(1)
    apart = (f - (p * f).sum(1, keepdims=True)) ** 2
    return _over_answers((p * (apart if times is None else times * apart)).sum(1), n)


def variance_of_points(counts: FloatArray, points: FloatArray) -> FloatArray:
    """Return the sum of the variances of each row's mean of each column of points, (d, c)."""
    p, n, points = shares(counts), counts.sum(1), points - points.mean(0)
    return _over_answers(p @ (points**2).sum(1) - ((p @ points) ** 2).sum(1), n)


def _over_answers(spread: FloatArray, n: FloatArray) -> FloatArray:
    """Return the variance of means of n answers with a spread, (N,); NaN without two answers."""
    with np.errstate(divide="ignore", invalid="ignore"):
        variance: FloatArray = np.where(n > 1.0, np.maximum(spread, 0.0) / (n - 1.0), np.nan)
    return variance


def squares_together(errors: FloatArray, labels: AnyArray | None) -> float:
    """Return the sum of squares of :func:`sums_together`: the variance of the sum of scenarios."""
    return float((sums_together(errors, labels) ** 2).sum())


def sums_together(errors: FloatArray, labels: AnyArray | None) -> FloatArray:
    """Return the sums of scenarios' errors with the same label, or all errors without labels."""
    if labels is None:
        return errors
    member = np.unique(labels, return_inverse=True)[1]
    return np.bincount(member, errors).astype(float)


def shares(counts: FloatArray) -> FloatArray:
    """Return each row divided by its sum."""
    return counts / counts.sum(1, keepdims=True)


def scales(people: Responses, simulator: Simulator, discrepancy: str | Discrepancy) -> list[Scale]:
    """Return the scenarios of both, side by side, split by their options and scores."""
    measure = DISCREPANCIES.of(discrepancy)
    if measure.is_parameter:
        raise ValueError(f"{measure.name} is not convex in people's shares; its mean has no bounds")
    split = []
    for rows, there, own_scores in inputs.scales(people.exists, people.scores):
        cells = np.ix_(rows, there)
        split.append(
            Scale(
                rows,
                measure,
                people.counts[cells],
                simulator.shares[cells],
                measure.checked_scores(own_scores, len(there)),
                None if simulator.draws is None else simulator.draws[rows],
                there,
                None if people.times is None else people.times[cells],
            )
        )
    return split
