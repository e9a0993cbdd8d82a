"""Effects of rare answers: coverage by enumeration, limits by hand, and a width where none varies.

"Rare" is below five answers of the rarer of two kinds; there, plug-in variances are too small.
"""

import numpy as np
import pytest
from scipy.stats import binom, t

from fidelity.effects import (
    arm_effects,
    compare_effects,
    directions,
    effect_distances,
    lesser_square,
    mean_distance,
    picks,
    stated_effects,
)


def binary(counts, sizes, names, **more):
    """Return effects of arms with so many ones, the last arm the control."""
    answers = np.concatenate(
        [np.repeat([1, 0], [x, n - x]) for x, n in zip(counts, sizes, strict=True)]
    )
    return arm_effects(answers, np.repeat(names, sizes), control=names[-1], **more)


def wilson(x, n, k):
    middle, root = x + k**2 / 2, k * np.sqrt(x * (n - x) / n + k**2 / 4)
    return (middle - root) / (n + k**2), (middle + root) / (n + k**2)


@pytest.mark.parametrize(("n", "rates"), [(50, (0.01, 0.01)), (100, (0.03, 0.01)), (40, (0.5, 0))])
def test_an_effect_of_rare_answers_is_covered(n, rates):
    """By the probabilities of all pairs of counts that are not too rare."""
    most = [int(binom.isf(1e-5, n, rate)) + 1 for rate in rates]
    pairs = [(x, y) for x in range(most[0] + 1) for y in range(most[1] + 1)]
    one, two = np.array(pairs).T
    chance = binom.pmf(one, n, rates[0]) * binom.pmf(two, n, rates[1])
    pairs, chance = np.array(pairs)[chance > 1e-6], chance[chance > 1e-6]
    names = [f"x{row:04d}" for row in range(len(pairs))]
    outcomes = np.repeat(names, 2 * n + 1)
    answers = np.concatenate(
        [np.repeat([1, 0] * 2 + [1], [x, n - x, y, n - y, 1]) for x, y in pairs]
    )
    arms = np.tile(np.repeat(["t", "c", "other"], [n, n, 1]), len(pairs))
    low, high = arm_effects(answers, arms, control="c", outcomes=outcomes).intervals().T
    true = rates[0] - rates[1]
    covered = chance[(low <= true + 1e-12) & (true <= high + 1e-12)].sum() / chance.sum()
    assert covered >= 0.95
    assert (high > low).all()


def test_an_effect_has_newcombes_interval_with_students_quantile():
    people = binary([9, 3], [40, 60], ["new", "old"])
    k = t.isf(0.025, people.df[0])
    (l1, u1), (l2, u2) = wilson(9, 40, k), wilson(3, 60, k)
    p, q = 9 / 40, 3 / 60
    ends = p - q - np.hypot(p - l1, u2 - q), p - q + np.hypot(u1 - p, q - l2)
    np.testing.assert_allclose(people.intervals()[0], ends, atol=1e-12)
    published = binary([56, 48], [70, 80], ["new", "old"]).intervals()[0]
    np.testing.assert_allclose(published, [0.0524, 0.3339], atol=0.0013)  # Newcombe 1998, (a)


def test_a_mean_of_effects_takes_the_shared_control_once():
    people = binary([1, 0, 4, 2], [50, 50, 60, 80], ["a", "b", "c", "old"])
    shift = compare_effects(people, stated_effects(np.zeros(3), people.labels)).shift
    k, rates = t.isf(0.025, people.df.min()), np.array([1 / 50, 0.0, 4 / 60, 2 / 80])
    limits = np.array([wilson(x, n, k) for x, n in ((1, 50), (0, 50), (4, 60), (2, 80))])
    below, above = (np.abs(limits.T - rates)).round(15)
    weights = np.array([1 / 3, 1 / 3, 1 / 3, 1.0])
    sides = [np.append(above[:3], below[3]), np.append(below[:3], above[3])]
    reach = [np.sqrt(((weights * side) ** 2).sum()) for side in sides]
    mean = rates[:3].mean() - rates[3]
    assert shift == pytest.approx((-mean, -mean - reach[0], -mean + reach[1]), abs=1e-12)


def test_where_no_answer_varies_every_interval_has_a_width():
    people = binary([0, 0, 3, 0], [60] * 4, ["a", "b", "c", "old"]).take([0, 1])
    zero, right = (stated_effects([x, 0.0], people.labels) for x in (0.0, 0.01))
    both = [people.intervals()[0], compare_effects(people, zero).shift[1:]]
    both += [compare_effects(people, zero).mean_squared[1:], lesser_square(people, right, zero)[1:]]
    both += [mean_distance(people, zero)[2:], [d[0] for d in effect_distances(people, zero)[3:]]]
    for low, high in both:
        assert low <= 0.0 < 1e-4 < high < 1.0
    assert people.is_few.all() and not directions(people, right).people.any()
    gain = picks(people, right, best=1).gain
    assert gain.lower < 0.0 < gain.upper
    unknown = arm_effects([5.0] * 8 + [5.0] * 8, ["t"] * 8 + ["c"] * 8, control="c")
    assert np.isinf(unknown.intervals()).all()  # without limits nothing is known
    one, other = (stated_effects([x], unknown.labels) for x in (0.02, 0.0))
    assert np.isinf(lesser_square(unknown, one, other)[1:]).all()
    assert lesser_square(unknown, one, one) == (0.0, 0.0, 0.0)
    limited = arm_effects([0.0] * 60, ["t", "c"] * 30, control="c", bounds=(0, 1))
    assert 0.1 < limited.intervals()[0, 1] < 0.2


def test_answers_with_limits_have_one_more_at_each_end():
    rng = np.random.default_rng(0)
    answers = np.concatenate([rng.integers(2, 5, 30), np.full(40, 2)])
    arms = ["t"] * 30 + ["c"] * 40
    people = arm_effects(answers, arms, control="c", bounds=(1, 5))
    more = [np.append(part, [2, 4]) for part in (answers[:30], answers[30:])]
    plain = answers[:30].var() / 30, 0.0
    error = [max(one.var() / len(one), less) for one, less in zip(more, plain, strict=True)]
    weight = 30 / 29, 40 / 39  # n - 1 below
    low, high = people.intervals()[0]
    reach = t.isf(0.025, people.df[0]) * np.sqrt(np.dot(weight, error))
    assert (high - low) / 2 == pytest.approx(reach, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [False, True])
def test_distances_of_rare_answers_are_covered(drawn):
    """One of 2 % against draws of 3 %: .6 to .7 by plug-in variances."""
    rng, covered = np.random.default_rng(int(drawn)), []
    for _ in range(150):
        people = binary(rng.binomial(50, [0.01, 0.01]), [50] * 2, ["new", "old"], bounds=(0, 1))
        model = stated_effects([0.01], people.labels)
        if drawn:
            counts = rng.binomial(50, [0.02, 0.01])
            model = binary(counts, [50] * 2, ["new", "old"], bounds=(0, 1))
        square = compare_effects(people, model).mean_squared
        mean = mean_distance(people, model)
        covered.append(
            [square.lower <= 0.01**2 <= square.upper, mean.ci_lower <= 0.01 <= mean.ci_upper]
        )
    assert np.mean(covered, 0).min() >= 0.93
