"""A use of a simulator: how wrong it is for that, and whether that is within a limit.

The error θ is at least 0, and smaller is better. ``within`` says that it is at most the limit t,
``beyond`` that it is larger. Each statement has a one-sided p-value, by bisection over the level of
the use's interval: that of "θ ≥ t" is the smallest α at which the upper end of the interval of
level 1 - 2α lies below t; that of "θ ≤ t" the same with the lower end above t. So a use by itself
is ``within`` at 5 % exactly where its 95 % interval ends below the limit, and :func:`card` can
judge many uses at one error rate.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.registry import Registry
from fidelity.uses.ends import Ends

WITHIN, BEYOND, OPEN = "within", "beyond", "open"
NOT_MEASURED, NOT_ASKED = "not measured", "not asked"
LEVEL = 0.95
SMALLEST, STEPS, MOST = 1e-9, 20, 1e4
LARGEST, ABOVE = 0.4999, 1.0 + 1e-9


@dataclass(frozen=True)
class Use:
    """What a simulator may, or may not, be used for.

    Attributes:
        name: of the use, in :data:`USES`.
        question: that it answers.
        error: the estimate of θ.
        lower, upper: its own 95 % interval.
        limit: t.
        unit: of θ and t.
        p_within: of "θ is t or more"; small where it is surely within.
        p_beyond: of "θ is t or less"; small where it is surely beyond.
        verdict: ``within``, ``beyond`` or ``open``, taken by itself.
        needs: of what there must be more to settle an open use.
        times: how many times as much, so that it is settled with a probability of .8; infinite
            where none would, since the estimate lies at the limit, and NaN where it isn't known.
        parts: of a use that has two, each by itself; the row is that of the one nearer to failing,
            or that failed.
        ends: the interval at any level, and with so many times as much; None of a use of parts.

    Examples:
        >>> from fidelity.uses import USES
        >>> use = USES["shares"].measure([[60, 40]], [[0.1, 0.9]])
        >>> use.verdict, round(use.error, 2)
        ('beyond', 0.5)
    """

    name: str
    question: str
    error: float
    lower: float
    upper: float
    limit: float
    unit: str
    p_within: float
    p_beyond: float
    verdict: str
    needs: str
    times: float
    parts: tuple["Use", ...] = ()
    ends: Ends | None = field(default=None, repr=False, compare=False)

    def factor(self, alpha: float) -> float:
        """Return how many times as much settles the use at a one-sided level with power .8."""
        if self.parts:
            inside = max(_factor(part, alpha, WITHIN) for part in self.parts)
            outside = [_factor(part, alpha / len(self.parts), BEYOND) for part in self.parts]
            return min(inside, *outside)
        return min(_factor(self, alpha, WITHIN), _factor(self, alpha, BEYOND))


class UseKind(ABC):
    """A kind of use: its question, its limit, and how its error is computed.

    A new one is a subclass with a name, decorated with ``USES.add``.

    Attributes:
        name: as in configs and tables.
        question: that it answers, in plain words.
        unit: of the error.
        limit: by default; where ``of_scale`` is true, as a share of the answers' range.
        of_scale: whether the error has the answers' unit.
        of_scores: whether it is of scores in evaluations, not of answers beside people's.
        brings: what must be brought to measure it.
        more: of what there must be more to settle it.

    Examples:
        >>> from fidelity.uses import USES
        >>> USES["regressions"].limit, USES["regressions"].unit
        (0.1, 'standard deviations')
    """

    name: str
    question: str
    unit: str
    limit: float
    of_scale: bool = False
    of_scores: bool = False
    brings: str
    more: str = "people and simulated answers"

    @abstractmethod
    def ends(self, *given: Any, **how: Any) -> Ends:
        """Return the interval of the error at any level, and what more would make of it."""

    def measure(
        self, *given: Any, limit: float | None = None, span: float = 1.0, **how: Any
    ) -> Use:
        """Return the use, judged by itself.

        Args:
            given, how: as the kind's ``ends`` takes them.
            limit: t; by default that of the kind.
            span: the range of the answers, which a default limit in their unit is a share of.
        """
        return self.judged(self.ends(*given, **how), self.limit_of(limit, span))

    def limit_of(self, limit: float | None, span: float = 1.0) -> float:
        """Return the limit, which is the kind's if none is given."""
        span = inputs.number("span", span, inputs.FINITE_POSITIVE)
        usual = self.limit * (span if self.of_scale else 1.0)
        return inputs.number("limit", usual if limit is None else limit, inputs.FINITE_POSITIVE)

    def judged(
        self,
        ends: Ends,
        limit: float,
        *,
        unit: str | None = None,
        p_within: float | None = None,
    ) -> Use:
        """Return the use with this interval.

        Args:
            ends: of the error, at any level.
            limit: t.
            unit: if it isn't the kind's.
            p_within: where it can be computed, and needn't be sought.
        """
        interval, alpha = ends.observed(LEVEL), (1.0 - LEVEL) / 2.0
        if p_within is None:
            p_within = _p_value(lambda level: ends.observed(level).upper < limit)
        p_within = min(p_within, alpha) if interval.upper < limit else max(p_within, ABOVE * alpha)
        p_beyond = _p_value(lambda level: ends.observed(level).lower > limit)
        use = Use(
            self.name,
            self.question,
            *interval,
            limit,
            self.unit if unit is None else unit,
            p_within,
            p_beyond,
            verdict_of(p_within, p_beyond, alpha),
            "",
            np.nan,
            ends=ends,
        )
        return self.with_needs(use)

    def with_needs(self, use: Use) -> Use:
        """Return an open use with what would settle it."""
        if use.verdict != OPEN:
            return use
        return replace(use, needs=self.more, times=use.factor((1.0 - LEVEL) / 2.0))

    def both(self, *parts: Use) -> Use:
        """Return a use of several parts.

        It is within if all are, each at the whole level (intersection-union); and beyond if one is,
        at its share of the level. So the lower end of the interval is that of its share, too.
        """
        if len(parts) == 1:
            return parts[0]
        p_within = max(part.p_within for part in parts)
        p_beyond = min(1.0, len(parts) * min(part.p_beyond for part in parts))
        verdict = verdict_of(p_within, p_beyond, (1.0 - LEVEL) / 2.0)
        nearest = max(parts, key=lambda part: part.upper / part.limit)
        if verdict == BEYOND:
            nearest = min(parts, key=lambda part: part.p_beyond)
        lower = nearest.lower
        if nearest.ends is not None:
            lower = nearest.ends.observed(1.0 - (1.0 - LEVEL) / len(parts)).lower
        use = replace(
            nearest,
            lower=lower,
            p_within=p_within,
            p_beyond=p_beyond,
            verdict=verdict,
            needs="",
            times=np.nan,
            parts=parts,
            ends=None,
        )
        return self.with_needs(use)


