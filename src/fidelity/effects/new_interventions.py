"""How effects of other interventions compare, of which these are a sample.

Interventions are random, too, and few of them say little, however many persons there are. What
each intervention adds varies by its own persons' chance as well; only persons (and runs) with a
part in several interventions, such as those of a shared control, are counted beside. With I
interventions, taken as normal:

- The *shift* has Student's t with I - 1 degrees of freedom.
- The *slope* is a regression's, with the variance of residuals and t with I - 2. Of several
  outcomes it is the residuals' covariance between them.
- The *correlation* has Fisher's z with the variance 1/(I - 3), the *ratio of spreads* the set of
  Pitman (1939) and Morgan (1939) with t and I - 2.
- The *mean square* is the squared mean plus the variance, which has χ² with I - 1.
- The *mean distance* has Student's t; its upper end is raised, since distances are skewed.

Correlation, ratio of spreads and mean square combine both chances by squares of what each adds to
an end (Zou and Donner 2008), on the scale of z and of logarithms. With too few interventions there
are no ends.
"""

from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity.arrays import BoolArray, FloatArray, IntArray
from fidelity.effects.estimates import Effects, influences_on
from fidelity.squared_lengths import squared_length
from fidelity.structure.estimates import Interval

NEARLY_1 = 1.0 - 1e-9
Weights = tuple[FloatArray, FloatArray]


class Interventions(NamedTuple):
    """The interventions of effects on both sides.

    Attributes:
        people, simulator: their effects, the last of whose labels is the intervention.
        place: of each effect's intervention, (E,).
        outcome: of each effect, (E,).
        many: interventions, I.
        same_persons: whether units are the same on both sides.
    """

    people: Effects
    simulator: Effects
    place: IntArray
    outcome: IntArray
    many: int
    same_persons: bool

    @classmethod
    def of(cls, people: Effects, simulator: Effects, same_persons: bool = False) -> "Interventions":
        """Find them by the labels."""
        names, place = np.unique([label[-1] for label in people.labels], return_inverse=True)
        others = ["\x1f".join(label[:-1]) for label in people.labels]
        outcome = np.unique(others, return_inverse=True)[1]
        return cls(people, simulator, place, outcome, len(names), same_persons)

    def table(self, values: FloatArray) -> FloatArray:
        """Return effects' values by intervention and outcome; 0 where there are none."""
        table: FloatArray = np.zeros((self.many, int(self.outcome.max()) + 1))
        table[self.place, self.outcome] = values
        return table

    def shared(self, weights: Weights) -> FloatArray:
        """Return influences, (V, K), of units with a part in several interventions."""
        member = (self.place[:, None] == np.arange(self.many)).astype(float)
        several: list[BoolArray] = [
            (((rows != 0.0).astype(float) @ member) > 0.0).sum(1) > 1
            for side in (self.people, self.simulator)
            for rows in (side.influence, side.unseen)
        ]
        persons, arms, runs, of_runs = several
        both = [persons | runs] if self.same_persons else [persons, runs]
        rows: FloatArray = influences_on(
            (self.people, self.simulator), weights, same_units=self.same_persons
        )
        return rows[np.concatenate([*both, arms, of_runs])]

    def reach(self, terms: FloatArray, weights: Weights, level: float) -> float:
        """Return half the interval of a sum over effects, of terms (E,); infinite of one."""
        between = self.between(terms)
        return self.combined(between, weights, self.many - 1.0, level) if self.many > 1 else np.inf

    def between(self, terms: FloatArray) -> float:
        """Return the variance of a sum over effects, of terms (E,), as interventions vary."""
        sums = np.bincount(self.place, terms - terms.mean())
        return self.many / max(self.many - 1.0, 1.0) * float((sums**2).sum())

    def skewed(self, terms: FloatArray, level: float) -> float:
        """Return what is added to the upper end of a sum of distances, since they are skewed.

        It is s(2z² + 1)/(6I) of the expansion of Student's t (Hall 1983) with a skewness of 1: the
        absolute value of a normal variable has at most .995.
        """
        z = sp.special.ndtri((1.0 + level) / 2.0)
        size = (2.0 * z * z + 1.0) / (6.0 * np.sqrt(self.many))
        return float(np.sqrt(self.between(terms)) * size)

    def combined(self, between: float, weights: Weights, df: float, level: float) -> float:
        """Return half an interval: Student's between interventions, the normal beside."""
        tail = (1.0 - level) / 2.0
        t, z = sp.special.stdtrit(df, tail), sp.special.ndtri(tail)
        beside = float((self.shared(weights) ** 2).sum())
        return float(np.sqrt(t * t * between + z * z * beside))


