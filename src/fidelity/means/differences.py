"""How far two simulators' discrepancies differ, scenario by scenario: L(p, q) - L(p, q').

Where L is quadratic (``squared``, ``l2``), or p enters as in Σ p log p - Σ p log q (``kl``), the
difference is linear in p. So its plug-in has no bias, if |q̂|² of draws is put right by its sampling
variance. Both bounds are then the same estimate.

Of other discrepancies the lower bound is Λ of q less the plug-in of q', and the upper bound the
plug-in of q less Λ of q'. Both are compared with the same people, whose errors largely cancel.
"""

from typing import NamedTuple

import numpy as np

from fidelity.arrays import FloatArray, IntArray
from fidelity.means.jackknife import Statistic, jackknife_variance
from fidelity.means.kinks import Kinks, Z, open_signs
from fidelity.means.rare_options import unseen_variance
from fidelity.means.resampled import resampled_variance
from fidelity.means.scales import Bound, Scale, shares, standard_error

Ends = tuple[tuple[Bound, Bound], tuple[Bound, Bound]]
ENDS: Ends = ((Scale.lower, Scale.upper), (Scale.upper, Scale.lower))
SHARPEST: Ends = ((Scale.sharpest, Scale.upper), (Scale.upper, Scale.sharpest))
LINEAR: Ends = ((Scale.without_noise_of_draws,) * 2,) * 2


class Pair(NamedTuple):
    """Two simulators on scenarios with the same options and scores."""

    first: Scale
    second: Scale

    @property
    def is_linear(self) -> bool:
        """Whether the difference is linear in p."""
        first, second = self
        return first.measure.linear_difference(first.q, second.q, first.scores) is not None

    @property
    def ends(self) -> Ends:
        """What the lower bound, and the upper, takes of the first and of the second simulator."""
        return LINEAR if self.is_linear else ENDS

    @property
    def rows(self) -> IntArray:
        """The positions of the scenarios among all, (N,)."""
        return self.first.rows

    @property
    def reach(self) -> float:
        """The largest possible |bound| of one scenario; infinite where none is known."""
        return self.first.reach + self.second.reach

    @property
    def sharp(self) -> FloatArray:
        """The bounds with the least bias, (2, N)."""
        return self.values(self.ends if self.is_linear else SHARPEST)

    @property
    def smooth(self) -> FloatArray:
        """The bounds that vary less, (2, N)."""
        return self.values(self.ends)

    def noise(self, sharp: FloatArray) -> FloatArray:
        """Return 0, (N,): both bounds of a difference are about as uncertain."""
        return np.zeros(len(self.rows))

    def values(self, ends: Ends) -> FloatArray:
        """Return the lower and the upper bound, (2, N)."""
        everywhere = np.arange(len(self.first.rows))
        return np.stack([self.of_people(*end)(self.first.counts, everywhere) for end in ends])

    def of_people(self, bound: Bound, less: Bound) -> Statistic:
        """Return a bound as a function of people's answers."""

        def difference(people: FloatArray, rows: IntArray) -> FloatArray:
            with np.errstate(invalid="ignore"):
                return bound(self.first.take(rows), people) - less(self.second.take(rows), people)

        return difference

    def draws_error(self, bound: Bound, less: Bound) -> FloatArray:
        """Return the standard error of a bound that the draws of both cause, (N,)."""
        return np.hypot(self.first.draws_error(bound), self.second.draws_error(less))

    def errors(self) -> FloatArray:
        """Return standard errors of both bounds, (4, 2, N), as :meth:`Scale.errors`."""
        counts, errors = self.first.counts, np.zeros((4, 2, len(self.first.rows)))
        kinks, root = Kinks.of(*self), self.first.measure.metric_root
        limits, smooth = open_signs(*self), self.smooth
        variance_of = resampled_variance if root == 1 else jackknife_variance
        for end, (bound, less) in enumerate(self.ends):
            statistic = self.of_people(bound, less)
            variance = variance_of(statistic, counts) * self.first.times_by_weights(statistic)
            of_draws = self.draws_error(bound, less)
            if kinks is not None:
                variance = np.fmax(variance, kinks.least[end] ** 2 - of_draws**2)
            if limits is not None:
                beyond = np.maximum((2 * end - 1) * (limits[end] - smooth[end]) / Z, 0.0)
                variance = np.fmax(variance, beyond**2 - of_draws**2)
            errors[:2, end] = standard_error(variance, counts), of_draws
            errors[2:, end] = self._unseen(2.0 * end - 1.0, *errors[:2, end])
        return errors

    def _unseen(self, side: float, of_people: FloatArray, of_draws: FloatArray) -> FloatArray:
        """Return what rare options add to the errors of the lower end, -1, or the upper, 1."""
        (first, second), bound = self, self.ends[1][0]
        counts, plugin = first.counts, self.of_people(bound, bound)
        if first.measure.metric_root is None and not self.is_linear:
            plugin = _as_single_answers(plugin, counts)
        of_all = [
            unseen_variance(plugin, counts, of_people**2, scale.q, side, first.times)
            for scale in self
        ]
        drawn = np.zeros(len(counts))
        for scale, sign in ((first, side), (second, -side)):
            if scale.drawn is not None:
                of_draw = scale.of_draws(bound)
                drawn += unseen_variance(of_draw, scale.drawn, of_draws**2, shares(counts), sign)
        return np.sqrt([np.max(of_all, axis=0), drawn])

    @property
    def limits(self) -> FloatArray:
        """The least and the largest difference that are possible, (2, N)."""
        measure, (first, second) = self.first.measure, self
        if first.draws is None and second.draws is None:
            return np.stack(measure.difference_range(first.q, second.q, first.scores))
        most = np.full(len(first.rows), measure.largest(first.q.shape[1], first.scores))
        return np.stack([-most, most])


def _as_single_answers(statistic: Statistic, counts: FloatArray) -> Statistic:
    """Return a statistic as if each further answer to an option changed it as much as the first.

    The square of a rare option's share over a small q would grow without limit.
    """
    everywhere, d = np.arange(len(counts)), counts.shape[1]
    now = statistic(counts, everywhere)
    more = [statistic(counts + option, everywhere) - now for option in np.eye(d)]
    change = np.nan_to_num(np.stack(more, 1), posinf=0.0, neginf=0.0)
    return lambda people, rows: now[rows] + ((people - counts[rows]) * change[rows]).sum(1)
