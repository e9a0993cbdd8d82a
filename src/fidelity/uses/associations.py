"""How answers go together: whether correlations have people's strength, and people's pattern."""

from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.structure.comparison import compare_associations, slope_moments
from fidelity.structure.correlations import Associations
from fidelity.structure.estimates import Interval, ratio
from fidelity.uses.base import LEVEL, USES, Use, UseKind
from fidelity.uses.ends import Linear, around_value, as_normal


@USES.add
class Together(UseKind):
    """The slope of correlations less 1, and 1 less their congruence; both must be small."""

    name = "relations"
    question = "May it tell how answers go together, and of scales?"
    unit = "slope of correlations, less 1"
    limit = 0.3
    brings = "answers by respondent on both sides, to three questions or more"
    other_unit, other_limit = "1 less congruence", 0.05

    def ends(
        self, people: Associations, simulator: Associations, *, same_persons: bool = False
    ) -> Linear:
        """Return the interval of |slope - 1| of :func:`fidelity.structure.compare_associations`.

        Args:
            people, simulator, same_persons: as there.
        """
        values, effects = slope_moments(people, simulator, same_persons=same_persons)

        def ends(level: float, times: float) -> Interval:
            return ratio(values, effects / np.sqrt(times), level)

        return around_value(Linear(ends), 1.0)

    def measure(
        self,
        *given: Any,
        limit: float | None = None,
        span: float = 1.0,
        congruence: float = other_limit,
        **how: Any,
    ) -> Use:
        """Return the use of both parts.

        The congruence's interval is known at 95 %, by drawing where pairs are few; at other levels
        its ends are as far in angle as those of normal errors (:func:`as_normal`).

        Args:
            given, how: as ``ends`` takes them.
            limit: of the slope's distance from 1.
            span: has no effect.
            congruence: the limit of 1 less congruence.
        """
        slope = self.judged(self.ends(*given, **how), self.limit_of(limit, span))
        least = inputs.number("congruence", congruence, inputs.INSIDE)
        compared = compare_associations(*given, **how, level=LEVEL)[0].congruence
        return self.both(slope, self.judged(_apart(compared), least, unit=self.other_unit))


def _apart(congruence: Interval) -> Linear:
    """Return the ends of 1 less a cosine."""
    angle, most, least = np.arccos(np.clip(congruence, -1.0, 1.0)).tolist()
    of_angle = as_normal(Interval(angle, least, most))

    def ends(level: float, times: float) -> Interval:
        angles = np.clip(of_angle.interval(level=level, times=times), 0.0, np.pi)
        return Interval(*(1.0 - np.cos(angles)).tolist())

    return Linear(ends)
