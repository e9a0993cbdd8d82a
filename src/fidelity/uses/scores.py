"""Scores of evaluations: how far a model is behind the best of those it is compared with."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import stdtrit

from fidelity.comparison.error_bars import ErrorBar
from fidelity.structure.estimates import Interval
from fidelity.uses.base import USES, Use, UseKind
from fidelity.uses.ends import Linear

UNKNOWN = Interval(np.nan, 0.0, np.inf)


@USES.add
class Scores(UseKind):
    """The best mean score of the others less the model's; 0 where none is better."""

    name = "scores"
    question = "Does it score as well as the best of the others?"
    unit = "mean score behind the best"
    limit = 0.05
    of_scale = True
    of_scores = True
    brings = "scores of another model on the same questions"
    more = "questions"

    def ends(self, behind: Callable[[float], ErrorBar] | None) -> Linear:
        """Return the interval of how far the model is behind one other.

        Nothing is known without an error bar, or where that has no p-value.

        Args:
            behind: the error bar at a level of the other's mean score less the model's, such as
                of :func:`fidelity.comparison.score_difference`; None if there is none.
        """

        def ends(level: float, times: float) -> Interval:
            bar = None if behind is None else behind(level)
            if bar is None or np.isnan(bar.p_value):
                return UNKNOWN
            half = stdtrit(bar.df, (1.0 + level) / 2.0) * bar.se / np.sqrt(times)
            numbers = (bar.estimate, bar.middle - half, bar.middle + half)
            return Interval(*(max(0.0, float(number)) for number in numbers))

        return Linear(ends)

    def measure(
        self, *behind: Any, limit: float | None = None, span: float = 1.0, **how: Any
    ) -> Use:
        """Return the use: within if the model is behind no other by more, beyond if behind one.

        Args:
            behind: of each other model, as ``ends`` takes it.
            limit: how far behind is still as good, in the unit of the scores.
            span: the range of the scores, which the usual limit is a share of.
            how: nothing more.

        Examples:
            >>> from fidelity.comparison import score_difference
            >>> from fidelity.uses import USES
            >>> model, other = [1, 1, 0, 1, 0, 1, 1, 1] * 20, [1, 0, 0, 1, 0, 1, 1, 0] * 20
            >>> def behind(level):
            ...     return score_difference(other, model, level=level)
            >>> USES["scores"].measure(behind).verdict
            'within'
        """
        most = self.limit_of(limit, span)
        return self.both(*(self.judged(self.ends(one, **how), most) for one in behind))
