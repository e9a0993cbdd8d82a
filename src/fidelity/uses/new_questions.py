"""Shares of new questions of the kind: on how many of them a simulator is too far from people."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Floats
from fidelity.binomial import share_p_value, share_upper
from fidelity.curves.envelope import GAMMA_GRID, certified_level, envelope_miss
from fidelity.structure.estimates import Interval
from fidelity.uses.base import SMALLEST, USES, Use, UseKind
from fidelity.uses.ends import CHANCE


class Counted(NamedTuple):
    """How many of m questions have bounds within the tolerance; the interval of the others' share.

    Attributes:
        m: questions.
        near: those whose upper bound is within it, at each γ, (G,).
        gamma: the grid, (G,).
        maybe_near: those whose lower bound is.
        lower_gamma: the coverage of lower bounds.
        shared, alike: as :func:`fidelity.certified_envelope_share`.
    """

    m: int
    near: FloatArray
    gamma: FloatArray
    maybe_near: int
    lower_gamma: float
    shared: int
    alike: bool

    def observed(self, level: float) -> Interval:
        """Return the interval of a level."""
        return self._interval(level, 1.0, 0.0)

    def expected(self, level: float, times: float) -> Interval:
        """Return ends where chance puts more questions beyond the tolerance, or fewer."""
        upper, lower = (self._interval(level, times, by) for by in (CHANCE, -CHANCE))
        return Interval(upper.estimate, lower.lower, upper.upper)

    def _interval(self, level: float, times: float, by: float) -> Interval:
        """Return the interval; ``by``: standard errors by which more questions are beyond."""
        alpha = (1.0 - level) / 2.0
        together = certified_level(
            self.m, alpha, self.gamma.tolist(), shared=self.shared, alike=self.alike
        )
        beyond = self._at_most(self.m - self.near, together, times, by) / self.gamma
        most_near = self._at_most(self.maybe_near, alpha, times, -by)
        least = (1.0 - most_near - (1.0 - self.lower_gamma)) / self.lower_gamma
        lower, upper = max(0.0, float(least)), min(1.0, float(beyond.min()))
        return Interval((lower + upper) / 2.0, lower, upper)

    def _at_most(self, count: Floats, alpha: float, times: float, by: float) -> FloatArray:
        """Return an upper limit of the probability of what so many of m questions have."""
        share = np.asarray(count, float) / self.m
        error = np.sqrt(share * (1.0 - share) / self.m / times * self.shared)
        share = np.clip(share + by * error, 0.0, 1.0)
        return share_upper(share * self.m * times, self.m * times, alpha, self.shared)

    def p_within(self, limit: float) -> float:
        """Return the smallest α at which the upper end is the limit."""
        beyond, most = self.m - self.near, limit * self.gamma
        level = float(share_p_value(beyond, self.m, most, self.shared).min())
        gamma = self.gamma.tolist()
        if len(gamma) > 1 and self.shared == 1 and self.alike and level < 1.0:
            return float(envelope_miss(self.m, max(level, SMALLEST), gamma).max())
        return min(1.0, len(gamma) * level)


@USES.add
class NewQuestions(UseKind):
    """The share of a population of questions on which the distance exceeds a tolerance."""

    name = "new_questions"
    question = "May it answer new questions of this kind?"
    unit = "share of questions beyond the tolerance"
    limit = 0.1
    brings = "people's answers to 36 questions or more, a sample of their kind"
    more = "questions"

    def ends(
        self,
        upper: ArrayLike,
        *,
        tolerance: float,
        gamma: Sequence[float] = GAMMA_GRID,
        lower: ArrayLike | None = None,
        lower_gamma: float = 0.95,
        shared: int = 1,
        alike: bool = True,
    ) -> Counted:
        """Return the interval of the share, exact at this number of questions.

        From above by the envelope, :func:`fidelity.certified_envelope_share`. From below: a lower
        bound L that holds with probability γ exceeds the tolerance in at most as many questions as
        are beyond it, and 1 - γ of the others; so the share is at least (ū - (1 - γ))/γ, with ū the
        lower limit of P(L > tolerance). The estimate is the middle.

        Args:
            upper: upper pseudo-discrepancies at each γ of the grid, (m, G).
            tolerance: up to which a distance is small, fixed in advance.
            gamma: the grid, (G,); one γ that is fixed in advance needs fewer questions.
            lower: lower pseudo-discrepancies at one coverage, (m,); without them nothing is beyond.
            lower_gamma: that coverage.
            shared, alike: as :func:`fidelity.certified_envelope_share`.
        """
        bounds = inputs.table("upper", upper, inputs.REAL, ("scenarios", len(gamma)))
        tolerance = inputs.number("tolerance", tolerance, inputs.FINITE_NOT_NEGATIVE)
        coverage = inputs.number("lower_gamma", lower_gamma, inputs.INSIDE)
        m = len(bounds)
        known = np.zeros(m) if lower is None else inputs.vector("lower", lower, inputs.REAL, m)
        near = (np.maximum.accumulate(bounds, axis=1) <= tolerance).sum(0)
        maybe = int((known <= tolerance).sum())
        return Counted(m, near, np.asarray(gamma, float), maybe, coverage, shared, alike)

    def measure(
        self, *given: Any, limit: float | None = None, span: float = 1.0, **how: Any
    ) -> Use:
        """Return the use; the p-value of "within" is computed, not sought.

        Args:
            given, how: as ``ends`` takes them.
            limit: of the share.
            span: has no effect.
        """
        counted = self.ends(*given, **how)
        limit = self.limit_of(limit, span)
        return self.judged(counted, limit, p_within=counted.p_within(limit))
