"""Variances within and between groups, against plain loops and known truths."""

import numpy as np
import pytest

from fidelity.structure import AnswerTable, group_differences, variance_ratios

RNG = np.random.default_rng(0)
GROUP = RNG.choice(3, 90, p=[0.5, 0.3, 0.2])
PEOPLE = 0.6 * GROUP[:, None] + RNG.normal(size=(90, 4))
PEOPLE[RNG.random(PEOPLE.shape) < 0.1] = np.nan
OTHER = RNG.choice(3, 60)
MODEL = 1.2 * OTHER[:, None] + RNG.normal(size=(60, 4))


def between(x, group, shares):
    """Return B and the variance within of one question."""
    own = [x[(group == g) & ~np.isnan(x)] for g in range(3)]
    means = np.array([each.mean() for each in own])
    chance = np.array([each.var(ddof=1) / len(each) for each in own])
    apart = shares @ (means - shares @ means) ** 2
    return apart - shares * (1 - shares) @ chance, shares @ [each.var(ddof=1) for each in own]


def test_between_variance_by_hand():
    found = group_differences(PEOPLE, MODEL, GROUP, OTHER)
    for j in range(4):
        there = GROUP[~np.isnan(PEOPLE[:, j])]
        shares = np.bincount(there) / len(there)
        one, within = between(PEOPLE[:, j], GROUP, shares)
        two, _ = between(MODEL[:, j], OTHER, shares)
        assert found.people[j].estimate == pytest.approx(one, abs=1e-12)
        assert found.simulator[j].estimate == pytest.approx(two, abs=1e-12)
        assert found.people_shares[j] == pytest.approx(one / (one + within), abs=1e-12)


def test_a_person_of_weight_two_is_not_two_persons():
    weights = RNG.integers(1, 4, 90)
    one = group_differences(AnswerTable(PEOPLE, weights), MODEL, GROUP, OTHER)
    again = np.repeat(PEOPLE, weights, 0), np.repeat(GROUP, weights)
    two = group_differences(again[0], MODEL, again[1], OTHER)
    assert one.people[0].estimate < two.people[0].estimate  # the same people tell less


def test_without_differences_of_people_there_is_no_ratio():
    rng = np.random.default_rng(1)
    found = group_differences(rng.normal(size=(90, 4)), MODEL, rng.integers(0, 3, 90), OTHER).ratio
    assert np.isnan(found.estimate) and found.upper == np.inf


def test_variance_ratios_by_hand():
    ratios, mean = variance_ratios(PEOPLE, MODEL)
    expected = np.var(MODEL, axis=0) / np.nanvar(PEOPLE, axis=0)
    np.testing.assert_allclose([each.estimate for each in ratios], expected, atol=1e-12)
    assert mean.estimate == pytest.approx(np.exp(np.log(expected).mean()), abs=1e-12)


def test_constant_answers_have_a_ratio_of_zero():
    ratios, mean = variance_ratios(PEOPLE[:, :2], np.stack([np.ones(60), MODEL[:, 0]], 1))
    assert tuple(ratios[0]) == (0.0, 0.0, np.inf)
    assert mean.estimate == pytest.approx(ratios[1].estimate)


def test_refusals():
    with pytest.raises(ValueError, match="same two groups"):
        group_differences(PEOPLE, MODEL, GROUP, np.zeros(60))
    with pytest.raises(ValueError, match="same questions"):
        variance_ratios(PEOPLE, MODEL[:, :2])


@pytest.mark.slow
def test_the_ratio_covers_where_two_groups_hardly_differ():
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1], 150)
    covered = []
    for _ in range(300):
        people, model = (
            difference * group[:, None] + rng.normal(size=(300, 1)) for difference in (1.0, 0.15)
        )
        found = group_differences(people, model, group, group)
        covered.append(found.ratio.lower <= 0.15**2 <= found.ratio.upper)
    assert np.mean(covered) >= 0.93


@pytest.mark.parametrize("same_persons", [False, True])
def test_slope_of_three_groups_by_hand(same_persons):
    rng, group = np.random.default_rng(2), np.repeat([0, 1, 2], [1500, 900, 600])
    x = 0.4 * group + rng.normal(size=3000)
    y = 0.6 * group + rng.normal(size=3000) + same_persons * x
    found = group_differences(x[:, None], y[:, None], group, group, same_persons=same_persons)
    shares = np.array([0.5, 0.3, 0.2])
    means = np.array([[side[group == g].mean() for g in range(3)] for side in (x, y)])
    gaps = means - (means @ shares)[:, None]
    cov = [np.cov(x[group == g], y[group == g])[0, 1] / (group == g).sum() for g in range(3)]
    chance = (shares * (1 - shares)) @ cov if same_persons else 0.0
    plain = (shares @ gaps.prod(0) - chance) / between(x, group, shares)[0]
    assert found.slope.estimate == pytest.approx(plain, rel=0.01)  # but for Beale's correction
    assert found.slope == found.slopes[0]


def test_slope_of_two_groups_is_the_ratio_of_two_differences():
    rng, group = np.random.default_rng(2), np.repeat([0, 1], 300)
    people, model = (size * group + rng.normal(size=600) for size in (1.0, -0.7))
    found = group_differences(people[:, None], model[:, None], group, group)
    (n, v_n), (d, v_d) = (
        (one.mean() - zero.mean(), one.var(ddof=1) / 300 + zero.var(ddof=1) / 300)
        for one, zero in ((side[group == 1], side[group == 0]) for side in (model, people))
    )
    assert found.slope.estimate == pytest.approx(n / d, rel=0.02)
    for end in found.slope[1:]:  # Fieller: (N - θD)² = t²·Var(N - θD)
        t = abs(n - end * d) / np.sqrt(v_n + end**2 * v_d)
        assert t == pytest.approx(1.96, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("rates", "n"), [((0.004, 0.036), 20), ((0.02, 0.02), 400)])
def test_variance_between_groups_of_rare_answers_is_not_known_to_be_nothing(rates, n):
    rng, held, group = np.random.default_rng(n), 0, np.repeat([0, 1], n)
    rate = np.array(rates)
    for _ in range(400):
        people = (rng.random((2 * n, 1)) < rate[group][:, None]).astype(float)
        found = group_differences(people, people[::-1], group, group)
        low, high = found.people[0][1:]
        held += low <= rate.var() <= high
        assert low < high
        assert found.few_answers[0] == (min(people[group == g].sum() for g in (0, 1)) < 5)
    assert held / 400 + 2.0 * np.sqrt(0.05 * 0.95 / 400) >= 0.95


def test_a_ratio_of_variances_is_at_least_0():
    group, member = np.repeat([0, 1], 100), np.arange(100)
    people = np.concatenate([member < 0, member < 17]).astype(float)[:, None]
    simulator = np.tile(member < 5, 2).astype(float)[:, None]
    (ratio,) = group_differences(people, simulator, group, group).ratios
    assert ratio.estimate < 0.0 and ratio.lower == 0.0 < ratio.upper