def over_new(
    at: Interventions, these: tuple[Interval, ...], length: float, level: float
) -> tuple[Interval, Interval, Interval, Interval, Interval]:
    """Return how effects of other interventions compare, from how these do.

    Args:
        at: the interventions.
        these: slope, correlation, ratio of spreads, mean square and shift of these.
        length: the square of the simulator's centred effects without noise, A.
        level: of the intervals.
    """
    slope, correlation, spread_ratio, square, shift = these
    number = len(at.place)
    mean = np.full((number, 1), 1.0 / number)
    apart = at.simulator.estimate - at.people.estimate
    reach = at.reach(apart / number, (-mean, mean), level)
    return (
        _slope(at, slope, length, level),
        _correlation(correlation, at.many, level),
        _spread_ratio(at, spread_ratio, level),
        _mean_square(at, square, level),
        Interval(shift.estimate, shift.estimate - reach, shift.estimate + reach),
    )


def _slope(at: Interventions, these: Interval, length: float, level: float) -> Interval:
    """Return the slope, whose ends are infinite where that of these effects can't be told."""
    slope = these.estimate
    if at.many < 3 or np.isnan(slope):
        return Interval(slope, -np.inf, np.inf)
    tau, sigma = (side.estimate - side.estimate.mean() for side in (at.people, at.simulator))
    residual, simulated = at.table(tau - slope * sigma), at.table(sigma)
    covariance = residual.T @ residual / (at.many - 2.0)
    between = float((covariance * (simulated.T @ simulated)).sum())
    weights = sigma[:, None], (tau - 2.0 * slope * sigma)[:, None]
    reach = at.combined(between, weights, at.many - 2.0, level) / length
    return Interval(slope, slope - reach, slope + reach)


def _correlation(these: Interval, many: int, level: float) -> Interval:
    """Return the correlation by Fisher's z."""
    if many < 4 or np.isnan(these.estimate):
        return Interval(these.estimate, -1.0, 1.0)
    z, lower, upper = np.arctanh(np.clip(these, -NEARLY_1, NEARLY_1))
    reach = sp.special.ndtri((1.0 + level) / 2.0) / np.sqrt(many - 3.0)
    ends = np.tanh([z - np.hypot(reach, z - lower), z + np.hypot(reach, upper - z)])
    return Interval(these.estimate, *ends.tolist())


def _spread_ratio(at: Interventions, these: Interval, level: float) -> Interval:
    """Return the ratio of spreads; without ends below 0 where that of these can't be told.

    The correlation is that of the estimates as they are: without their noise, that of few is often
    1, and would leave no width.
    """
    if at.many < 3 or not these.lower > 0.0:
        return Interval(these.estimate, 0.0, np.inf)
    correlation = np.corrcoef(at.people.estimate, at.simulator.estimate)[0, 1]
    t = sp.special.stdtrit(at.many - 2.0, (1.0 - level) / 2.0)
    reach = np.arccosh(1.0 + 2.0 * (1.0 - correlation**2) * t * t / (at.many - 2.0)) / 2.0
    middle, lower, upper = np.log(these)
    ends = middle - np.hypot(reach, middle - lower), middle + np.hypot(reach, upper - middle)
    return Interval(these.estimate, *np.exp(ends).tolist())


def _mean_square(at: Interventions, these: Interval, level: float) -> Interval:
    """Return the mean square: that of outcomes' means over interventions, plus the variance."""
    number = len(at.place)
    if at.many < 2:
        return Interval(these.estimate, 0.0, np.inf)
    apart = at.people.estimate - at.simulator.estimate
    sizes = np.bincount(at.outcome)
    means = np.bincount(at.outcome, apart) / sizes
    away = at.table(apart - means[at.outcome])
    weight = np.sqrt(sizes / number)
    df = at.many - 1.0
    of_outcomes = np.eye(len(sizes))[at.outcome] / sizes
    beside = at.shared((of_outcomes, -of_outcomes))
    of_means = (away.T @ away / df / sizes.mean() + beside.T @ beside) * np.outer(weight, weight)
    middle = squared_length(means * weight, of_means, level, df=df)
    variance = float((away**2).sum()) / number * at.many / df
    low, high = (
        variance * df / sp.special.chdtri(df, tail)
        for tail in ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    )
    below = np.hypot(middle.estimate - middle.lower, variance - low)
    if middle.lower <= 0.0:  # else an end of the variance would count less than alone
        below = middle.estimate + variance - low
    above = np.hypot(middle.upper - middle.estimate, high - variance)
    return Interval(
        these.estimate, max(0.0, these.estimate - below), max(0.0, these.estimate) + above
    )
