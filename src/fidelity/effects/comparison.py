"""Whether a simulator's effects are people's in direction, size and order.

Over E effects, centred, with C = I - 11'/E and the covariances V of both sides' errors,

    N = τ̂'Cσ̂ - tr(C V_τσ),   A = σ̂'Cσ̂ - tr(C V_σ),   B = τ̂'Cτ̂ - tr(C V_τ)

are free of the noise of persons and draws; V_τσ is 0 unless the same persons are on both sides.

- *Slope* of people's effects on the simulator's, N/A: below 1 the simulator's must be shrunk. It is
  the *correlation*, N/√(AB), times the SD of people's effects over the simulator's. So the slope is
  below 1 because simulated effects are exaggerated, or because they are uncertain.
- *Spread ratio*: the SD of the simulator's effects over that of people's, √(A/B).
- *Mean square* of τ - σ, unbiased, never clipped; so there is no root of it.
- *Shift*: the mean of σ - τ. Slope, correlation and spread ratio are centred, so that what all
  effects have in common, such as a control that is answered wrongly, shows in the shift only.

Persons' influences on N, A and B give the errors, to which rare answers add. The slope's and the
spread ratio's intervals are Fieller's sets; they are infinite where the denominator isn't clear of
0, which says that the ratio can't be told. The correlation's is of :func:`fidelity.cosines.cosine`
(of more than 60 effects by the delta method), the mean square's of
:func:`fidelity.squared_lengths.squared_length`, and the shift's of the means of arms
(:mod:`fidelity.effects.arm_means`). For other interventions than these, interventions are random,
too (:mod:`fidelity.effects.new_interventions`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray
from fidelity.comparison.selection import certified_scenarios
from fidelity.cosines import cosine
from fidelity.effects.distances import TIE
from fidelity.effects.estimates import Effects, dense, influences_on, measured, paired, sum_interval
from fidelity.effects.new_interventions import Interventions, over_new
from fidelity.squared_lengths import Length
from fidelity.structure.estimates import Interval, Spread, TooFewError, ratio
from fidelity.structure.estimates import cosine as delta_cosine

SAME, OPPOSITE, OPEN = "same", "opposite", "open"
LEAST, FEW, CLEAR = 3, 60, 2.0
LARGEST, STEPS = 1e3, 45


class EffectComparison(NamedTuple):
    """How a simulator's effects compare with people's.

    Attributes:
        effects: how many.
        slope: of people's effects on the simulator's.
        correlation: of both, without noise; within [-1, 1] and its interval.
        spread_ratio: the SD of the simulator's effects over that of people's, without noise.
        mean_squared: the mean squared difference; its estimate may be below 0, its interval not.
        shift: the mean of the simulator's effects less people's.
    """

    effects: int
    slope: Interval
    correlation: Interval
    spread_ratio: Interval
    mean_squared: Interval
    shift: Interval


def compare_effects(
    people: Effects,
    simulator: Effects,
    *,
    target: str = "these",
    same_persons: bool = False,
    level: float = 0.95,
) -> EffectComparison:
    """Return slope, correlation, ratio of spreads, mean squared difference and shift of effects.

    Effects of several outcomes must be in one unit, such as shares of the range of answers. Slope,
    correlation and ratio of spreads take three effects or more.

    Args:
        people, simulator: their effects.
        target: ``these`` effects; or ``new`` interventions, of which these are a sample. The last
            label of an effect names its intervention. Nothing has ends with one intervention,
            slope and ratio of spreads not with two, and the correlation not with three.
        same_persons: whether unit i is the same person on both sides (twins).
        level: of the intervals.

    Raises:
        ValueError: if no effect is on both sides, or both don't have the same persons.

    Examples:
        >>> import numpy as np
        >>> from fidelity.effects import arm_effects, compare_effects, stated_effects
        >>> rng = np.random.default_rng(0)
        >>> true, arms = np.linspace(-1, 1, 9), np.repeat(np.arange(10), 400)
        >>> answers = np.append(true, 0)[arms] + rng.normal(size=4000)
        >>> people = arm_effects(answers, arms, control="9")
        >>> twice = stated_effects(2 * true, people.labels)
        >>> comparison = compare_effects(people, twice)
        >>> [round(end, 2) for end in comparison.slope]
        [0.51, 0.48, 0.53]
    """
    people, simulator = measured(people, simulator)
    target = inputs.one_of("target", target, ("these", "new"))
    level = inputs.number("level", level, inputs.INSIDE)
    if same_persons and people.influence.shape[0] != simulator.influence.shape[0]:
        raise ValueError("with same_persons both sides must have the same persons")
    many = len(people.labels)
    tau, sigma = (side.estimate - side.estimate.mean() for side in (people, simulator))
    noise, _ = (np.array(part) for part in zip(*_noise(people, simulator), strict=True))
    if not same_persons:
        noise[0] = 0.0
    values = np.array([tau @ sigma, sigma @ sigma, tau @ tau]) - noise
    none = np.zeros(many)
    weights = np.stack([sigma, none, 2.0 * tau], 1), np.stack([tau, 2.0 * sigma, none], 1)
    rows = influences_on((people, simulator), weights, same_units=same_persons)
    errors, df = _errors(people, simulator, same_persons), _df(people, simulator, same_persons)
    spreads = ratio(values[1:], rows[:, 1:3], level, noise=float(noise[1]))
    centred = np.kron(np.eye(2), np.eye(many) - 1.0 / many)
    mean = np.full(many, 1.0 / many)
    if many < LEAST:
        correlation = Interval(np.nan, -1.0, 1.0)
    elif many <= FEW:
        around_0 = centred @ errors @ centred
        correlation = cosine(tau, sigma, around_0, level, df=df, noise=noise[[0, 2, 1]])
    else:
        correlation = delta_cosine(values, rows, level)
    these = EffectComparison(
        many,
        ratio(values[:2], rows[:, :2], level),
        correlation,
        Interval(*np.sqrt(np.maximum(spreads, 0.0)).tolist()),
        apart_on_average(people, simulator, same_persons=same_persons).square(level),
        sum_interval([(people, -mean), (simulator, mean)], level, same_units=same_persons),
    )
    if target == "these":
        return these
    among = Interventions.of(people, simulator, same_persons)
    return EffectComparison(many, *over_new(among, these[1:], float(values[1]), level))


def apart_on_average(people: Effects, simulator: Effects, *, same_persons: bool = False) -> Length:
    """Return the root mean square of τ - σ, as a length; rare answers count in its errors alone.

    Args:
        people, simulator: effects with the same labels.
        same_persons: as :func:`compare_effects`.
    """
    many = len(people.labels)
    _, common = zip(*_noise(people, simulator), strict=True)
    trace = common[1] + common[2] - 2.0 * common[0] * same_persons
    errors = _errors(people, simulator, same_persons)
    minus = np.concatenate([np.eye(many), -np.eye(many)]) / np.sqrt(many)
    return Length(
        (people.estimate - simulator.estimate) / np.sqrt(many),
        minus.T @ errors @ minus,
        _df(people, simulator, same_persons),
        trace / many,
    )


def _errors(people: Effects, simulator: Effects, same_persons: bool) -> FloatArray:
    """Return the covariance of both sides' errors, people's first, (2E, 2E)."""
    common = np.zeros_like(people.errors)
    if same_persons:
        common = dense(people.influence.T @ simulator.influence)
    return np.block([[people.errors, common], [common.T, simulator.errors]])


def _df(people: Effects, simulator: Effects, same_persons: bool) -> float:
    """Return degrees of freedom of the covariance V of τ̂ - σ̂, by the fourth moment.

    As those of one variance (:class:`fidelity.structure.estimates.Spread`): 2 tr V² over the
    variance of the sum of units' squares, U of them.
    """
    sides = [people.influence, -simulator.influence]
    rows = [sides[0] + sides[1]] if same_persons else sides
    covariance = np.sum([dense(part.T @ part) for part in rows], 0)
    squares = np.concatenate([np.asarray((part * part).sum(1)).reshape(-1) for part in rows])
    units = max(len(squares), 1)
    fourth = float((squares**2).sum() - squares.sum() ** 2 / units)
    df = 2.0 * float((covariance**2).sum()) / fourth if fourth > 0.0 else np.inf
    return float(np.clip(df, 1.0, max(units - 1.0, 1.0)))


def _noise(people: Effects, simulator: Effects) -> Iterator[tuple[float, float]]:
    """Yield tr(C V) and tr(V) of both together, of the simulator and of people."""
    many = len(people.labels)
    ones = np.ones(many)
    pairs = ((people, simulator), (simulator, simulator), (people, people))
    for one, two in pairs:
        if one.influence.shape != two.influence.shape:
            yield 0.0, 0.0
            continue
        trace = float((one.influence * two.influence).sum())
        yield trace - float(one.on(ones) @ two.on(ones)) / many, trace


class MeanDistance(NamedTuple):
    """The mean of distances, with an interval.

    Attributes:
        lower, upper: estimates of bounds of the mean, without the largest bias and with it.
        ci_lower, ci_upper: the confidence interval.
    """

    lower: float
    upper: float
    ci_lower: float
    ci_upper: float


def mean_distance(
    people: Effects, simulator: Effects, *, target: str = "these", level: float = 0.95
) -> MeanDistance:
    """Return how far a simulator's effects are from people's on average: the mean of |τ - σ|.

    The interval begins at 0 unless that of the mean squared difference excludes 0. It counts rare
    answers, and has no upper end where no variance was seen, or with one new intervention. New
    interventions' effects are taken as normal: one far off in ten, say, is missed more often.

    Args:
        people, simulator: their effects.
        target: ``these`` effects, so that only persons and draws are random; or ``new``
            interventions: then interventions are random, too, and their common control counts as
            well. The last label of an effect names its intervention.
        level: of the interval.

    Raises:
        ValueError: if no effect is on both sides.

    Examples:
        >>> import numpy as np
        >>> from fidelity.effects import arm_effects, mean_distance, stated_effects
        >>> rng = np.random.default_rng(0)
        >>> arms = np.repeat(["control", "a", "b", "c"], 200)
        >>> people = arm_effects(rng.random(800) < 0.5, arms, control="control")
        >>> distance = mean_distance(people, stated_effects([0.2, -0.3, 0.1], people.labels))
        >>> distance.ci_lower < 0.2 < distance.ci_upper
        True
    """
    people, simulator = measured(people, simulator)
    target = inputs.one_of("target", target, ("these", "new"))
    level = inputs.number("level", level, inputs.INSIDE)
    apart = people.estimate - simulator.estimate
    error: FloatArray = np.sqrt(np.diag(people.errors) + np.diag(simulator.errors))
    sign = np.where(apart < 0.0, -1.0, 1.0)
    unclear = np.abs(apart) <= CLEAR * error
    estimates = np.abs(apart) - _most_bias(apart, error), np.abs(apart)
    among = Interventions.of(people, simulator) if target == "new" else None

    def reaches(signs: FloatArray) -> list[float]:
        """Return half the intervals of both means, where differences have these signs."""
        slope = (signs / len(signs))[:, None]
        if among is not None:
            terms = [bound / len(bound) for bound in estimates]
            return [among.reach(some, (slope, -slope), level) for some in terms]
        rows = influences_on((people, simulator), (slope, -slope))[:, 0]
        return [Spread.of(rows, level).reach or np.inf] * 2  # no variance was seen

    of_signs = [
        reaches(s) for s in (sign, np.where(unclear, 1.0, sign), np.where(unclear, -1.0, sign))
    ]
    lower, upper = (float(bound.mean()) for bound in estimates)
    below, above = of_signs[0]
    # A common control may turn signs that are not clear; |τ̂ - σ̂| then varies more than they tell.
    above = max(above, (lower - upper) / 2.0 + max(of_lower for of_lower, _ in of_signs))
    if among is not None:
        above += among.skewed(np.abs(apart) / len(apart), level)
    # where effects are equal, absolute values of errors don't have the errors' variance
    differ = compare_effects(people, simulator, level=level).mean_squared.lower > 0.0
    lowest = max(0.0, lower - below) if differ else 0.0
    return MeanDistance(lower, upper, lowest, upper + above)


def _most_bias(apart: FloatArray, error: FloatArray) -> FloatArray:
    """Return what is taken off each |τ̂ - σ̂|, (E,), so that none exceeds |τ - σ| on average.

    With z the difference over its standard error s, it is s(2/√π)exp(-z²/2). Of a normal z with
    mean m its mean is s√(2/π)exp(-m²/4), the bias of |τ̂ - σ̂| where m is 0 and more elsewhere.
    """
    z = np.divide(apart, error, where=error > 0.0, out=np.zeros_like(error))
    return error * (2.0 / np.sqrt(np.pi)) * np.exp(-(z**2) / 2.0)


class PointComparison(NamedTuple):
    """How effects compare whose errors are not known.

    Attributes:
        effects: how many.
        agree: how many have the same sign.
        slope: of people's on the simulator's.
        correlation: of both.
        distance: the root of the sum of (τ - σ)².
    """

    effects: int
    agree: int
    slope: float
    correlation: float
    distance: float


def compare_points(people: Effects, simulator: Effects) -> PointComparison:
    """Return how estimates of effects compare, without intervals and with the noise of both sides.

    For published effects without standard errors; :func:`compare_effects` is for all others.

    Args:
        people, simulator: their effects.

    Raises:
        ValueError: if no effect is on both sides.

    Examples:
        >>> from fidelity.effects import compare_points, stated_effects
        >>> labels = [("age", "old"), ("sex", "woman"), ("law", "kept")]
        >>> people = stated_effects([-0.5, 0.1, 0.4], labels)
        >>> points = compare_points(people, stated_effects([-0.2, 0.1, 0.1], labels))
        >>> points.agree, round(points.correlation, 2)
        (3, 0.94)
    """
    people, simulator = paired(people, simulator)
    tau, sigma = people.estimate, simulator.estimate
    apart = tau - sigma
    centred = tau - tau.mean(), sigma - sigma.mean()
    n, b, a = centred[0] @ centred[1], centred[0] @ centred[0], centred[1] @ centred[1]
    return PointComparison(
        len(tau),
        int((tau * sigma > 0.0).sum()),
        float(n / a) if a > 0.0 else float("nan"),
        float(n / np.sqrt(a * b)) if a * b > 0.0 else float("nan"),
        float(np.sqrt(apart @ apart)),
    )


class Directions(NamedTuple):
    """Whether effects have people's sign, (E,) each.

    Attributes:
        agree: whether both estimates have the same sign.
        people: whether people's sign is certain.
        same: effects whose signs are certainly the same.
        opposite: effects whose signs are certainly opposite; all others are open.
    """

    agree: BoolArray
    people: BoolArray
    same: BoolArray
    opposite: BoolArray

    @property
    def verdicts(self) -> list[str]:
        """Of each effect: ``same``, ``opposite`` or ``open``, E."""
        return np.where(self.same, SAME, np.where(self.opposite, OPPOSITE, OPEN)).tolist()

    @property
    def counts(self) -> dict[str, int]:
        """How many effects agree with people's certain signs, are certain, and have which verdict.

        The names are ``agree``, ``certain``, ``same``, ``opposite`` and ``open``.
        """
        verdicts = {name: self.verdicts.count(name) for name in (SAME, OPPOSITE, OPEN)}
        agree, certain = int((self.agree & self.people).sum()), int(self.people.sum())
        return {"agree": agree, "certain": certain, **verdicts}


def directions(
    people: Effects, simulator: Effects, *, level: float = 0.05, dependent: bool | None = None
) -> Directions:
    """Return lists of effects whose direction a simulator gets certainly right, and wrong.

    "Not the same sign" is rejected where both are certainly positive, or both negative: the larger
    of the two one-sided p-values, and of people's two-sided one. If τ ≤ 0 ≤ σ or the reverse, each
    of both events needs a wrong rejection, so that both together have at most the probability α. So
    both lists are among the effects whose sign is certain among people. Of each list at most a
    share ``level`` is wrong on average over studies (false discovery rate), by Benjamini and
    Hochberg where no effects have persons in common; else by Benjamini and Yekutieli, as with a
    shared control.

    Args:
        people, simulator: their effects.
        level: the expected share of wrong entries of each list.
        dependent: whether effects have persons in common; by default as the estimates tell.

    Raises:
        ValueError: if no effect is on both sides.

    Examples:
        >>> from fidelity.effects import arm_effects, directions, stated_effects
        >>> arms = ["a"] * 90 + ["b"] * 90 + ["control"] * 90
        >>> answers = [1] * 80 + [0] * 10 + [1, 1, 0] * 30 + [0] * 60 + [1] * 30
        >>> people = arm_effects(answers, arms, control="control")
        >>> signs = directions(people, stated_effects([0.2, -0.1], people.labels))
        >>> signs.same.tolist(), signs.opposite.tolist()
        ([True, False], [False, True])
    """
    people, simulator = measured(people, simulator)
    if dependent is None:
        of_persons = [(side.influence != 0.0).sum(1) for side in (people, simulator)]
        dependent = any(np.asarray(many).max(initial=0) > 1 for many in of_persons)
    up, down = np.stack([_p_values(side) for side in (people, simulator)], 1)
    together = np.minimum(up.max(0), down.max(0))
    against = np.minimum(np.maximum(up[0], down[1]), np.maximum(down[0], up[1]))
    alone = np.minimum(1.0, 2.0 * np.minimum(up[0], down[0]))
    lists = (
        certified_scenarios(np.maximum(p, alone), level, dependent=dependent)
        for p in (alone, together, against)
    )
    sign = np.sign(people.estimate) * np.sign(
        np.where(_is_zero(simulator), 0.0, simulator.estimate)
    )
    return Directions(sign > 0.0, *lists)


def _p_values(side: Effects) -> tuple[FloatArray, FloatArray]:
    """Return one-sided p-values of "the effect is not above 0", and of "not below", (E,) each.

    Each is the level at which the effect's interval just excludes 0.
    """
    up, size = side.estimate > 0.0, np.abs(side.estimate)
    if side.is_stated:
        p = np.where(_is_zero(side), 1.0, 0.0)
    else:
        low, high = np.zeros(len(size)), np.full(len(size), LARGEST)
        for _ in range(STEPS):
            critical = (low + high) / 2.0
            excludes_0 = size > np.where(up, *side.distances(critical))
            low, high = np.where(excludes_0, critical, low), np.where(excludes_0, high, critical)
        p = sp.special.stdtr(side.df, -low)
    return np.where(up, p, 1.0), np.where(side.estimate < 0.0, p, 1.0)


def _is_zero(side: Effects) -> BoolArray:
    return np.abs(side.estimate) <= TIE * np.abs(side.estimate).max()


def lesser_square(
    people: Effects, one: Effects, other: Effects, *, level: float = 0.95
) -> Interval:
    """Return the mean square of τ - σ of one simulator less that of another, over their effects.

    Below 0 the one is closer. People's variance is in both and cancels; so the estimate is
    unbiased. Against *no effect*, take effects of 0. The variance is that of first order, but at
    least half of what draws' squared errors have where all true effects are 0. Where no answer
    varies and none has limits, the ends are infinite.

    Args:
        people: their effects.
        one, other: effects of the simulators.
        level: of the interval.

    Raises:
        ValueError: if no effect is of all three.

    Examples:
        >>> import numpy as np
        >>> from fidelity.effects import arm_effects, lesser_square, stated_effects
        >>> answers, arms = np.tile([0, 1, 1, 1, 0, 1], 40), ["new", "old"] * 120
        >>> people = arm_effects(answers, arms, control="old")
        >>> right, zero = (stated_effects([x], people.labels) for x in (-0.6, 0.0))
        >>> lesser_square(people, right, zero).upper < 0
        True
    """
    people, one = measured(people.among(other), one)
    people, other = paired(people, other)
    many = len(people.labels)
    apart = [people.estimate - side.estimate for side in (one, other)]
    noise = [float((side.se**2).mean()) for side in (one, other)]
    estimate = float((apart[0] ** 2 - apart[1] ** 2).mean() - noise[0] + noise[1])
    weights = 2.0 * np.stack([apart[0] - apart[1], -apart[0], apart[1]])[:, :, None] / many
    spread = Spread.of(influences_on((people, one, other), weights)[:, 0], level)
    tau, *drawn = (side.errors for side in (people, one, other))
    least = sum(float((v * (v + 2.0 * tau)).sum()) for v in drawn) / many**2
    reach = spread.critical * float(np.sqrt(max(spread.variance, least)))
    if reach == 0.0 and not np.array_equal(one.estimate, other.estimate):  # no variance was seen
        reach = np.inf
    return Interval(estimate, estimate - reach, estimate + reach)


class Picks(NamedTuple):
    """What becomes of the interventions that a simulator would pick.

    Attributes:
        shared: the share of people's best that are among them, mean over outcomes.
        chance: that of interventions picked at random.
        gain: people's mean effect of the picks less that of all interventions.
        settled: whether the picks of all outcomes are beyond doubt by the simulator's errors.
        best_settled: the same of people's best, by theirs.
    """

    shared: float
    chance: float
    gain: Interval
    settled: bool
    best_settled: bool


def picks(people: Effects, simulator: Effects, *, best: int = 2, level: float = 0.95) -> Picks:
    """Return how good the interventions are that a simulator would pick as the best of an outcome.

    People's effects of the picks are unbiased, since the simulator doesn't know people's answers;
    those of people's own best are not, since chance had a part in making them the best.

    The intervals are of these picks. Where the picks are not settled, others might be picked from
    other answers of the same simulator. They are settled where each one's effect is significantly
    larger, in both directions at ``level``, than that of each other intervention (Hung and Fithian
    2019).

    Args:
        people, simulator: effects; the first label is the outcome.
        best: how many are picked for each outcome; outcomes with no more don't count.
        level: of the intervals.

    Raises:
        TooFewError: if no outcome has more effects than are picked.

    Examples:
        >>> from fidelity.effects import arm_effects, picks, stated_effects
        >>> arms = [arm for arm in "abcd" for _ in range(10)]
        >>> answers = [1] * 9 + [0] * 3 + [1] * 8 + [0] * 8 + [1] * 2 + [0] * 10
        >>> people = arm_effects(answers, arms, control="d")
        >>> picked = picks(people, stated_effects([0.4, 0.3, 0.1], people.labels))
        >>> picked.shared, round(picked.gain.estimate, 3), picked.settled
        (1.0, 0.217, True)
    """
    people, simulator = measured(people, simulator)
    best = inputs.whole("best", best, 1, None)
    level = inputs.number("level", level, inputs.INSIDE)
    outcome = np.unique([label[0] for label in people.labels], return_inverse=True)[1]
    members = [np.flatnonzero(outcome == j) for j in range(outcome.max() + 1)]
    members = [rows for rows in members if len(rows) > best]
    if not members:
        raise TooFewError(f"no outcome has more than {best} effects to pick from")
    weights, shared, chance = np.zeros(len(people.labels)), [], []
    for rows in members:
        ours, theirs = (_best(side.estimate[rows], best) for side in (simulator, people))
        weights[rows] = (ours / best - 1.0 / len(rows)) / len(members)
        shared.append(float(ours @ theirs) / best)
        chance.append(best / len(rows))
    gain = sum_interval([(people, weights)], level)
    settled, best_settled = (
        all(_is_settled(side.take(rows), best, level) for rows in members)
        for side in (simulator, people)
    )
    return Picks(float(np.mean(shared)), float(np.mean(chance)), gain, settled, best_settled)


def _is_settled(side: Effects, best: int, level: float) -> bool:
    """Return whether each of the best effects is significantly larger than each other one."""
    order = np.argsort(-side.estimate)
    one, two = (place.ravel() for place in np.meshgrid(order[:best], order[best:]))
    apart = np.eye(len(order))[one] - np.eye(len(order))[two]
    pairs = side.combined(apart, [("",)] * len(apart))
    least = TIE * np.abs(side.estimate).max()
    return bool((pairs.intervals(level)[:, 0] > least).all())


def _best(values: ArrayLike, best: int) -> FloatArray:
    """Return the share with which each value is among the best; ties are picked at random."""
    values = np.asarray(values)
    least = np.sort(values)[-best]
    tie = TIE * max(float(np.ptp(values)), float(np.abs(values).max()))
    above, level = values > least + tie, np.abs(values - least) <= tie
    return above + level * (best - above.sum()) / level.sum()
