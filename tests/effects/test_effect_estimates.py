"""Effects, their errors and AMCE, against regressions written out, and against R's lm."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from outcomes import outcomes_of
from scipy.stats import multinomial

from fidelity.effects import (
    arm_effects,
    effect_distances,
    effect_set,
    effects_of_means,
    expected_clear,
    marginal_effects,
    mean_distance,
    stated_effects,
)
from fidelity.effects import distances as distances_module

REFERENCE = json.loads((Path(__file__).parents[1] / "reference/effects.json").read_text())
RNG = np.random.default_rng(0)
ARM = np.repeat(["c", "t", "u"], [30, 20, 25])
Y = RNG.normal(size=75) + (ARM == "t")


def sandwich(x, y, w, clusters=None):
    """Return coefficients and covariance: CR1 by cluster, HC2 without."""
    bread = np.linalg.inv((x.T * w) @ x)
    beta = bread @ (x.T * w) @ y
    scores = x * (w * (y - x @ beta))[:, None]
    if clusters is None:
        leverage = np.einsum("ij,jk,ik->i", x, bread, x) * w
        meat = (scores.T / (1 - leverage)) @ scores
        return beta, bread @ meat @ bread
    sums = np.stack([scores[clusters == c].sum(0) for c in np.unique(clusters)])
    g, (n, k) = len(sums), x.shape
    return beta, bread @ (sums.T @ sums) @ bread * g / (g - 1) * (n - 1) / (n - k)


def test_between_persons_is_hc2():
    effects = arm_effects(Y, ARM, control="c")
    x = np.stack([np.ones(75), ARM == "t", ARM == "u"], 1).astype(float)
    beta, covariance = sandwich(x, Y, np.ones(75))
    assert effects.labels == [("", "t"), ("", "u")]
    np.testing.assert_allclose(effects.estimate, beta[1:], atol=1e-12)
    np.testing.assert_allclose(effects.covariance, covariance[1:, 1:], atol=1e-12)
    one, two = (np.var(Y[arm == ARM], ddof=1) / (arm == ARM).sum() for arm in "tc")
    assert effects.df[0] == pytest.approx((one + two) ** 2 / (one**2 / 19 + two**2 / 29))


@pytest.mark.parametrize("is_weighted", [False, True])
def test_clustered_is_cr1_of_the_two_arms(is_weighted):
    person = RNG.integers(0, 25, 75)
    weights = RNG.uniform(0.5, 2.0, 75) if is_weighted else np.ones(75)
    effects = arm_effects(Y, ARM, control="c", respondents=person, weights=weights)
    for row, arm in enumerate("tu"):
        at = (arm == ARM) | (ARM == "c")
        x = np.stack([np.ones(at.sum()), ARM[at] == arm], 1).astype(float)
        beta, covariance = sandwich(x, Y[at], weights[at], person[at])
        assert effects.estimate[row] == pytest.approx(beta[1], abs=1e-12)
        assert effects.se[row] == pytest.approx(np.sqrt(covariance[1, 1]), abs=1e-12)
        assert effects.df[row] == len(np.unique(person[at])) - 1


def test_weighted_means_are_linearised():
    weights = RNG.uniform(0.5, 2.0, 75)
    effects = arm_effects(Y, ARM, control="c", weights=weights)
    variance = 0.0
    for arm in "tc":
        y, w = Y[arm == ARM], weights[arm == ARM]
        away = w * (y - np.average(y, weights=w)) / w.sum()
        variance += len(y) / (len(y) - 1) * (away**2).sum()
    assert effects.se[0] == pytest.approx(np.sqrt(variance), abs=1e-12)
    same = arm_effects(Y, ARM, control="c", weights=np.full(75, 3.0))
    np.testing.assert_allclose(same.se, arm_effects(Y, ARM, control="c").se)


def test_means_give_what_answers_give():
    arms = ["t", "u", "c"]
    means, spreads, sizes = zip(
        *((y.mean(), y.std(ddof=1), len(y)) for y in (Y[arm == ARM] for arm in arms)), strict=True
    )
    effects = effects_of_means(means, spreads, sizes, arms, control="c")
    answered = arm_effects(Y, ARM, control="c")
    np.testing.assert_allclose(effects.estimate, answered.estimate, atol=1e-12)
    np.testing.assert_allclose(effects.covariance, answered.covariance, atol=1e-12)
    np.testing.assert_allclose(effects.df, answered.df)


def test_several_outcomes_of_the_same_persons_are_correlated():
    y = RNG.normal(size=75) + 3 * Y
    effects = arm_effects(
        [*Y, *y],
        [*ARM, *ARM],
        control="c",
        outcomes=np.repeat(["one", "two"], 75),
        respondents=np.tile(np.arange(75), 2),
    )
    at = [effects.labels.index((outcome, "t")) for outcome in ("one", "two")]
    arms = [np.cov(Y[arm == ARM], y[arm == ARM]) / (arm == ARM).sum() for arm in "tc"]
    np.testing.assert_allclose(effects.covariance[np.ix_(at, at)], sum(arms), atol=1e-12)


def test_effects_within_groups_are_those_of_the_groups_alone():
    rng = np.random.default_rng(3)
    y, arms = rng.random(240), np.resize(["a", "b", "control"], 240)
    given = {"outcomes": np.repeat(["one", "two"], 120), "groups": np.tile(["old", "young"], 120)}
    together = arm_effects(y, arms, control="control", **given)
    for group in ("old", "young"):
        rows = given["groups"] == group
        alone = arm_effects(
            y[rows], arms[rows], control="control", outcomes=given["outcomes"][rows]
        )
        labels = [(outcome, group, arm) for outcome, arm in alone.labels]
        part = together.take([together.labels.index(label) for label in labels])
        np.testing.assert_allclose(part.estimate, alone.estimate, rtol=1e-12)
        np.testing.assert_allclose(part.se, alone.se, rtol=1e-12)
    assert len(together.labels) == 8


def test_missing_answers_and_small_arms_are_left_out():
    effects = arm_effects([1, 2, np.nan, 4, 3, 3], list("tttccu"), control="c")
    assert effects.labels == [("", "t")]
    assert effects.estimate.tolist() == [-2.0]
    with pytest.raises(ValueError, match="no condition has two answers"):
        arm_effects([1, 2, 3], list("tcc"), control="c")
    with pytest.raises(ValueError, match="no condition has two answers"):
        arm_effects([1, 2, 3], list("tcc"), control="placebo")


def conjoint():
    data = REFERENCE["conjoint"]
    return {name: np.array(values) for name, values in data.items()}


@pytest.mark.parametrize("is_weighted", [False, True])
def test_amce_is_the_clustered_regression_of_r(is_weighted):
    data = conjoint()
    weights = data["weight"] if is_weighted else None
    effects = marginal_effects(
        data["chosen"],
        {"price": data["price"], "brand": data["brand"]},
        respondents=data["person"],
        bases={"price": "low"},
        weights=weights,
    )
    expected = REFERENCE["weighted" if is_weighted else "plain"]
    assert effects.labels == [tuple(label) for label in expected["labels"]]
    np.testing.assert_allclose(effects.estimate, expected["estimate"], atol=1e-9)
    np.testing.assert_allclose(effects.se, expected["se"], atol=1e-9)
    x = [np.ones(len(data["chosen"]))]
    x += [(data[name] == level).astype(float) for name, level in effects.labels]
    w = np.ones(len(x[0])) if weights is None else weights
    beta, covariance = sandwich(np.stack(x, 1), data["chosen"], w, data["person"])
    np.testing.assert_allclose(effects.estimate, beta[1:], atol=1e-12)
    np.testing.assert_allclose(effects.covariance, covariance[1:, 1:], atol=1e-12)


def test_amce_of_several_outcomes_of_the_same_persons():
    data = conjoint()
    shown = {name: np.tile(data[name], 2) for name in ("price", "brand")}
    other = data["chosen"] + 0.5 * (data["price"] == "low") + RNG.normal(size=len(data["chosen"]))
    both = marginal_effects(
        np.concatenate([data["chosen"], other]),
        shown,
        outcomes=np.repeat(["chosen", "rating"], len(other)),
        respondents=np.tile(data["person"], 2),
    )
    for place, answers in enumerate((data["chosen"], other)):
        shown = {name: data[name] for name in ("price", "brand")}
        alone = marginal_effects(answers, shown, respondents=data["person"])
        rows = slice(3 * place, 3 * place + 3)
        assert both.labels[rows] == [(("chosen", "rating")[place], *one) for one in alone.labels]
        np.testing.assert_allclose(both.estimate[rows], alone.estimate, atol=1e-12)
        np.testing.assert_allclose(both.covariance[rows, rows], alone.covariance, atol=1e-12)
    assert np.abs(both.covariance[:3, 3:]).max() > 0.0


def test_amce_refuses_what_it_cannot_tell():
    with pytest.raises(ValueError, match="can't be told apart"):
        marginal_effects([1, 0, 1, 0], {"a": list("xyxy"), "b": list("pqpq")})
    with pytest.raises(ValueError, match="must be one of x, y"):
        marginal_effects([1, 0, 1, 0], {"a": list("xyxy")}, bases={"a": "z"})
    with pytest.raises(ValueError, match="2 respondents"):
        marginal_effects([1, 0, 1, 0], {"a": list("xyxy")}, respondents=[1] * 4)


def test_between_effects_agree_with_r():
    expected = REFERENCE["between"]
    effects = arm_effects(expected["y"], expected["arm"], control="c")
    np.testing.assert_allclose(effects.estimate, expected["estimate"], atol=1e-9)
    np.testing.assert_allclose(effects.se, expected["se"], atol=1e-9)
    np.testing.assert_allclose(effects.df, expected["df"], atol=1e-7)


def test_deviations_are_from_the_mean_over_subgroups():
    labels = [(outcome, group, "t") for outcome in ("a", "b") for group in ("old", "young")]
    effects = stated_effects([1.0, 3.0, 0.0, 1.0], labels)
    apart = effects.deviations(1)
    assert apart.labels == labels
    assert apart.estimate.tolist() == [-1.0, 1.0, -0.5, 0.5]
    single = stated_effects([1.0], [("a", "old", "t")]).deviations(1)
    assert single.labels == []


@pytest.mark.slow
def test_expected_share_of_certain_effects_by_simulation():
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(100):
        true = rng.normal(0.3, 0.5, 30)
        means, sizes = [0.0, *true], [4000] + [40] * 30
        arms = ["c", *map(str, range(30))]
        effects = effects_of_means(means, [2.0] * 31, sizes, arms, control="c")
        z = np.abs(true + rng.normal(0, 1, 30) * effects.se) / effects.se
        noisy = effects_of_means(
            [0.0, *(true + rng.normal(0, 1, 30) * effects.se)], [2.0] * 31, sizes, arms, control="c"
        )
        shares.append(((z > 1.959964).mean(), expected_clear(noisy, 1.0)))
    seen, expected = np.mean(shares, 0)
    assert expected == pytest.approx(seen, abs=0.02)


LABEL = [("", "t")]


def samples(values, p, n):
    """Yield all samples of n answers with their probabilities."""
    for sample in product(range(len(values)), repeat=n):
        yield [values[i] for i in sample], float(np.prod([p[i] for i in sample]))


def both_arms(values, p, q, n_t, n_c):
    """Yield effects of all samples of two arms with their probabilities."""
    arms = ["t"] * n_t + ["c"] * n_c
    for (treated, one), (control, two) in product(samples(values, p, n_t), samples(values, q, n_c)):
        if one * two > 0.0:
            yield arm_effects(treated + control, arms, control="c"), one * two


def expected(pairs):
    """Return the expectations of lower bound, upper bound and squared distance."""
    total = np.zeros(3)
    for (people, simulator), probability in pairs:
        distance = effect_distances(people, simulator)
        total += probability * np.array([part[0] for part in distance[:3]])
    return total


CASES = [
    ([0, 1], [0.5, 0.5], [0.5, 0.5], 2, 2, 0.0),  # τ = σ
    ([0, 1], [0.5, 0.5], [0.5, 0.5], 3, 2, 0.0),
    ([0, 1], [0.7, 0.3], [0.4, 0.6], 3, 3, 0.3),  # a tie in exact numbers: τ = .3
    ([0, 1], [0.2, 0.8], [0.6, 0.4], 4, 2, 0.1),
    ([-1, 0, 1], [0.2, 0.3, 0.5], [0.5, 0.3, 0.2], 3, 2, 1 / 3),
    ([0, 0.1, 0.7], [0.3, 0.4, 0.3], [0.1, 0.4, 0.5], 2, 3, -0.1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("values", "p", "q", "n_t", "n_c", "sigma"), CASES)
def test_expectations_with_stated_effects(values, p, q, n_t, n_c, sigma):
    tau = float(np.dot(values, p) - np.dot(values, q))
    stated = stated_effects([sigma], LABEL)
    lower, upper, squared = expected(
        ((people, stated), chance) for people, chance in both_arms(values, p, q, n_t, n_c)
    )
    assert lower <= abs(tau - sigma) + 1e-12
    assert upper >= abs(tau - sigma) - 1e-12
    assert squared == pytest.approx((tau - sigma) ** 2, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("r", [[0.5, 0.5], [0.8, 0.2]])
def test_expectations_with_drawn_effects(r):
    q = [0.5, 0.5]
    simulated = list(both_arms([0, 1], r, q, 2, 2))
    pairs = (
        ((people, simulator), one * two)
        for people, one in both_arms([0, 1], q, q, 3, 2)
        for simulator, two in simulated
    )
    lower, upper, squared = expected(pairs)
    sigma = r[1] - 0.5
    assert lower <= abs(sigma) + 1e-12 <= upper + 2e-12
    assert squared == pytest.approx(sigma**2, abs=1e-12)


@pytest.mark.sampled
@pytest.mark.parametrize("sigma", [0.0, 0.2])
def test_expectations_with_persons_in_both_arms(sigma):
    joint = {(0, 0): 0.3, (0, 1): 0.1, (1, 0): 0.3, (1, 1): 0.3}  # of control and treated
    tau, stated = 0.4 - 0.6, stated_effects([sigma], LABEL)
    pairs = []
    for persons in product(joint, repeat=3):
        answers = [answer for pair in persons for answer in pair]
        people = arm_effects(
            answers, ["c", "t"] * 3, control="c", respondents=np.repeat(range(3), 2)
        )
        pairs.append(((people, stated), float(np.prod([joint[pair] for pair in persons]))))
    lower, upper, squared = expected(pairs)
    assert lower <= abs(tau - sigma) <= upper
    assert squared == pytest.approx((tau - sigma) ** 2, abs=1e-12)


def with_a_common_control(values, shares, sizes):
    """Yield effects of two conditions on one control, of all samples, with their probabilities."""
    arms = np.repeat(["t", "u", "c"], sizes)
    every = [outcomes_of(n, len(values)).astype(int) for n in sizes]
    chances = map(multinomial.pmf, every, sizes, shares)
    for drawn in product(*map(zip, every, chances)):
        answers = np.concatenate([np.repeat(values, counts) for counts, _ in drawn])
        yield arm_effects(answers, arms, control="c"), float(np.prod([one for _, one in drawn]))


BINARY = [0.0, 1.0], [[0.5, 0.5], [0.2, 0.8], [0.5, 0.5]]
BOUNDED = [0.0, 0.25, 1.0], [[0.3, 0.4, 0.3], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("values", "shares", "sizes"),
    [
        *((*BINARY, sizes) for sizes in ((2, 2, 2), (4, 3, 2), (2, 3, 4))),
        pytest.param(*BOUNDED, (2, 2, 2), marks=pytest.mark.slow),
        pytest.param(*BOUNDED, (2, 3, 2), marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("sigma", [[0.0, 0.3], [0.25, -0.5]])  # at samples' differences: ties
def test_expectations_with_a_common_control(values, shares, sizes, sigma):
    mean = np.array(shares) @ values
    apart = np.abs(mean[:2] - mean[2] - sigma)
    stated = stated_effects(sigma, [("", "t"), ("", "u")])
    total, of_mean = np.zeros((3, 2)), np.zeros(2)
    for people, chance in with_a_common_control(values, shares, sizes):
        distance = effect_distances(people, stated)
        total += chance * np.array(distance[:3])
        of_mean += chance * np.array([distance.lower.mean(), distance.upper.mean()])
    assert (total[0] <= apart + 1e-12).all() and (apart <= total[1] + 1e-12).all()
    np.testing.assert_allclose(total[2], apart**2, atol=1e-12)
    assert of_mean[0] <= apart.mean() + 1e-12 and apart.mean() <= of_mean[1] + 1e-12


def slow_lower(treated, control, sigma):
    """Leave out each pair by itself."""
    total = 0.0
    for r, s in product(range(len(treated)), range(len(control))):
        apart = np.delete(treated, r).mean() - np.delete(control, s).mean() - sigma
        sign = 0.0 if abs(apart) < 1e-9 else np.sign(apart)
        total += sign * (treated[r] - control[s] - sigma)
    return total / len(treated) / len(control)


def test_lower_bound_by_a_loop():
    rng = np.random.default_rng(0)
    for sigma in (0.0, 0.05, 0.3):
        treated, control = rng.choice([1.0, 2.0, 4.0], 11), rng.choice([1.0, 2.0, 4.0], 9)
        people = arm_effects([*treated, *control], ["t"] * 11 + ["c"] * 9, control="c")
        (lower,) = effect_distances(people, stated_effects([sigma], LABEL)).lower
        assert lower == pytest.approx(slow_lower(treated, control, sigma), abs=1e-12)


@pytest.mark.slow
def test_drawn_pairs_agree_with_all(monkeypatch):
    rng = np.random.default_rng(1)
    arms = np.repeat(["t", "c"], 60)
    effects = [arm_effects(rng.random(120), arms, control="c") for _ in range(40)]
    drawn = arm_effects(rng.random(120), arms, control="c")
    every = [effect_distances(people, drawn).lower[0] for people in effects]
    monkeypatch.setattr(distances_module, "MOST_PAIRS", 900)
    some = [effect_distances(people, drawn).lower[0] for people in effects]
    assert some != every
    assert np.mean(some) == pytest.approx(np.mean(every), abs=0.01)


def test_squared_and_interval_by_hand():
    people = arm_effects([1, 2, 3, 5, 2, 2, 1], ["t"] * 4 + ["c"] * 3, control="c")
    distance = effect_distances(people, stated_effects([3.0], LABEL))
    variance = np.var([1, 2, 3, 5], ddof=1) / 4 + np.var([2, 2, 1], ddof=1) / 3
    apart = 2.75 - 5 / 3 - 3.0
    assert distance.squared[0] == pytest.approx(apart**2 - variance, abs=1e-12)
    low, high = people.intervals()[0] - 3.0
    assert (distance.ci_lower[0], distance.ci_upper[0]) == pytest.approx((max(0, -high), -low))


def test_means_without_answers_have_no_lower_bound():
    people = effects_of_means([1.0, 0.0], [1.0, 1.0], [20, 20], ["t", "c"], control="c")
    distance = effect_distances(people, stated_effects([0.2], LABEL))
    assert np.isnan(distance.lower).all() and distance.upper[0] == pytest.approx(0.8)


def test_hoeffding_set_and_its_refusals():
    arms = ["t"] * 30 + ["c"] * 50
    people = arm_effects([1] * 20 + [0] * 60, arms, control="c")
    (low, high) = effect_set(people, bounds=(0, 1), level=0.9)[0]
    reach = np.sqrt(np.log(20.0) * (1 / 30 + 1 / 50) / 2)
    assert (low, high) == pytest.approx((2 / 3 - reach, min(1.0, 2 / 3 + reach)))
    twice = arm_effects([1] * 20 + [0] * 60, arms, control="c", respondents=np.arange(80) // 2)
    with pytest.raises(ValueError, match="each in one arm once"):
        effect_set(twice, bounds=(0, 1))
    heavy = arm_effects([1] * 20 + [0] * 60, arms, control="c", weights=np.arange(1, 81))
    with pytest.raises(ValueError, match="without weights"):
        effect_set(heavy, bounds=(0, 1))


def test_new_interventions_count_the_common_control():
    rng = np.random.default_rng(0)
    arms = np.repeat(np.arange(9), [20] + [200] * 8)
    people = arm_effects(rng.normal(size=len(arms)), arms, control="0")
    stated = stated_effects(np.full(8, 3.0), people.labels)
    new = mean_distance(people, stated, target="new")
    control_se = people.se.min() ** 2 - 1 / 200 * 0.7  # what all interventions have in common
    assert (new.ci_upper - new.ci_lower) / 2 > 1.9 * np.sqrt(control_se)
    with pytest.raises(ValueError, match="same labels"):
        mean_distance(people, stated_effects([1.0], [("", "x")]))


@pytest.mark.sampled
@pytest.mark.parametrize("sigma", [0.0, 0.15, None])
def test_lower_bounds_of_a_conjoint_leave_persons_out(sigma):
    """On average at most the distance from what is stated or drawn; true effects are 0."""
    rng, bounds = np.random.default_rng(0), []
    for _ in range(300):
        sides = []
        for persons in (20, 12):
            price = rng.integers(0, 2, (persons, 6))
            taste = rng.normal(0.0, 0.5, (persons, 1)) * price  # persons differ in the effect
            rating = (taste + rng.normal(size=price.shape)).ravel()
            levels, who = price.ravel().astype(str), np.repeat(np.arange(persons), 6)
            sides.append(marginal_effects(rating, {"price": levels}, respondents=who))
        people, drawn = sides
        model = drawn if sigma is None else stated_effects([sigma], people.labels)
        distance = effect_distances(people, model)
        bounds.append([distance.lower[0], distance.upper[0]])
    lower, upper = np.mean(bounds, 0)
    error = np.std(bounds, 0)[0] / np.sqrt(len(bounds))
    assert lower <= (sigma or 0.0) + 2.0 * error
    assert upper > (sigma or 0.0) + 0.05
