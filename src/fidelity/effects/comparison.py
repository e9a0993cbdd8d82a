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

Persons' influences on N, A and B give the errors. The slope's and the spread ratio's intervals are
Fieller's sets; they are infinite where the denominator isn't clear of 0, which says that the ratio
can't be told. For other interventions than these, interventions are random, too, and the persons of
their common control count beside.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray
from fidelity.comparison.selection import certified_scenarios
from fidelity.effects.distances import TIE, leave_out
from fidelity.effects.estimates import Effects, measured, paired
from fidelity.structure.estimates import Interval, Spread, around, cosine, mean_square, ratio


class EffectComparison(NamedTuple):
    """How a simulator's effects compare with people's.

    Attributes:
        effects: how many.
        slope: of people's effects on the simulator's.
        correlation: of both, without noise.
        spread_ratio: the SD of the simulator's effects over that of people's, without noise.
        mean_squared: the mean squared difference.
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

    Effects of several outcomes must be in one unit, such as shares of the range of answers.

    Args:
        people, simulator: their effects.
        target: ``these`` effects; or ``new`` interventions, of which these are a sample. The last
            label of an effect names its intervention.
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
    apart = people.estimate - simulator.estimate
    noise, common = (np.array(part) for part in zip(*_noise(people, simulator), strict=True))
    if not same_persons:
        noise[0] = common[0] = 0.0
    values = np.array([tau @ sigma, sigma @ sigma, tau @ tau]) - noise
    none, mean = np.zeros(many), np.full(many, 1.0 / many)
    sides = (
        people.on(np.stack([sigma, none, 2.0 * tau, 2.0 * apart / many, -mean], 1)),
        simulator.on(np.stack([tau, 2.0 * sigma, none, -2.0 * apart / many, mean], 1)),
    )
    influences = sides[0] + sides[1] if same_persons else np.concatenate(sides)
    trace = float(common @ np.array([-2.0, 1.0, 1.0])) / many
    square = float((apart**2).mean() - trace)
    if target == "new":
        terms = np.stack([tau * sigma, sigma**2, tau**2, apart**2 / many, -apart / many], 1)
        influences = of_new(people, simulator, terms - terms.mean(0), influences)
    spreads = ratio(values[1:], influences[:, 1:3], level, noise=float(noise[1]))
    return EffectComparison(
        many,
        ratio(values[:2], influences[:, :2], level),
        cosine(values, influences[:, :3], level),
        Interval(*np.sqrt(np.maximum(spreads, 0.0)).tolist()),
        mean_square(square, influences[:, 3], trace, level),
        around(-float(apart.mean()), influences[:, 4], level),
    )


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
        lower, upper: estimates of bounds of the mean.
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

    The interval begins at 0 unless that of the mean squared difference excludes 0.

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
    slope = (np.sign(apart) / len(apart))[:, None]
    influences = np.concatenate([people.on(slope), simulator.on(-slope)])[:, 0]
    ends = []
    for bound in (leave_out(people, simulator), np.abs(apart)):
        rows = influences
        if target == "new":
            rows = of_new(people, simulator, (bound - bound.mean()) / len(bound), influences)
        ends.append((float(bound.mean()), Spread.of(rows, level).reach))
    (lower, below), (upper, above) = ends
    # where effects are equal, absolute values of errors don't have the errors' variance
    differ = compare_effects(people, simulator, level=level).mean_squared.lower > 0.0
    lowest = max(0.0, lower - below) if differ else 0.0
    return MeanDistance(lower, upper, lowest, upper + above)


def of_new(
    people: Effects, simulator: Effects, effects: FloatArray, influences: FloatArray
) -> FloatArray:
    """Return influences of interventions, (I,) or (I, K), and of persons whom several share.

    What an intervention adds varies by its own persons' chance, too. So only the persons (and
    runs) with a part in several interventions are counted beside: those of a shared control.

    Args:
        people, simulator: their effects, the last of whose labels is the intervention.
        effects: what each effect adds to an estimate, (E,) or (E, K).
        influences: of persons, then of the simulator's units, (U,) or (U, K); or of persons who
            are the units of both.
    """
    names, of_effect = np.unique([label[-1] for label in people.labels], return_inverse=True)
    many = len(names)
    member = (np.arange(many)[:, None] == of_effect).astype(float)
    by_intervention = member @ effects * np.sqrt(many / max(many - 1.0, 1.0))
    shared = [
        ((side.influence != 0.0).astype(float) @ member.T > 0.0).sum(1) > 1
        for side in (people, simulator)
    ]
    several = np.concatenate(shared)
    if len(influences) < len(several):
        several = shared[0] | shared[1]
    return np.concatenate([by_intervention, influences[several]])


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


def directions(
    people: Effects, simulator: Effects, *, level: float = 0.05, dependent: bool | None = None
) -> Directions:
    """Return lists of effects whose direction a simulator gets certainly right, and wrong.

    "Not the same sign" is rejected where both are certainly positive, or both negative: the larger
    of the two one-sided p-values, and of people's two-sided one. So both lists are among the
    effects whose sign is certain among people. Of each list at most a share ``level`` is wrong on
    average over studies (false discovery rate), by Benjamini and Hochberg where no effects have
    persons in common; else by Benjamini and Yekutieli, as with a shared control.

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
        dependent = any(_have_common(side) for side in (people, simulator))
    up, down = (
        np.stack([_p_value(side, sign) for side in (people, simulator)]) for sign in (1, -1)
    )
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


