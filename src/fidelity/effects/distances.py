"""How far a simulator's effects σ are from people's τ, with bounds that need no coverage γ.

τ̂ is unbiased for τ, and so is σ̂, the effect between simulated arms of draws, for σ.

- *Upper*: E |τ̂ - σ̂| ≥ |τ - σ|, since |.| is convex (Jensen).
- *Lower*: leave one answer out of each arm of people, and of the simulator's if they are draws.
  What is left decides on a sign; the answers left out are then unbiased for τ - σ with that sign:
  Λ = mean of sgn(τ̂⁻ - σ̂⁻)·(y_r - y_s - (y'_k - y'_l)), and E Λ ≤ |τ - σ|. Leaving out of one arm
  only isn't enough. A difference below 1e-9 of the answers' range is a tie, with the sign 0. Λ may
  be negative, and is never clipped before averaging.
- *Squared*: (τ̂ - σ̂)² - Var τ̂ - Var σ̂ is unbiased.

Persons (or clusters) in both arms are left out whole of both. Then, and with weights, means are
ratios, and the statements hold to first order. So they do of a conjoint's regressions, whose
persons are left out whole, too, by what each adds to the coefficients. Of more than 4,096 pairs in
the arms of draws, or of persons in both arms, so many are drawn from a fixed stream; expectations
stay the same.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.effects.estimates import Effects, measured
from fidelity.stream import stream

MOST_PAIRS = 4096
TIE = 1e-9


class EffectDistances(NamedTuple):
    """Estimates of each distance, (E,) each.

    Attributes:
        lower: at most |τ - σ| in expectation; NaN where people's answers aren't known, but only
            their means.
        upper: |τ̂ - σ̂|, at least |τ - σ| in expectation.
        squared: unbiased for (τ - σ)².
        ci_lower, ci_upper: confidence interval of |τ - σ|, of both's intervals combined by squares
            (approximate).
    """

    lower: FloatArray
    upper: FloatArray
    squared: FloatArray
    ci_lower: FloatArray
    ci_upper: FloatArray


def effect_distances(
    people: Effects, simulator: Effects, *, level: float = 0.95
) -> EffectDistances:
    """Return how far each of a simulator's effects is from people's.

    Args:
        people: of :func:`arm_effects`, or other functions.
        simulator: the same; effects without errors are taken as they are, those of draws stand for
            the effects of the simulator that drew them.
        level: of the intervals.

    Raises:
        ValueError: if no effect is on both sides.

    Examples:
        >>> from fidelity.effects import arm_effects, effect_distances, stated_effects
        >>> arms = ["new"] * 4 + ["old"] * 4
        >>> people = arm_effects([1, 1, 0, 1, 0, 1, 0, 0], arms, control="old")
        >>> model = stated_effects([0.4], people.labels)
        >>> distance = effect_distances(people, model)
        >>> [part.round(3).tolist() for part in distance[:3]]
        [[-0.575], [0.1], [-0.115]]
    """
    people, simulator = measured(people, simulator)
    level = inputs.number("level", level, inputs.INSIDE)
    apart = people.estimate - simulator.estimate
    critical = -sp.special.stdtrit(_df(people, simulator), (1.0 - level) / 2.0)
    (below, above), (less, more) = (side.distances(critical) for side in (people, simulator))
    low, high = apart - np.hypot(below, more), apart + np.hypot(above, less)
    return EffectDistances(
        leave_out(people, simulator),
        np.abs(apart),
        apart**2 - people.se**2 - simulator.se**2,
        np.maximum(0.0, np.maximum(low, -high)),
        np.maximum(high, -low),
    )


def _df(people: Effects, simulator: Effects) -> FloatArray:
    """Return Satterthwaite's degrees of freedom of differences, (E,)."""
    variances = people.se**4, simulator.se**4
    below = variances[0] / people.df + variances[1] / simulator.df
    total = (people.se**2 + simulator.se**2) ** 2
    least = np.minimum(people.df, simulator.df)
    return np.where(below > 0.0, total / np.where(below > 0.0, below, 1.0), least)


