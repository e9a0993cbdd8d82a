"""Shares of these questions: the mean distance between people's answers and the simulator's."""

from collections.abc import Callable

import numpy as np

from fidelity.arrays import ArrayLike
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.average import ASKED, DiscrepancyInterval
from fidelity.means.together import limits_of
from fidelity.responses import Responses, Simulator, side_by_side
from fidelity.structure.estimates import Interval
from fidelity.uses.base import USES, UseKind
from fidelity.uses.ends import Linear


@USES.add
class Shares(UseKind):
    """The mean distance of these questions, between two bounds that need no coverage γ."""

    name = "shares"
    question = "May its answers stand for people's shares in these questions?"
    unit = "mean distance"
    limit = 0.1
    of_scale = True
    brings = "people's and the simulator's answers to the same questions"

    def ends(
        self,
        responses: Responses | ArrayLike,
        simulator: Simulator | ArrayLike,
        *,
        discrepancy: str | Discrepancy = "tv",
    ) -> Linear:
        """Return the interval of :func:`fidelity.mean_discrepancies`, of one simulator.

        The estimate is the middle of its two bounds. Nothing is known where there is no interval.
        What more people would give is rough: the gap between the bounds, and the error, fall with
        the root of their number, or faster.

        Args:
            responses, simulator, discrepancy: as there.
        """
        people, (stated,) = side_by_side(responses, simulator=simulator)
        return ends_of(limits_of(people, stated, discrepancy))


def ends_of(limits: Callable[[str, float], DiscrepancyInterval]) -> Linear:
    """Return the ends of a mean discrepancy over these questions, around the middle of its bounds.

    Args:
        limits: of a target and a level, as of :func:`fidelity.means.together.limits_of`.
    """

    def ends(level: float, times: float) -> Interval:
        interval = limits(ASKED, level)
        middle = max(0.0, (interval.lower + interval.upper) / 2.0)
        lower, upper = interval.ci_lower, interval.ci_upper
        if np.isnan([lower, upper]).any():
            return Interval(middle, 0.0, np.inf)
        root = times**0.5
        return Interval(middle, middle - (middle - lower) / root, middle + (upper - middle) / root)

    return Linear(ends)
