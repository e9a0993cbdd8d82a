"""How many people bring the interval of a mean discrepancy within a width.

The expected length of an interval is that over ``STUDIES`` samples of people drawn from a pilot's
shares. Their errors are those of independent people, times the pilot's factor: what its persons,
PSUs or replicate weights say, or what may be if nothing is known, over the error of independent
people. The number of people is found by halving. Draws of people are independent, and a design
keeps its effect: both are assumptions. Observed shares are used as they are.
"""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.means.average import (
    ASKED,
    DiscrepancyBounds,
    discrepancy_bounds,
    errors_of_mean,
    mean_interval,
    possible,
)
from fidelity.means.estimates import Estimate
from fidelity.means.scales import shares
from fidelity.planning.widths import checked_width
from fidelity.responses import Responses, Simulator, side_by_side

MOST_TIMES, HALVINGS = 1000.0, 7
STUDIES, FEWEST_PEOPLE = 10, 3


@dataclass(frozen=True)
class LargerStudies:
    """Studies like a pilot, with more people, drawn as its people were.

    Attributes:
        people: the pilot's, as if weights didn't depend on the answers.
        q: the simulator's shares, (m, d).
        discrepancy: its name.
        level: of the interval.
        now: half the length of the pilot's interval; NaN or infinite where there is none.
        factors: of the errors of the lower and the upper end, (2,).
        generator: of the samples; the same ones for each number of people.
    """

    people: Responses
    q: FloatArray
    discrepancy: str | Discrepancy
    level: float
    now: float
    factors: FloatArray
    generator: np.random.Generator

    @classmethod
    def of(
        cls,
        mean: Estimate,
        q: FloatArray,
        *,
        discrepancy: str | Discrepancy,
        level: float,
        generator: np.random.Generator,
    ) -> "LargerStudies":
        """Take a study for the pilot: its mean over these very scenarios."""
        people, limits, known = mean.people.alike(), mean.interval(ASKED, level), mean.errors
        if known is None:
            known = errors_of_mean(mean.bounds, people.respondents)
        alone = errors_of_mean(discrepancy_bounds(people, q, discrepancy=discrepancy))
        factors = np.divide(known, alone, out=np.ones(2), where=alone > 0.0)
        half = (limits.ci_upper - limits.ci_lower) / 2.0
        return cls(people, q, discrepancy, level, half, factors, generator)

    def half_length(self, times: float) -> float:
        """Return half of the expected length with ``times`` as many people in each scenario."""
        people, m = self.people, len(self.people.counts)
        size = np.maximum(np.rint(people.sizes * times), FEWEST_PEOPLE).astype(np.int64)
        share = shares(np.nan_to_num(people.raw))
        drawn = deepcopy(self.generator).multinomial(size, share, (STUDIES, m)).astype(float)
        repeated = people.only(np.tile(np.arange(m), STUDIES))
        many = Responses(
            np.where(repeated.exists, drawn.reshape(repeated.raw.shape), np.nan),
            scores=repeated.scores,
            sizes=np.tile(size, STUDIES),
            limits=repeated.limits,
        )
        q = np.tile(self.q, (STUDIES, 1))
        bounds = discrepancy_bounds(many, q, discrepancy=self.discrepancy)
        halves = []
        for study in range(STUDIES):
            there = slice(study * m, (study + 1) * m)
            part = DiscrepancyBounds(*(column[there] for column in bounds))
            errors = self.factors * errors_of_mean(part)
            limits = mean_interval(part, level=self.level, errors=errors, df=people.df * times)
            ends = possible(limits, part)
            halves.append((ends.ci_upper - ends.ci_lower) / 2.0)
        return float(np.mean(halves))

    def fewest_times(self, width: float) -> float | None:
        """Return the least number of times as many people, from 1 on; None beyond 1000."""
        if self.now <= width:
            return 1.0
        low, high = 1.0, 2.0
        while self.half_length(high) > width:
            low, high = high, 2.0 * high
            if low > MOST_TIMES:
                return None
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.half_length(middle) > width else (low, middle)
        return high


def people_needed(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    width: float,
    *,
    discrepancy: str | Discrepancy,
    level: float = 0.95,
    generator: np.random.Generator,
) -> float | None:
    """Return how many times as many people bring the mean's interval within a width.

    The interval is that of the mean discrepancy over these very scenarios, of shares as they are.

    Args:
        responses: a pilot's people, :class:`fidelity.Responses` or counts, (m, d).
        simulator: :class:`fidelity.Simulator` or probabilities, (m, d).
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        width: half the length of the interval, in the unit of the discrepancy: of ``absolute`` on
            a scale from 0 to 100 that of the scale, and no share of it.
        level: of the interval.
        generator: draws samples of people.

    Raises:
        ValueError: if the width is larger than the largest possible discrepancy.

    Warns:
        ProbablyShare: if the width is so small beside the scale that it may be meant as a share.

    Returns:
        From 1 on; None where 1000 times as many are not enough, or the pilot has no interval.

    Examples:
        >>> import numpy as np
        >>> from fidelity import people_needed
        >>> people, model = [[12, 5, 3], [9, 6, 5]], [[0.3, 0.3, 0.4], [0.6, 0.3, 0.1]]
        >>> how = {"discrepancy": "tv", "generator": np.random.default_rng(0)}
        >>> people_needed(people, model, 0.05, **how)
        10.6875
    """
    inputs.generator("generator", generator)
    people, (stated,) = side_by_side(responses, simulator=simulator)
    scale = people.scores if people.limits is None else np.array(people.limits)
    width = checked_width(width, DISCREPANCIES.of(discrepancy), scale)
    stated = stated.as_stated()
    mean = Estimate.of(people, stated, discrepancy=discrepancy)
    pilot = LargerStudies.of(
        mean, stated.shares, discrepancy=discrepancy, level=level, generator=generator
    )
    return pilot.fewest_times(width) if np.isfinite(pilot.now) else None