class _Left(NamedTuple):
    """P pairs left out in turn: the effect without them, that of the pair, and its share."""

    without: FloatArray
    effect: FloatArray
    share: FloatArray

    @classmethod
    def stated(cls, effect: float) -> "_Left":
        return cls(np.array([effect]), np.array([effect]), np.ones(1))

    @classmethod
    def of_arm(cls, arm: "_Arm", side: int, sigma: float) -> "_Left":
        """Leave out each unit of one arm, none of which is in the other, and add σ."""
        n, total = arm.taken[:, 2 * side : 2 * side + 2].T
        number, whole = arm.sums
        left = number - n > TIE * number
        without = np.where(left, (whole - total) / np.where(left, number - n, 1.0), np.nan)
        return cls(without + sigma, arm.mean + sigma, arm.share)

    @classmethod
    def of(cls, arms: "list[_Arm]", generator: np.random.Generator) -> "_Left":
        """Leave out each pair of a unit in the one arm and a unit in the other."""
        treated, control = arms
        sizes = len(treated.times), len(control.times)
        if sizes[0] * sizes[1] <= MOST_PAIRS:
            one, two = (place.ravel() for place in np.indices(sizes))
            share = treated.share[one] * control.share[two]
        else:
            evenly = np.arange(MOST_PAIRS)
            one, two = (
                np.searchsorted(
                    np.cumsum(arm.share[:-1]), (evenly + generator.random()) / MOST_PAIRS
                )
                for arm in arms
            )
            two = generator.permutation(two)
            share = np.full(MOST_PAIRS, 1.0 / MOST_PAIRS)
        effect = treated.mean[one] - control.mean[two]
        if (treated.unit < 0.0).all():
            first, second = (cls.of_arm(arm, side, 0.0).without for side, arm in enumerate(arms))
            return cls(first[one] - second[two], effect, share)
        a, b = treated.taken[one], control.taken[two]
        same = (treated.unit[one] == control.unit[two])[:, None] & (treated.unit[one] >= 0)[:, None]
        gone = a + np.where(same, 0.0, b)
        sums = np.concatenate([arm.sums for arm in arms])
        with np.errstate(invalid="ignore", divide="ignore"):
            left = sums - gone
            left[np.abs(left) < TIE * np.abs(sums)] = 0.0
            without = left[:, 1] / left[:, 0] - left[:, 3] / left[:, 2]
        without[(left[:, 0] <= 0.0) | (left[:, 2] <= 0.0)] = np.nan
        return cls(without, effect, share)

    @classmethod
    def of_persons(cls, effects: Effects, row: int) -> "_Left":
        """Leave out each person of a regression."""
        added = np.asarray(effects.influence)[:, row]
        added, persons = added[added != 0.0], effects.df[row] + 1.0
        alone = 1.0 - len(added) / persons  # the share of those who change nothing
        added, share = np.append(added, 0.0), np.append(np.full(len(added), 1.0 / persons), alone)
        estimate = effects.estimate[row]
        return cls(estimate - added * persons / (persons - 1.0), estimate + added * persons, share)


class _Arm(NamedTuple):
    """The units of an arm, V of them, alike ones together.

    Attributes:
        times: how many units each stands for, (V,).
        share: of the arm's answers, (V,).
        mean: of the units' answers in the arm, (V,).
        taken: the number and total that leave the one arm and the other with such a unit, (V, 4).
        unit: its number, where it is in both arms; else -1, (V,).
        sums: number and total of all units, (2,).
    """

    times: FloatArray
    share: FloatArray
    mean: FloatArray
    taken: FloatArray
    unit: FloatArray
    sums: FloatArray


def _arms(effects: Effects, row: int) -> list[_Arm]:
    """Return the arms of an effect."""
    assert effects.answers is not None
    number, total, places, _ = effects.answers
    units: list[Any] = []
    for cell in places[row]:
        at = slice(number.indptr[cell], number.indptr[cell + 1])
        units.append((number.indices[at], number.data[at], total.data[at]))
    common = np.intersect1d(units[0][0], units[1][0])
    arms = []
    for side, (who, n, sums) in enumerate(units):
        whole = np.array([n.sum(), sums.sum()])
        times, unit = np.ones(len(who)), np.full(len(who), -1.0)
        taken = np.zeros((len(who), 4))
        if len(common):
            others, *answered = units[1 - side]
            both = np.isin(who, common)
            at = np.searchsorted(others, who[both])
            unit[both] = who[both]
            taken[both, 2 - 2 * side], taken[both, 3 - 2 * side] = (part[at] for part in answered)
        else:
            alike, many = np.unique(n + 1j * sums, return_counts=True)
            times = many.astype(float)
            n, sums, taken = alike.real, alike.imag, taken[: len(alike)]
        taken[:, 2 * side], taken[:, 2 * side + 1] = n, sums
        arms.append(_Arm(times, n * times / whole[0], sums / n, taken, unit[: len(n)], whole))
    return arms


