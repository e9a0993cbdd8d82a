"""Unanswered questions: how much their answers could change a simulator's discrepancies.

With a share φ of a scenario's questions unanswered, the shares of all answers would have been
q' = (1 - φ) q + φ r, with any r. The discrepancies here are convex in both arguments, and their
1/root-th power D = L^(1/root) is a metric (of ``js``: Endres & Schindelin 2003). So for any p of
people,

- L(p, q') is at most its largest value F(p) over r, at an r with a single option; F is convex,
- L(p, q') ≤ (1 - φ) L(p, q) + φ·largest,
- D(p, q') and D(p, q) differ by at most shift = max over r of D(q, q'), again at a single option.

The mean of L over scenarios, to the power 1/root, moves by at most the mean of shift^root to the
same power (Minkowski's inequality).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fidelity.arrays import FloatArray, IntArray
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.average import DiscrepancyBounds
from fidelity.means.jackknife import jackknife_variance
from fidelity.means.single_answers import largest_discrepancies, single_answers
from fidelity.responses import Responses, Simulator


@dataclass(frozen=True)
class Unanswered:
    """The possible effect of unanswered questions on one simulator's discrepancies.

    Attributes:
        q: the shares that are compared with people's, (m, d); NaN where it answered nothing.
        left: the share of each scenario's questions that it left open, (m,).
        measure: the discrepancy.
        people: their responses to these m scenarios.
    """

    q: FloatArray
    left: FloatArray
    measure: Discrepancy
    people: Responses

    @classmethod
    def of(cls, people: Responses, simulator: Simulator, measure: Discrepancy) -> "Unanswered":
        """Return the effect on a simulator in the scenarios of these people, in one order."""
        left = simulator.unanswered
        q = np.where(left[:, None] < 1.0, simulator.shares, np.nan)
        return cls(q, left, measure, people)

    @cached_property
    def answering(self) -> IntArray:
        """Positions of the scenarios in which it gave answers, (N,)."""
        return np.flatnonzero(~np.isnan(self.q).all(1))

    @property
    def is_none(self) -> bool:
        """Whether all questions were answered, so that nothing can change."""
        return not self.left.any()

    @property
    def is_bounded(self) -> bool:
        """Whether it is known how much the discrepancies can change."""
        return self.measure.metric_root is not None and not self.people.is_open

    @property
    def root(self) -> int:
        """The root of the discrepancy that is a metric; only where one is known."""
        assert self.measure.metric_root is not None
        return self.measure.metric_root

    @cached_property
    def shift(self) -> FloatArray:
        """The largest possible change of the metric in the scenarios that it answers, (N,)."""
        far = self.farthest(self.q[self.answering], self.answering)
        return far ** (1.0 / self.root)

    @cached_property
    def largest(self) -> FloatArray:
        """The largest possible discrepancy in each scenario, (m,)."""
        known = self.people.exists, self.people.scores, self.people.limits
        return largest_discrepancies(self.measure, *known)

    def farthest(self, p: FloatArray, rows: IntArray) -> FloatArray:
        """Return F(p), the largest possible discrepancy for any answers left out, (S,).

        Args:
            p: people's shares, (S, d).
            rows: the position of each share's scenario, (S,).
        """
        farthest = np.zeros(len(rows))
        left = self.left[rows, None]
        given = (1.0 - left) * np.nan_to_num(self.q[rows])
        known = self.people.scores, self.people.limits
        scores, limits = (
            part[rows] if part is not None and part.ndim == 2 else part for part in known
        )
        ways = single_answers(self.measure, self.people.exists[rows], scores, limits)
        for places, there, values, single in ways:
            pad = ((0, 0), (0, single.shape[1] - len(there)))
            p_own, q_own = (np.pad(shares[np.ix_(places, there)], pad) for shares in (p, given))
            for r in single:
                far = self.measure.between(p_own, q_own + left[places] * r, values)
                farthest[places] = np.maximum(farthest[places], far)
        return farthest

    def raised(self, upper: FloatArray) -> FloatArray:
        """Return upper bounds that allow for unanswered questions, from bounds that do not.

        Args:
            upper: several bounds for each scenario that it answers, (N, G).

        Returns:
            For each scenario, (m, G); where it answers nothing the largest value.
        """
        shift, left = self.shift[:, None], self.left[self.answering, None]
        raised = np.repeat(self.largest[:, None], upper.shape[1], axis=1)
        largest = raised[self.answering]
        by_metric = (upper ** (1.0 / self.root) + shift) ** self.root
        by_convexity = (1.0 - left) * upper + left * largest
        moved = np.minimum(np.minimum(by_metric, by_convexity), largest)
        raised[self.answering] = np.where(left > 0.0, moved, upper)
        return raised

    def lowered(self, mean: float) -> float:
        """Return a lower bound on the mean over all scenarios, allowing for unanswered questions.

        ``mean`` is a lower bound, at least 0, on the mean over the scenarios that it answers.
        """
        moved = (self.shift**self.root).mean() ** (1.0 / self.root)
        least = max(mean ** (1.0 / self.root) - moved, 0.0) ** self.root
        return float(least * len(self.answering) / len(self.left))

    def bounds(self, answered: DiscrepancyBounds) -> DiscrepancyBounds:
        """Return bounds on the discrepancies in all scenarios, for any answers left out.

        The upper bound is that of F at people's shares. The lower bound subtracts the shift, or is
        0 where only a root of the discrepancy is a metric.

        Args:
            answered: bounds in those that it answers, for what it answered.
        """

        def farthest(counts: FloatArray, rows: IntArray) -> FloatArray:
            return self.farthest(counts / counts.sum(1, keepdims=True), rows)

        counts, some = np.nan_to_num(self.people.counts), self.answering
        upper = farthest(counts, np.arange(len(counts)))
        bounds = DiscrepancyBounds(*np.zeros((len(DiscrepancyBounds._fields), len(counts))))
        bounds.noise[some], bounds.upper_unseen_se[some] = answered.noise, answered.upper_unseen_se
        if self.root == 1:
            bounds.lower[some] = answered.lower - self.shift
            bounds.smooth_lower[some] = answered.smooth_lower - self.shift
            bounds.lower_se[some] = answered.lower_se
            bounds.lower_unseen_se[some] = answered.lower_unseen_se
            bounds.reach[some] = answered.reach + self.shift
        return bounds._replace(
            upper=upper,
            smooth_upper=upper,
            upper_se=np.sqrt(jackknife_variance(farthest, counts)),
            reach=np.maximum(bounds.reach, self.largest),
            highest=self.largest,
        )