USES: Registry[UseKind] = Registry("use", UseKind, "fidelity.uses")


def of_answers() -> list[str]:
    """Return the uses of simulators of people."""
    return [name for name, kind in USES.items() if not kind.of_scores]


def verdict_of(p_within: float, p_beyond: float, alpha: float) -> str:
    """Return the verdict of both p-values at a one-sided level."""
    if p_within <= alpha:
        return WITHIN
    return BEYOND if p_beyond <= alpha else OPEN


def _p_value(excludes: Callable[[float], bool]) -> float:
    """Return the smallest α at which the interval of level 1 - 2α excludes the limit; else 1."""
    known = [SMALLEST, (1.0 - LEVEL) / 2.0, LARGEST]
    first = next((k for k, alpha in enumerate(known) if excludes(1.0 - 2.0 * alpha)), None)
    if first is None:
        return 1.0
    least, most = known[max(first - 1, 0)], known[first]
    for _ in range(STEPS if first else 0):
        middle = float(np.sqrt(least * most))
        least, most = (least, middle) if excludes(1.0 - 2.0 * middle) else (middle, most)
    return most


def _factor(use: Use, alpha: float, verdict: str) -> float:
    """Return how many times as much gives one verdict with power .8; infinite if none does."""
    ends, level = use.ends, 1.0 - 2.0 * alpha
    if ends is None or ends.expected(level, 1.0) is None:
        return np.nan

    def settles(times: float) -> bool:
        interval = ends.expected(level, times)
        if interval is None:
            return False
        return interval.upper < use.limit if verdict == WITHIN else interval.lower > use.limit

    least, most = 1.0, MOST
    if not settles(most):
        return np.inf
    for _ in range(STEPS):
        middle = float(np.sqrt(least * most))
        least, most = (least, middle) if settles(middle) else (middle, most)
    return most