@lru_cache(maxsize=4)
def leave_out(people: Effects, simulator: Effects) -> FloatArray:
    """Return Λ of each effect, (E,)."""
    if people.of_persons and (simulator.of_persons or simulator.is_stated):
        return _without_persons(people, simulator)
    if people.answers is None or (simulator.answers is None and not simulator.is_stated):
        return np.full(len(people.labels), np.nan)
    bounds = np.empty(len(people.labels))
    for row, (tau, sigma) in enumerate(zip(people.estimate, simulator.estimate, strict=True)):
        arms = _arms(people, row)
        drawn = None if simulator.is_stated else _arms(simulator, row)
        generator = stream("leave out", row)
        if drawn is None and (arms[0].unit < 0.0).all():
            left, against = _Left.of_arm(arms[0], 0, 0.0), _Left.of_arm(arms[1], 1, sigma)
        else:
            left = _Left.of(arms, generator)
            against = _Left.stated(sigma) if drawn is None else _Left.of(drawn, generator)
        values = np.concatenate([arm.mean for arm in (*arms, *(drawn or ()))])
        tie = TIE * max(float(np.ptp(values)), abs(float(sigma)))
        bounds[row] = _signed(left, against, float(tau - sigma), tie)
    bounds.setflags(write=False)  # since it is kept
    return bounds


def _without_persons(people: Effects, simulator: Effects) -> FloatArray:
    """Return Λ of each coefficient of regressions, (E,)."""
    bounds = np.empty(len(people.labels))
    for row, (tau, sigma) in enumerate(zip(people.estimate, simulator.estimate, strict=True)):
        against = _Left.stated(sigma) if simulator.is_stated else _Left.of_persons(simulator, row)
        tie = TIE * max(abs(float(tau)), abs(float(sigma)))
        bounds[row] = _signed(_Left.of_persons(people, row), against, float(tau - sigma), tie)
    return bounds


def _signed(left: _Left, against: _Left, apart: float, tie: float) -> float:
    """Return the mean of sgn(x - y)·(f - g) over all pairs (x, f) and (y, g).

    It is s(τ̂ - σ̂) with the sign s of all, plus what differs from it where signs do. So pairs that
    are drawn add little chance.
    """
    usual = float(np.sign(apart)) if abs(apart) > tie else 0.0
    known = ~np.isnan(against.without)
    order = np.argsort(against.without[known], kind="stable")
    y = against.without[known][order]
    q = np.concatenate([[0.0], np.cumsum(against.share[known][order])])
    g = against.effect[known][order] * against.share[known][order]
    g = np.concatenate([[0.0], np.cumsum(g)])
    x = left.without
    here = ~np.isnan(x)
    below, above = (
        np.searchsorted(y, x[here] - tie, "left"),
        np.searchsorted(y, x[here] + tie, "right"),
    )
    sign_mass, sign_sum = np.zeros(len(x)), np.zeros(len(x))
    sign_mass[here] = q[below] - (q[-1] - q[above])
    sign_sum[here] = g[below] - (g[-1] - g[above])
    whole = float((against.share * against.effect).sum())
    away = left.effect * (sign_mass - usual) - (sign_sum - usual * whole)
    return float(usual * apart + (left.share * away).sum())


def effect_set(effects: Effects, *, bounds: ArrayLike, level: float = 0.95) -> FloatArray:
    """Return Hoeffding's confidence set of each effect, an interval, (E, 2).

    It is exact at any n, for independent persons without weights. :meth:`Effects.intervals` are
    approximate, and hold for others, too.

    Args:
        effects: of :func:`arm_effects`.
        bounds: the least and the largest answer, (2,).
        level: the coverage γ of each set.

    Raises:
        ValueError: if Hoeffding's set does not hold: persons in several arms, or with several
            answers; or weights.

    Examples:
        >>> from fidelity.effects import arm_effects, effect_set
        >>> arms = ["new"] * 50 + ["old"] * 50
        >>> effects = arm_effects([1] * 40 + [0] * 60, arms, control="old")
        >>> effect_set(effects, bounds=(0, 1)).round(3).tolist()
        [[0.528, 1.0]]
    """
    low, high = inputs.vector("bounds", bounds, inputs.FINITE, 2)
    level = inputs.number("level", level, inputs.INSIDE)
    answered = effects.answers
    if answered is None:
        raise ValueError("effects must have answers of persons; use Effects.intervals")
    present = sp.sparse.csc_array(answered.number > 0).astype(float)
    number = np.asarray(present.sum(0))
    one_each = np.array_equal(number, np.asarray(answered.number.sum(0)))
    one, two = answered.arms.T
    shared = (present.T @ present).toarray()[one, two]
    if not one_each or shared.any():
        raise ValueError(
            "persons must be without weights, each in one arm once; use Effects.intervals"
        )
    reach = np.sqrt(np.log(2.0 / (1.0 - level)) * (1.0 / number[one] + 1.0 / number[two]) / 2.0)
    ends = np.stack(
        [effects.estimate - (high - low) * reach, effects.estimate + reach * (high - low)]
    )
    return np.clip(ends.T, low - high, high - low)