def _p_value(side: Effects, sign: int) -> FloatArray:
    """Return one-sided p-values of "the effect has not this sign", (E,)."""
    value, se = sign * side.estimate, side.se
    zero = _is_zero(side)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = sp.special.stdtr(side.df, -value / se)
    certain = np.where(zero | (value < 0.0), 1.0, 0.0)
    unclear = (se == 0.0) & (not side.is_stated)  # no variance was seen, which proves nothing
    p_values: FloatArray = np.where(se > 0.0, p, np.where(unclear, 1.0, certain))
    return p_values


def _is_zero(side: Effects) -> BoolArray:
    is_zero: BoolArray = np.abs(side.estimate) <= TIE * np.abs(side.estimate).max()
    return is_zero


def _have_common(side: Effects) -> bool:
    """Return whether some unit has a part in several effects."""
    return bool(np.asarray((side.influence != 0.0).sum(1)).max(initial=0) > 1)


def lesser_square(
    people: Effects, one: Effects, other: Effects, *, level: float = 0.95
) -> Interval:
    """Return the mean square of τ - σ of one simulator less that of another, over their effects.

    Below 0 the one is closer. People's variance is in both and cancels; so the estimate is
    unbiased. Against *no effect*, take effects of 0.

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
    influences = [
        people.on(2.0 * (apart[0] - apart[1])[:, None] / many),
        one.on(-2.0 * apart[0][:, None] / many),
        other.on(2.0 * apart[1][:, None] / many),
    ]
    return around(estimate, np.concatenate(influences)[:, 0], level)


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
        ValueError: if no outcome has more effects than are picked.

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
        raise ValueError(f"no outcome has more than {best} effects to pick from")
    weights, shared, chance = np.zeros(len(people.labels)), [], []
    for rows in members:
        ours, theirs = (_best(side.estimate[rows], best) for side in (simulator, people))
        weights[rows] = (ours / best - 1.0 / len(rows)) / len(members)
        shared.append(float(ours @ theirs) / best)
        chance.append(best / len(rows))
    gain = around(float(weights @ people.estimate), people.on(weights[:, None])[:, 0], level)
    settled, best_settled = (
        all(_is_settled(side.take(rows), best, level) for rows in members)
        for side in (simulator, people)
    )
    return Picks(float(np.mean(shared)), float(np.mean(chance)), gain, settled, best_settled)


def _is_settled(side: Effects, best: int, level: float) -> bool:
    """Return whether each of the best effects is significantly larger than each other one."""
    order = np.argsort(-side.estimate)
    one, two = np.meshgrid(order[:best], order[best:], indexing="ij")
    difference = side.estimate[one] - side.estimate[two]
    if side.is_stated:
        return bool((difference > TIE * np.abs(side.estimate).max()).all())
    variance = np.diag(side.covariance)
    square = variance[one] + variance[two] - 2.0 * side.covariance[one, two]
    t = -sp.special.stdtrit(np.minimum(side.df[one], side.df[two]), (1.0 - level) / 2.0)
    seen = square > TIE * (variance[one] + variance[two])  # else no variance, which proves nothing
    return bool((seen & (difference > t * np.sqrt(np.maximum(square, 0.0)))).all())


def _best(values: ArrayLike, best: int) -> FloatArray:
    """Return the share with which each value is among the best; ties are picked at random."""
    values = np.asarray(values)
    least = np.sort(values)[-best]
    tie = TIE * max(float(np.ptp(values)), float(np.abs(values).max()))
    above, level = values > least + tie, np.abs(values - least) <= tie
    chosen: FloatArray = above + level * (best - above.sum()) / level.sum()
    return chosen
